//! The springs of a cloth, a row at a time. docs/speed.md explains it with a picture.

use super::spring_rows::{Around, GoOn, Pull, SpringDerivative, SpringForce, Walk};
use crate::constraint::body::{Body, Direction, Place, Reach};
use crate::constraint::{Link, Links};
use crate::distinct_rows::DistinctRows;
use crate::simd::{Isa, Line};
use glam::DVec3;
use std::cell::RefCell;
use std::ops::Range;

/// Springs of a row by the direction from their first end. Those to the next particle but one are
/// the last, since grids have none.
pub(super) const RIGHT: usize = 0;
pub(super) const DOWN_LEFT: usize = 1;
pub(super) const DOWN_RIGHT: usize = 2;
pub(super) const DOWN: usize = 3;
pub(super) const RIGHT_TWO: usize = 4;
pub(super) const DOWN_TWO: usize = 5;

/// Numbers of a spring's material, of which the last is its slack.
const MATERIAL: usize = 3;
const SLACK: usize = 2;

/// Which springs there are in a grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Weave {
    /// Between neighbours.
    Membrane,
    /// Also to the next but one.
    Plate,
    /// Only to the next but one: what constraints leave of a plate.
    Bending,
}

impl Weave {
    /// `None` if some spring has no place.
    fn of(places: impl Iterator<Item = Option<Place>>) -> Option<Self> {
        let [mut ones, mut twos] = [false; 2];
        for place in places {
            match place?.reach {
                Reach::One => ones = true,
                Reach::Two => twos = true,
            }
        }
        Some(match (ones, twos) {
            (_, false) => Self::Membrane,
            (true, true) => Self::Plate,
            (false, true) => Self::Bending,
        })
    }

    fn directions(self) -> usize {
        if self == Self::Membrane { 4 } else { 6 }
    }
}

/// A grid's springs in columns of numbers.
///
/// Each particle sums the springs around it, eight or twelve, in the order in which the plain loop
/// comes to them, which is that of [`crate::mesh::Mesh::cloth`]; a list in another order has no
/// grid.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SpringGrid {
    isa: Isa,
    particles: Range<usize>,
    columns: usize,
    weave: Weave,
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
        let places = body.links.iter().map(|&i| body.place(&links.at(i as usize), columns));
        let weave = Weave::of(places.clone())?;
        let vectors = rows * weave.directions() * row_vectors;
        let mut rest = vec![0.0; vectors * lanes];
        let mut material =
            [vec![0.0; 2 * lanes], vec![f64::INFINITY; lanes]].concat().repeat(vectors);
        // Which of its springs a particle has met last: see `Work::add_up`.
        let mut met = vec![-1_i8; particles.len()];
        let mut meet = |row: u32, column: u32, turn: i8| {
            let last = &mut met[(row * columns + column) as usize];
            std::mem::replace(last, turn) < turn
        };
        for (&i, place) in body.links.iter().zip(places) {
            let (link, place) = (links.at(i as usize), place?);
            let Place { row, column, direction, reach } = place;
            let in_turn = match (direction, reach) {
                (Direction::Down, Reach::Two) => meet(row, column, 11) & meet(row + 2, column, 0),
                (Direction::DownRight, _) => meet(row, column, 9) & meet(row + 1, column + 1, 1),
                (Direction::Down, Reach::One) => meet(row, column, 8) & meet(row + 1, column, 2),
                (Direction::DownLeft, _) => meet(row, column, 6) & meet(row + 1, column - 1, 3),
                (Direction::Right, Reach::Two) => meet(row, column, 10) & meet(row, column + 2, 4),
                (Direction::Right, Reach::One) => meet(row, column, 7) & meet(row, column + 1, 5),
            };
            if !in_turn {
                return None;
            }
            if link.is_cut() {
                continue;
            }
            let (vector, lane) = vector_and_lane(weave, place, row_vectors, lanes);
            let slack = if link.one_sided { link.rest.next_down().max(0.0) } else { 0.0 };
            rest[vector * lanes + lane] = link.rest;
            for (k, number) in [link.stiffness, link.damping, slack].into_iter().enumerate() {
                material[(vector * MATERIAL + k) * lanes + lane] = number;
            }
        }
        let rest = DistinctRows::new(row_vectors * lanes, &rest);
        let material = DistinctRows::new(MATERIAL * row_vectors * lanes, &material);
        let columns = columns as usize;
        Some(Self { isa, particles, columns, weave, row_vectors, rest, material })
    }

    /// Leaves a gap where a spring was.
    pub fn cut(&mut self, link: &Link) {
        let place = Place::of(link, self.particles.start as u32, self.columns as u32);
        let (place, lanes) = (place.expect("a spring of the grid"), self.isa.lanes());
        let (vector, lane) = vector_and_lane(self.weave, place, self.row_vectors, lanes);
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

    /// Which springs there are.
    pub fn weave(&self) -> Weave {
        self.weave
    }

    /// Rest lengths and material of a row in one direction.
    pub fn row(&self, row: usize, direction: usize) -> [&[Line]; 2] {
        let row = row * self.weave.directions() + direction;
        [self.rest.row(row), self.material.row(row)]
    }
}

impl<P: Pull<K>, const K: usize> Around<'_, P, K> {
    /// Some rows, in as many strips as there are threads. `sums` are of these rows.
    fn strips(self, rows: Range<usize>, sums: &mut [DVec3], threads: usize) {
        let above = threads / 2;
        let middle = rows.start + rows.len() * above / threads;
        if middle == rows.start {
            let Self { grid: SpringGrid { isa, weave, .. }, .. } = self;
            return SCRATCH.with_borrow_mut(|scratch| {
                if *weave == Weave::Membrane {
                    isa.run(Walk::<_, K, false> { around: self, rows, sums, scratch });
                } else {
                    isa.run(Walk::<_, K, true> { around: self, rows, sums, scratch });
                }
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
fn vector_and_lane(weave: Weave, place: Place, row_vectors: usize, lanes: usize) -> (usize, usize) {
    let (direction, column) = match (place.direction, place.reach) {
        (Direction::Right, Reach::One) => (RIGHT, place.column),
        (Direction::Right, Reach::Two) => (RIGHT_TWO, place.column),
        (Direction::Down, Reach::One) => (DOWN, place.column),
        (Direction::Down, Reach::Two) => (DOWN_TWO, place.column),
        (Direction::DownRight, _) => (DOWN_RIGHT, place.column),
        (Direction::DownLeft, _) => (DOWN_LEFT, place.column - 1),
    };
    let row = place.row as usize * weave.directions() + direction;
    (row * row_vectors + column as usize / lanes, column as usize % lanes)
}

/// Particles for which another thread pays in a whole step, most of which goes on in one thread: what
/// the other one has written must come back from its cache. See "Threads" in docs/speed.md.
const PARTICLES_A_THREAD: usize = 16_000;

thread_local! {
    /// Rows in work; grows in the first evaluation.
    static SCRATCH: RefCell<Vec<Line>> = const { RefCell::new(Vec::new()) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::LinkKind;
    use crate::mesh::{ClothMaterial, Mesh};
    use glam::DVec3;

    /// The springs of a cloth of which only some kinds of links are left.
    fn grid(material: ClothMaterial, kinds: &[LinkKind]) -> Option<SpringGrid> {
        let mut mesh = Mesh::default();
        mesh.cloth(DVec3::ZERO, DVec3::X, DVec3::Z, [11, 8], &material);
        let links: Links = mesh.links.iter().filter(|link| kinds.contains(&link.kind)).collect();
        let bodies = Body::all(&links, mesh.positions.len());
        let columns = mesh.cloths[0].columns;
        bodies.first().and_then(|body| SpringGrid::new(body, columns, &links, Isa::best()))
    }

    /// A wrong answer would cost time and change nothing else.
    #[test]
    fn cloths_are_grids_with_and_without_bending() {
        use LinkKind::{Bend, Shear, Structural};
        let weave = |material, kinds: &[LinkKind]| grid(material, kinds).map(|grid| grid.weave);
        let all = [Structural, Shear, Bend];
        let soft = ClothMaterial { bend_stiffness: 0.0, ..ClothMaterial::default() };
        assert_eq!(weave(soft, &all), Some(Weave::Membrane));
        assert_eq!(weave(ClothMaterial::default(), &all), Some(Weave::Plate));
        assert_eq!(weave(ClothMaterial::default(), &[Structural, Bend]), Some(Weave::Plate));
        assert_eq!(weave(ClothMaterial::default(), &[Bend]), Some(Weave::Bending));
    }
}
