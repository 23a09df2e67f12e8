//! Undo and redo of what was done to the bodies, to the settings, to the scene and to the lanes.

use super::Laboratory;
use super::rewrite::{Change, Gesture, Rewriting};
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
    what: What,
}

#[derive(Clone, Debug)]
enum What {
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
struct Absent {
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
    /// Commands are those of an undo and no edits of their own.
    silent: bool,
    /// A change that follows comes from the slider that made the newest one.
    pulls: bool,
    /// Events before the hand took a particle that it has not moved yet.
    grabbed: Option<usize>,
}

/// Outcome of undo or redo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undone {
    /// This was undone, or done again.
    Did(&'static str),
    /// This stays: the moments that it would be computed again from are not kept any more.
    TooOld(&'static str),
    /// There is nothing.
    Nothing,
}

impl Edits {
    pub(super) fn is_rewriting(&self) -> bool {
        self.rewriting.is_some()
    }

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

    /// Forgets the edits after so many events: the session goes on in another way.
    pub(super) fn forget_after(&mut self, events: usize) {
        self.done.retain(|edit| edit.events < events);
        self.undone.clear();
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
        self.edits.done.push(Edit { events, what });
    }

    /// Takes back what was done last, of what is undone at all. Answers with what that was.
    pub fn undo(&mut self) -> Undone {
        self.ready_to_rewrite();
        let Some(edit) = self.edits.done.pop() else { return Undone::Nothing };
        if self.is_too_old(&edit, true) {
            return Undone::TooOld(name_of(&edit.what));
        }
        let (events, what) = (edit.events, edit.what.clone());
        self.edits.undone.push(edit);
        match &what {
            What::Hand { stroke, .. } => {
                self.rewrite(events, Change::TakeOut { stroke: *stroke });
            }
            What::Settings { color, old, .. } => self.set_again(*color, **old),
            What::Scene { old, .. } => self.silently(Command::ChangeScene(old.clone())),
            What::Lane { came: true, lane } => {
                let gone = self.take_away(lane.color);
                if let Some(Edit { what: What::Lane { lane, .. }, .. }) =
                    self.edits.undone.last_mut()
                {
                    *lane = gone.unwrap_or_else(|| lane.clone());
                }
            }
            What::Lane { came: false, lane } => self.bring_back(lane),
            What::Lanes { old, .. } => self.set_lanes(old.clone()),
        }
        Undone::Did(name_of(&what))
    }

    /// Does again what was undone last. Answers with what that was.
    pub fn redo(&mut self) -> Undone {
        self.ready_to_rewrite();
        let Some(edit) = self.edits.undone.pop() else { return Undone::Nothing };
        if self.is_too_old(&edit, false) {
            return Undone::TooOld(name_of(&edit.what));
        }
        let (events, what) = (edit.events, edit.what.clone());
        self.edits.done.push(edit);
        match &what {
            What::Hand { gesture, .. } => self.rewrite(events, Change::PutIn(gesture.clone())),
            What::Settings { color, new, .. } => self.set_again(*color, **new),
            What::Scene { new, .. } => self.silently(Command::ChangeScene(new.clone())),
            What::Lane { came: true, lane } => self.bring_back(lane),
            What::Lane { came: false, lane } => {
                let gone = self.take_away(lane.color);
                if let Some(Edit { what: What::Lane { lane, .. }, .. }) = self.edits.done.last_mut()
                {
                    *lane = gone.unwrap_or_else(|| lane.clone());
                }
            }
            What::Lanes { new, .. } => self.set_lanes(new.clone()),
        }
        Undone::Did(name_of(&what))
    }

    /// Whether the moments are gone from which a change of an edit would be computed again.
    fn is_too_old(&self, edit: &Edit, undoes: bool) -> bool {
        let from = match &edit.what {
            What::Hand { .. } => edit.events,
            What::Lane { came, lane } if *came != undoes => lane.gone,
            What::Lane { .. } | What::Settings { .. } | What::Scene { .. } | What::Lanes { .. } => {
                return false;
            }
        };
        from < self.history.start().events
    }

    /// Removes a lane, named by its colour, now. Answers with what brings it back.
    fn take_away(&mut self, color: usize) -> Option<Absent> {
        let place = self.session.lanes().iter().position(|lane| lane.color == color)?;
        let absent = self.absent(place);
        self.silently(Command::RemoveLane(place));
        absent
    }

    /// A lane is there again, as if it had not gone.
    fn bring_back(&mut self, Absent { color, place, frames, gone }: &Absent) {
        self.edits.move_up(*gone);
        let (place, color, frames) = (*place, *color, frames.clone());
        self.rewrite(*gone, Change::LaneBack { place, color, frames });
    }

    /// Other lanes take the place of those that are there, as an edit.
    pub(super) fn exchange_lanes(&mut self, lanes: Vec<LaneSetup>, reference: Option<usize>) {
        let old = self.lane_set();
        self.set_lanes((lanes.clone(), reference));
        self.push_edit(What::Lanes { old, new: (lanes, reference) });
    }

    fn set_lanes(&mut self, (lanes, reference): LaneSet) {
        self.edits.silent = true;
        self.replace_lanes(lanes);
        self.edits.silent = false;
        let lanes = self.session.lanes();
        self.reference = reference.and_then(|place| Some(lanes.get(place)?.color));
    }

    fn ready_to_rewrite(&mut self) {
        self.give_up();
        self.finish_replaying();
        self.finish_rewriting();
        self.stop_past();
        self.go_on();
    }

    fn set_again(&mut self, color: usize, settings: Settings) {
        let lane = self.session.lanes().iter().position(|lane| lane.color == color);
        lane.into_iter().for_each(|lane| self.silently(Command::Configure { lane, settings }));
    }

    /// A command that is no edit.
    fn silently(&mut self, command: Command) {
        self.edits.silent = true;
        self.command(command);
        self.edits.silent = false;
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
mod every_kind;
#[cfg(test)]
mod tests;
