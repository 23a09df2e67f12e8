//! Counts of contact since the start of a run.

use glam::DVec3;
use serde::Serialize;

/// Counts since the start of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ContactReport {
    /// Collisions that were answered.
    pub events: u64,
    /// Pairs whose time of impact or distance was computed.
    pub pairs_tested: u64,
    /// Bodies that stopped at `most_events`, and pairs of balls that overlapped by more than 1e-9 m
    /// at the end of a step.
    pub left_over: u64,
    /// Deepest overlap of any pair at the end of a step, in metres.
    pub deepest_overlap: f64,
    /// Greatest distance of a chord from its parabola, |Δa|h²/8, in metres: the error of a lane
    /// whose balls take chords.
    pub chord_error: f64,
}

impl ContactReport {
    /// Records an overlap in metres.
    pub(super) fn note_overlap(&mut self, overlap: f64) {
        self.deepest_overlap = self.deepest_overlap.max(overlap);
    }

    /// Records a collision of two bodies by half the difference of their accelerations, in metres a
    /// substep squared.
    pub(super) fn note_bend(&mut self, bend: DVec3) {
        self.chord_error = self.chord_error.max(0.25 * bend.length());
    }
}
