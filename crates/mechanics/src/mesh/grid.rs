//! Rectangular grid of particles.

/// Rectangular grid of particles to be drawn as one cloth. The particle at (column, row) has the
/// index `first + row · columns + column`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Index of the grid's first particle.
    pub first: u32,
    /// Number of particles in a row: cells + 1.
    pub columns: u32,
    /// Number of particles in a column: cells + 1.
    pub rows: u32,
}

impl Grid {
    /// Returns the index of the particle at (column, row).
    pub fn at(&self, column: u32, row: u32) -> u32 {
        self.first + row * self.columns + column
    }

    /// Returns the corners of a cell: upper left, upper right, lower left, lower right.
    pub fn cell(&self, column: u32, row: u32) -> [u32; 4] {
        [
            self.at(column, row),
            self.at(column + 1, row),
            self.at(column, row + 1),
            self.at(column + 1, row + 1),
        ]
    }
}
