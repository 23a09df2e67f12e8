//! Edits: what was done to the bodies, to the settings, to the scene and to the lanes.

mod branches;
mod turn;

pub use turn::{Undone, Way};

use super::Laboratory;
use super::rewrite::{Gesture, Rewriting};
use crate::scene::LaneSetup;
use crate::scene::vary::VariableScene;
use crate::session::Place;
use crate::simulation::change::scene_edit::SceneEdit;
use crate::simulation::settings::{Command, SceneNumber, Settings};
use crate::simulation::timing::frame_source::FrameSource;

/// Name of a stroke of the scissors.
const CUT: &str = "the cut";

/// One thing that was done.
#[derive(Clone, Debug)]
struct Edit {
    /// Events before it.
    events: usize,
    /// Events before it was last undone or done again, if it was.
    turned: Option<usize>,
    what: What,
}

/// Kind of an edit, with all that undo and redo of it need.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// A cut, a pin, a throw, wind, a moved collider: what came after is computed again without it.
    Hand {
        name: &'static str,
        /// Events from its first cut to its last one: a stroke of the scissors cuts as it goes on.
        stroke: usize,
        /// Events that have not happened, once it is undone.
        gesture: Gesture,
    },
    /// Settings of a lane, named by its colour: the old ones come back now.
    Settings { color: usize, old: Box<Settings>, new: Box<Settings> },
    /// Numbers of the scene: the old ones come back now.
    Scene { old: Vec<SceneNumber>, new: Vec<SceneNumber> },
    /// A lane came or went. It goes now; it comes back as if it had not gone.
    Lane { came: bool, lane: Absent },
    /// Other lanes, with which the scene restarts.
    Lanes { old: LaneSet, new: LaneSet },
}

/// A lane that is not there, or will not be.
#[derive(Clone, Debug)]
pub(super) struct Absent {
    color: usize,
    place: usize,
    frames: FrameSource,
    /// Events before its removal.
    gone: usize,
}

/// All lanes, and the place of the one that the others are measured against.
pub(super) type LaneSet = (Vec<LaneSetup>, Option<usize>);

/// Edits that were done and undone, newest last.
#[derive(Debug, Default)]
pub(super) struct Edits {
    done: Vec<Edit>,
    undone: Vec<Edit>,
    pub(super) rewriting: Option<Rewriting>,
    turns: turn::Turns,
    of_branches: Vec<branches::OfBranch>,
    /// Commands are those of an undo and no edits of their own.
    silent: bool,
    /// A change that follows comes from the slider that made the newest one.
    pulls: bool,
    /// Events before the hand took a particle that it has not moved yet.
    grabbed: Option<usize>,
}

impl Edits {
    /// Keeps the gesture that undoing the last edit took out of the session.
    pub(super) fn took_out(&mut self, taken: Gesture) {
        if let Some(Edit { what: What::Hand { gesture, .. }, .. }) = self.undone.last_mut() {
            *gesture = taken;
        }
    }

    /// An event was taken out of the session.
    fn move_up(&mut self, gone: usize) {
        for edit in self.undone.iter_mut().filter(|edit| edit.events > gone) {
            edit.events -= 1;
        }
    }
}

impl Edit {
    /// Takes in a change, after so many events, that the same slider or the same stroke of the
    /// scissors made while the button is still down. False if it is of something else.
    fn takes_in(&mut self, events: usize, what: &What) -> bool {
        match (&mut self.what, what) {
            (What::Settings { color, new, .. }, What::Settings { color: its, new: newest, .. })
                if color == its =>
            {
                new.clone_from(newest);
                self.events = events;
                true
            }
            (What::Scene { new, .. }, What::Scene { new: newest, .. })
                if new.iter().map(|it| &it.path).eq(newest.iter().map(|it| &it.path)) =>
            {
                new.clone_from(newest);
                self.events = events;
                true
            }
            (What::Hand { name: CUT, stroke, .. }, What::Hand { name: CUT, .. }) => {
                *stroke = events - self.events;
                true
            }
            _ => false,
        }
    }
}

/// An edit in words, for the list of edits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListedEdit {
    /// A noun with its article.
    pub name: &'static str,
    /// The moment before it, and its time in seconds of the session, if it is still kept.
    pub moment: Option<(Place, f64)>,
    /// It has not happened now.
    pub undone: bool,
}

impl Laboratory {
    /// All edits, oldest first; those that redo brings back come last, the next one first.
    pub fn edits(&self) -> impl DoubleEndedIterator<Item = ListedEdit> {
        let Edits { done, undone, .. } = &self.edits;
        let listed = |edit: &Edit, undone: bool| {
            let place = Place { events: edit.events, less: 0 };
            let is_kept = edit.events >= self.history.start().events && !undone;
            let moment = is_kept.then(|| (place, self.history.time_of(place)));
            ListedEdit { name: name_of(&edit.what), moment, undone }
        };
        let undone = undone.iter().rev().map(move |edit| listed(edit, true));
        done.iter().map(move |edit| listed(edit, false)).chain(undone)
    }

    /// No button of the mouse is down: what is changed from now on is an edit of its own.
    pub fn end_pull(&mut self) {
        self.edits.pulls = false;
    }

    /// The numbers of the scene at the places of these.
    fn scene_numbers(&self, numbers: &[SceneNumber]) -> Vec<SceneNumber> {
        let now = VariableScene::spelled_out(self.session.scene());
        let number = |SceneNumber { path, .. }: &SceneNumber| {
            let value = now.number(path).ok().flatten();
            SceneNumber { path: path.clone(), value }
        };
        numbers.iter().map(number).collect()
    }

    /// A command is about to be carried out.
    pub(super) fn note_edit(&mut self, command: &Command) {
        if self.edits.silent {
            return;
        }
        let hand = |name| What::Hand { name, stroke: 0, gesture: Gesture::new() };
        let what = match command {
            Command::Cut(_) => hand(CUT),
            Command::TogglePin(_) => hand("the pin"),
            Command::Throw(_) => hand("the throw"),
            Command::GrabCollider { .. } => hand("the move of the obstacle"),
            Command::EditScene(edit) => hand(name_of_edit(edit)),
            Command::Grab { .. } => {
                self.edits.grabbed = Some(self.history.end().events);
                return;
            }
            // A click that moves nothing is no edit.
            Command::MoveHand(_) if self.edits.grabbed.is_some() => {
                let events = self.edits.grabbed.take();
                let edit = hand("the drag");
                return events
                    .into_iter()
                    .for_each(|events| self.push_edit_at(events, edit.clone()));
            }
            Command::Release => {
                self.edits.grabbed = None;
                return;
            }
            Command::Blow(Some(_)) if self.selected().simulation.model().blow.is_none() => {
                hand("the wind")
            }
            Command::Configure { lane, settings } => {
                let Some(lane) = self.session.lanes().get(*lane) else { return };
                let old = Box::new(*lane.simulation.settings());
                What::Settings { color: lane.color, old, new: Box::new(*settings) }
            }
            Command::ChangeScene(numbers) => {
                What::Scene { old: self.scene_numbers(numbers), new: numbers.clone() }
            }
            Command::RemoveLane(place) if self.session.lanes().len() > 1 => {
                let Some(lane) = self.absent(*place) else { return };
                What::Lane { came: false, lane }
            }
            _ => return,
        };
        self.push_edit(what);
    }

    /// A lane came, which is the newest one now.
    pub(super) fn note_new_lane(&mut self) {
        let place = self.session.lanes().len() - 1;
        if let Some(lane) = self.absent(place).filter(|_| !self.edits.silent) {
            self.push_edit(What::Lane { came: true, lane });
        }
    }

    /// Edit that brings back a lane that is removed now.
    fn absent(&self, place: usize) -> Option<Absent> {
        let lane = self.session.lanes().get(place)?;
        let frames = lane.display.source().clone();
        Some(Absent { color: lane.color, place, frames, gone: self.history.end().events })
    }

    fn push_edit(&mut self, what: What) {
        self.push_edit_at(self.history.end().events, what);
    }

    fn push_edit_at(&mut self, events: usize, what: What) {
        self.edits.undone.clear();
        let pulls = std::mem::replace(&mut self.edits.pulls, true);
        if let Some(last) = self.edits.done.last_mut().filter(|_| pulls)
            && last.takes_in(events, &what)
        {
            return;
        }
        self.edits.done.push(Edit { events, turned: None, what });
    }

    /// Other lanes take the place of those that are there, as an edit.
    pub(super) fn exchange_lanes(&mut self, lanes: Vec<LaneSetup>, reference: Option<usize>) {
        let old = self.lane_set();
        self.set_lanes((lanes.clone(), reference));
        self.push_edit(What::Lanes { old, new: (lanes, reference) });
    }
}

fn name_of(what: &What) -> &'static str {
    match what {
        What::Hand { name, .. } => name,
        What::Settings { .. } => "the settings",
        What::Scene { .. } => "the change of the scene",
        What::Lane { came: true, .. } => "the new lane",
        What::Lane { came: false, .. } => "the removal of a lane",
        What::Lanes { .. } => "the other lanes",
    }
}

fn name_of_edit(edit: &SceneEdit) -> &'static str {
    match edit {
        SceneEdit::AddRope { .. } => "the new rope",
        SceneEdit::AddCloth { .. } => "the new cloth",
        SceneEdit::AddBall { .. } => "the new ball",
        SceneEdit::Tie { .. } => "the tie",
        SceneEdit::DeleteBody(_) | SceneEdit::DeleteCollider(_) => "the deletion",
    }
}

#[cfg(test)]
mod at_random;
#[cfg(test)]
mod edits_of_branches;
#[cfg(test)]
mod every_kind;
#[cfg(test)]
mod out_of_turn;
#[cfg(test)]
mod tests;
