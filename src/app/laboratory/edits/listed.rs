//! Edits as the window lists them.

use super::edit::{Edit, EditKind, Lists};
use super::names::name_of;
use crate::session::{History, SessionMoment};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListedEdit {
    pub id: u64,
    /// Noun with its article, e.g. "the cut".
    pub name: &'static str,
    /// Moment before the edit, with its session time in seconds. `None` if that moment is no longer
    /// stored, or if the edit is not in effect.
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

impl Lists {
    /// Returns all edits in effect or removed, oldest first, then the undone edits in the order in
    /// which they are redone.
    pub fn listed(&self, history: &History) -> impl DoubleEndedIterator<Item = ListedEdit> {
        let Lists { done, undone, .. } = self;
        let listed = |edit: &Edit, undone: bool| {
            let place = SessionMoment { events: edit.events, missing_steps: 0 };
            let state = if undone {
                EditState::Undone
            } else if matches!(edit.kind, EditKind::Removal(_)) {
                EditState::Removed
            } else {
                EditState::Done
            };
            let is_kept = edit.events >= history.start().events && state == EditState::Done;
            let moment = is_kept.then(|| (place, history.time_of(place)));
            ListedEdit { id: edit.id, name: name_of(&edit.kind), moment, state }
        };
        // Undone removals are left out, because the edit itself is in the list.
        let undone = undone.iter().rev().filter(|edit| !matches!(edit.kind, EditKind::Removal(_)));
        let undone = undone.map(move |edit| listed(edit, true));
        done.iter().map(move |edit| listed(edit, false)).chain(undone)
    }
}
