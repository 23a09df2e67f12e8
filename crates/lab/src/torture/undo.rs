//! Undo and redo in a test rig, as in the window.

use super::invariants::CheckResult;
use super::rig::{Rig, Undone};
use crate::session::edit_replay::{EditExtent, EditReplay, RemovedCommands};
use crate::session::recording::Record;
use crate::session::{Event, SessionMoment};
use crate::simulation::settings::Command;
use std::ops::Range;

impl Rig<'_> {
    /// Returns the indices of the events that begin an edit. Each of these edits can be undone.
    fn edits(&self) -> Vec<usize> {
        let is_edit = |place: &usize| match &self.events[*place] {
            Event::Frame { .. } => false,
            Event::Command(command) => match **command {
                Command::Grab { .. }
                | Command::GrabCollider { .. }
                | Command::Blow(Some(_))
                | Command::Throw(_)
                | Command::TogglePin(_)
                | Command::Cut(_)
                | Command::Configure { .. }
                | Command::AddLane { .. }
                | Command::DuplicateLane(_)
                | Command::RemoveLane(_)
                | Command::ChangeScene(_)
                | Command::EditScene(_) => true,
                Command::MoveHand(_)
                | Command::Release
                | Command::Blow(None)
                | Command::Reset
                | Command::Pause(_)
                | Command::SingleStep
                | Command::Speed(_)
                | Command::NameLane { .. } => false,
            },
        };
        // A replacement of all lanes is one edit.
        let is_within = |place: &usize| {
            self.exchanges.iter().any(|range| range.start < *place && range.contains(place))
        };
        let first = self.history.start().events;
        (first..self.events.len()).filter(|place| is_edit(place) && !is_within(place)).collect()
    }

    pub fn undo(&mut self, fraction: f64) -> CheckResult {
        self.continue_from_here()?;
        let edits = self.edits();
        let Some(&place) = edits.get((fraction * edits.len() as f64) as usize) else {
            return Ok(());
        };
        let before = self.session.hashes();
        let exchange = self.exchanges.iter().find(|range| range.start == place);
        let extent =
            exchange.map_or(EditExtent::Hand { last: 0 }, |it| EditExtent::All { count: it.len() });
        let (tail, exchanges) = self.take_later_events(place);
        let edit_replay = EditReplay::without_edit(&self.session, tail, extent, &exchanges);
        let removed = self.replay_events(place, edit_replay, exchanges);
        let after = [self.events.len(), self.passed.events];
        self.undone.push(Undone { place, removed, before, after });
        self.compare_with_uninterrupted_run("undo")
    }

    pub fn redo(&mut self) -> CheckResult {
        self.continue_from_here()?;
        let Some(Undone { place, removed, before, after }) = self.undone.pop() else {
            return Ok(());
        };
        if place < self.history.start().events || place > self.events.len() {
            return Ok(());
        }
        let is_next = after == [self.events.len(), self.passed.events];
        let (tail, exchanges) = self.take_later_events(place);
        let edit_replay = EditReplay::with_edit(&self.session, tail, removed, &exchanges);
        self.replay_events(place, edit_replay, exchanges);
        if is_next && !self.was_ended {
            self.compare(&before, "undo and redo")?;
        }
        self.compare_with_uninterrupted_run("redo")
    }

    /// Moves the session to the moment after the first `place` events. Returns the later events,
    /// and the ranges among them that replace all lanes.
    fn take_later_events(&mut self, place: usize) -> (Vec<Event>, Vec<Range<usize>>) {
        self.history.go_to(&mut self.session, SessionMoment { events: place, missing_steps: 0 });
        let tail = self.history.take_later_events(&mut self.session);
        let later = self.exchanges.iter().filter(|range| range.start >= place);
        let exchanges = later.map(|range| range.start - place..range.end - place).collect();
        let undone = std::mem::take(&mut self.undone);
        self.drop_last_events(self.events.len() - place);
        self.undone = undone;
        self.recording += &Record::Back { events: tail.len() }.line();
        (tail, exchanges)
    }

    /// Applies the events of `edit_replay` to the session and records them. The session must be at
    /// the moment after the first `place` events. `exchanges` are the ranges of events that replace
    /// all lanes, counted from `place`. Returns the commands that the replay left out: the undone
    /// edit, and the commands whose target is missing without it.
    fn replay_events(
        &mut self,
        place: usize,
        mut edit_replay: EditReplay,
        exchanges: Vec<Range<usize>>,
    ) -> RemovedCommands {
        while edit_replay.next(&self.session).is_some() {
            let event = edit_replay.apply_next(&mut self.session);
            self.session.keep_energy_accounts(self.case.keeps_account);
            event.into_iter().for_each(|event| self.record_event(event));
        }
        let moved = |old: usize| place + edit_replay.new_index(old);
        let moved = exchanges.into_iter().map(|range| moved(range.start)..moved(range.end));
        self.exchanges.extend(moved.filter(|range| !range.is_empty()));
        edit_replay.take_removed()
    }
}
