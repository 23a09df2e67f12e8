//! Edits of the session, and lists of them.

use crate::scene::LaneSetup;
use crate::session::Display;
use crate::session::edit_replay::{EditExtent, RemovedCommands};
use crate::simulation::settings::{SceneNumber, Settings};
use std::ops::Range;

#[derive(Clone, Debug)]
pub struct Edit {
    pub id: u64,
    /// Number of events of the session before the edit.
    pub events: usize,
    /// Number of events before the last event of the edit. A stroke of the scissors or a drag of a
    /// slider has several events.
    pub last: usize,
    /// Number of events before the last undo or redo of the edit; `None` before the first one.
    pub reversed_at: Option<usize>,
    pub kind: EditKind,
}

/// Kind of an edit, with the data that its undo and redo need.
#[derive(Clone, Debug)]
pub enum EditKind {
    /// Cut, pin, throw, wind or moved collider. Undo recomputes the later events without the edit.
    Hand {
        name: &'static str,
        /// True if the edit adds, ties or deletes bodies. A restart of the scene keeps such edits
        /// and drops all other `Hand` edits.
        is_built: bool,
        /// Events of the edit while it is undone; empty while it is in effect.
        gesture: RemovedCommands,
    },
    /// Settings of the lane with this colour. Undo restores the old settings.
    Settings { color: usize, old: Box<Settings>, new: Box<Settings> },
    /// Values of the scene. Undo restores the old values.
    Scene { old: Vec<SceneNumber>, new: Vec<SceneNumber> },
    /// Addition or removal of a lane. The undo of an addition removes the lane; the undo of a
    /// removal restores it as if it had never been removed.
    Lane { is_added: bool, lane: AbsentLane },
    /// Replacement of all lanes, which also restarts the scene.
    Lanes { old: LaneSet, new: LaneSet },
    /// Removal of an edit from the middle of the list, followed by a recomputation of the later
    /// events.
    Removal(Box<RemovedEdit>),
}

/// Edit that was removed, with the later edits that were removed along with it.
#[derive(Clone, Debug)]
pub struct RemovedEdit {
    pub edit: Edit,
    pub index: usize,
    /// Events of the edit, which are missing in the recomputed session.
    pub gesture: RemovedCommands,
    /// Later edits that are impossible without the removed edit, with their indices in the list.
    pub lost: Vec<(usize, Edit)>,
}

/// Data for restoring a lane that is absent now, or will be after the next undo.
#[derive(Clone, Debug)]
pub struct AbsentLane {
    pub color: usize,
    /// Display at the removal, with the time since its last frame.
    pub display: Display,
    /// Number of events before the removal of the lane.
    pub removed_at: usize,
}

/// Setups of all lanes.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneSet {
    pub lanes: Vec<LaneSetup>,
    /// Index of the reference lane.
    pub reference: Option<usize>,
}

/// Edits that are done and edits that are undone. The last of `done` is the newest edit; the last
/// of `undone` is redone next.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    pub done: Vec<Edit>,
    pub undone: Vec<Edit>,
    /// Ranges of events in which all lanes (the scene's simulations that run side by side) were
    /// replaced.
    pub exchanges: Vec<Range<usize>>,
}

/// Lists of the edits of a branch.
pub struct BranchLists {
    /// Number of the branch.
    pub branch: usize,
    pub lists: Lists,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum Direction {
    Undo,
    Redo,
}

/// Outcome of an undo, a redo or a removal, with the name of the edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndoOutcome {
    Done(&'static str),
    /// The edit was removed from the middle of the list.
    Removed(&'static str),
    /// An edit that had been removed from the middle of the list was restored.
    Restored(&'static str),
    /// The edit was left as it is, because the moments needed for the recomputation are no longer
    /// stored.
    TooOld(&'static str),
    /// The request waits until the session has been recomputed. Its outcome then comes from
    /// `Laboratory::take_undo_outcome`.
    Waiting,
    Nothing,
}

impl Edit {
    /// Returns the range of the edit's events, relative to its first event.
    pub fn extent(&self) -> EditExtent {
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

impl Direction {
    pub fn reversed(self) -> Self {
        match self {
            Self::Undo => Self::Redo,
            Self::Redo => Self::Undo,
        }
    }
}
