//! Edits of the bodies, the settings, the scene and the lanes.

mod branches;
mod names;
mod noting;
mod retold;
mod turn;

pub(super) use branches::Lists;
pub use turn::{Undone, Way};

use super::Laboratory;
use super::rewrite::Rewriting;
use crate::scene::LaneSetup;
use crate::session::Place;
use crate::session::retelling::{Gesture, Taken};
use crate::simulation::settings::{SceneNumber, Settings};
use crate::simulation::timing::frame_source::FrameSource;
use names::name_of;
use std::ops::Range;

/// Name of a stroke of the scissors.
const CUT: &str = "the cut";

/// An edit.
#[derive(Clone, Debug)]
pub(super) struct Edit {
    /// Number that no other edit has.
    id: u64,
    /// Events before it.
    events: usize,
    /// Events before the last one that may belong to it: a stroke of the scissors cuts while it
    /// moves, and a slider changes while it is dragged.
    last: usize,
    /// Events before it was last undone or redone, if it was.
    turned: Option<usize>,
    what: What,
}

/// Kind of an edit, with all that undo and redo of it need.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// A cut, a pin, a throw, wind or a moved collider: the later course is recomputed without it.
    Hand {
        name: &'static str,
        /// Events that have not happened, once it is undone.
        gesture: Gesture,
    },
    /// Settings of a lane, named by its colour: undo restores the old ones.
    Settings { color: usize, old: Box<Settings>, new: Box<Settings> },
    /// Numbers of the scene: undo restores the old ones.
    Scene { old: Vec<SceneNumber>, new: Vec<SceneNumber> },
    /// A lane was added or removed. Undo removes it, or restores it as if it had stayed.
    Lane { came: bool, lane: Absent },
    /// Other lanes, with which the scene restarts.
    Lanes { old: LaneSet, new: LaneSet },
    /// An edit was removed from the middle of the list: the later course was recomputed without it.
    Without(Box<TakenOut>),
}

/// Edit that was removed, with everything removed along with it.
#[derive(Clone, Debug)]
pub(super) struct TakenOut {
    edit: Edit,
    /// Place in the list.
    place: usize,
    /// Events that have not happened.
    gesture: Gesture,
    /// Later edits that make no sense without it, with their places in the list.
    lost: Vec<(usize, Edit)>,
}

/// A lane that is not there, or will not be.
#[derive(Clone, Debug)]
pub(super) struct Absent {
    color: usize,
    frames: FrameSource,
    /// Events before its removal.
    gone: usize,
}

/// All lanes, and the place of the reference lane.
pub(super) type LaneSet = (Vec<LaneSetup>, Option<usize>);

/// Edits that were done and undone, newest last.
#[derive(Debug, Default)]
pub(super) struct Edits {
    done: Vec<Edit>,
    undone: Vec<Edit>,
    /// Number of edits that were ever made.
    made: u64,
    /// Events in which all lanes were exchanged.
    exchanges: Vec<Range<usize>>,
    pub(super) rewriting: Option<Rewriting>,
    turns: turn::Turns,
    of_branches: Vec<branches::OfBranch>,
    /// Commands are those of an undo and no edits of their own.
    silent: bool,
    /// The next change comes from the slider of the newest one.
    pulls: bool,
    /// Events before the hand took a particle that it has not moved yet.
    grabbed: Option<usize>,
}

/// An edit in words, for the list of edits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListedEdit {
    /// Number that no other edit has.
    pub id: u64,
    /// A noun with its article.
    pub name: &'static str,
    /// The moment before it, and its time in seconds of the session, if it is still kept.
    pub moment: Option<(Place, f64)>,
    /// State of the edit.
    pub state: EditState,
}

/// State of an edit in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditState {
    /// An edit in effect.
    Done,
    /// An undone edit, which redo restores.
    Undone,
    /// An edit that was removed from the middle of the list; undo restores it.
    TakenOut,
}

impl Edit {
    /// Extent of the edit, from its first event on.
    fn extent(&self) -> Taken {
        let last = self.last.saturating_sub(self.events);
        match self.what {
            What::Lanes { .. } => Taken::All { count: last + 1 },
            _ => Taken::Hand { last },
        }
    }
}

impl Laboratory {
    /// All edits, oldest first, then those that redo restores, the next one first.
    pub fn edits(&self) -> impl DoubleEndedIterator<Item = ListedEdit> {
        let Edits { done, undone, .. } = &self.edits;
        let listed = |edit: &Edit, undone: bool| {
            let place = Place { events: edit.events, less: 0 };
            let state = match &edit.what {
                _ if undone => EditState::Undone,
                What::Without(_) => EditState::TakenOut,
                _ => EditState::Done,
            };
            let is_kept = edit.events >= self.history.start().events && state == EditState::Done;
            let moment = is_kept.then(|| (place, self.history.time_of(place)));
            ListedEdit { id: edit.id, name: name_of(&edit.what), moment, state }
        };
        // The repeated removal of an edit is not the edit itself.
        let undone = undone.iter().rev().filter(|edit| !matches!(edit.what, What::Without(_)));
        let undone = undone.map(move |edit| listed(edit, true));
        done.iter().map(move |edit| listed(edit, false)).chain(undone)
    }

    /// No mouse button is down: the next change is an edit of its own.
    pub fn end_pull(&mut self) {
        self.edits.pulls = false;
    }

    /// Replaces the lanes, as an edit.
    pub(super) fn exchange_lanes(&mut self, lanes: Vec<LaneSetup>, reference: Option<usize>) {
        // They begin at the moment that is shown.
        self.give_up();
        self.stop_past();
        self.go_on();
        let (old, events) = (self.lane_set(), self.history.end().events);
        self.set_lanes((lanes.clone(), reference));
        self.push_edit_at(events, What::Lanes { old, new: (lanes, reference) });
        let last = self.history.end().events.saturating_sub(1);
        self.edits.done.last_mut().into_iter().for_each(|edit| edit.last = last);
    }
}

#[cfg(test)]
mod at_random;
#[cfg(test)]
mod cancelled;
#[cfg(test)]
mod edits_of_branches;
#[cfg(test)]
mod every_kind;
#[cfg(test)]
mod out_of_turn;
#[cfg(test)]
mod taken_out;
#[cfg(test)]
mod tests;
