//! Boxes around runs of particles, so that most particles need not be tested one by one.

use super::bounds::Bounds;
use glam::DVec3;
use rayon::prelude::*;

/// Particles a box: about a row of a large cloth. More boxes take longer to test, fuller ones
/// longer to search: with 256 and with 512 a cloth of 500 × 500 was picked in 0.23 ms.
pub const RUN: usize = 512;
/// Runs a task: below this many particles, starting threads costs more than the search.
const RUNS_A_TASK: usize = 16;

/// A box around the finite ones of each run of particles.
#[derive(Clone, Debug, Default)]
pub struct Boxes(Vec<Option<Bounds>>);

impl Boxes {
    /// Fits the boxes to the positions. Must be called whenever these change.
    pub fn fit(&mut self, positions: &[DVec3]) {
        self.0.resize(positions.len().div_ceil(RUN), None);
        let boxes = self.0.par_iter_mut().with_min_len(RUNS_A_TASK);
        boxes
            .zip(positions.par_chunks(RUN))
            .for_each(|(bounds, run)| *bounds = Bounds::around(run));
    }

    /// Box around all; `None` if there is nothing.
    pub fn all(&self) -> Option<Bounds> {
        self.0.iter().flatten().copied().reduce(Bounds::union)
    }

    /// The box of each run, in order.
    pub fn runs(&self) -> impl Iterator<Item = Option<Bounds>> {
        self.0.iter().copied()
    }
}
