//! Branch: events that the user left behind by returning to an earlier moment and continuing
//! differently.

use super::keyframe::{EVENT_BYTES, Keyframe, TimedEvent};
use super::mark::Mark;
use crate::session::moments::SessionMoment;

/// Entry in the list of branches that begin in the current history.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListedBranch {
    /// Number of the branch. It is unique in the history.
    pub number: usize,
    /// Moment at which the branch begins.
    pub fork: SessionMoment,
    /// Duration of the branch in seconds.
    pub seconds: f64,
}

/// Events after a moment from which the session later continued differently.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub(super) number: usize,
    /// Number of events from the start of the session to the beginning of the branch.
    pub(super) fork: usize,
    pub(super) events: Vec<TimedEvent>,
    pub(super) keyframes: Vec<Keyframe>,
    pub(super) marks: Vec<Mark>,
    /// Branches that begin within this branch.
    pub(super) branches: Vec<Branch>,
}

impl Branch {
    pub(super) fn bytes(&self) -> usize {
        let keyframes: usize = self.keyframes.iter().map(|keyframe| keyframe.bytes).sum();
        let branches: usize = self.branches.iter().map(Self::bytes).sum();
        keyframes + self.events.len() * EVENT_BYTES + branches
    }

    pub(super) fn has_keyframes(&self) -> bool {
        !self.keyframes.is_empty() || self.branches.iter().any(Self::has_keyframes)
    }

    /// Drops all keyframes and returns their size in bytes.
    pub(super) fn drop_keyframes(&mut self) -> usize {
        let own: usize = self.keyframes.drain(..).map(|keyframe| keyframe.bytes).sum();
        own + self.branches.iter_mut().map(Self::drop_keyframes).sum::<usize>()
    }

    /// True if this branch, or a branch within it, has the number.
    pub(super) fn has(&self, number: usize) -> bool {
        self.number == number || self.branches.iter().any(|branch| branch.has(number))
    }

    /// Moves the beginning of this branch to that of `before`, the branch in which it begins. The
    /// events and marks of `before` up to this point are put in front.
    pub(super) fn with_events_before(self, before: &Self) -> Self {
        let shared = self.fork - before.fork;
        let events = before.events.iter().take(shared).cloned().chain(self.events).collect();
        let marks = before.marks.iter().filter(|mark| mark.events <= self.fork).copied();
        let marks = marks.chain(self.marks).collect();
        Self { fork: before.fork, events, marks, ..self }
    }
}
