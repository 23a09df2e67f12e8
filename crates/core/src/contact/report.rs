use glam::DVec3;
use serde::Serialize;

/// Counts and extremes of contact since the start of a simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ContactReport {
    /// Collisions and impacts with an impulse.
    pub events: u64,
    /// Pairs whose time of impact or distance was computed.
    pub pairs_tested: u64,
    /// Number of unresolved events: bodies stopped at `most_events` or before another body, and
    /// overlaps of balls above 1e-9 m.
    pub left_over: u64,
    /// Deepest overlap at the end of a step, in metres.
    pub deepest_overlap: f64,
    /// Largest error in metres of the distance between two balls on straight paths: |Δa| h²/8,
    /// where Δa is the difference of their accelerations.
    pub chord_error: f64,
}

impl ContactReport {
    /// Raises `deepest_overlap` to an overlap in metres if this is deeper.
    pub(super) fn record_overlap(&mut self, overlap: f64) {
        self.deepest_overlap = self.deepest_overlap.max(overlap);
    }

    /// Raises `chord_error` to the error of a collision if this is larger. `half_acceleration` is
    /// half the difference of the bodies' accelerations times h², in metres.
    pub(super) fn record_chord_error(&mut self, half_acceleration: DVec3) {
        self.chord_error = self.chord_error.max(0.25 * half_acceleration.length());
    }
}
