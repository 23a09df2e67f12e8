//! Sums of the spring forces on each particle, in one pass over the rows of a grid. A chain is a
//! grid of one row. docs/speed.md explains the method with a figure.

use super::spring_grid::{SpringGrid, Stencil};
use super::spring_law::{SpringDerivative, SpringForce, SpringLaw};
use super::spring_row::{RowSprings, compute_forces};
use crate::force::row_vectors::{
    Coordinates, RowColumns, Vectors, left_neighbours, minus, plus, read_numbers, read_vectors,
    split_among_threads, write_numbers, write_points, write_vectors,
};
use crate::mesh::component::Direction;
use crate::numerics::simd::{CacheLine, Kernel, Vector, allocate_lines, numbers_mut};
use glam::DVec3;
use std::cell::RefCell;
use std::ops::Range;

/// Function that receives the finished sums of a range of particles and may transform them.
pub type Epilogue<'a> = dyn Fn(Range<usize>, &mut [DVec3]) + Sync + 'a;

/// Number of particles per call of the epilogue. Two rows of a cloth of 100 columns are then still
/// in the first-level cache.
pub(in crate::force) const EPILOGUE_PARTICLES: usize = 128;

/// Smallest number of particles per thread. With fewer, another thread saves no time, because its
/// results must be read from another core's cache. See docs/speed.md.
const PARTICLES_PER_THREAD: usize = 16_000;

thread_local! {
    /// Buffer for the grid rows that this thread is evaluating. It grows in the thread's first
    /// evaluation.
    static SCRATCH: RefCell<Vec<CacheLine>> = const { RefCell::new(Vec::new()) };
}

impl SpringGrid {
    /// Writes the springs' forces to `f`, and passes the finished forces to `epilogue`.
    pub fn write(&self, x: &[DVec3], v: &[DVec3], f: &mut [DVec3], epilogue: &Epilogue) {
        self.sum_rows(SpringForce, x, [v], f, epilogue);
    }

    /// Writes the directional derivatives of the springs' forces to `df`, and passes the finished
    /// sums to `epilogue`.
    pub fn write_jvp(
        &self,
        x: &[DVec3],
        dx: &[DVec3],
        dv: &[DVec3],
        df: &mut [DVec3],
        epilogue: &Epilogue,
    ) {
        self.sum_rows(SpringDerivative, x, [dx, dv], df, epilogue);
    }

    fn sum_rows<const K: usize>(
        &self,
        law: impl SpringLaw<K>,
        x: &[DVec3],
        others: [&[DVec3]; K],
        sums: &mut [DVec3],
        epilogue: &Epilogue,
    ) {
        let of_grid = self.particles();
        let (x, sums) = (&x[of_grid.clone()], &mut sums[of_grid.clone()]);
        let others = others.map(|column| &column[of_grid.clone()]);
        let input = SpringRowsInput { grid: self, law, x, others, epilogue };
        let rows = 0..x.len().div_ceil(self.columns);
        let threads = x.len().div_ceil(PARTICLES_PER_THREAD).min(rayon::current_num_threads());
        let is_grid = self.stencil == Stencil::Grid;
        split_among_threads(rows, self.columns, sums, threads, &|rows, sums| {
            SCRATCH.with_borrow_mut(|scratch| {
                if is_grid {
                    self.isa.run(SpringRowsKernel::<_, K, false> { input, rows, sums, scratch });
                } else {
                    self.isa.run(SpringRowsKernel::<_, K, true> { input, rows, sums, scratch });
                }
            });
        });
    }
}

/// Input of a pass over the rows of a grid, the same for all rows.
#[derive(Clone, Copy)]
struct SpringRowsInput<'a, P, const K: usize> {
    pub grid: &'a SpringGrid,
    pub law: P,
    /// Positions of all particles of the grid, in metres. `others` are further columns, such as
    /// velocities.
    pub x: &'a [DVec3],
    pub others: [&'a [DVec3]; K],
    pub epilogue: &'a Epilogue<'a>,
}

/// Kernel that sums the spring forces on the particles of some rows. `PLATE` is true if some
/// springs lead to second neighbours.
struct SpringRowsKernel<'a, P, const K: usize, const PLATE: bool> {
    pub input: SpringRowsInput<'a, P, K>,
    pub rows: Range<usize>,
    /// Sums of the forces on the particles of `rows`.
    pub sums: &'a mut [DVec3],
    pub scratch: &'a mut Vec<CacheLine>,
}

impl<P: SpringLaw<K>, const K: usize, const PLATE: bool> Kernel
    for SpringRowsKernel<'_, P, K, PLATE>
{
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Self { input, rows, mut sums, scratch } = self;
        let SpringRowsInput { grid, law, x, others, epilogue } = input;
        let reach = if PLATE { 2 } else { 1 };
        let at = |row: usize| (row * grid.columns).min(x.len());
        let (mut next, mut summed) = (grid.particles().start + at(rows.start), 0);
        // Work starts one or two rows earlier, because springs of these rows act on the first row.
        // The sums of the earlier rows are dropped.
        let first = rows.start.saturating_sub(reach);
        let mut work = ActiveSpringRows::<V, K, PLATE>::new(grid.columns, scratch);
        for row in first..first + reach {
            work.read(x, others, at(row));
        }
        for row in first..rows.end {
            work.read(x, others, at(row + reach));
            let below = at(row + 1);
            let own = if row < rows.start { 0 } else { below - at(row) };
            let springs = |direction| grid.row(row, direction);
            let sums_of_row = &mut sums[summed..summed + own];
            if PLATE && grid.stencil == Stencil::Bending {
                work.add_up_bending(law, springs, sums_of_row);
            } else {
                work.add_up(law, springs, below == x.len(), sums_of_row);
            }
            summed += own;
            if summed >= EPILOGUE_PARTICLES || row + 1 == rows.end {
                let (done, rest) = sums.split_at_mut(summed);
                epilogue(next..next + summed, done);
                (next, sums, summed) = (next + summed, rest, 0);
            }
        }
    }
}

/// Buffers for the active rows: the row of particles whose forces are being summed, and the rows
/// below it.
struct ActiveSpringRows<'a, V: Vector, const K: usize, const PLATE: bool> {
    n: usize,
    /// Current row, next row, and in a plate the row after it.
    rows: [RowColumns<'a, K>; 3],
    /// Unfinished sums of the current row.
    sum: Vectors<'a, V>,
    /// Sums of the springs from the rows above: first for the current row, then for the next row.
    partial: Vectors<'a, V>,
    /// Forces of the current row's springs to the lower left.
    down_left: Vectors<'a, V>,
    /// Forces of the current row's springs to second neighbours.
    second_pulls: SecondNeighbourPulls<'a, V, PLATE>,
}

impl<'a, V: Vector, const K: usize, const PLATE: bool> ActiveSpringRows<'a, V, K, PLATE> {
    #[inline(always)]
    fn new(columns: usize, scratch: &'a mut Vec<CacheLine>) -> Self {
        let n = columns.div_ceil(V::ELEMENTS);
        // The vectors of right neighbours begin up to two columns later, so a row needs 8 more
        // values.
        let length = columns.next_multiple_of(8) + 8;
        let needed = (3 * (1 + K) + 6) * 3 * length;
        if numbers_mut(scratch).len() < needed {
            *scratch = allocate_lines(needed, 0.0);
        }
        let mut rows = numbers_mut(scratch).chunks_exact_mut(length);
        let mut coordinates = || -> Coordinates { [(); 3].map(|()| rows.next().expect("a row")) };
        let mut row = || RowColumns { x: coordinates(), others: [(); K].map(|()| coordinates()) };
        let rows = [row(), row(), row()];
        let right = coordinates();
        let mut vectors = || coordinates().map(|row| &mut V::arrays_mut(row)[..n]);
        let (sum, mut partial, down_left) = (vectors(), vectors(), vectors());
        let mut second_pulls =
            SecondNeighbourPulls { right, down: vectors(), down_from_above: vectors() };
        for row in partial.iter_mut().chain(&mut second_pulls.down) {
            row.fill(V::splat(0.0).to_array());
        }
        second_pulls.right.iter_mut().for_each(|row| row[..2].fill(0.0));
        Self { n, rows, sum, partial, down_left, second_pulls }
    }

    /// Moves all rows up by one, and reads the row whose particles begin at `first`. Below the last
    /// row, old values remain unused.
    #[inline(always)]
    fn read(&mut self, x: &[DVec3], others: [&[DVec3]; K], first: usize) {
        let last = if PLATE { 2 } else { 1 };
        self.rows[..=last].rotate_left(1);
        if first < x.len() {
            self.rows[last].read::<V>(&x[first..], others.map(|column| &column[first..]));
        }
    }

    /// Sums the forces on the particles of the current row, in the order of the list. The springs
    /// that end at a particle come first, by direction: down two, down-right, down, down-left,
    /// right two, right. The springs that start at the particle follow: down-left, right, down,
    /// down-right, right two, down two.
    #[inline(always)]
    fn add_up<'s>(
        &mut self,
        law: impl SpringLaw<K>,
        springs: impl Fn(Direction) -> [&'s [CacheLine]; 2],
        is_last: bool,
        sums: &mut [DVec3],
    ) {
        if PLATE {
            self.pull_second_neighbours(law, &springs);
        }
        let Self { n, rows: [upper, lower, _], sum, partial, down_left, second_pulls } = self;
        let (here, next) =
            (upper.vectors_from_column::<V>(0, *n), upper.vectors_from_column::<V>(1, *n));
        let (below, below_next) =
            (lower.vectors_from_column::<V>(0, *n), lower.vectors_from_column::<V>(1, *n));
        let from_to = |direction: Direction, first, second| {
            RowSprings::<V, K>::new(springs(direction), first, second)
        };
        let mut left = [[V::splat(0.0); 3]; 2];
        if is_last {
            compute_forces(
                law,
                [from_to(Direction::Right, &here, &next)],
                #[inline(always)]
                |j, [right]| {
                    let so_far = minus(
                        second_pulls.minus_left(j, read_vectors(partial, j)),
                        left_neighbours(right, left[0]),
                    );
                    write_points(sums, j, second_pulls.plus_own(j, plus(so_far, right)));
                    left[0] = right;
                },
            );
            return;
        }
        compute_forces(
            law,
            [from_to(Direction::Right, &here, &next), from_to(Direction::DownLeft, &next, &below)],
            #[inline(always)]
            |j, [right, to_below]| {
                let so_far = minus(
                    second_pulls.minus_left(j, read_vectors(partial, j)),
                    left_neighbours(right, left[0]),
                );
                let so_far = plus(so_far, left_neighbours(to_below, left[1]));
                write_vectors(sum, j, plus(so_far, right));
                write_vectors(down_left, j, to_below);
                left = [right, to_below];
            },
        );
        let mut left = [V::splat(0.0); 3];
        compute_forces(
            law,
            [
                from_to(Direction::Down, &here, &below),
                from_to(Direction::DownRight, &here, &below_next),
            ],
            #[inline(always)]
            |j, [down, right]| {
                let so_far = plus(plus(read_vectors(sum, j), down), right);
                write_points(sums, j, second_pulls.plus_own(j, so_far));
                let so_far =
                    minus(second_pulls.initial_sums_below(j), left_neighbours(right, left));
                let so_far = minus(so_far, down);
                write_vectors(partial, j, minus(so_far, read_vectors(down_left, j)));
                left = right;
            },
        );
    }

    /// Sums the forces like [`Self::add_up`], in a grid that has only springs to second neighbours.
    #[inline(always)]
    fn add_up_bending<'s>(
        &mut self,
        law: impl SpringLaw<K>,
        springs: impl Fn(Direction) -> [&'s [CacheLine]; 2],
        sums: &mut [DVec3],
    ) {
        self.pull_second_neighbours(law, springs);
        let Self { n, partial, second_pulls, .. } = self;
        for j in 0..*n {
            write_points(
                sums,
                j,
                second_pulls.plus_own(j, second_pulls.minus_left(j, read_vectors(partial, j))),
            );
            write_vectors(partial, j, second_pulls.initial_sums_below(j));
        }
    }

    #[inline(always)]
    fn pull_second_neighbours<'s>(
        &mut self,
        law: impl SpringLaw<K>,
        springs: impl Fn(Direction) -> [&'s [CacheLine]; 2],
    ) {
        let Self { n, rows: [upper, _, lowest], second_pulls, .. } = self;
        let here = upper.vectors_from_column::<V>(0, *n);
        let (right, down) =
            (upper.vectors_from_column::<V>(2, *n), lowest.vectors_from_column::<V>(0, *n));
        let from_to = |direction: Direction, second| {
            RowSprings::<V, K>::new(springs(direction), &here, second)
        };
        std::mem::swap(&mut second_pulls.down, &mut second_pulls.down_from_above);
        compute_forces(
            law,
            [from_to(Direction::RightTwo, &right), from_to(Direction::DownTwo, &down)],
            #[inline(always)]
            |j, [right, down]| {
                write_numbers(&mut second_pulls.right, 2 + j * V::ELEMENTS, right);
                write_vectors(&mut second_pulls.down, j, down);
            },
        );
    }
}

struct SecondNeighbourPulls<'a, V: Vector, const PLATE: bool> {
    /// Forces of the springs to the right; entry i + 2 belongs to the spring that starts at
    /// particle i. Entries 0 and 1 are 0, so that entry i belongs to the spring that ends at
    /// particle i.
    right: Coordinates<'a>,
    down: Vectors<'a, V>,
    /// Forces of the downward springs of the row above.
    down_from_above: Vectors<'a, V>,
}

impl<V: Vector, const PLATE: bool> SecondNeighbourPulls<'_, V, PLATE> {
    /// Subtracts the forces of the springs that lead from the left to these particles.
    #[inline(always)]
    fn minus_left(&self, j: usize, sum: [V; 3]) -> [V; 3] {
        if PLATE { minus(sum, read_numbers(&self.right, j * V::ELEMENTS)) } else { sum }
    }

    /// Adds the forces of the springs that start at these particles.
    #[inline(always)]
    fn plus_own(&self, j: usize, sum: [V; 3]) -> [V; 3] {
        if !PLATE {
            return sum;
        }
        plus(plus(sum, read_numbers(&self.right, 2 + j * V::ELEMENTS)), read_vectors(&self.down, j))
    }

    /// Returns the first terms in the force sums of the next row's particles: minus the forces of
    /// the springs that lead two rows down and end at them.
    #[inline(always)]
    fn initial_sums_below(&self, j: usize) -> [V; 3] {
        let zero = [V::splat(0.0); 3];
        if PLATE { minus(zero, read_vectors(&self.down_from_above, j)) } else { zero }
    }
}
