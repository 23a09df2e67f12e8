//! How particles go from one substep to the next without being unpacked.

use crate::numerics::simd::Isa;
use crate::numerics::state::MOST_HISTORY;
use glam::DVec3;
use std::ops::Range;

/// Columns that ride along with positions at most: where the flight of a substep ended, velocities
/// there, and what a scheme remembers.
pub const MOST_RIDING: usize = 2 + MOST_HISTORY;

/// Columns of some particles, one entry each; empty beyond those that there are.
pub type Riding<'a> = [&'a mut [DVec3]; MOST_RIDING];

/// The way of particles that are packed in the order of registers before the first sweep of
/// several substeps and unpacked after the last one.
pub trait Ride {
    /// How many columns ride along, the first [`MOST_RIDING`] at most.
    fn columns(&self) -> usize;

    /// As [`Passage::arrive`](super::Passage::arrive), in the first substep of a ride: their positions are the first column
    /// of what rides along.
    fn board(&mut self, substep: usize, particles: Range<usize>) -> (Riding<'_>, &[DVec3]);

    /// The end of a substep and the beginning of the next.
    fn turn(&mut self, substep: usize, particles: Range<usize>, packed: Packed);

    /// Where in the last substep of a ride to put what rode along, before the particles leave, and
    /// then their positions at the start of that substep.
    fn alight(&mut self, substep: usize, particles: Range<usize>) -> (Riding<'_>, &mut [DVec3]);
}

/// Some particles in the order of registers: as many x as there are lanes, as many y, as many z.
/// There may be some between them that are nobody's.
pub struct Packed<'a> {
    /// Where they are.
    pub order: Order,
    /// Positions after the last sweep, in metres; then before the first one of the next substep.
    pub x: &'a mut [DVec3],
    /// What rides along, in the same order.
    pub riding: Riding<'a>,
    /// Inverse masses in 1/kg, one for each x.
    pub w: &'a [f64],
}

/// Where particles are in the order of registers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Order {
    /// Whose registers.
    pub isa: Isa,
    /// Particles in a row.
    pub columns: usize,
    /// How rows lie in the lanes.
    pub lay: Lay,
}

/// How rows lie in the lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lay {
    /// A row is cut into segments of so many blocks, one a lane. Behind them is one more block that
    /// borrows some particles.
    Segments(usize),
    /// A row is a lane, so many blocks behind the row above.
    Slanted(usize),
}

impl Order {
    /// The block and the lane of a particle.
    pub fn place(self, particle: usize) -> (usize, usize) {
        let (row, column) = (particle / self.columns, particle % self.columns);
        match self.lay {
            Lay::Segments(length) => (row * (length + 1) + column % length, column / length),
            Lay::Slanted(behind) => (column + behind * row, row),
        }
    }
}
