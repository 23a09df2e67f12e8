//! Edits of the session that can be undone, the requests for undo and redo, and the state of a
//! recomputation.

mod branches;
mod edit;
mod listed;
mod names;
mod recomputation;
mod repetition;
mod update;
mod waiting_requests;

pub use edit::{
    AbsentLane, BranchLists, Direction, Edit, EditKind, LaneSet, Lists, RemovedEdit, UndoOutcome,
};
pub use listed::{EditState, ListedEdit};
pub use names::{CUT, name_of};
pub use recomputation::{Before, Change, Recomputation};
pub use update::RepeatedCommand;
pub use waiting_requests::{LaboratoryAction, LostEdits, WaitingRequest, WaitingRequests};

use std::collections::BTreeSet;
use std::ops::Range;

/// Number of each saved edit, with the number of events before its last event. The latter grows if
/// a later drag of the same slider changes the edit.
pub type SavedEdits = BTreeSet<(u64, usize)>;

#[derive(Default)]
pub struct Edits {
    pub lists: Lists,
    /// Number of edits so far, which is also the number of the newest edit.
    pub count: u64,
    pub recomputation: Option<Recomputation>,
    pub requests: WaitingRequests,
    pub branch_lists: Vec<BranchLists>,
    /// True while undo or redo issues commands, which are not recorded as edits.
    pub silent: bool,
    /// True while the user drags a slider. A change by the same slider then belongs to the newest
    /// edit.
    pub is_dragging: bool,
    pub saved: SavedEdits,
    /// Grab of a particle, until it becomes an edit.
    pub grabbed: Option<Grabbed>,
}

/// Grab of a particle that is not an edit yet.
#[derive(Clone, Copy)]
pub struct Grabbed {
    /// Number of events before the grab.
    pub events: usize,
    pub has_moved: bool,
    /// True if the drag has no effect unless a step follows before the release. False for a pin
    /// that is placed exactly, because the release alone moves it.
    pub needs_step: bool,
}

impl Edits {
    /// True while the session is recomputed or requests wait.
    pub fn is_busy(&self) -> bool {
        self.recomputation.is_some() || !self.requests.waiting.is_empty()
    }

    /// True if a new request must wait. Commands issued by undo or redo never wait.
    pub fn must_wait(&self) -> bool {
        self.is_busy() && !self.requests.is_carrying_out && !self.silent
    }

    /// Returns the edits that can be undone or redone. The last of the list is the next.
    pub fn list_for(&mut self, direction: Direction) -> &mut Vec<Edit> {
        match direction {
            Direction::Undo => &mut self.lists.done,
            Direction::Redo => &mut self.lists.undone,
        }
    }

    pub fn index_of(&self, id: u64) -> Option<usize> {
        self.lists.done.iter().position(|edit| edit.id == id)
    }

    /// True if there will still be an edit to undo or redo after all waiting requests.
    pub fn has_left(&mut self, direction: Direction) -> bool {
        let mut left = self.list_for(direction).len() as isize;
        for waiting in &self.requests.waiting {
            match waiting {
                WaitingRequest::UndoOrRedo(other) => {
                    left += if *other == direction { -1 } else { 1 }
                }
                WaitingRequest::RemoveEdit(_)
                | WaitingRequest::Command(_)
                | WaitingRequest::LaboratoryAction(_)
                    if direction == Direction::Redo =>
                {
                    left = 0
                }
                WaitingRequest::RemoveEdit(_) => {}
                // The request may become an edit, which can then be undone.
                WaitingRequest::Command(_) | WaitingRequest::LaboratoryAction(_) => left += 1,
            }
        }
        left > 0
    }

    /// Returns the ranges of events in which all lanes were replaced, relative to the event with
    /// index `events`.
    pub fn exchanges_from(&self, events: usize) -> Vec<Range<usize>> {
        let after = self.lists.exchanges.iter().filter(|range| range.start >= events);
        after.map(|range| range.start - events..range.end - events).collect()
    }

    pub fn edit_mut(&mut self, id: u64) -> Option<&mut Edit> {
        self.lists.done.iter_mut().chain(&mut self.lists.undone).find(|edit| edit.id == id)
    }

    pub fn new_edit(&mut self, events: usize, kind: EditKind) -> Edit {
        self.count += 1;
        Edit { id: self.count, events, last: events, reversed_at: None, kind }
    }
}
