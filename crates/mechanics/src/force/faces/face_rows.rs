//! Wind forces on the triangles of a grid, computed in SIMD one row of cells at a time.
//!
//! The list of triangles has two triangles for each cell, row by row: `a b c`, then `b d c`.
//!
//! ```text
//! a---b      Each particle is a corner of six triangles. It sums their forces in the order of the
//! | / |      list. From the row of cells above: the second triangle of its left cell, both
//! c---d      triangles of its right cell. From the row of cells below: both triangles of its left
//!            cell, the first triangle of its right cell.
//! ```

use super::face_law::{CornerForce, FaceCorner};
use crate::force::row_vectors::{
    Coordinates, RowColumns, RowRun, Vectors, left_neighbours, plus, read_points, read_vectors,
    split_among_threads, write_points, write_vectors,
};
use crate::mesh::Grid;
use crate::numerics::simd::{CacheLine, Isa, Kernel, Vector, allocate_lines, numbers_mut};
use glam::DVec3;
use std::cell::RefCell;
use std::ops::Range;

/// Smallest number of particles per thread. With fewer, more threads do not make a step faster. The
/// value for springs is the same, see "Springs and wind" in docs/speed.md.
const PARTICLES_PER_THREAD: usize = 16_000;

/// Triangles of a grid, and the wind law that acts on them.
pub(in crate::force) struct FaceCells<'a, P, const K: usize> {
    pub grid: Grid,
    /// Indices of the grid's removed triangles, in ascending order.
    pub missing: &'a [u32],
    pub law: P,
    /// Positions in metres, one per particle of the simulation. The columns of `others` have the
    /// same length.
    pub x: &'a [DVec3],
    pub others: [&'a [DVec3]; K],
}

impl<P: CornerForce<K>, const K: usize> FaceCells<'_, P, K> {
    /// Adds the forces on the triangles to the forces `f` on all particles. `f` must not contain
    /// −0, because adding a missing triangle's +0 would change −0 to +0. (Sums that start at +0
    /// never become −0.)
    pub fn add(self, isa: Isa, f: &mut [DVec3]) {
        let columns = self.columns();
        let first = self.grid.first as usize;
        let of_grid = first..first + columns * self.grid.rows as usize;
        let others = self.others.map(|column| &column[of_grid.clone()]);
        let cells = &Self { x: &self.x[of_grid.clone()], others, ..self };
        let threads =
            of_grid.len().div_ceil(PARTICLES_PER_THREAD).min(rayon::current_num_threads());
        let rows = 0..self.grid.rows as usize;
        split_among_threads(rows, columns, &mut f[of_grid], threads, &|rows, f| {
            SCRATCH.with_borrow_mut(|scratch| isa.run(FaceRowsKernel { cells, rows, f, scratch }));
        });
    }

    fn columns(&self) -> usize {
        self.grid.columns as usize
    }

    /// Yields the missing triangles of a row of cells. Each is given as 0 for the first or 1 for
    /// the second triangle of a cell, and the column of the cell.
    fn missing_in_row(&self, row: usize) -> impl Iterator<Item = (usize, usize)> {
        let length = 2 * (self.columns() - 1);
        let [first, end] = [row, row + 1]
            .map(|row| self.missing.partition_point(|number| (*number as usize) < row * length));
        self.missing[first..end].iter().map(move |number| {
            let in_row = *number as usize - row * length;
            (in_row % 2, in_row / 2)
        })
    }
}

thread_local! {
    /// Buffer for the grid rows that this thread is evaluating. It grows in the thread's first
    /// evaluation.
    static SCRATCH: RefCell<Vec<CacheLine>> = const { RefCell::new(Vec::new()) };
}

struct FaceRowsKernel<'a, P, const K: usize> {
    cells: &'a FaceCells<'a, P, K>,
    rows: Range<usize>,
    /// Forces on the particles of `rows`.
    f: &'a mut [DVec3],
    scratch: &'a mut Vec<CacheLine>,
}

impl<P: CornerForce<K>, const K: usize> Kernel for FaceRowsKernel<'_, P, K> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Self { cells, rows, mut f, scratch } = self;
        let columns = cells.columns();
        let mut work = ActiveFaceRows::<V, K>::new(columns, scratch);
        // Work starts one row earlier, because the cells above the first row act on it. The forces
        // on the earlier row are dropped.
        let first = rows.start.saturating_sub(1);
        work.read(cells, first);
        for row in first..rows.end {
            work.read(cells, row + 1);
            let own = if row < rows.start { 0 } else { columns };
            let (of_row, rest) = f.split_at_mut(own);
            work.add(cells.law, of_row);
            f = rest;
        }
    }
}

/// Buffers for the active rows: the two rows of particles that are being computed, and the cells
/// between them.
struct ActiveFaceRows<'a, V: Vector, const K: usize> {
    n: usize,
    /// Rows of particles above and below the current row of cells.
    rows: [RowColumns<'a, K>; 2],
    /// Forces of both triangles of each cell, in the row of cells above.
    above: [Vectors<'a, V>; 2],
    /// 1 where the first (or second) triangle of a cell exists, 0 where it is missing.
    is_there: [&'a mut [f64]; 2],
}

impl<'a, V: Vector, const K: usize> ActiveFaceRows<'a, V, K> {
    #[inline(always)]
    fn new(columns: usize, scratch: &'a mut Vec<CacheLine>) -> Self {
        let n = columns.div_ceil(V::ELEMENTS);
        // The vectors of right neighbours begin one column later, so a row needs 8 more values.
        let length = columns.next_multiple_of(8) + 8;
        let needed = (2 * 3 * (1 + K) + 2 * 3 + 2) * length;
        if numbers_mut(scratch).len() < needed {
            *scratch = allocate_lines(needed, 0.0);
        }
        let mut rows = numbers_mut(scratch).chunks_exact_mut(length);
        let mut next = || rows.next().expect("a row");
        let is_there = [next(), next()];
        let mut coordinates = || -> Coordinates { [next(), next(), next()] };
        let mut row = || RowColumns { x: coordinates(), others: [(); K].map(|()| coordinates()) };
        let rows = [row(), row()];
        let mut above = [(); 2].map(|()| coordinates().map(|row| &mut V::arrays_mut(row)[..n]));
        for row in above.iter_mut().flatten() {
            row.fill(V::splat(0.0).to_array());
        }
        Self { n, rows, above, is_there }
    }

    /// Moves the lower row up and reads the next row. Also marks the triangles that exist between
    /// the two rows. Below the last row there are no triangles.
    #[inline(always)]
    fn read<P: CornerForce<K>>(&mut self, cells: &FaceCells<P, K>, row: usize) {
        let columns = cells.columns();
        let first = row * columns;
        self.rows.rotate_left(1);
        let is_row = first < cells.x.len();
        for faces in &mut self.is_there {
            faces.fill(0.0);
            faces[..columns - 1].fill(f64::from(u8::from(is_row)));
        }
        if is_row {
            self.rows[1].read::<V>(&cells.x[first..], cells.others.map(|column| &column[first..]));
            if row > 0 {
                for (face, column) in cells.missing_in_row(row - 1) {
                    self.is_there[face][column] = 0.0;
                }
            }
        }
    }

    /// Adds the forces on the particles of the upper row to `f`. Stores the forces of the row of
    /// cells below them for the next call.
    #[inline(always)]
    fn add(&mut self, law: impl CornerForce<K>, f: &mut [DVec3]) {
        let Self { n, rows: [upper, lower], above: [first, second], is_there } = self;
        let runs = [
            upper.vectors_from_column::<V>(0, *n),
            upper.vectors_from_column::<V>(1, *n),
            lower.vectors_from_column::<V>(0, *n),
            lower.vectors_from_column::<V>(1, *n),
        ];
        let zero = V::splat(0.0);
        let mut left = [[zero; 3]; 2];
        let mut left_above = [zero; 3];
        for j in 0..*n {
            let a = corner(&runs[0], j);
            let b = corner(&runs[1], j);
            let c = corner(&runs[2], j);
            let d = corner(&runs[3], j);
            let one =
                masked(law.force_on_corners([a, b, c]), V::load(&is_there[0][j * V::ELEMENTS..]));
            let two =
                masked(law.force_on_corners([b, d, c]), V::load(&is_there[1][j * V::ELEMENTS..]));
            let (one_above, two_above) = (read_vectors(first, j), read_vectors(second, j));
            let points = V::points(f.get(j * V::ELEMENTS..).unwrap_or_default(), 1);
            let sum = plus(points, left_neighbours(two_above, left_above));
            let sum = plus(plus(sum, one_above), two_above);
            let sum = plus(plus(sum, left_neighbours(one, left[0])), left_neighbours(two, left[1]));
            write_points(f, j, plus(sum, one));
            write_vectors(first, j, one);
            write_vectors(second, j, two);
            (left, left_above) = ([one, two], two_above);
        }
    }
}

#[inline(always)]
fn corner<V: Vector, const K: usize>(run: &RowRun<V, K>, j: usize) -> FaceCorner<V, K> {
    let x = read_points(&run.x, j);
    let mut others = [x; K];
    for (other, column) in others.iter_mut().zip(&run.others) {
        *other = read_points(column, j);
    }
    FaceCorner { x, others }
}

#[inline(always)]
fn masked<V: Vector>(v: [V; 3], is_there: V) -> [V; 3] {
    let mask = is_there.is_above(V::splat(0.0));
    [v[0].or_zero(mask), v[1].or_zero(mask), v[2].or_zero(mask)]
}
