//! Edits that can be undone: changes of bodies, settings, scene and lanes.

mod edit_recording;
mod repeated_edits;
mod undo_redo;
mod unsaved;

use super::Laboratory;
use super::edits::{EditKind, LaneSet, ListedEdit};

impl Laboratory {
    /// Returns all edits in effect or removed, oldest first, then the undone edits in the order in
    /// which they are redone.
    pub fn edits(&self) -> impl DoubleEndedIterator<Item = ListedEdit> {
        self.edits.lists.listed(&self.history)
    }

    /// Ends the drag of a slider, because the mouse button was released. The next change is a
    /// separate edit.
    pub fn end_slider_drag(&mut self) {
        self.edits.is_dragging = false;
    }

    /// Replaces the lanes and records this as an edit.
    pub(super) fn exchange_lanes(&mut self, new: LaneSet) {
        // The new lanes begin at the shown moment.
        self.cancel_background_work();
        self.stop_past();
        self.continue_from_here();
        let (old, events) = (self.lane_set(), self.history.end().events);
        self.set_lanes(new.clone());
        self.push_edit_at(events, EditKind::Lanes { old, new });
        let last = self.history.end().events.saturating_sub(1);
        self.edits.lists.done.last_mut().into_iter().for_each(|edit| edit.last = last);
    }
}

#[cfg(test)]
mod at_random;
#[cfg(test)]
mod cancelled;
#[cfg(test)]
mod displays;
#[cfg(test)]
mod edits_of_branches;
#[cfg(test)]
mod every_kind;
#[cfg(test)]
mod removed_edits;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod undo_in_the_past;
