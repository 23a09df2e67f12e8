//! Memory layout of a grid for SIMD: places of its particles and of its links' values.

use crate::mesh::Link;
use crate::mesh::component::{Direction, Place};
use crate::numerics::simd::Vector;
use glam::DVec3;

/// Number of directions of links. The links that start in a row are stored in the order right,
/// down, down-right, down-left.
pub const DIRECTIONS: usize = 4;

/// Positions of particles as vectors x, y and z, one particle per element.
pub type PointBlock<V> = [V; 3];

/// Layout of a grid. A row is divided into as many segments as a vector has elements. Block j of a
/// row holds column j of every segment, one segment per element. Block j + 1 therefore holds the
/// right neighbours of block j. The last block's right neighbours are in block 0, shifted by one
/// element. Inverse masses are stored in the same order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridLayout {
    pub rows: usize,
    pub columns: usize,
    /// Number of blocks in a row. The number is even, so that even blocks contain even columns.
    pub segment: usize,
    pub elements: usize,
}

impl GridLayout {
    pub fn new(rows: usize, columns: usize, elements: usize) -> Self {
        let segment = columns.div_ceil(elements).next_multiple_of(2);
        Self { rows, columns, segment, elements }
    }

    /// Returns how many inverse masses two rows have, each with its ghost block (copies of right
    /// neighbours).
    pub fn pair_weights(&self) -> usize {
        2 * (self.segment + 1) * self.elements
    }

    /// Returns how many coordinates two rows have, each with its ghost block (copies of right
    /// neighbours).
    pub fn pair_numbers(&self) -> usize {
        3 * self.pair_weights()
    }

    /// Returns how many places there are for the links that start in one row and lead in one
    /// direction.
    pub fn row_links(&self) -> usize {
        self.segment * self.elements
    }

    /// Returns how many places there are for the links of all rows and directions.
    pub fn numbers(&self) -> usize {
        self.rows * DIRECTIONS * self.row_links()
    }

    /// Returns how many cache lines XPBD's four values of each link in one row occupy.
    pub fn compliance_lines(&self) -> usize {
        DIRECTIONS * self.row_links() * 4 / 8
    }

    /// Returns the number of pairs of rows. Pair p consists of rows 2p and 2p + 1. Links within a
    /// pair share no particle with other pairs.
    pub fn pairs(&self) -> usize {
        self.rows.div_ceil(2)
    }

    /// Returns the place of a link: the index of its value in tables for all rows. `first` is the
    /// index of the grid's first particle. `None` if the link does not fit into the grid.
    pub fn place(&self, first: usize, link: &Link) -> Option<usize> {
        Some(self.number(Place::of(link, first as u32, self.columns as u32)?))
    }

    /// Returns the index of a link's value in tables for all rows.
    ///
    /// Links to the right from even blocks come before links to the right from odd blocks, in the
    /// order of a sweep. A link to the lower left is stored in the column of its lower end, so that
    /// it joins block j + 1 of the upper row and block j of the lower row.
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

/// Loads the particles of a row into blocks. Elements without a particle get 0.
#[inline(always)]
pub fn pack<V: Vector>(x: &[DVec3], row: &mut [PointBlock<V>]) {
    let segment = row.len();
    let zero = V::splat(0.0);
    for (j, block) in row.iter_mut().enumerate() {
        // + 0 clears the sign of −0, see `ScalarFallback::clear_signs_of_zeros`.
        let [x, y, z] = V::points(x.get(j..).unwrap_or_default(), segment);
        *block = [x + zero, y + zero, z + zero];
    }
}

/// Loads the particles of several rows into blocks. Each row is followed by a ghost block, which
/// this function skips.
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

/// Stores the particles of several rows from their blocks.
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

/// Fills the ghost block (copies of right neighbours) after each row, see [`ghost_block`].
#[inline(always)]
pub fn fill_ghosts<V: Vector>(blocks: &mut [PointBlock<V>], segment: usize) {
    for row in blocks.chunks_exact_mut(segment + 1) {
        row[segment] = ghost_block(row[0]);
    }
}

/// Loads the inverse masses of a row and its ghost block.
#[inline(always)]
pub fn pack_weights<V: Vector>(w: &[f64], row: &mut [V]) {
    let segment = row.len() - 1;
    for (j, weight) in row[..segment].iter_mut().enumerate() {
        *weight = V::strided(w.get(j..).unwrap_or_default(), segment);
    }
    row[segment] = row[0].shift_down(V::splat(0.0));
}

#[inline(always)]
pub fn unpack<V: Vector>(row: &[PointBlock<V>], x: &mut [DVec3]) {
    let segment = row.len();
    for (j, block) in row.iter().enumerate() {
        V::put_points(*block, x.get_mut(j..).unwrap_or_default(), segment);
    }
}

/// Returns the ghost block of a row, i.e. the right neighbours of its last block: the first block
/// with its elements shifted by one.
#[inline(always)]
pub fn ghost_block<V: Vector>([x, y, z]: PointBlock<V>) -> PointBlock<V> {
    let none = V::splat(0.0);
    [x.shift_down(none), y.shift_down(none), z.shift_down(none)]
}
