//! Predicted collisions, in the order in which they happen.

use std::cmp::Ordering;

/// Body that a ball meets: another ball and its version, or a collider, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Other {
    Ball(u32, u32),
    Collider(u32),
}

/// A predicted collision, valid while the balls have these versions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Collision {
    pub t: f64,
    pub ball: u32,
    pub version: u32,
    pub other: Other,
    /// True for balls that rest on each other and approach only slightly.
    pub is_slight: bool,
}

impl Collision {
    fn key(&self) -> (u32, Other) {
        (self.ball, self.other)
    }
}

impl Ord for Collision {
    /// Compares by time, then by number, so that the result does not depend on the order of the
    /// search.
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
