//! Branches: abandoned courses after moments at which the session was continued differently.

use super::{EVENT_BYTES, Event, History, Keyframe, Lived, Mark, Past, Place, Session};

/// Fewest events after a moment that are kept as one branch more, if nothing else speaks for them.
const WORTH_KEEPING: usize = 20;

/// Branch in the list of all branches that begin in the current course of the session.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListedBranch {
    /// Number that no other branch of the history has.
    pub number: usize,
    /// Moment at which it begins.
    pub fork: Place,
    /// Duration in seconds.
    pub seconds: f64,
}

/// Branch: the events after a moment from which the session was continued differently.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    number: usize,
    /// Number of events that the branch shares with the session.
    fork: usize,
    pub(super) events: Vec<Lived>,
    keyframes: Vec<Keyframe>,
    marks: Vec<Mark>,
    /// Branches that begin within this one.
    branches: Vec<Branch>,
}

impl Branch {
    fn bytes(&self) -> usize {
        let keyframes: usize = self.keyframes.iter().map(|keyframe| keyframe.bytes).sum();
        let branches: usize = self.branches.iter().map(Self::bytes).sum();
        keyframes + self.events.len() * EVENT_BYTES + branches
    }

    fn has_keyframes(&self) -> bool {
        !self.keyframes.is_empty() || self.branches.iter().any(Self::has_keyframes)
    }

    /// Forgets all keyframes and returns their bytes.
    fn forget_keyframes(&mut self) -> usize {
        let own: usize = self.keyframes.drain(..).map(|keyframe| keyframe.bytes).sum();
        own + self.branches.iter_mut().map(Self::forget_keyframes).sum::<usize>()
    }

    /// True if this branch or one within it has the number.
    fn has(&self, number: usize) -> bool {
        self.number == number || self.branches.iter().any(|branch| branch.has(number))
    }

    /// Returns the same course of events from an earlier moment on: from the beginning of the
    /// branch `before` within which this one begins.
    fn with_events_before(self, before: &Self) -> Self {
        let shared = self.fork - before.fork;
        let events = before.events.iter().take(shared).cloned().chain(self.events).collect();
        let marks = before.marks.iter().filter(|mark| mark.events <= self.fork).copied();
        let marks = marks.chain(self.marks).collect();
        Self { fork: before.fork, events, marks, ..self }
    }
}

impl History {
    /// Returns the branches that begin at a moment of the current history. The last one is the next
    /// to switch to.
    pub fn branches(&self) -> impl DoubleEndedIterator<Item = ListedBranch> + ExactSizeIterator {
        self.branches.iter().map(|branch| {
            let fork = Place { events: branch.fork, less: 0 };
            let start = self.time_of(fork);
            let seconds = branch.events.last().map_or(0.0, |lived| lived.end - start);
            ListedBranch { number: branch.number, fork, seconds }
        })
    }

    /// Returns the branch to which the session would switch next.
    pub fn branch(&self) -> Option<ListedBranch> {
        self.branches().next_back()
    }

    /// True if a branch is kept, even if it begins within another branch.
    pub fn has_branch(&self, number: usize) -> bool {
        self.branches.iter().any(|branch| branch.has(number))
    }

    /// Swaps a branch and the events after its beginning, which become the branch that is taken up
    /// last: taken up again and again, all branches take their turn. The session sets out for its
    /// newest moment. Returns the number of events that are undone, and those that replace them.
    pub fn take_up_branch(&mut self, session: &mut Session) -> Option<(usize, Vec<Event>)> {
        let branch = self.branches.pop()?;
        // Samples up to there are those of both.
        let shared = self.keyframes.iter().rfind(|keyframe| keyframe.events <= branch.fork);
        shared.into_iter().for_each(|keyframe| session.restore(&keyframe.snapshot));
        session.forget_later_samples();
        let tail = self.cut_tail(branch.fork);
        let taken_back = tail.events.len();
        let events = branch.events.iter().map(|lived| lived.event.clone()).collect();
        self.bytes += tail.bytes();
        self.events.extend(branch.events);
        self.keyframes.extend(branch.keyframes);
        self.marks.extend(branch.marks);
        self.branches.splice(..0, std::iter::once(tail).chain(branch.branches));
        // From a keyframe that both share or that the branch has.
        self.past = Some(Past {
            target: self.start(),
            applied: usize::MAX,
            partial: true,
            arrived: false,
            was_paused: false,
        });
        self.set_out(session, self.end());
        self.keep_to_budget();
        Some((taken_back, events))
    }

    /// Removes and returns the events after this many.
    pub(super) fn cut_tail(&mut self, fork: usize) -> Branch {
        let keyframes = self.keyframes.partition_point(|keyframe| keyframe.events <= fork);
        let marks = self.marks.partition_point(|mark| mark.events <= fork);
        let (shared, within) =
            std::mem::take(&mut self.branches).into_iter().partition(|it| it.fork <= fork);
        self.branches = shared;
        self.branches_made += 1;
        let tail = Branch {
            number: self.branches_made,
            fork,
            events: self.events.split_off(fork - self.gone).into(),
            keyframes: self.keyframes.split_off(keyframes).into(),
            marks: self.marks.split_off(marks),
            branches: within,
        };
        self.bytes -= tail.bytes();
        tail
    }

    /// Keeps everything after the current moment as a branch, unless it is short compared with
    /// other branches.
    pub(super) fn keep_branch(&mut self, tail: Branch) {
        let holds_something = !tail.branches.is_empty() || !tail.marks.is_empty();
        if self.branches.is_empty() || holds_something || tail.events.len() >= WORTH_KEEPING {
            self.bytes += tail.bytes();
            self.branches.push(tail);
        }
    }

    /// Keeps the branches that begin within events that were cut off: each has a copy of those
    /// before its beginning, and so begins at the cut.
    pub(super) fn keep_branches_within(&mut self, tail: &mut Branch) {
        for branch in std::mem::take(&mut tail.branches) {
            let branch = branch.with_events_before(tail);
            self.bytes += branch.bytes();
            self.branches.push(branch);
        }
    }

    /// Frees memory: drops the keyframes of the branch that was left the longest time ago, or all
    /// of it where no branch has keyframes. Returns false if there is no branch.
    pub(super) fn forget_of_branches(&mut self) -> bool {
        let with_keyframes = self.branches.iter_mut().filter(|branch| branch.has_keyframes());
        if let Some(branch) = with_keyframes.min_by_key(|branch| branch.number) {
            self.bytes -= branch.forget_keyframes();
            return true;
        }
        let oldest = (0..self.branches.len()).min_by_key(|place| self.branches[*place].number);
        let oldest = oldest.map(|place| self.branches.remove(place));
        self.bytes -= oldest.as_ref().map_or(0, Branch::bytes);
        oldest.is_some()
    }

    /// Forgets the branches that begin before this many events.
    pub(super) fn forget_branches_before(&mut self, events: usize) {
        let bytes = |history: &Self| history.branches.iter().map(Branch::bytes).sum::<usize>();
        let before = bytes(self);
        self.branches.retain(|branch| branch.fork >= events);
        self.bytes -= before - bytes(self);
    }
}
