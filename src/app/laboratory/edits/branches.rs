//! Lists of edits per branch. A branch is another continuation of the session from the same moment;
//! it keeps the edits that were made in it.

use super::Edits;
use super::edit::{BranchLists, Edit, EditKind, Lists};
use crate::session::History;

impl Edits {
    /// Restores earlier lists, and drops the waiting undos.
    pub fn restore(&mut self, lists: Lists) {
        self.lists = lists;
        self.requests.drop_undos();
    }

    /// Updates the lists when the session continues differently after its first `events` events. If
    /// the later events became a branch, the branch keeps the current lists. Earlier edits stay in
    /// the lists, and undone earlier edits can still be redone.
    pub fn keep_edits_before(&mut self, events: usize, history: &History) {
        self.store_for_newest_branch(history, self.lists.clone());
        self.lists.exchanges.retain(|range| range.end <= events);
        // A removal of an edit that covers events before and after this moment cannot be undone in
        // part. Other edits depend on its events, so all entries of removed edits are dropped.
        let is_cut_through = |edit: &Edit| {
            matches!(edit.kind, EditKind::Removal(_)) && (edit.events..edit.last).contains(&events)
        };
        let is_without = |edit: &Edit| matches!(edit.kind, EditKind::Removal(_));
        if self.lists.done.iter().any(is_cut_through) {
            self.lists.done.retain(|edit| !is_without(edit));
        }
        self.lists.undone.retain(|edit| !is_without(edit) || edit.last < events);
        self.lists.done.retain(|edit| edit.events < events);
        self.lists.undone.retain(|edit| edit.events < events);
        // In `undone` the oldest edit is the last one, because it is redone next. In `done` the
        // oldest edit is the first one.
        let in_effect = self.lists.undone.extract_if(.., |edit| edit.was_in_effect_after(events));
        let in_effect: Vec<Edit> = in_effect.collect();
        self.lists.done.extend(in_effect.into_iter().rev());
    }

    /// Switches to the lists of the branch with this number. The events that the session leaves
    /// have become the newest branch, which gets the old lists.
    pub fn switch_branch(&mut self, number: usize, history: &History) {
        let taken = self.branch_lists.iter().position(|it| it.branch == number);
        let Some(taken) = taken.map(|place| self.branch_lists.swap_remove(place)) else { return };
        let left = std::mem::replace(&mut self.lists, taken.lists);
        self.store_for_newest_branch(history, left);
    }

    /// Stores these lists for the newest branch if it has none yet. Removes the lists of branches
    /// that the history has dropped.
    fn store_for_newest_branch(&mut self, history: &History, lists: Lists) {
        self.branch_lists.retain(|it| history.has_branch(it.branch));
        let newest = history.branches().map(|branch| branch.number).max();
        let knows = |number: &usize| self.branch_lists.iter().any(|it| it.branch == *number);
        if let Some(number) = newest.filter(|number| !knows(number)) {
            self.branch_lists.push(BranchLists { branch: number, lists });
        }
    }
}

impl Edit {
    /// True if the edit was still in effect after the first `events` events, because it was undone
    /// by a later event.
    fn was_in_effect_after(&self, events: usize) -> bool {
        let is_undone_by_an_event = match &self.kind {
            EditKind::Settings { .. } | EditKind::Scene { .. } | EditKind::Lanes { .. } => true,
            EditKind::Lane { is_added, .. } => *is_added,
            EditKind::Hand { .. } | EditKind::Removal(_) => false,
        };
        is_undone_by_an_event && self.reversed_at.is_some_and(|reversed_at| reversed_at >= events)
    }
}
