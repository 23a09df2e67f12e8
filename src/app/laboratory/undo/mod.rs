//! Edits that can be undone: changes of bodies, settings, scene and lanes.

mod branches;
mod edit_recording;
mod names;
mod repeated_edits;
mod undo_redo;
mod unsaved;

use super::Laboratory;
use super::edit::{BranchLists, Edit, EditKind, LaneSet, Lists};
use super::recomputation::Recomputation;
use super::waiting_requests::WaitingRequests;
use crate::scene::LaneSetup;
use crate::session::SessionMoment;
use names::name_of;

const CUT: &str = "the cut";

#[derive(Default)]
pub(super) struct Edits {
    lists: Lists,
    count: u64,
    pub(super) recomputation: Option<Recomputation>,
    requests: WaitingRequests,
    branch_lists: Vec<BranchLists>,
    /// True while undo or redo give commands. These commands are no edits.
    silent: bool,
    /// True while the user drags a slider. A change by the same slider then belongs to the newest
    /// edit.
    is_dragging: bool,
    saved: unsaved::SavedEdits,
    /// Grab of a particle, until it becomes an edit.
    grabbed: Option<Grabbed>,
}

/// Grab of a particle that is not an edit yet.
#[derive(Clone, Copy)]
struct Grabbed {
    /// Number of events before the grab.
    events: usize,
    has_moved: bool,
    /// True if the hand has no effect unless a step follows before the release. A pin that is
    /// placed exactly is changed by the release alone.
    needs_step: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListedEdit {
    pub id: u64,
    /// Noun with its article, e.g. "the cut".
    pub name: &'static str,
    /// Moment before the edit, and its time in seconds of the session. `None` if that moment is no
    /// longer stored, or if the edit is not in effect.
    pub moment: Option<(SessionMoment, f64)>,
    pub state: EditState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditState {
    /// In effect.
    Done,
    /// Undone; redo restores it.
    Undone,
    /// Removed from the middle of the list; undo restores it.
    Removed,
}

impl Laboratory {
    /// Returns all edits in effect or removed, from the oldest on, then the undone edits in the
    /// order of redo.
    pub fn edits(&self) -> impl DoubleEndedIterator<Item = ListedEdit> {
        let Lists { done, undone, .. } = &self.edits.lists;
        let listed = |edit: &Edit, undone: bool| {
            let place = SessionMoment { events: edit.events, missing_steps: 0 };
            let state = if undone {
                EditState::Undone
            } else if matches!(edit.kind, EditKind::Removal(_)) {
                EditState::Removed
            } else {
                EditState::Done
            };
            let is_kept = edit.events >= self.history.start().events && state == EditState::Done;
            let moment = is_kept.then(|| (place, self.history.time_of(place)));
            ListedEdit { id: edit.id, name: name_of(&edit.kind), moment, state }
        };
        // Undone removals are left out, because the edit itself is in the list.
        let undone = undone.iter().rev().filter(|edit| !matches!(edit.kind, EditKind::Removal(_)));
        let undone = undone.map(move |edit| listed(edit, true));
        done.iter().map(move |edit| listed(edit, false)).chain(undone)
    }

    /// Ends the drag of a slider, because the mouse button was released. The next change is an edit
    /// of its own.
    pub fn end_slider_drag(&mut self) {
        self.edits.is_dragging = false;
    }

    /// Replaces the lanes and records the exchange as an edit.
    pub(super) fn exchange_lanes(&mut self, lanes: Vec<LaneSetup>, reference: Option<usize>) {
        // The new lanes begin at the shown moment.
        self.cancel_background_work();
        self.stop_past();
        self.continue_from_here();
        let (old, events) = (self.lane_set(), self.history.end().events);
        let new = LaneSet { lanes, reference };
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
