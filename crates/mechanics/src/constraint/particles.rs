//! Particles of a projection: as whole columns, or through a [`ParticleAccess`] that loads and
//! stores them row by row.

use crate::numerics::simd::Span;
use glam::DVec3;
use std::ops::Range;

/// Input and output of a projection. The columns have one entry per particle.
#[derive(Debug)]
pub struct Particles<'a> {
    /// Inverse masses in 1/kg; 0 = pinned. Pinned particles are not moved.
    pub w: &'a [f64],
    /// Positions at the start of the substep, in metres.
    pub start: &'a [DVec3],
    /// Positions after the free motion, in metres. The projection changes them.
    pub x: &'a mut [DVec3],
    /// Times that convert forces and speeds into displacements.
    pub times: Times,
}

/// Times of a projection in seconds, both positive. They differ if a force f moves a particle by
/// less than f·substep²/m, as under BDF2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// Time h for which a force f moves a particle of mass m by f h²/m.
    pub h: f64,
    /// Length of the substep. Dampers act on the speed, a displacement divided by this length.
    pub substep: f64,
}

/// Returns the times of a substep of length `h` in which forces act from start to end.
impl From<f64> for Times {
    fn from(h: f64) -> Self {
        Self { h, substep: h }
    }
}

impl<'a> Particles<'a> {
    /// Combines the columns. `times` is a [`Times`], or the length of the substep in seconds.
    pub fn new(
        w: &'a [f64],
        start: &'a [DVec3],
        x: &'a mut [DVec3],
        times: impl Into<Times>,
    ) -> Self {
        Self { w, start, x, times: times.into() }
    }
}

/// Largest number of columns to prefetch: the inverse masses, and positions and velocities at three
/// times (start of a substep, its end, and the end of the next substep).
pub const MOST_PREFETCHED: usize = 7;

/// Access to the particles of a projection. A kernel loads particles before the first sweep and
/// stores them after the last sweep, one range of particles at a time.
///
/// The kernel of a grid loads a row of particles even before later rows have finished their free
/// motion, and stores a row as soon as its last sweep is done. A whole step is thus one pass over
/// memory. Other kernels load all particles at once.
pub trait ParticleAccess: Send {
    /// Returns the number of substeps, with one projection each.
    fn substeps(&self) -> usize;

    /// Loads some particles for the sweeps of a substep. `substep` counts from 0. Each particle is
    /// loaded once per substep, and must be stored before it is loaded for the next substep.
    fn load(&mut self, substep: usize, particles: Range<usize>) -> Loaded<'_>;

    /// Returns the memory that loading and storing these particles will access, for prefetching.
    fn prefetch_spans(&self, particles: Range<usize>) -> [Span; MOST_PREFETCHED];

    /// Stores the positions `x` of some particles after the last sweep of a substep.
    fn store(&mut self, substep: usize, particles: Range<usize>, x: &[DVec3]);

    /// Splits the access at particle `at`. Passes two accesses to `both`, which may use them in two
    /// threads: one to the particles below `at`, one to the others.
    fn split(
        &mut self,
        at: usize,
        both: &mut dyn FnMut(&mut dyn ParticleAccess, &mut dyn ParticleAccess),
    );
}

/// Loaded particles, one entry per particle.
#[derive(Clone, Copy, Debug)]
pub struct Loaded<'a> {
    /// Positions before the sweeps, in metres.
    pub x: &'a [DVec3],
    /// Positions at the start of the substep, in metres.
    pub start: &'a [DVec3],
}

/// Access to positions in memory, for one projection.
#[derive(Debug)]
pub struct InPlace<'a> {
    first: usize,
    x: &'a mut [DVec3],
    start: &'a [DVec3],
}

impl<'a> InPlace<'a> {
    /// Creates an access to all particles at the positions `x`; `start` are their positions at the
    /// start of the step (both in metres).
    pub fn new(x: &'a mut [DVec3], start: &'a [DVec3]) -> Self {
        Self { first: 0, x, start }
    }
}

impl InPlace<'_> {
    fn at(&self, particles: Range<usize>) -> Range<usize> {
        particles.start - self.first..particles.end - self.first
    }
}

impl ParticleAccess for InPlace<'_> {
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
        both: &mut dyn FnMut(&mut dyn ParticleAccess, &mut dyn ParticleAccess),
    ) {
        let (x, rest) = self.x.split_at_mut(at - self.first);
        let (start, start_rest) = self.start.split_at(at - self.first);
        let mut below = InPlace { first: self.first, x, start };
        let mut others = InPlace { first: at, x: rest, start: start_rest };
        both(&mut below, &mut others);
    }
}
