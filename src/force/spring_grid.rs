//! The springs of a cloth, a row at a time. docs/speed.md explains it with a picture.

use super::spring_rows::{Around, GoOn, Pull, SpringDerivative, SpringForce, Walk};
use crate::constraint::body::{Body, Direction, Place};
use crate::constraint::{Link, Links};
use crate::distinct_rows::DistinctRows;
use crate::simd::{Isa, Line};
use glam::DVec3;
use std::cell::RefCell;
use std::ops::Range;

/// Springs of a row by the direction from their first end.
const DIRECTIONS: usize = 4;
pub(super) const RIGHT: usize = 0;
pub(super) const DOWN_LEFT: usize = 1;
pub(super) const DOWN_RIGHT: usize = 2;
pub(super) const DOWN: usize = 3;

/// Numbers of a spring's material, of which the last is its slack.
const MATERIAL: usize = 3;
const SLACK: usize = 2;

/// A grid's springs in columns of numbers.
///
/// Each particle sums the eight springs around it in the order in which the plain loop comes to
/// them, which is that of [`crate::mesh::Mesh::cloth`]; a list in another order has no grid.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SpringGrid {
    isa: Isa,
    particles: Range<usize>,
    columns: usize,
    /// Vectors in a row of springs.
    row_vectors: usize,
    /// Rest lengths in metres. A row for each row of particles and direction.
    rest: DistinctRows,
    /// In the same rows, for each vector: stiffness, damping, and slack, the lengths in metres up
    /// to which springs do nothing: 0, for a one-sided spring all below its rest length, ∞ where
    /// there is no spring.
    material: DistinctRows,
}

impl SpringGrid {
    pub fn new(body: &Body, columns: u32, links: &Links, isa: Isa) -> Option<Self> {
        let particles = body.particles.start as usize..body.particles.end as usize;
        let rows = particles.len().div_ceil(columns as usize);
        let lanes = isa.lanes();
        let row_vectors = (columns as usize).next_multiple_of(8) / lanes;
        let vectors = rows * DIRECTIONS * row_vectors;
        let mut rest = vec![0.0; vectors * lanes];
        let mut material =
            [vec![0.0; 2 * lanes], vec![f64::INFINITY; lanes]].concat().repeat(vectors);
        // Which of its eight springs a particle has met last: see `Work::add_up`.
        let mut met = vec![-1_i8; particles.len()];
        let mut meet = |row: u32, column: u32, turn: i8| {
            let last = &mut met[(row * columns + column) as usize];
            std::mem::replace(last, turn) < turn
        };
        for &i in &body.links {
            let link = links.at(i as usize);
            let place = body.place(&link, columns)?;
            let Place { row, column, direction } = place;
            let in_turn = match direction {
                Direction::Right => meet(row, column, 5) & meet(row, column + 1, 3),
                Direction::Down => meet(row, column, 6) & meet(row + 1, column, 1),
                Direction::DownRight => meet(row, column, 7) & meet(row + 1, column + 1, 0),
                Direction::DownLeft => meet(row, column, 4) & meet(row + 1, column - 1, 2),
            };
            if !in_turn {
                return None;
            }
            if link.is_cut() {
                continue;
            }
            let (vector, lane) = vector_and_lane(place, row_vectors, lanes);
            let slack = if link.one_sided { link.rest.next_down().max(0.0) } else { 0.0 };
            rest[vector * lanes + lane] = link.rest;
            for (k, number) in [link.stiffness, link.damping, slack].into_iter().enumerate() {
                material[(vector * MATERIAL + k) * lanes + lane] = number;
            }
        }
        let rest = DistinctRows::new(row_vectors * lanes, &rest);
        let material = DistinctRows::new(MATERIAL * row_vectors * lanes, &material);
        Some(Self { isa, particles, columns: columns as usize, row_vectors, rest, material })
    }

    /// Leaves a gap where a spring was.
    pub fn cut(&mut self, link: &Link) {
        let place = Place::of(link, self.particles.start as u32, self.columns as u32);
        let lanes = self.isa.lanes();
        let (vector, lane) =
            vector_and_lane(place.expect("a spring of the grid"), self.row_vectors, lanes);
        self.material.put((vector * MATERIAL + SLACK) * lanes + lane, f64::INFINITY);
    }

    /// The particles whose springs these are.
    pub fn particles(&self) -> Range<usize> {
        self.particles.clone()
    }

    /// Writes the springs' forces to `f`, and has `go_on` go on with them.
    pub fn write(&self, x: &[DVec3], v: &[DVec3], f: &mut [DVec3], go_on: &GoOn) {
        self.walk(SpringForce, x, [v], f, go_on);
    }

    /// The same with the directional derivatives of the springs' forces.
    pub fn write_jvp(
        &self,
        x: &[DVec3],
        dx: &[DVec3],
        dv: &[DVec3],
        df: &mut [DVec3],
        go_on: &GoOn,
    ) {
        self.walk(SpringDerivative, x, [dx, dv], df, go_on);
    }

    fn walk<const K: usize>(
        &self,
        law: impl Pull<K>,
        x: &[DVec3],
        others: [&[DVec3]; K],
        sums: &mut [DVec3],
        go_on: &GoOn,
    ) {
        let of_grid = self.particles();
        let (x, sums) = (&x[of_grid.clone()], &mut sums[of_grid.clone()]);
        let others = others.map(|column| &column[of_grid.clone()]);
        let around = Around { grid: self, law, x, others, go_on };
        let rows = 0..x.len().div_ceil(self.columns);
        let threads = x.len().div_ceil(PARTICLES_A_THREAD).min(rayon::current_num_threads());
        around.strips(rows, sums, threads);
    }

    /// Particles in a row.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Rest lengths and material of a row in one direction.
    pub fn row(&self, row: usize, direction: usize) -> [&[Line]; 2] {
        let row = row * DIRECTIONS + direction;
        [self.rest.row(row), self.material.row(row)]
    }
}

impl<P: Pull<K>, const K: usize> Around<'_, P, K> {
    /// Some rows, in as many strips as there are threads. `sums` are of these rows.
    fn strips(self, rows: Range<usize>, sums: &mut [DVec3], threads: usize) {
        let above = threads / 2;
        let middle = rows.start + rows.len() * above / threads;
        if middle == rows.start {
            return SCRATCH.with_borrow_mut(|scratch| {
                self.grid.isa.run(Walk { around: self, rows, sums, scratch });
            });
        }
        let (of_above, of_below) = sums.split_at_mut((middle - rows.start) * self.grid.columns);
        rayon::join(
            || self.strips(rows.start..middle, of_above, above),
            || self.strips(middle..rows.end, of_below, threads - above),
        );
    }
}

/// Where a spring lies among the vectors of all rows. One to the lower left is kept with the column
/// that it leads to.
fn vector_and_lane(place: Place, row_vectors: usize, lanes: usize) -> (usize, usize) {
    let (direction, column) = match place.direction {
        Direction::Right => (RIGHT, place.column),
        Direction::Down => (DOWN, place.column),
        Direction::DownRight => (DOWN_RIGHT, place.column),
        Direction::DownLeft => (DOWN_LEFT, place.column - 1),
    };
    let row = place.row as usize * DIRECTIONS + direction;
    (row * row_vectors + column as usize / lanes, column as usize % lanes)
}

/// Particles for which another thread pays in a whole step, most of which goes on in one thread: what
/// the other one has written must come back from its cache. See "Threads" in docs/speed.md.
const PARTICLES_A_THREAD: usize = 16_000;

thread_local! {
    /// Rows in work; grows in the first evaluation.
    static SCRATCH: RefCell<Vec<Line>> = const { RefCell::new(Vec::new()) };
}
