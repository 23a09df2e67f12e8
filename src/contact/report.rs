//! What contact did, since the start of a run.

use serde::Serialize;

/// Counts since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ContactReport {
    /// Collisions that were answered.
    pub events: u64,
    /// Pairs whose time of impact or distance was computed.
    pub pairs_tested: u64,
    /// Bodies that were stopped short because a step had its most events, and pairs of balls that
    /// overlapped by more than 1e-9 m at its end.
    pub left_over: u64,
    /// Deepest overlap of any pair at the end of a step, in metres.
    pub deepest_overlap: f64,
}

impl ContactReport {
    /// Takes note of an overlap in metres.
    pub(super) fn see_overlap(&mut self, overlap: f64) {
        self.deepest_overlap = self.deepest_overlap.max(overlap);
    }
}
