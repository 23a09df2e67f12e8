//! Lists of edits per branch: a branch keeps the edits that were done in it.

use super::{Edit, Edits, What};
use crate::session::History;
use std::ops::Range;

/// Lists of edits of the course of events that became a branch.
#[derive(Debug)]
pub(super) struct OfBranch {
    /// Number of the branch in the history.
    number: usize,
    done: Vec<Edit>,
    undone: Vec<Edit>,
    exchanges: Vec<Range<usize>>,
}

/// Edits that were done, edits that were undone, and ranges of events in which all lanes were
/// exchanged.
pub(in super::super) type Lists = (Vec<Edit>, Vec<Edit>, Vec<Range<usize>>);

impl Edits {
    /// Copies the present lists.
    pub(super) fn lists(&self) -> Lists {
        (self.done.clone(), self.undone.clone(), self.exchanges.clone())
    }

    /// Restores earlier lists and drops the waiting undos.
    pub(in super::super) fn restore(&mut self, (done, undone, exchanges): Lists) {
        (self.done, self.undone, self.exchanges) = (done, undone, exchanges);
        self.turns.forget_turns();
    }

    /// Continues the session differently from the moment after this many events. If the later
    /// course became a branch, this branch gets the present lists. Earlier edits stay, and undone
    /// earlier edits can still be redone.
    pub(in super::super) fn go_on(&mut self, events: usize, history: &History) {
        let lists = self.lists();
        self.give_to_newest(history, lists);
        self.exchanges.retain(|range| range.end <= events);
        // An edit that was removed across this moment cannot be restored in part. As places of
        // other edits depend on it, all entries for removed edits go.
        let is_cut_through = |edit: &Edit| {
            matches!(edit.what, What::Without(_)) && (edit.events..edit.last).contains(&events)
        };
        let is_without = |edit: &Edit| matches!(edit.what, What::Without(_));
        if self.done.iter().any(is_cut_through) {
            self.done.retain(|edit| !is_without(edit));
        }
        self.undone.retain(|edit| !is_without(edit) || edit.last < events);
        self.done.retain(|edit| edit.events < events);
        self.undone.retain(|edit| edit.events < events);
        // The oldest edit comes last in `undone`, as the next one to redo; `done` begins with the
        // oldest.
        let happened = self.undone.extract_if(.., |edit| edit.had_happened(events));
        let happened: Vec<Edit> = happened.collect();
        self.done.extend(happened.into_iter().rev());
    }

    /// Continues the session in the branch of this number, with its edits. The course that was left
    /// has become the newest branch.
    pub(in super::super) fn take_up(&mut self, number: usize, history: &History) {
        let taken = self.of_branches.iter().position(|of| of.number == number);
        let Some(taken) = taken.map(|place| self.of_branches.swap_remove(place)) else { return };
        let done = std::mem::replace(&mut self.done, taken.done);
        let undone = std::mem::replace(&mut self.undone, taken.undone);
        let exchanges = std::mem::replace(&mut self.exchanges, taken.exchanges);
        self.give_to_newest(history, (done, undone, exchanges));
    }

    /// Gives the newest branch these lists if it has none yet. Branches that the history dropped
    /// lose their lists.
    fn give_to_newest(&mut self, history: &History, (done, undone, exchanges): Lists) {
        self.of_branches.retain(|of| history.has_branch(of.number));
        let newest = history.branches().map(|branch| branch.number).max();
        let knows = |number: &usize| self.of_branches.iter().any(|of| of.number == *number);
        if let Some(number) = newest.filter(|number| !knows(number)) {
            self.of_branches.push(OfBranch { number, done, undone, exchanges });
        }
    }
}

impl Edit {
    /// True for an edit that was undone by a later event than the first `events` ones: after those
    /// events it had happened.
    fn had_happened(&self, events: usize) -> bool {
        let is_undone_by_an_event = match &self.what {
            What::Settings { .. } | What::Scene { .. } | What::Lanes { .. } => true,
            What::Lane { came, .. } => *came,
            What::Hand { .. } | What::Without(_) => false,
        };
        is_undone_by_an_event && self.turned.is_some_and(|turned| turned >= events)
    }
}
