//! Edits that can be undone: changes of bodies, settings, scene and lanes.

mod branches;
mod edit_recording;
mod names;
mod repeated_edits;
mod undo_redo;
mod unsaved;

pub(super) use branches::Lists;
pub use undo_redo::{Direction, UndoOutcome};

use super::Laboratory;
use super::recomputation::Recomputation;
use crate::scene::LaneSetup;
use crate::session::edit_replay::{EditExtent, RemovedCommands};
use crate::session::{Display, SessionMoment};
use crate::simulation::settings::{SceneNumber, Settings};
use names::name_of;

const CUT: &str = "the cut";

#[derive(Clone, Debug)]
pub(super) struct Edit {
    id: u64,
    /// Number of events of the session before the edit.
    events: usize,
    /// Number of events before the last event of the edit. A stroke of the scissors or a drag of a
    /// slider has several events.
    last: usize,
    /// Number of events before the last undo or redo of the edit; `None` before the first one.
    reversed_at: Option<usize>,
    kind: EditKind,
}

/// Kind of an edit, with the data that its undo and redo need.
#[derive(Clone, Debug)]
pub(super) enum EditKind {
    /// Cut, pin, throw, wind or moved collider. Undo recomputes the later events without the edit.
    Hand {
        name: &'static str,
        /// True if the edit adds, ties or deletes bodies. A restart of the scene keeps these edits
        /// and drops all others of the hand.
        is_built: bool,
        /// Events of the edit while it is undone; empty while it is in effect.
        gesture: RemovedCommands,
    },
    /// Settings of the lane with this colour. Undo restores the old settings.
    Settings { color: usize, old: Box<Settings>, new: Box<Settings> },
    /// Numbers of the scene. Undo restores the old numbers.
    Scene { old: Vec<SceneNumber>, new: Vec<SceneNumber> },
    /// Addition or removal of a lane. The undo of an addition removes the lane; the undo of a
    /// removal restores it as if it had never been removed.
    Lane { is_added: bool, lane: AbsentLane },
    /// Exchange of all lanes, which also restarts the scene.
    Lanes { old: LaneSet, new: LaneSet },
    /// Removal of an edit from the middle of the list, followed by a recomputation of the later
    /// events.
    Removal(Box<RemovedEdit>),
}

/// Edit that was removed, with the later edits that were removed along with it.
#[derive(Clone, Debug)]
pub(super) struct RemovedEdit {
    edit: Edit,
    index: usize,
    /// Events of the edit, which are missing in the recomputed session.
    gesture: RemovedCommands,
    /// Later edits that are impossible without the removed edit, with their indices in the list.
    lost: Vec<(usize, Edit)>,
}

/// Data of a lane that is absent now, or will be after the next undo.
#[derive(Clone, Debug)]
pub(super) struct AbsentLane {
    color: usize,
    /// Display at the removal, with the time since its last frame.
    display: Display,
    /// Number of events before the removal of the lane.
    removed_at: usize,
}

/// Setups of all lanes, and the index of the reference lane.
pub(super) type LaneSet = (Vec<LaneSetup>, Option<usize>);

#[derive(Default)]
pub(super) struct Edits {
    lists: Lists,
    count: u64,
    pub(super) recomputation: Option<Recomputation>,
    requests: undo_redo::WaitingRequests,
    branch_lists: Vec<branches::BranchLists>,
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

impl Edit {
    /// Returns the range of the edit's events, counted from its first event.
    fn extent(&self) -> EditExtent {
        let last = self.last.saturating_sub(self.events);
        match self.kind {
            EditKind::Lanes { .. } => EditExtent::All { count: last + 1 },
            EditKind::Hand { .. }
            | EditKind::Settings { .. }
            | EditKind::Scene { .. }
            | EditKind::Lane { .. }
            | EditKind::Removal(_) => EditExtent::Hand { last },
        }
    }
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
        self.set_lanes((lanes.clone(), reference));
        self.push_edit_at(events, EditKind::Lanes { old, new: (lanes, reference) });
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
