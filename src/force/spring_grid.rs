//! The springs of a cloth, a row at a time. docs/speed.md explains it with a picture.

use crate::constraint::Links;
use crate::constraint::body::{Body, Direction};
use crate::simd::{Isa, Kernel, Vector};
use glam::{DVec3, dvec3};
use std::cell::RefCell;
use std::ops::Range;

/// Right, down, down-right, down-left: the order in which a row keeps its springs.
const DIRECTIONS: usize = 4;

/// Numbers before and behind a row in scratch memory: a vector may begin one column before it and
/// end up to a vector behind it.
const MARGIN: usize = 8;

/// A grid's springs in columns of numbers.
///
/// The force of every spring is computed once, register after register along a row. Then each
/// particle sums the eight springs around it in the order in which the plain loop comes to them,
/// which is that of [`crate::mesh::Mesh::cloth`]; a list in another order has no grid.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SpringGrid {
    isa: Isa,
    particles: Range<usize>,
    columns: usize,
    /// Numbers in a row of springs: columns, rounded up to whole vectors.
    stride: usize,
    springs: Columns,
}

/// A number for each row, direction and column. The column of a spring to the lower left is the
/// one that it leads to.
#[derive(Clone, Debug, PartialEq)]
struct Columns {
    /// NaN without a spring, negative for one that resists stretch only.
    rest: Vec<f64>,
    stiffness: Vec<f64>,
    damping: Vec<f64>,
}

impl SpringGrid {
    pub fn new(body: &Body, columns: u32, links: &Links, isa: Isa) -> Option<Self> {
        let particles = body.particles.start as usize..body.particles.end as usize;
        let rows = particles.len().div_ceil(columns as usize);
        let stride = (columns as usize).next_multiple_of(MARGIN);
        let numbers = rows * DIRECTIONS * stride;
        let mut springs = Columns {
            rest: vec![f64::NAN; numbers],
            stiffness: vec![0.0; numbers],
            damping: vec![0.0; numbers],
        };
        // Which of its eight springs a particle has met last: see `add_up`.
        let mut met = vec![-1_i8; particles.len()];
        let mut meet = |row: u32, column: u32, turn: i8| {
            let last = &mut met[(row * columns + column) as usize];
            std::mem::replace(last, turn) < turn
        };
        for &i in &body.links {
            let link = links.at(i as usize);
            let place = body.place(&link, columns)?;
            let (row, column) = (place.row, place.column);
            let (direction, at, in_turn) = match place.direction {
                Direction::Right => (0, column, meet(row, column, 5) & meet(row, column + 1, 3)),
                Direction::Down => (1, column, meet(row, column, 6) & meet(row + 1, column, 1)),
                Direction::DownRight => {
                    (2, column, meet(row, column, 7) & meet(row + 1, column + 1, 0))
                }
                Direction::DownLeft => {
                    (3, column - 1, meet(row, column, 4) & meet(row + 1, column - 1, 2))
                }
            };
            if !in_turn {
                return None;
            }
            let slot = (row as usize * DIRECTIONS + direction) * stride + at as usize;
            springs.rest[slot] = if link.one_sided { -link.rest } else { link.rest };
            springs.stiffness[slot] = link.stiffness;
            springs.damping[slot] = link.damping;
        }
        Some(Self { isa, particles, columns: columns as usize, stride, springs })
    }

    /// Adds the springs' forces to `f`.
    pub fn add(&self, x: &[DVec3], v: &[DVec3], f: &mut [DVec3]) {
        let of_grid = self.particles.clone();
        let (x, v, f) = (&x[of_grid.clone()], &v[of_grid.clone()], &mut f[of_grid]);
        SCRATCH.with_borrow_mut(|scratch| {
            self.isa.run(Forces { grid: self, x, v, f, scratch });
        });
    }
}

thread_local! {
    /// Rows in work; grows in the first evaluation.
    static SCRATCH: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
}

/// x, y and z of a row.
type Row<'a> = [&'a mut [f64]; 3];

struct Forces<'a> {
    grid: &'a SpringGrid,
    x: &'a [DVec3],
    v: &'a [DVec3],
    f: &'a mut [DVec3],
    scratch: &'a mut Vec<f64>,
}

impl Kernel for Forces<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Self { grid, x, v, f, scratch } = self;
        let length = MARGIN + grid.stride + MARGIN;
        // A row's springs of each direction, the row above's, positions and velocities of a row
        // and the next, the sums.
        let rows = 2 * DIRECTIONS + 2 * 2 + 1;
        scratch.clear();
        scratch.resize(rows * 3 * length, 0.0);
        let mut rows = scratch.chunks_exact_mut(length);
        let mut row = || -> Row { [(); 3].map(|()| rows.next().expect("a row")) };
        let (mut here, mut above): ([Row; DIRECTIONS], [Row; DIRECTIONS]) =
            ([(); DIRECTIONS].map(|()| row()), [(); DIRECTIONS].map(|()| row()));
        let (mut upper, mut lower) = ([row(), row()], [row(), row()]);
        let mut sum = row();
        let count = x.len().div_ceil(grid.columns);
        let of_row = |number: usize| {
            number * grid.columns..(number * grid.columns + grid.columns).min(x.len())
        };
        read(&x[of_row(0)], &mut upper[0]);
        read(&v[of_row(0)], &mut upper[1]);
        for number in 0..count {
            let [right, down, down_right, down_left] = &mut here;
            Springs { grid, row: number, direction: 0 }.pull::<V>([&upper, &upper], [0, 1], right);
            if number + 1 < count {
                read(&x[of_row(number + 1)], &mut lower[0]);
                read(&v[of_row(number + 1)], &mut lower[1]);
                Springs { grid, row: number, direction: 1 }.pull::<V>(
                    [&upper, &lower],
                    [0, 0],
                    down,
                );
                Springs { grid, row: number, direction: 2 }.pull::<V>(
                    [&upper, &lower],
                    [0, 1],
                    down_right,
                );
                Springs { grid, row: number, direction: 3 }.pull::<V>(
                    [&upper, &lower],
                    [1, 0],
                    down_left,
                );
            } else {
                for row in here[1..].iter_mut().flatten() {
                    row.fill(0.0);
                }
            }
            let f = &mut f[of_row(number)];
            read(f, &mut sum);
            for (k, sum) in sum.iter_mut().enumerate() {
                add_up::<V>(&here, &above, k, sum, grid.stride);
            }
            for (c, f) in f.iter_mut().enumerate() {
                let c = c + MARGIN;
                *f = dvec3(sum[0][c], sum[1][c], sum[2][c]);
            }
            std::mem::swap(&mut upper, &mut lower);
            std::mem::swap(&mut here, &mut above);
        }
    }
}

/// Columns of coordinates from vectors. + 0 clears the sign of −0, so that a spring that is not
/// there may add 0.
#[inline(always)]
fn read(from: &[DVec3], [x, y, z]: &mut Row) {
    let (x, y, z) = (&mut x[MARGIN..], &mut y[MARGIN..], &mut z[MARGIN..]);
    for (((from, x), y), z) in from.iter().zip(x).zip(y).zip(z) {
        (*x, *y, *z) = (from.x + 0.0, from.y + 0.0, from.z + 0.0);
    }
}

/// The springs of one row in one direction.
struct Springs<'a> {
    grid: &'a SpringGrid,
    row: usize,
    direction: usize,
}

impl Springs<'_> {
    /// Forces on their first ends, from positions and velocities of the rows of both ends, which
    /// begin `shift` columns further right.
    #[inline(always)]
    fn pull<V: Vector>(&self, ends: [&[Row; 2]; 2], shift: [usize; 2], out: &mut Row) {
        let SpringGrid { stride, springs: Columns { rest, stiffness, damping }, .. } = self.grid;
        let first = (self.row * DIRECTIONS + self.direction) * stride;
        let of_row = first..first + stride;
        let (rest, stiffness, damping) =
            (&rest[of_row.clone()], &stiffness[of_row.clone()], &damping[of_row]);
        let n = stride / V::LANES;
        let [rest, stiffness, damping] = [rest, stiffness, damping].map(|of| &V::arrays(of)[..n]);
        let [[a, va], [b, vb]] = [
            [vectors::<V>(&ends[0][0], shift[0], n), vectors::<V>(&ends[0][1], shift[0], n)],
            [vectors::<V>(&ends[1][0], shift[1], n), vectors::<V>(&ends[1][1], shift[1], n)],
        ];
        let [out_x, out_y, out_z] = out;
        let out_x = &mut V::arrays_mut(&mut out_x[MARGIN..])[..n];
        let out_y = &mut V::arrays_mut(&mut out_y[MARGIN..])[..n];
        let out_z = &mut V::arrays_mut(&mut out_z[MARGIN..])[..n];
        let zero = V::splat(0.0);
        let nan = V::splat(f64::NAN);
        // Root and division of the next vectors are under way while one is finished, as in the
        // grids of constraints.
        let mut l = length::<V>(a, b, 0);
        let mut reciprocal = V::splat(1.0) / l;
        let mut next = length::<V>(a, b, 1.min(n - 1));
        for j in 0..n {
            let after = length::<V>(a, b, (j + 2).min(n - 1));
            let next_reciprocal = V::splat(1.0) / next;
            let d = between::<V>(a, b, j);
            let dv = between::<V>(va, vb, j);
            let direction = [d[0] * reciprocal, d[1] * reciprocal, d[2] * reciprocal];
            let signed = V::from_array(&rest[j]);
            let rest = signed.abs();
            let speed = dv[0] * direction[0] + dv[1] * direction[1] + dv[2] * direction[2];
            let tension =
                V::from_array(&stiffness[j]) * (l - rest) + V::from_array(&damping[j]) * speed;
            // Only what has a direction, a rest length, and is not slack.
            let acts = V::select(reciprocal.is_above(zero), reciprocal, nan);
            let acts = V::select(rest.is_finite(), acts, nan);
            let taut = V::select(rest.is_above(l), nan, acts);
            let acts = V::select(zero.is_above(signed), taut, acts).is_finite();
            out_x[j] = (tension * direction[0]).only(acts).to_array();
            out_y[j] = (tension * direction[1]).only(acts).to_array();
            out_z[j] = (tension * direction[2]).only(acts).to_array();
            (l, reciprocal, next) = (next, next_reciprocal, after);
        }
    }
}

/// A row from the given column on, as n vectors.
#[inline(always)]
fn vectors<'a, V: Vector>([x, y, z]: &'a Row, column: usize, n: usize) -> [&'a [V::Array]; 3] {
    let from = MARGIN + column;
    [&V::arrays(&x[from..])[..n], &V::arrays(&y[from..])[..n], &V::arrays(&z[from..])[..n]]
}

/// |b − a| of one vector of columns.
#[inline(always)]
fn length<V: Vector>(a: [&[V::Array]; 3], b: [&[V::Array]; 3], j: usize) -> V {
    let d = between::<V>(a, b, j);
    (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()
}

/// b − a of one vector of columns.
#[inline(always)]
fn between<V: Vector>(a: [&[V::Array]; 3], b: [&[V::Array]; 3], j: usize) -> [V; 3] {
    [
        V::from_array(&b[0][j]) - V::from_array(&a[0][j]),
        V::from_array(&b[1][j]) - V::from_array(&a[1][j]),
        V::from_array(&b[2][j]) - V::from_array(&a[2][j]),
    ]
}

/// Adds to coordinate k of a row's sums the eight springs around each particle, in the order of
/// the list: as it is the end of down-right, down, down-left, right; then as it is the beginning
/// of down-left, right, down, down-right.
#[inline(always)]
fn add_up<V: Vector>(
    [right, down, down_right, down_left]: &[Row; DIRECTIONS],
    [_, down_above, down_right_above, down_left_above]: &[Row; DIRECTIONS],
    k: usize,
    sum: &mut [f64],
    stride: usize,
) {
    let n = stride / V::LANES;
    let same = MARGIN..MARGIN + stride;
    let left = MARGIN - 1..MARGIN - 1 + stride;
    let ends = [
        &down_right_above[k][left.clone()],
        &down_above[k][same.clone()],
        &down_left_above[k][same.clone()],
        &right[k][left.clone()],
    ];
    let beginnings = [
        &down_left[k][left],
        &right[k][same.clone()],
        &down[k][same.clone()],
        &down_right[k][same],
    ];
    let [e0, e1, e2, e3] = ends.map(|row| &V::arrays(row)[..n]);
    let [b0, b1, b2, b3] = beginnings.map(|row| &V::arrays(row)[..n]);
    let sum = &mut V::arrays_mut(&mut sum[MARGIN..])[..n];
    for j in 0..n {
        let total = V::from_array(&sum[j])
            - V::from_array(&e0[j])
            - V::from_array(&e1[j])
            - V::from_array(&e2[j])
            - V::from_array(&e3[j])
            + V::from_array(&b0[j])
            + V::from_array(&b1[j])
            + V::from_array(&b2[j])
            + V::from_array(&b3[j]);
        sum[j] = total.to_array();
    }
}
