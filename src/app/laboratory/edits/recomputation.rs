//! State of a recomputation of the session, after an edit was undone, redone or removed.

use super::edit::{Direction, EditKind, Lists};
use crate::app::laboratory::state::Shown;
use crate::session::edit_replay::{EditExtent, EditReplay, RemovedCommands};
use crate::session::{History, Session};

/// Change of the session's events that makes a recomputation necessary.
#[derive(Debug)]
pub enum Change {
    /// Removes the events of an edit.
    RemoveEvents(EditExtent),
    /// Reinserts the events of an undone edit.
    InsertEvents(RemovedCommands),
    /// Keeps all events, and undoes or redoes an edit at the newest moment.
    AtNewest(Box<EditKind>, Direction),
}

#[derive(Debug)]
pub struct Recomputation {
    pub change: Change,
    /// Number of the edit that is undone, redone or removed.
    pub subject: u64,
    /// Repetition of the events after the edit; `None` until the session has gone back to the edit.
    pub repetition: Option<EditReplay>,
    /// Number of events before the edit.
    pub events: usize,
    /// Numbers of the edits whose events have been repeated.
    pub repeated: Vec<u64>,
    /// True if an earlier moment was shown when the recomputation began. The session then pauses
    /// when it ends.
    pub from_past: bool,
    pub shown: Shown,
    /// State that is restored if the user cancels the recomputation.
    pub before: Box<Before>,
}

/// Session, history and edits before a recomputation. The new history and this one share
/// the memory of stored moments.
#[derive(Debug)]
pub struct Before {
    pub session: Session,
    pub history: History,
    pub lists: Lists,
}
