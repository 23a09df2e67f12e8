//! Particles during packing before the sweeps and unpacking after them.

use crate::numerics::simd::Span;
use glam::DVec3;
use std::ops::Range;

/// Upper limit of columns per particle: positions and velocities at the start of a substep, at its
/// end and at the end of the next substep, and inverse masses.
pub const MOST_PREFETCHED: usize = 7;

/// Loads particles for the projections of a step, and stores them after the last sweep, range by
/// range.
///
/// Grids load a row while later rows have not even had their free motion, and store a row as soon
/// as its last sweep is done: a step is then one pass over memory. Other bodies are loaded whole.
pub trait ParticleStream: Send {
    /// Number of projections, one per substep.
    fn substeps(&self) -> usize;

    /// Loads some particles before the first sweep of a substep; `substep` counts from 0. Each
    /// particle is loaded once in each substep, after it was stored in the substep before.
    fn load(&mut self, substep: usize, particles: Range<usize>) -> Loaded<'_>;

    /// Returns the memory that loading and storing these particles will touch, to be fetched ahead.
    fn prefetch_spans(&self, particles: Range<usize>) -> [Span; MOST_PREFETCHED];

    /// Stores loaded particles, with their positions after the last sweep of a substep.
    fn store(&mut self, substep: usize, particles: Range<usize>, x: &[DVec3]);

    /// Splits the stream into the particles below `at` and the others, and passes the two streams
    /// to `both`, for two threads.
    fn split(
        &mut self,
        at: usize,
        both: &mut dyn FnMut(&mut dyn ParticleStream, &mut dyn ParticleStream),
    );
}

/// Positions of some particles, one entry per particle.
#[derive(Clone, Copy, Debug)]
pub struct Loaded<'a> {
    /// Positions now, in metres.
    pub x: &'a [DVec3],
    /// Positions at the start of the substep, in metres.
    pub start: &'a [DVec3],
}

/// Stream of particles that stay in place in memory, for a single projection. One entry per
/// particle.
#[derive(Debug)]
pub struct InPlace<'a> {
    first: usize,
    x: &'a mut [DVec3],
    start: &'a [DVec3],
}

impl<'a> InPlace<'a> {
    /// Creates a stream of all particles at positions `x`, with their positions `start` at the
    /// start of the step, in metres.
    pub fn new(x: &'a mut [DVec3], start: &'a [DVec3]) -> Self {
        Self { first: 0, x, start }
    }
}

impl InPlace<'_> {
    fn at(&self, particles: Range<usize>) -> Range<usize> {
        particles.start - self.first..particles.end - self.first
    }
}

impl ParticleStream for InPlace<'_> {
    fn substeps(&self) -> usize {
        1
    }

    fn load(&mut self, _: usize, particles: Range<usize>) -> Loaded<'_> {
        let at = self.at(particles);
        Loaded { x: &self.x[at.clone()], start: &self.start[at] }
    }

    fn prefetch_spans(&self, particles: Range<usize>) -> [Span; MOST_PREFETCHED] {
        let mut columns = [Span::NONE; MOST_PREFETCHED];
        columns[0] = Span::of(&self.x[self.at(particles)]);
        columns
    }

    fn store(&mut self, _: usize, particles: Range<usize>, x: &[DVec3]) {
        let at = self.at(particles);
        self.x[at].copy_from_slice(x);
    }

    fn split(
        &mut self,
        at: usize,
        both: &mut dyn FnMut(&mut dyn ParticleStream, &mut dyn ParticleStream),
    ) {
        let (x, rest) = self.x.split_at_mut(at - self.first);
        let (start, start_rest) = self.start.split_at(at - self.first);
        let mut below = InPlace { first: self.first, x, start };
        let mut others = InPlace { first: at, x: rest, start: start_rest };
        both(&mut below, &mut others);
    }
}
