//! Predicted collisions, sorted by time.

use std::cmp::Ordering;

/// Second body of a collision: index and version of a ball, or index of a collider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Other {
    Ball(u32, u32),
    Collider(u32),
}

/// A predicted collision. It is valid as long as the versions of its balls are unchanged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Collision {
    pub t: f64,
    pub ball: u32,
    pub version: u32,
    pub other: Other,
    /// True if the balls rest on each other and their approach is at most `SLIGHT_APPROACH` times
    /// the largest approach without a bounce.
    pub is_slight: bool,
}

impl Collision {
    fn key(&self) -> (u32, Other) {
        (self.ball, self.other)
    }
}

impl Ord for Collision {
    /// Compares by time, then by body index, so that the order of simultaneous collisions does not
    /// depend on the search.
    fn cmp(&self, other: &Self) -> Ordering {
        self.t.total_cmp(&other.t).then_with(|| self.key().cmp(&other.key()))
    }
}

impl PartialOrd for Collision {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Collision {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Collision {}
