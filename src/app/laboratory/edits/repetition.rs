//! Update of the lists of edits after a recomputation: the indices of events change, and edits that
//! have become impossible are removed.

use super::Edits;
use super::edit::{Edit, EditKind, RemovedEdit};
use super::recomputation::Recomputation;

impl Edits {
    /// Shifts the events of all edits except `subject`, and of all replacements of lanes.
    /// `new_index` returns the new index of an event.
    pub fn move_edits(&mut self, subject: u64, new_index: impl Fn(usize) -> usize) {
        let all = self.lists.done.iter_mut().chain(&mut self.lists.undone);
        for edit in all.filter(|edit| edit.id != subject) {
            edit.last = new_index(edit.last + 1).saturating_sub(1);
            edit.events = new_index(edit.events);
            edit.last = edit.last.max(edit.events);
            edit.reversed_at = edit.reversed_at.map(&new_index);
            if let EditKind::Lane { lane, .. } = &mut edit.kind {
                lane.removed_at = new_index(lane.removed_at);
            }
        }
        for range in &mut self.lists.exchanges {
            *range = new_index(range.start)..new_index(range.end);
        }
        self.lists.exchanges.retain(|range| !range.is_empty());
    }

    /// Removes the edits whose events come after the recomputed edit and could not be repeated.
    /// Returns these edits with their indices in the list.
    pub fn remove_impossible(&mut self, recomputation: &Recomputation) -> Vec<(usize, Edit)> {
        let is_lost = |edit: &Edit| {
            let stays =
                matches!(edit.kind, EditKind::Removal(_)) || edit.id == recomputation.subject;
            !stays
                && edit.events >= recomputation.events
                && !recomputation.repeated.contains(&edit.id)
        };
        let done = std::mem::take(&mut self.lists.done).into_iter().enumerate();
        let (lost, kept): (Vec<_>, Vec<_>) = done.partition(|(_, edit)| is_lost(edit));
        self.lists.done = kept.into_iter().map(|(_, edit)| edit).collect();
        lost
    }

    pub fn restore_removed(&mut self, RemovedEdit { edit, index, lost, .. }: RemovedEdit) {
        for (index, edit) in lost.into_iter().chain([(index, edit)]) {
            if let EditKind::Lanes { .. } = edit.kind {
                self.lists.exchanges.push(edit.events..edit.last + 1);
            }
            self.lists.done.insert(index.min(self.lists.done.len()), edit);
        }
    }
}
