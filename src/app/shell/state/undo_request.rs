//! Requested undo or redo, and its messages.

use crate::app::laboratory::{Direction, UndoOutcome};

/// Requested undo or redo and its outcome.
#[derive(Clone, Copy, Debug)]
pub struct UndoRequest {
    pub direction: Direction,
    pub outcome: UndoOutcome,
    /// True if the window showed a moment before the newest one.
    pub from_past: bool,
}

impl UndoRequest {
    /// Returns the message during the recomputation; `None` if nothing is being recomputed.
    /// `waiting` is the number of undos and the number of redos that follow.
    pub fn pending_text(self, waiting: [usize; 2]) -> Option<String> {
        let (with, name) = match (self.direction, self.outcome) {
            (Direction::Undo, UndoOutcome::Done(name)) | (_, UndoOutcome::Removed(name)) => {
                ("without", name)
            }
            (Direction::Redo, UndoOutcome::Done(name)) | (_, UndoOutcome::Restored(name)) => {
                ("with", name)
            }
            (_, UndoOutcome::TooOld(_) | UndoOutcome::Waiting | UndoOutcome::Nothing) => {
                return None;
            }
        };
        let waiting = waiting_text(waiting);
        Some(format!("Recomputing the session {with} {name}{waiting}. Esc cancels."))
    }

    pub fn finished_text(self) -> String {
        let shown = if self.from_past { " You see the newest moment." } else { "" };
        match (self.direction, self.outcome) {
            (Direction::Undo, UndoOutcome::Done(name)) => {
                format!("Undid {name}.{shown} Ctrl+Shift+Z redoes it.")
            }
            (Direction::Redo, UndoOutcome::Done(name)) => format!("Redid {name}.{shown}"),
            (_, UndoOutcome::Removed(name)) => {
                format!("Removed {name}.{shown} Ctrl+Z restores it.")
            }
            (_, UndoOutcome::Restored(name)) => {
                format!("Restored {name}.{shown} Ctrl+Shift+Z removes it again.")
            }
            (_, UndoOutcome::TooOld(name)) => {
                format!("The stored moments begin after {name}, so it cannot be undone.")
            }
            (direction, UndoOutcome::Waiting) => {
                format!("{direction:?} waits until the session is recomputed.")
            }
            (direction, UndoOutcome::Nothing) => format!("Nothing to {direction}"),
        }
    }
}

/// Returns the part of a message about waiting undos and redos; empty if none wait.
fn waiting_text([undos, redos]: [usize; 2]) -> String {
    let counted = |count: usize, name: &str| {
        let plural = if count == 1 { "" } else { "s" };
        (count > 0).then(|| format!("{count} more {name}{plural}"))
    };
    let parts: Vec<String> =
        [counted(undos, "undo"), counted(redos, "redo")].into_iter().flatten().collect();
    if parts.is_empty() { String::new() } else { format!(", then {}", parts.join(" and ")) }
}

/// Number of edits that a message about lost edits names.
const MOST_NAMED_EDITS: usize = 3;

/// Returns the names of the first edits, and how many more there are.
pub fn named_edits(edits: &[&str]) -> String {
    let mut named = edits[..edits.len().min(MOST_NAMED_EDITS)].join(", ");
    if edits.len() > MOST_NAMED_EDITS {
        named += &format!(" and {} more", edits.len() - MOST_NAMED_EDITS);
    }
    named
}

/// Returns the message about later edits that were removed together with the edit `without`.
pub fn lost_edits_text(without: &str, lost: &[&str]) -> String {
    let named = named_edits(lost);
    format!("Together with {without}, the later edits that depend on it were removed: {named}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_says_that_undo_from_the_past_leads_to_the_newest_moment() {
        let did = UndoOutcome::Done("the cut");
        let seen = "Undid the cut. You see the newest moment. Ctrl+Shift+Z redoes it.";
        for (direction, outcome, from_past, expected) in [
            (Direction::Undo, did, true, seen),
            (Direction::Undo, did, false, "Undid the cut. Ctrl+Shift+Z redoes it."),
            (Direction::Redo, did, true, "Redid the cut. You see the newest moment."),
            (Direction::Undo, UndoOutcome::Nothing, true, "Nothing to undo"),
        ] {
            let request = UndoRequest { direction, outcome, from_past };
            assert_eq!(request.finished_text(), expected);
        }
    }

    #[test]
    fn an_undo_is_said_to_compute_until_it_is_done() {
        let request = |direction, outcome| {
            UndoRequest { direction, outcome, from_past: false }
                .pending_text([0; 2])
                .unwrap_or_default()
        };
        let without = "Recomputing the session without the cut. Esc cancels.";
        assert_eq!(request(Direction::Undo, UndoOutcome::Done("the cut")), without);
        assert_eq!(request(Direction::Undo, UndoOutcome::Removed("the cut")), without);
        assert!(request(Direction::Redo, UndoOutcome::Done("the cut")).contains(" with the cut."));
        assert!(
            request(Direction::Undo, UndoOutcome::Restored("the cut")).contains(" with the cut.")
        );
        assert_eq!(request(Direction::Undo, UndoOutcome::Nothing), "");
    }

    #[test]
    fn requests_that_wait_are_counted() {
        assert_eq!(waiting_text([0, 0]), "");
        assert_eq!(waiting_text([1, 0]), ", then 1 more undo");
        assert_eq!(waiting_text([2, 1]), ", then 2 more undos and 1 more redo");
    }

    #[test]
    fn the_message_names_what_went_with_an_edit() {
        let one =
            "Together with the new rope, the later edits that depend on it were removed: the cut.";
        assert_eq!(lost_edits_text("the new rope", &["the cut"]), one);
        let many = lost_edits_text("the new rope", &["the cut", "the tie", "the pin", "the pin"]);
        assert!(many.ends_with("the cut, the tie, the pin and 1 more."), "{many}");
    }
}
