//! Requests that wait for the end of a recomputation.

use super::edit::{Direction, LaneSet, UndoOutcome};
use crate::app::laboratory::state::Continuation;
use crate::session::{History, SessionMoment};
use crate::simulation::settings::{Command, Settings};
use crate::simulation::timing::frame_source::FrameSource;
use std::collections::VecDeque;

/// Request that waits for the end of a recomputation.
pub enum WaitingRequest {
    UndoOrRedo(Direction),
    /// Removal of the edit with this number.
    RemoveEdit(u64),
    Command(Box<Command>),
    LaboratoryAction(LaboratoryAction),
}

/// Request that changes the shown moment or the lanes.
pub enum LaboratoryAction {
    ExchangeLanes(LaneSet),
    RestoreLanes,
    Travel(SessionMoment),
    TravelBy(FindMoment),
    LoopPast([f64; 2]),
    SwitchBranch,
    BranchOff { color: usize, settings: Option<Box<Settings>> },
    ContinueBeforeExplosion { color: usize, continuation: Continuation },
    SetFrameSource { color: usize, source: FrameSource },
}

/// Finds another moment of a history, e.g. the moment one step before the given one. Returns `None`
/// if the history has no such moment.
pub type FindMoment = fn(&History, SessionMoment) -> Option<SessionMoment>;

/// Waiting requests, and the outcome of the newest undo or redo that had to wait.
#[derive(Default)]
pub struct WaitingRequests {
    pub waiting: VecDeque<WaitingRequest>,
    /// True while the oldest waiting request is carried out.
    pub is_carrying_out: bool,
    pub outcome: Option<(Direction, UndoOutcome)>,
    pub lost: Option<LostEdits>,
}

/// Names of an edit that was removed and of the later edits that were removed along with it.
#[derive(Debug, PartialEq)]
pub struct LostEdits {
    pub removed: &'static str,
    pub later: Vec<&'static str>,
}

impl WaitingRequests {
    /// Removes the waiting undos, redos and removals, and keeps all other requests.
    pub fn drop_undos(&mut self) {
        self.waiting.retain(|waiting| match waiting {
            WaitingRequest::UndoOrRedo(_) | WaitingRequest::RemoveEdit(_) => false,
            WaitingRequest::Command(_) | WaitingRequest::LaboratoryAction(_) => true,
        });
        self.lost = None;
    }
}
