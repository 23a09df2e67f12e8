//! Branches of a history: their list, their memory, and the switch to one of them.

use super::branch::{Branch, ListedBranch};
use super::{History, Travel};
use crate::session::event::Event;
use crate::session::moments::SessionMoment;
use crate::session::side_by_side::Session;

/// Smallest number of events with which a branch is always kept. A shorter branch is kept only if
/// it has marks or branches of its own, or if it is the only branch.
const EVENTS_WORTH_KEEPING: usize = 20;

impl History {
    /// Returns the branches that begin in the current history. The next switch leads to the last of
    /// them.
    pub fn branches(&self) -> impl DoubleEndedIterator<Item = ListedBranch> + ExactSizeIterator {
        self.branches.iter().map(|branch| {
            let fork = SessionMoment { events: branch.fork, missing_steps: 0 };
            let start = self.time_of(fork);
            let seconds = branch.events.last().map_or(0.0, |timed| timed.end - start);
            ListedBranch { number: branch.number, fork, seconds }
        })
    }

    /// Returns the branch to which the next switch leads; `None` without a branch.
    pub fn branch(&self) -> Option<ListedBranch> {
        self.branches().next_back()
    }

    /// True if a branch with this number is kept, even if it begins within another branch.
    pub fn has_branch(&self, number: usize) -> bool {
        self.branches.iter().any(|branch| branch.has(number))
    }

    /// Replaces the events after the beginning of the last branch by the events of that branch. The
    /// replaced events become the first branch in the list, so repeated calls visit all branches in
    /// turn. The session starts to travel to the new end. Returns the number of replaced events and
    /// the events of the branch; `None` without a branch.
    pub fn switch_branch(&mut self, session: &mut Session) -> Option<(usize, Vec<Event>)> {
        let branch = self.branches.pop()?;
        // Samples up to the beginning of the branch belong to both sequences of events.
        let shared = self.keyframes.iter().rfind(|keyframe| keyframe.events <= branch.fork);
        shared.into_iter().for_each(|keyframe| session.restore(&keyframe.snapshot));
        session.forget_later_samples();
        let tail = self.remove_later_events(branch.fork);
        let taken_back = tail.events.len();
        let events = branch.events.iter().map(|timed| timed.event.clone()).collect();
        self.bytes += tail.bytes();
        self.events.extend(branch.events);
        self.keyframes.extend(branch.keyframes);
        self.marks.extend(branch.marks);
        self.branches.splice(..0, std::iter::once(tail).chain(branch.branches));
        // The session travels from the last keyframe before its target. This keyframe may lie
        // before the branch or within it.
        self.travel = Some(Travel {
            target: self.start(),
            applied: usize::MAX,
            partial: true,
            arrived: false,
            was_paused: false,
        });
        self.start_travel(session, self.end());
        self.free_memory();
        Some((taken_back, events))
    }

    /// Removes all events after the first `fork` events, and returns them as a branch.
    pub(super) fn remove_later_events(&mut self, fork: usize) -> Branch {
        let keyframes = self.keyframes.partition_point(|keyframe| keyframe.events <= fork);
        let marks = self.marks.partition_point(|mark| mark.events <= fork);
        let (shared, within) =
            std::mem::take(&mut self.branches).into_iter().partition(|it| it.fork <= fork);
        self.branches = shared;
        self.branches_made += 1;
        let tail = Branch {
            number: self.branches_made,
            fork,
            events: self.events.split_off(fork - self.dropped_events).into(),
            keyframes: self.keyframes.split_off(keyframes).into(),
            marks: self.marks.split_off(marks),
            branches: within,
        };
        self.bytes -= tail.bytes();
        tail
    }

    /// Keeps the removed events as a branch if they are many, if they have marks or branches, or if
    /// there is no other branch.
    pub(super) fn keep_branch(&mut self, tail: Branch) {
        let holds_something = !tail.branches.is_empty() || !tail.marks.is_empty();
        if self.branches.is_empty() || holds_something || tail.events.len() >= EVENTS_WORTH_KEEPING
        {
            self.bytes += tail.bytes();
            self.branches.push(tail);
        }
    }

    /// Keeps the branches that begin within the removed events. Each of them gets a copy of the
    /// removed events before its beginning, so that it begins where the removed events began.
    pub(super) fn keep_branches_within(&mut self, tail: &mut Branch) {
        for branch in std::mem::take(&mut tail.branches) {
            let branch = branch.with_events_before(tail);
            self.bytes += branch.bytes();
            self.branches.push(branch);
        }
    }

    /// Frees memory: drops the keyframes of the oldest branch that has keyframes, or the oldest
    /// branch if none has. Returns false if there is no branch.
    pub(super) fn free_memory_of_branches(&mut self) -> bool {
        let with_keyframes = self.branches.iter_mut().filter(|branch| branch.has_keyframes());
        if let Some(branch) = with_keyframes.min_by_key(|branch| branch.number) {
            self.bytes -= branch.drop_keyframes();
            return true;
        }
        let oldest = (0..self.branches.len()).min_by_key(|place| self.branches[*place].number);
        let oldest = oldest.map(|place| self.branches.remove(place));
        self.bytes -= oldest.as_ref().map_or(0, Branch::bytes);
        oldest.is_some()
    }

    pub(super) fn drop_branches_before(&mut self, events: usize) {
        let bytes = |history: &Self| history.branches.iter().map(Branch::bytes).sum::<usize>();
        let before = bytes(self);
        self.branches.retain(|branch| branch.fork >= events);
        self.bytes -= before - bytes(self);
    }
}
