//! Register layout of a grid: places of its particles and links.

use crate::mesh::Link;
use crate::mesh::component::{Direction, Place};
use crate::numerics::simd::Vector;
use glam::DVec3;

/// Number of directions of links. A row keeps its links in the order right, down, down-right,
/// down-left.
pub const DIRECTIONS: usize = 4;

/// Positions x, y, z of particles, one particle per element.
pub type PointBlock<V> = [V; 3];

/// Layout of a grid. A row is cut into as many segments as a register has elements. Block j of a
/// row holds column j of every segment, one per element; block j + 1 holds the right neighbours,
/// element by element. Only the last block of a row has its right neighbours in block 0, one
/// element further. Inverse masses lie in the same order, apart from the blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridLayout {
    pub rows: usize,
    pub columns: usize,
    /// Blocks in a row: even, so that a column is even when its block is.
    pub segment: usize,
    pub elements: usize,
}

impl GridLayout {
    pub fn new(rows: usize, columns: usize, elements: usize) -> Self {
        let segment = columns.div_ceil(elements).next_multiple_of(2);
        Self { rows, columns, segment, elements }
    }

    /// Number of inverse masses of a pair of rows, with one more register after each row.
    pub fn pair_weights(&self) -> usize {
        2 * (self.segment + 1) * self.elements
    }

    /// Number of coordinates of a pair of rows, with one more block after each row.
    pub fn pair_numbers(&self) -> usize {
        3 * self.pair_weights()
    }

    /// Count of the numbers of a row's links in one direction.
    pub fn row_links(&self) -> usize {
        self.segment * self.elements
    }

    /// Count of the numbers of the links of all rows.
    pub fn numbers(&self) -> usize {
        self.rows * DIRECTIONS * self.row_links()
    }

    /// Number of cache lines of XPBD's four numbers for the links of a row.
    pub fn compliance_lines(&self) -> usize {
        DIRECTIONS * self.row_links() * 4 / 8
    }

    /// Number of pairs of rows: pair p is rows 2p and 2p + 1. Links inside a pair touch no row of
    /// another pair.
    pub fn pairs(&self) -> usize {
        self.rows.div_ceil(2)
    }

    /// Returns the index of a link's number among the numbers of all rows, in the grid whose
    /// particles begin at `first`. `None` if the link does not fit into the grid.
    pub fn place(&self, first: usize, link: &Link) -> Option<usize> {
        Some(self.number(Place::of(link, first as u32, self.columns as u32)?))
    }

    /// Returns the index of a link's number among the numbers of all rows.
    ///
    /// Links to the right begin with the links from even blocks, in the order of a sweep. A link to
    /// the lower left is kept with the column that it leads to, so that its ends are blocks j + 1
    /// and j.
    pub fn number(&self, place: Place) -> usize {
        let (direction, column) = match place.direction {
            Direction::Right => (0, place.column),
            Direction::Down => (1, place.column),
            Direction::DownRight => (2, place.column),
            Direction::DownLeft => (3, place.column - 1),
            Direction::RightTwo | Direction::DownTwo => unreachable!("links of plates"),
        };
        let (element, block) = (column as usize / self.segment, column as usize % self.segment);
        let vector = match direction {
            0 => block % 2 * (self.segment / 2) + block / 2,
            _ => block,
        };
        let row = place.row as usize * DIRECTIONS + direction;
        (row * self.segment + vector) * self.elements + element
    }
}

/// Reads a row of particles. Elements without a particle get zeros.
#[inline(always)]
pub fn pack<V: Vector>(x: &[DVec3], row: &mut [PointBlock<V>]) {
    let segment = row.len();
    let zero = V::splat(0.0);
    for (j, block) in row.iter_mut().enumerate() {
        // + 0 clears the sign of −0: see `ScalarFallback::clear_signs_of_zeros`.
        let [x, y, z] = V::points(x.get(j..).unwrap_or_default(), segment);
        *block = [x + zero, y + zero, z + zero];
    }
}

/// Reads rows of particles into their blocks. A ghost block follows each row and is not written.
#[inline(always)]
pub fn pack_rows<V: Vector>(
    x: &[DVec3],
    columns: usize,
    blocks: &mut [PointBlock<V>],
    segment: usize,
) {
    for (row, x) in blocks.chunks_exact_mut(segment + 1).zip(x.chunks(columns)) {
        pack(x, &mut row[..segment]);
    }
}

/// Writes rows of particles from their blocks.
#[inline(always)]
pub fn unpack_rows<V: Vector>(
    blocks: &[PointBlock<V>],
    segment: usize,
    columns: usize,
    x: &mut [DVec3],
) {
    for (row, x) in blocks.chunks_exact(segment + 1).zip(x.chunks_mut(columns)) {
        unpack(&row[..segment], x);
    }
}

/// Fills the ghost block behind the last block of each row, see [`ghost_block`].
#[inline(always)]
pub fn fill_ghosts<V: Vector>(blocks: &mut [PointBlock<V>], segment: usize) {
    for row in blocks.chunks_exact_mut(segment + 1) {
        row[segment] = ghost_block(row[0]);
    }
}

/// Reads the inverse masses of a row of particles, and fills the inverse masses of the row's ghost
/// block.
#[inline(always)]
pub fn pack_weights<V: Vector>(w: &[f64], row: &mut [V]) {
    let segment = row.len() - 1;
    for (j, weight) in row[..segment].iter_mut().enumerate() {
        *weight = V::strided(w.get(j..).unwrap_or_default(), segment);
    }
    row[segment] = row[0].shift_down(V::splat(0.0));
}

/// Writes a row of particles.
#[inline(always)]
pub fn unpack<V: Vector>(row: &[PointBlock<V>], x: &mut [DVec3]) {
    let segment = row.len();
    for (j, block) in row.iter().enumerate() {
        V::put_points(*block, x.get_mut(j..).unwrap_or_default(), segment);
    }
}

/// Returns the ghost block of a row, made from its first block: the right neighbours of the last
/// block's elements.
#[inline(always)]
pub fn ghost_block<V: Vector>([x, y, z]: PointBlock<V>) -> PointBlock<V> {
    let none = V::splat(0.0);
    [x.shift_down(none), y.shift_down(none), z.shift_down(none)]
}
