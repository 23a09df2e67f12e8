//! Undo and redo. What is asked for while the session is still computed again waits its turn.

use super::super::Laboratory;
use super::super::rewrite::Change;
use super::{Absent, Edit, Edits, LaneSet, What, name_of};
use crate::simulation::settings::{Command, Settings};
use std::collections::VecDeque;

/// Direction in the list of edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// An edit that was done is undone.
    Undo,
    /// An edit that was undone is done again.
    Redo,
}

/// Outcome of undo or redo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undone {
    /// This was undone, or done again.
    Did(&'static str),
    /// This stays: the moments that it would be computed again from are not kept any more.
    TooOld(&'static str),
    /// It waits until the session has been computed again; [`Laboratory::take_turned`] then has its
    /// outcome.
    Waits,
    /// There is nothing.
    Nothing,
}

/// Something that waits until the session has been computed again.
#[derive(Debug)]
enum Waiting {
    Turn(Way),
    Command(Box<Command>),
}

/// All that waits, and the outcome of the newest undo or redo that has waited.
#[derive(Debug, Default)]
pub(super) struct Turns {
    waiting: VecDeque<Waiting>,
    outcome: Option<(Way, Undone)>,
}

impl Way {
    fn back(self) -> Self {
        match self {
            Self::Undo => Self::Redo,
            Self::Redo => Self::Undo,
        }
    }
}

impl Edits {
    /// True while the session is computed again, or will be.
    pub(in super::super) fn is_busy(&self) -> bool {
        self.rewriting.is_some() || !self.turns.waiting.is_empty()
    }

    /// True for commands of undo and redo themselves, which are no edits and wait for none.
    pub(in super::super) fn is_silent(&self) -> bool {
        self.silent
    }

    /// Edits that a direction can turn, the next one last.
    fn list(&mut self, way: Way) -> &mut Vec<Edit> {
        match way {
            Way::Undo => &mut self.done,
            Way::Redo => &mut self.undone,
        }
    }

    /// True if there is something to turn after all turns that wait.
    fn has_left(&mut self, way: Way) -> bool {
        let mut left = self.list(way).len() as isize;
        for waiting in &self.turns.waiting {
            match waiting {
                Waiting::Turn(other) => left += if *other == way { -1 } else { 1 },
                // It may be an edit.
                Waiting::Command(_) if way == Way::Undo => left += 1,
                Waiting::Command(_) => left = 0,
            }
        }
        left > 0
    }
}

impl Laboratory {
    /// Takes back what was done last in the whole session, whichever moment of it is shown. The
    /// session then is at its newest moment.
    pub fn undo(&mut self) -> Undone {
        self.ask_for(Way::Undo)
    }

    /// Does again what was undone last. The session then is at its newest moment.
    pub fn redo(&mut self) -> Undone {
        self.ask_for(Way::Redo)
    }

    /// Takes the outcome of undo or redo that had to wait; `None` until there is another one.
    pub fn take_turned(&mut self) -> Option<(Way, Undone)> {
        self.edits.turns.outcome.take()
    }

    fn ask_for(&mut self, way: Way) -> Undone {
        if self.is_replaying() || self.edits.is_busy() {
            if !self.is_replaying() && !self.edits.has_left(way) {
                return Undone::Nothing;
            }
            self.edits.turns.waiting.push_back(Waiting::Turn(way));
            return Undone::Waits;
        }
        // Among the commands that wait for the steps under way there may be an edit.
        if !self.waiting.is_empty() {
            self.give_up();
        }
        self.turn(way)
    }

    /// Lets a command wait for the end of what is being computed again. It acts on the session as
    /// it is then.
    pub(in super::super) fn wait_with(&mut self, command: Command) {
        let waiting = &mut self.edits.turns.waiting;
        // Of the hand's way only its end is needed.
        if matches!(command, Command::MoveHand(_))
            && let Some(Waiting::Command(last)) = waiting.back_mut()
            && matches!(**last, Command::MoveHand(_))
        {
            **last = command;
        } else {
            waiting.push_back(Waiting::Command(Box::new(command)));
        }
    }

    /// Carries out what waits longest, if something does.
    pub(in super::super) fn turn_waiting(&mut self) {
        match self.edits.turns.waiting.pop_front() {
            Some(Waiting::Turn(way)) => {
                let outcome = self.turn(way);
                self.edits.turns.outcome = Some((way, outcome));
            }
            Some(Waiting::Command(command)) => self.perform(*command),
            None => {}
        }
    }

    /// Moves the next edit to the other list, and lets the session become what it is then. If
    /// there is no such edit, nothing changes.
    fn turn(&mut self, way: Way) -> Undone {
        let Some(mut edit) = self.edits.list(way).pop() else { return Undone::Nothing };
        let name = name_of(&edit.what);
        if self.is_too_old(&edit, way) {
            return Undone::TooOld(name);
        }
        let (events, what) = (edit.events, edit.what.clone());
        self.give_up();
        self.end_loop();
        self.stop_past();
        self.onward = None;
        edit.turned = Some(self.history.end().events);
        self.edits.list(way.back()).push(edit);
        match (what, way) {
            (What::Hand { stroke, .. }, Way::Undo) => {
                self.rewrite(events, Change::TakeOut { stroke });
            }
            (What::Hand { gesture, .. }, Way::Redo) => self.rewrite(events, Change::PutIn(gesture)),
            (What::Lane { came, lane }, way) if comes_back(came, way) => self.bring_back(lane),
            (what, way) => {
                let newest = self.history.end().events;
                self.rewrite(newest, Change::Now(Box::new(what), way));
            }
        }
        Undone::Did(name)
    }

    /// True if the moments are gone from which a turn of an edit would be computed again.
    fn is_too_old(&self, edit: &Edit, way: Way) -> bool {
        let from = match &edit.what {
            What::Hand { .. } => edit.events,
            What::Lane { came, lane } if comes_back(*came, way) => lane.gone,
            What::Lane { .. } | What::Settings { .. } | What::Scene { .. } | What::Lanes { .. } => {
                return false;
            }
        };
        from < self.history.start().events
    }

    /// Turns an edit that acts on the newest moment only. The session is there.
    pub(in super::super) fn turn_now(&mut self, what: &What, way: Way) {
        fn chosen<'a, T>(way: Way, old: &'a T, new: &'a T) -> &'a T {
            if way == Way::Undo { old } else { new }
        }
        match what {
            What::Hand { .. } => {}
            What::Settings { color, old, new } => self.set_again(*color, **chosen(way, old, new)),
            What::Scene { old, new } => {
                self.silently(Command::ChangeScene(chosen(way, old, new).clone()));
            }
            What::Lane { lane, .. } => {
                let gone = self.take_away(lane.color);
                if let Some(Edit { what: What::Lane { lane, .. }, .. }) =
                    self.edits.list(way.back()).last_mut()
                {
                    *lane = gone.unwrap_or_else(|| lane.clone());
                }
            }
            What::Lanes { old, new } => self.set_lanes(chosen(way, old, new).clone()),
        }
    }

    /// Removes a lane, named by its colour, now. Answers with what brings it back.
    fn take_away(&mut self, color: usize) -> Option<Absent> {
        let place = self.session.lanes().iter().position(|lane| lane.color == color)?;
        let absent = self.absent(place);
        self.silently(Command::RemoveLane(place));
        absent
    }

    /// A lane is there again, as if it had not gone.
    fn bring_back(&mut self, Absent { color, place, frames, gone }: Absent) {
        self.edits.move_up(gone);
        self.rewrite(gone, Change::LaneBack { place, color, frames });
    }

    pub(super) fn set_lanes(&mut self, (lanes, reference): LaneSet) {
        self.edits.silent = true;
        self.replace_lanes(lanes);
        self.edits.silent = false;
        let lanes = self.session.lanes();
        self.reference = reference.and_then(|place| Some(lanes.get(place)?.color));
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

/// True if a turn brings back a lane, which once came or went.
fn comes_back(came: bool, way: Way) -> bool {
    came == (way == Way::Redo)
}
