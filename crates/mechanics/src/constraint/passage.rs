//! How particles come to the sweeps and leave them.

use crate::numerics::simd::Span;
use glam::DVec3;
use std::ops::Range;

/// Columns that particles have at most: positions and velocities where a substep begins, where it
/// ends and where the next one ends, and inverse masses.
pub const MOST_AHEAD: usize = 7;

/// The way of particles through the projections of a step, run by run.
///
/// Grids take particles in row by row while later rows have not even flown, and let them go as
/// soon as their last sweep is done: a step is then one pass over memory. What comes in any other
/// shape arrives whole.
pub trait Passage: Send {
    /// Number of projections: one a substep.
    fn substeps(&self) -> usize;

    /// Positions of some particles before the first sweep of a substep, counted from 0. Each
    /// particle arrives once in each substep, after it has left the one before.
    fn arrive(&mut self, substep: usize, particles: Range<usize>) -> Arrived<'_>;

    /// Where lies what particles need that will arrive next in a step: what they were, and what they
    /// will be. Whoever knows may fetch it in time.
    fn ahead(&self, particles: Range<usize>) -> [Span; MOST_AHEAD];

    /// Takes back particles that have arrived, with their positions after the last sweep of a
    /// substep.
    fn leave(&mut self, substep: usize, particles: Range<usize>, x: &[DVec3]);

    /// Lends the particles below `at` and the others to two that work side by side.
    fn split(&mut self, at: usize, both: &mut dyn FnMut(&mut dyn Passage, &mut dyn Passage));
}

/// Some particles, one entry each.
#[derive(Clone, Copy, Debug)]
pub struct Arrived<'a> {
    /// Positions now, in metres.
    pub x: &'a [DVec3],
    /// Positions at the start of the substep, in metres.
    pub start: &'a [DVec3],
}

/// Particles that only the sweeps of one projection move, one entry each.
#[derive(Debug)]
pub struct InPlace<'a> {
    first: usize,
    x: &'a mut [DVec3],
    start: &'a [DVec3],
}

impl<'a> InPlace<'a> {
    /// All particles at positions `x`, with those at the start of the step, in metres.
    pub fn new(x: &'a mut [DVec3], start: &'a [DVec3]) -> Self {
        Self { first: 0, x, start }
    }
}

impl InPlace<'_> {
    fn at(&self, particles: Range<usize>) -> Range<usize> {
        particles.start - self.first..particles.end - self.first
    }
}

impl Passage for InPlace<'_> {
    fn substeps(&self) -> usize {
        1
    }

    fn arrive(&mut self, _: usize, particles: Range<usize>) -> Arrived<'_> {
        let at = self.at(particles);
        Arrived { x: &self.x[at.clone()], start: &self.start[at] }
    }

    fn ahead(&self, particles: Range<usize>) -> [Span; MOST_AHEAD] {
        let mut columns = [Span::NONE; MOST_AHEAD];
        columns[0] = Span::of(&self.x[self.at(particles)]);
        columns
    }

    fn leave(&mut self, _: usize, particles: Range<usize>, x: &[DVec3]) {
        let at = self.at(particles);
        self.x[at].copy_from_slice(x);
    }

    fn split(&mut self, at: usize, both: &mut dyn FnMut(&mut dyn Passage, &mut dyn Passage)) {
        let (x, rest) = self.x.split_at_mut(at - self.first);
        let (start, start_rest) = self.start.split_at(at - self.first);
        let mut below = InPlace { first: self.first, x, start };
        let mut others = InPlace { first: at, x: rest, start: start_rest };
        both(&mut below, &mut others);
    }
}
