//! Undo and redo in the window, with their messages.

use super::App;
use super::state::{UndoRequest, lost_edits_text};
use crate::app::laboratory::{Direction, Laboratory, LostEdits, UndoOutcome};

impl App {
    /// Undoes the newest edit, or redoes the edit that was undone last.
    pub(super) fn undo_or_redo(&mut self, direction: Direction) {
        self.request(direction, |laboratory| match direction {
            Direction::Undo => laboratory.undo(),
            Direction::Redo => laboratory.redo(),
        });
    }

    /// Removes the edit with this number from any position in the list.
    pub(super) fn remove_edit(&mut self, id: u64) {
        self.request(Direction::Undo, |laboratory| laboratory.remove_edit(id));
    }

    /// Requests an undo, redo or removal, and reports its outcome now or after the recomputation.
    fn request(&mut self, direction: Direction, act: impl FnOnce(&mut Laboratory) -> UndoOutcome) {
        let is_recomputing = self.laboratory.recomputation_left().is_some();
        let from_past = self.laboratory.history().is_past() && !is_recomputing;
        let outcome = act(&mut self.laboratory);
        let request = UndoRequest { direction, outcome, from_past };
        let is_busy = self.undo_request.is_some() && self.laboratory.recomputation_left().is_some();
        let (topic, text) = match outcome {
            // The message about the recomputation already counts this request.
            UndoOutcome::Waiting if is_busy => return,
            UndoOutcome::Waiting => ("undo", request.finished_text()),
            // The message about the recomputation stays.
            UndoOutcome::Nothing if is_busy => (REFUSED, format!("Nothing more to {direction}")),
            _ => {
                self.undo_request = Some((request, self.clock.now()));
                return self.report_finished_undo();
            }
        };
        self.messages.note(topic, text, self.clock.now());
    }

    /// Cancels an undo or the removal of an edit during its recomputation. Returns false if nothing
    /// is being recomputed.
    pub(super) fn cancel_undo(&mut self) -> bool {
        let is_cancelled = self.laboratory.cancel_recomputation();
        if is_cancelled {
            self.undo_request = None;
            let text = "Cancelled. Everything is as it was before.";
            self.messages.note("undo", text, self.clock.now());
        }
        is_cancelled
    }

    /// Reports the result of an undo or redo that had to wait, and later edits that were removed
    /// because they depended on the removed edit.
    pub(in crate::app) fn report_finished_undo(&mut self) {
        if let Some(LostEdits { removed, later }) = self.laboratory.take_lost_edits() {
            self.messages.note("lost edits", lost_edits_text(removed, &later), self.clock.now());
        }
        let now = self.clock.now();
        if let Some((direction, outcome)) = self.laboratory.take_undo_outcome() {
            self.undo_request = Some((UndoRequest { direction, outcome, from_past: false }, now));
        }
        match (self.undo_request, self.laboratory.recomputation_left()) {
            (None, _) => {}
            (Some((request, since)), Some(_)) => {
                let waiting = self.laboratory.waiting_undos_and_redos();
                // A waiting request is reported at once.
                let is_silent = now - since <= SILENT_SECONDS && waiting == [0; 2];
                let text = request.pending_text(waiting).filter(|_| !is_silent);
                text.into_iter().for_each(|text| self.messages.note("undo", text, now));
            }
            (Some((request, _)), None) => {
                self.messages.note("undo", request.finished_text(), now);
                self.undo_request = None;
            }
        }
    }
}

/// Topic of the message about an undo that is impossible during the recomputation.
const REFUSED: &str = "refused undo";
/// Duration of a recomputation in seconds after which a message reports it.
const SILENT_SECONDS: f64 = 0.2;
