//! Bounding boxes around runs of consecutive particles. A search tests only runs whose boxes may
//! contain a hit.

use super::bounds::Bounds;
use glam::DVec3;
use rayon::prelude::*;

/// Number of particles per run, about a row of a large cloth. Smaller runs mean more boxes to test;
/// larger runs mean more particles to search. With 256 and with 512 particles per run, picking in a
/// cloth of 500 × 500 took 0.23 ms.
pub const RUN: usize = 512;
/// Number of runs per parallel task. For fewer particles, starting threads would cost more than the
/// search.
const RUNS_A_TASK: usize = 16;

/// Box around the finite positions of each run of [`RUN`] consecutive particles; `None` if a run
/// has none.
#[derive(Clone, Debug, Default)]
pub struct Boxes(Vec<Option<Bounds>>);

impl Boxes {
    /// Fits the boxes to the positions. Must be called when the positions have changed.
    pub fn fit(&mut self, positions: &[DVec3]) {
        self.0.resize(positions.len().div_ceil(RUN), None);
        let boxes = self.0.par_iter_mut().with_min_len(RUNS_A_TASK);
        boxes
            .zip(positions.par_chunks(RUN))
            .for_each(|(bounds, run)| *bounds = Bounds::around(run));
    }

    /// Returns the box around all particles; `None` if no position is finite.
    pub fn all(&self) -> Option<Bounds> {
        self.0.iter().flatten().copied().reduce(Bounds::union)
    }

    pub fn runs(&self) -> impl Iterator<Item = Option<Bounds>> {
        self.0.iter().copied()
    }
}
