//! Undo, redo, and requests that wait for the end of a recomputation.

use super::super::Laboratory;
use super::super::rewrite::Change;
use super::{Absent, Edit, Edits, LaneSet, Lists, TakenOut, What, name_of};
use crate::session::retelling::{Gesture, Taken};
use crate::simulation::settings::{Command, Settings};
use std::collections::VecDeque;
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Undo of an edit that was done.
    Undo,
    /// Redo of an edit that was undone.
    Redo,
}

/// Outcome of an undo, a redo or a removal, with the name of the edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undone {
    /// The edit was undone or redone.
    Did(&'static str),
    /// The edit was removed from the middle of the list.
    TookOut(&'static str),
    /// An edit that had been removed from the middle of the list was restored.
    PutBack(&'static str),
    /// The edit stays, because the moments from which it would be recomputed are no longer stored.
    TooOld(&'static str),
    /// The request waits until the session has been recomputed. [`Laboratory::take_undo_outcome`]
    /// then returns its outcome.
    Waits,
    /// There was no edit to undo or redo.
    Nothing,
}

/// Request that waits for the end of a recomputation.
#[derive(Debug)]
enum Waiting {
    Turn(Direction),
    TakeOut(u64),
    Command(Box<Command>),
    Act(Act),
}

/// Request that changes the shown moment or the lanes.
struct Act(Box<dyn FnOnce(&mut Laboratory) + Send>);

impl fmt::Debug for Act {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str("Act")
    }
}

/// Waiting requests, and the outcome of the newest undo or redo that had to wait.
#[derive(Debug, Default)]
pub(super) struct Turns {
    waiting: VecDeque<Waiting>,
    /// True while the oldest waiting request is carried out.
    is_acting: bool,
    outcome: Option<(Direction, Undone)>,
    /// Name of the edit that was removed, and names of the later edits that were removed along with
    /// it.
    pub(super) lost: Option<(&'static str, Vec<&'static str>)>,
}

impl Turns {
    /// Removes the waiting undos, redos and removals. Other requests stay and can begin.
    pub(super) fn forget_turns(&mut self) {
        self.waiting.retain(|waiting| match waiting {
            Waiting::Turn(_) | Waiting::TakeOut(_) => false,
            Waiting::Command(_) | Waiting::Act(_) => true,
        });
        self.lost = None;
    }
}

impl Direction {
    fn back(self) -> Self {
        match self {
            Self::Undo => Self::Redo,
            Self::Redo => Self::Undo,
        }
    }
}

impl Edits {
    /// True while the session is recomputed or requests wait.
    pub(in super::super) fn is_busy(&self) -> bool {
        self.rewriting.is_some() || !self.turns.waiting.is_empty()
    }

    /// True if a new request has to wait.
    pub(in super::super) fn must_wait(&self) -> bool {
        self.is_busy() && !self.turns.is_acting
    }

    /// True while undo or redo give commands, which are not edits and never wait.
    pub(in super::super) fn is_silent(&self) -> bool {
        self.silent
    }

    /// Returns the edits that can be undone or redone. The next one is the last of the list.
    fn list(&mut self, way: Direction) -> &mut Vec<Edit> {
        match way {
            Direction::Undo => &mut self.done,
            Direction::Redo => &mut self.undone,
        }
    }

    /// Returns the index of an edit in the list of edits that were done.
    fn place_of(&self, id: u64) -> Option<usize> {
        self.done.iter().position(|edit| edit.id == id)
    }

    /// True if there will still be an edit to undo or redo after all waiting requests.
    fn has_left(&mut self, way: Direction) -> bool {
        let mut left = self.list(way).len() as isize;
        for waiting in &self.turns.waiting {
            match waiting {
                Waiting::Turn(other) => left += if *other == way { -1 } else { 1 },
                Waiting::TakeOut(_) if way == Direction::Undo => {}
                // The request may turn out to be an edit, which can then be undone.
                Waiting::Command(_) | Waiting::Act(_) if way == Direction::Undo => left += 1,
                Waiting::TakeOut(_) | Waiting::Command(_) | Waiting::Act(_) => left = 0,
            }
        }
        left > 0
    }
}

impl Laboratory {
    /// Undoes the last edit of the whole session and goes to the newest moment, whichever moment is
    /// shown.
    pub fn undo(&mut self) -> Undone {
        self.ask_for(Direction::Undo)
    }

    /// Redoes the edit that was undone last and goes to the newest moment.
    pub fn redo(&mut self) -> Undone {
        self.ask_for(Direction::Redo)
    }

    /// Returns true for undo if there is an edit to undo, and true for redo if there is one to
    /// redo.
    pub fn turns_left(&self) -> (bool, bool) {
        (!self.edits.done.is_empty(), !self.edits.undone.is_empty())
    }

    /// Returns the outcome of an undo or redo that had to wait, once.
    pub fn take_turned(&mut self) -> Option<(Direction, Undone)> {
        self.edits.turns.outcome.take()
    }

    /// Removes the edit with this number from any position in the list and recomputes the later
    /// events. Goes to the newest moment.
    pub fn take_out(&mut self, id: u64) -> Undone {
        if self.is_replaying() || self.edits.is_busy() {
            self.edits.turns.waiting.push_back(Waiting::TakeOut(id));
            return Undone::Waits;
        }
        if !self.waiting.is_empty() {
            self.give_up();
        }
        self.take_out_now(id)
    }

    /// Returns the name of the last removed edit and the names of the later edits removed along
    /// with it, once.
    pub fn take_lost(&mut self) -> Option<(&'static str, Vec<&'static str>)> {
        self.edits.turns.lost.take()
    }

    fn ask_for(&mut self, way: Direction) -> Undone {
        if self.is_replaying() || self.edits.is_busy() {
            if !self.is_replaying() && !self.edits.has_left(way) {
                return Undone::Nothing;
            }
            self.edits.turns.waiting.push_back(Waiting::Turn(way));
            return Undone::Waits;
        }
        // A command that waits for background work may be an edit, so it is carried out first.
        if !self.waiting.is_empty() {
            self.give_up();
        }
        self.turn(way)
    }

    /// Queues a command until the recomputation ends, so that it acts on the recomputed state.
    pub(in super::super) fn wait_with(&mut self, command: Command) {
        let waiting = &mut self.edits.turns.waiting;
        // Of several moves of the hand in a row only the last one is kept.
        if matches!(command, Command::MoveHand(_))
            && let Some(Waiting::Command(last)) = waiting.back_mut()
            && matches!(**last, Command::MoveHand(_))
        {
            **last = command;
        } else {
            waiting.push_back(Waiting::Command(Box::new(command)));
        }
    }

    /// Queues a request until the recomputation ends.
    pub(in super::super) fn wait_to(&mut self, act: impl FnOnce(&mut Self) + Send + 'static) {
        self.edits.turns.waiting.push_back(Waiting::Act(Act(Box::new(act))));
    }

    /// Carries out a queued request without queuing it again.
    pub(in super::super) fn act_in_turn(&mut self, act: impl FnOnce(&mut Self)) {
        self.edits.turns.is_acting = true;
        act(self);
        self.edits.turns.is_acting = false;
    }

    /// Carries out the oldest queued request, if there is one.
    pub(in super::super) fn turn_waiting(&mut self) {
        match self.edits.turns.waiting.pop_front() {
            Some(Waiting::Turn(way)) => {
                let outcome = self.turn(way);
                self.edits.turns.outcome = Some((way, outcome));
            }
            Some(Waiting::TakeOut(id)) => {
                let outcome = self.take_out_now(id);
                self.edits.turns.outcome = Some((Direction::Undo, outcome));
            }
            Some(Waiting::Command(command)) => {
                self.act_in_turn(|laboratory| laboratory.perform(*command));
            }
            Some(Waiting::Act(Act(act))) => self.act_in_turn(act),
            None => {}
        }
    }

    /// Moves the next edit to the other list and brings the session to the state without the edit
    /// or with it. If there is no edit, nothing changes.
    fn turn(&mut self, way: Direction) -> Undone {
        let lists = self.edits.lists();
        let Some(mut edit) = self.edits.list(way).pop() else { return Undone::Nothing };
        let name = name_of(&edit.what);
        if self.is_too_old(&edit, way) {
            return Undone::TooOld(name);
        }
        let (events, what, id) = (edit.events, edit.what.clone(), edit.id);
        let extent = edit.extent();
        self.leave_for_rewriting();
        edit.turned = Some(self.history.end().events);
        self.edits.list(way.back()).push(edit);
        match (what, way) {
            (What::Hand { .. }, Direction::Undo) => {
                self.rewrite(events, Change::TakeOut(extent), id, lists)
            }
            (What::Hand { gesture, .. }, Direction::Redo) => {
                self.rewrite(events, Change::PutIn(gesture), id, lists);
            }
            (What::Lane { came, lane }, way) if comes_back(came, way) => {
                let removal = Taken::Hand { last: 0 };
                self.rewrite(lane.gone, Change::TakeOut(removal), id, lists);
            }
            (What::Without(taken), Direction::Undo) => {
                self.rewrite(events, Change::PutIn(taken.gesture), id, lists);
                return Undone::PutBack(name);
            }
            (What::Without(taken), Direction::Redo) => {
                let Some(place) = self.edits.place_of(taken.edit.id) else {
                    return Undone::Nothing;
                };
                let edit = self.edits.done.remove(place);
                self.rewrite_without(edit, id, lists);
                return Undone::TookOut(name);
            }
            (what, way) => {
                let newest = self.history.end().events;
                self.rewrite(newest, Change::Now(Box::new(what), way), id, lists);
            }
        }
        Undone::Did(name)
    }

    fn take_out_now(&mut self, id: u64) -> Undone {
        let Some(place) = self.edits.place_of(id) else { return Undone::Nothing };
        let edit = &self.edits.done[place];
        let name = name_of(&edit.what);
        if edit.events < self.history.start().events {
            return Undone::TooOld(name);
        }
        self.leave_for_rewriting();
        let lists = self.edits.lists();
        let edit = self.edits.done.remove(place);
        self.edits.undone.clear();
        let taken =
            TakenOut { edit: edit.clone(), place, gesture: Gesture::new(), lost: Vec::new() };
        let entry = self.edits.made(edit.events, What::Without(Box::new(taken)));
        let id = entry.id;
        self.edits.done.push(entry);
        self.rewrite_without(edit, id, lists);
        Undone::TookOut(name)
    }

    /// Recomputes the session without `edit`. `id` is the number of the list entry for the removal.
    fn rewrite_without(&mut self, edit: Edit, id: u64, lists: Lists) {
        let (events, extent) = (edit.events, edit.extent());
        let entry = self.edits.done.iter_mut().find(|entry| entry.id == id);
        if let Some(Edit { what: What::Without(taken), events: at, .. }) = entry {
            (taken.edit, *at) = (edit, events);
        }
        self.rewrite(events, Change::TakeOut(extent), id, lists);
    }

    /// Ends background work and playback before the session is recomputed.
    fn leave_for_rewriting(&mut self) {
        self.give_up();
        self.end_loop();
        self.stop_past();
        self.onward = None;
        self.edits.pulls = false;
    }

    /// True if the moment from which an edit would be recomputed is no longer stored.
    fn is_too_old(&self, edit: &Edit, way: Direction) -> bool {
        let from = match &edit.what {
            What::Hand { .. } | What::Without(_) => edit.events,
            What::Lane { came, lane } if comes_back(*came, way) => lane.gone,
            What::Lane { .. } | What::Settings { .. } | What::Scene { .. } | What::Lanes { .. } => {
                return false;
            }
        };
        from < self.history.start().events
    }

    /// Undoes or redoes an edit that changes the newest moment only. The session must be at that
    /// moment.
    pub(in super::super) fn turn_now(&mut self, what: &What, way: Direction) {
        fn chosen<'a, T>(way: Direction, old: &'a T, new: &'a T) -> &'a T {
            if way == Direction::Undo { old } else { new }
        }
        match what {
            What::Hand { .. } | What::Without(_) => {}
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

    /// Removes the lane with this colour without recording an edit. Returns the data that restore
    /// the lane.
    fn take_away(&mut self, color: usize) -> Option<Absent> {
        let place = self.session.lanes().iter().position(|lane| lane.color == color)?;
        let absent = self.absent(place);
        self.silently(Command::RemoveLane(place));
        absent
    }

    pub(super) fn set_lanes(&mut self, (lanes, reference): LaneSet) {
        self.edits.silent = true;
        let start = self.history.end().events;
        self.replace_lanes(lanes);
        self.edits.exchanges.push(start..self.history.end().events);
        self.edits.silent = false;
        let lanes = self.session.lanes();
        self.shown.reference = reference.and_then(|place| Some(lanes.get(place)?.color));
    }

    fn set_again(&mut self, color: usize, settings: Settings) {
        let lane = self.session.lanes().iter().position(|lane| lane.color == color);
        lane.into_iter().for_each(|lane| self.silently(Command::Configure { lane, settings }));
    }

    /// Carries out a command that is not recorded as an edit.
    fn silently(&mut self, command: Command) {
        self.edits.silent = true;
        self.command(command);
        self.edits.silent = false;
    }
}

/// True if the undo or redo of an edit adds its lane again. `is_added` is true for an edit that
/// added a lane.
fn comes_back(came: bool, way: Direction) -> bool {
    came == (way == Direction::Redo)
}
