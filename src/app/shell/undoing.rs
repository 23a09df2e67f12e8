//! Undo and redo, with the message about each.

use super::App;
use crate::app::laboratory::{Undone, Way};

impl App {
    /// Undoes the newest edit, or does the last undone one again.
    pub(super) fn turn(&mut self, way: Way) {
        let from_past =
            self.laboratory.history().is_past() && self.laboratory.rewriting().is_none();
        let outcome = match way {
            Way::Undo => self.laboratory.undo(),
            Way::Redo => self.laboratory.redo(),
        };
        self.messages.note("undo", text_of(way, outcome, from_past), self.clock.now());
    }

    /// Says what became of undo or redo that had to wait.
    pub(in crate::app) fn say_what_turned(&mut self) {
        if let Some((way, outcome)) = self.laboratory.take_turned() {
            self.messages.note("undo", text_of(way, outcome, false), self.clock.now());
        }
    }
}

/// Message about undo or redo. `from_past`: another moment than the newest one was shown.
fn text_of(way: Way, outcome: Undone, from_past: bool) -> String {
    let shown = if from_past { " You see the newest moment." } else { "" };
    match (way, outcome) {
        (Way::Undo, Undone::Did(what)) => {
            format!("Undid {what}.{shown} Ctrl+Shift+Z does it again.")
        }
        (Way::Redo, Undone::Did(what)) => format!("Did {what} again.{shown}"),
        (_, Undone::TooOld(what)) => {
            format!("The stored moments begin after {what}: it stays as it is.")
        }
        (Way::Undo, Undone::Waits) => "Undo waits until the session is computed again.".to_owned(),
        (Way::Redo, Undone::Waits) => "Redo waits until the session is computed again.".to_owned(),
        (Way::Undo, Undone::Nothing) => "Nothing to undo".to_owned(),
        (Way::Redo, Undone::Nothing) => "Nothing to do again".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_says_that_undo_from_the_past_leads_to_the_newest_moment() {
        let did = Undone::Did("the cut");
        let from_past = "Undid the cut. You see the newest moment. Ctrl+Shift+Z does it again.";
        assert_eq!(text_of(Way::Undo, did, true), from_past);
        assert_eq!(text_of(Way::Undo, did, false), "Undid the cut. Ctrl+Shift+Z does it again.");
        assert_eq!(text_of(Way::Redo, did, true), "Did the cut again. You see the newest moment.");
        assert_eq!(text_of(Way::Undo, Undone::Nothing, true), "Nothing to undo");
    }
}
