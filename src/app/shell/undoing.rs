//! Undo and redo in the window, with their messages.

use super::App;
use crate::app::laboratory::{Direction, Undone};

impl App {
    /// Undoes the newest edit, or redoes the last undone one.
    pub(super) fn turn(&mut self, way: Direction) {
        let from_past =
            self.laboratory.history().is_past() && self.laboratory.rewriting().is_none();
        let outcome = match way {
            Direction::Undo => self.laboratory.undo(),
            Direction::Redo => self.laboratory.redo(),
        };
        self.say_once_done(Turned { way, outcome, from_past });
    }

    /// Removes an edit, given by its number, from any place in the list.
    pub(super) fn take_out(&mut self, id: u64) {
        let from_past =
            self.laboratory.history().is_past() && self.laboratory.rewriting().is_none();
        let outcome = self.laboratory.take_out(id);
        self.say_once_done(Turned { way: Direction::Undo, outcome, from_past });
    }

    /// Reports the result of an undo once the session has been recomputed.
    fn say_once_done(&mut self, turned: Turned) {
        if turned.outcome == Undone::Waits {
            return self.messages.note("undo", turned.done(), self.clock.now());
        }
        self.turned = Some((turned, self.clock.now()));
        self.say_what_turned();
    }

    /// Cancels an undo, or the removal of an edit, while the session is being recomputed. Returns
    /// false if nothing is being recomputed.
    pub(super) fn cancel_undo(&mut self) -> bool {
        let is_cancelled = self.laboratory.cancel_rewriting();
        if is_cancelled {
            self.turned = None;
            let text = "Cancelled. Everything is as it was before.";
            self.messages.note("undo", text.to_owned(), self.clock.now());
        }
        is_cancelled
    }

    /// Reports the result of an undo or redo that had to wait, and the edits that were removed
    /// along with another one.
    pub(in crate::app) fn say_what_turned(&mut self) {
        if let Some((without, lost)) = self.laboratory.take_lost() {
            self.messages.note("lost edits", text_of_lost(without, &lost), self.clock.now());
        }
        let now = self.clock.now();
        if let Some((way, outcome)) = self.laboratory.take_turned() {
            self.turned = Some((Turned { way, outcome, from_past: false }, now));
        }
        match (self.turned, self.laboratory.rewriting()) {
            (None, _) => {}
            (Some((turned, since)), Some(_)) => {
                let text = turned.under_way().filter(|_| now - since > PATIENCE);
                text.into_iter().for_each(|text| self.messages.note("undo", text, now));
            }
            (Some((turned, _)), None) => {
                self.messages.note("undo", turned.done(), now);
                self.turned = None;
            }
        }
    }
}

/// Seconds of recomputation after which a message says that an undo is being computed.
const PATIENCE: f64 = 0.2;

/// Requested undo or redo and its outcome.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turned {
    way: Direction,
    outcome: Undone,
    /// True if an earlier moment than the newest one was shown.
    from_past: bool,
}

impl Turned {
    /// Returns the message while the session is recomputed; `None` if nothing is recomputed.
    fn under_way(self) -> Option<String> {
        let (with, what) = match (self.way, self.outcome) {
            (Direction::Undo, Undone::Did(what)) | (_, Undone::TookOut(what)) => ("without", what),
            (Direction::Redo, Undone::Did(what)) | (_, Undone::PutBack(what)) => ("with", what),
            (_, Undone::TooOld(_) | Undone::Waits | Undone::Nothing) => return None,
        };
        Some(format!("Recomputing the session {with} {what}. Esc cancels."))
    }

    fn done(self) -> String {
        text_of(self.way, self.outcome, self.from_past)
    }
}

/// Returns the message about an undo or redo. `from_past` is true if an earlier moment than the
/// newest one was shown.
fn text_of(way: Direction, outcome: Undone, from_past: bool) -> String {
    let shown = if from_past { " You see the newest moment." } else { "" };
    match (way, outcome) {
        (Direction::Undo, Undone::Did(what)) => {
            format!("Undid {what}.{shown} Ctrl+Shift+Z redoes it.")
        }
        (Direction::Redo, Undone::Did(what)) => format!("Redid {what}.{shown}"),
        (_, Undone::TookOut(what)) => {
            format!("Removed {what}.{shown} Ctrl+Z restores it.")
        }
        (_, Undone::PutBack(what)) => {
            format!("Restored {what}.{shown} Ctrl+Shift+Z removes it again.")
        }
        (_, Undone::TooOld(what)) => {
            format!("The stored moments begin after {what}, so it cannot be undone.")
        }
        (Direction::Undo, Undone::Waits) => {
            "Undo waits until the session is recomputed.".to_owned()
        }
        (Direction::Redo, Undone::Waits) => {
            "Redo waits until the session is recomputed.".to_owned()
        }
        (Direction::Undo, Undone::Nothing) => "Nothing to undo".to_owned(),
        (Direction::Redo, Undone::Nothing) => "Nothing to redo".to_owned(),
    }
}

/// Number of edits named in a message about removed edits.
const MOST_NAMES: usize = 3;

/// Returns the message about later edits that were removed together with the edit `without`.
fn text_of_lost(without: &str, lost: &[&str]) -> String {
    let mut named = lost[..lost.len().min(MOST_NAMES)].join(", ");
    if lost.len() > MOST_NAMES {
        named += &format!(" and {} more", lost.len() - MOST_NAMES);
    }
    format!("Removed together with {without}, on which they depend: {named}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_says_that_undo_from_the_past_leads_to_the_newest_moment() {
        let did = Undone::Did("the cut");
        let from_past = "Undid the cut. You see the newest moment. Ctrl+Shift+Z redoes it.";
        assert_eq!(text_of(Direction::Undo, did, true), from_past);
        assert_eq!(text_of(Direction::Undo, did, false), "Undid the cut. Ctrl+Shift+Z redoes it.");
        assert_eq!(
            text_of(Direction::Redo, did, true),
            "Redid the cut. You see the newest moment."
        );
        assert_eq!(text_of(Direction::Undo, Undone::Nothing, true), "Nothing to undo");
    }

    #[test]
    fn an_undo_is_said_to_compute_until_it_is_done() {
        let turned = |way, outcome| {
            Turned { way, outcome, from_past: false }.under_way().unwrap_or_default()
        };
        let without = "Recomputing the session without the cut. Esc cancels.";
        assert_eq!(turned(Direction::Undo, Undone::Did("the cut")), without);
        assert_eq!(turned(Direction::Undo, Undone::TookOut("the cut")), without);
        assert!(turned(Direction::Redo, Undone::Did("the cut")).contains(" with the cut."));
        assert!(turned(Direction::Undo, Undone::PutBack("the cut")).contains(" with the cut."));
        assert_eq!(turned(Direction::Undo, Undone::Nothing), "");
    }

    #[test]
    fn the_message_names_what_went_with_an_edit() {
        let one = "Removed together with the new rope, on which they depend: the cut.";
        assert_eq!(text_of_lost("the new rope", &["the cut"]), one);
        let many = text_of_lost("the new rope", &["the cut", "the tie", "the pin", "the pin"]);
        assert!(many.ends_with("the cut, the tie, the pin and 1 more."), "{many}");
    }
}
