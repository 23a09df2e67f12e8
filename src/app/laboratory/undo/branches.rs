//! Lists of edits per branch. A branch is another continuation of the session from the same moment;
//! it keeps the edits that were made in it.

use super::{Edit, EditKind, Edits};
use crate::session::History;
use std::ops::Range;

#[derive(Debug)]
pub(super) struct BranchEdits {
    number: usize,
    done: Vec<Edit>,
    undone: Vec<Edit>,
    exchanges: Vec<Range<usize>>,
}

/// Edits that were done, edits that were undone, and ranges of events in which all lanes (the
/// scene's simulations that run side by side) were exchanged.
pub(in super::super) type Lists = (Vec<Edit>, Vec<Edit>, Vec<Range<usize>>);

impl Edits {
    pub(super) fn lists(&self) -> Lists {
        (self.done.clone(), self.undone.clone(), self.exchanges.clone())
    }

    /// Restores lists that [`Self::lists`] returned earlier, and removes the waiting undos.
    pub(in super::super) fn restore(&mut self, (done, undone, exchanges): Lists) {
        (self.done, self.undone, self.exchanges) = (done, undone, exchanges);
        self.requests.drop_undos();
    }

    /// Continues the session differently from the moment after this many events. If the events
    /// after that moment became a branch, the branch gets the present lists. Edits before that
    /// moment stay, and undone edits before it can still be redone.
    pub(in super::super) fn keep_edits_before(&mut self, events: usize, history: &History) {
        let lists = self.lists();
        self.store_for_newest_branch(history, lists);
        self.exchanges.retain(|range| range.end <= events);
        // If the removal of an edit covers events before and after this moment, it cannot be undone
        // in part. Other edits depend on its events, so all entries of removed edits are dropped.
        let is_cut_through = |edit: &Edit| {
            matches!(edit.kind, EditKind::Removal(_)) && (edit.events..edit.last).contains(&events)
        };
        let is_without = |edit: &Edit| matches!(edit.kind, EditKind::Removal(_));
        if self.done.iter().any(is_cut_through) {
            self.done.retain(|edit| !is_without(edit));
        }
        self.undone.retain(|edit| !is_without(edit) || edit.last < events);
        self.done.retain(|edit| edit.events < events);
        self.undone.retain(|edit| edit.events < events);
        // In `undone` the oldest edit is the last one, because it is redone next. In `done` the
        // oldest edit is the first one.
        let in_effect = self.undone.extract_if(.., |edit| edit.was_in_effect_after(events));
        let in_effect: Vec<Edit> = in_effect.collect();
        self.done.extend(in_effect.into_iter().rev());
    }

    /// Continues the session in the branch with this number, with its edits. The events that the
    /// session leaves have become the newest branch.
    pub(in super::super) fn switch_branch(&mut self, number: usize, history: &History) {
        let taken = self.branch_lists.iter().position(|of| of.number == number);
        let Some(taken) = taken.map(|place| self.branch_lists.swap_remove(place)) else { return };
        let done = std::mem::replace(&mut self.done, taken.done);
        let undone = std::mem::replace(&mut self.undone, taken.undone);
        let exchanges = std::mem::replace(&mut self.exchanges, taken.exchanges);
        self.store_for_newest_branch(history, (done, undone, exchanges));
    }

    /// Stores these lists for the newest branch if it has none yet. Removes the lists of branches
    /// that the history has dropped.
    fn store_for_newest_branch(&mut self, history: &History, (done, undone, exchanges): Lists) {
        self.branch_lists.retain(|of| history.has_branch(of.number));
        let newest = history.branches().map(|branch| branch.number).max();
        let knows = |number: &usize| self.branch_lists.iter().any(|of| of.number == *number);
        if let Some(number) = newest.filter(|number| !knows(number)) {
            self.branch_lists.push(BranchEdits { number, done, undone, exchanges });
        }
    }
}

impl Edit {
    /// True for an edit that was still in effect after the first `events` events, because its undo
    /// came later as an event of its own.
    fn was_in_effect_after(&self, events: usize) -> bool {
        let is_undone_by_an_event = match &self.kind {
            EditKind::Settings { .. } | EditKind::Scene { .. } | EditKind::Lanes { .. } => true,
            EditKind::Lane { is_added, .. } => *is_added,
            EditKind::Hand { .. } | EditKind::Removal(_) => false,
        };
        is_undone_by_an_event && self.turned.is_some_and(|turned| turned >= events)
    }
}
