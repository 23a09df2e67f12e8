//! Lanes (simulations of the scene, side by side) of the recorded run of a session, and their
//! counterparts in the repeated run (the parent module explains both).

use super::settings::merge_settings;
use crate::session::event::Event;
use crate::session::lane_frame::LaneFrame;
use crate::session::side_by_side::Session;
use crate::simulation::settings::{Command, MOST_LANES, Settings};

/// Lane of the recorded run.
#[derive(Clone, Debug)]
struct OldLane {
    settings: Settings,
    color: usize,
    /// Index of the same lane in the repeated run; `None` if the lane is missing there.
    new: Option<usize>,
}

#[derive(Debug)]
pub(super) struct Lanes(Vec<OldLane>);

impl Lanes {
    /// Creates the lanes of two runs that both start at the current state of a session.
    pub(super) fn of(session: &Session) -> Self {
        let lanes = session.lanes().iter().enumerate();
        let old = lanes.map(|(place, lane)| OldLane {
            settings: *lane.simulation.settings(),
            color: lane.color,
            new: Some(place),
        });
        Self(old.collect())
    }

    pub(super) fn new_color(&self, old: usize, session: &Session) -> Option<usize> {
        let lane = self.0.iter().find(|lane| lane.color == old)?;
        Some(session.lanes().get(lane.new?)?.color)
    }

    /// Returns the records of a frame for the lanes of the repeated run, and the indices of the
    /// lanes that have no record.
    pub(super) fn translate_frame(
        &self,
        old: Vec<LaneFrame>,
        count: usize,
    ) -> (Vec<LaneFrame>, Vec<usize>) {
        let mut new = vec![LaneFrame::default(); count];
        let mut absent: Vec<usize> = (0..count).collect();
        for (lane, frame) in self.0.iter().zip(old) {
            if let Some(place) = lane.new.and_then(|place| new.get_mut(place)) {
                *place = frame;
                absent.retain(|absent| Some(*absent) != lane.new);
            }
        }
        (new, absent)
    }

    /// Returns a command with the lane indices of the repeated run. If the command changes
    /// settings, the change is applied to the settings that the lane has in the repeated run.
    /// `None` if the repeated run has no such lane, or if the change has no effect there.
    pub(super) fn translate(&self, command: Command, session: &Session) -> Option<Command> {
        let place = |lane: usize| self.0.get(lane)?.new;
        Some(match command {
            Command::Configure { lane, settings } => {
                let old = self.0.get(lane)?;
                let lane = old.new?;
                let now = *session.lanes().get(lane)?.simulation.settings();
                let merged = merge_settings([&old.settings, &settings, &now]);
                if merged == now && settings != old.settings {
                    return None;
                }
                Command::Configure { lane, settings: merged }
            }
            Command::NameLane { lane, name } => Command::NameLane { lane: place(lane)?, name },
            Command::DuplicateLane(lane) => Command::DuplicateLane(place(lane)?),
            Command::RemoveLane(lane) => {
                // The last lane of a session cannot be removed.
                let lane = place(lane).filter(|_| session.lanes().len() > 1)?;
                Command::RemoveLane(lane)
            }
            other @ (Command::AddLane { .. }
            | Command::Grab { .. }
            | Command::GrabCollider { .. }
            | Command::MoveHand(_)
            | Command::Release
            | Command::Blow(_)
            | Command::Throw(_)
            | Command::TogglePin(_)
            | Command::Cut(_)
            | Command::Reset
            | Command::Pause(_)
            | Command::SingleStep
            | Command::Speed(_)
            | Command::ChangeScene(_)
            | Command::EditScene(_)) => other,
        })
    }

    /// Applies a command that happens only in the recorded run to its lanes.
    pub(super) fn apply_to_old(&mut self, command: &Command) {
        match command {
            Command::Configure { lane, settings } => {
                if let Some(lane) = self.0.get_mut(*lane) {
                    lane.settings = *settings;
                }
            }
            Command::AddLane { settings, .. } => self.add(*settings),
            Command::DuplicateLane(lane) => {
                let settings = self.0.get(*lane).map(|lane| lane.settings);
                settings.into_iter().for_each(|settings| self.add(settings));
            }
            Command::RemoveLane(lane) => {
                if self.0.len() > 1 && *lane < self.0.len() {
                    self.0.remove(*lane);
                }
            }
            Command::Grab { .. }
            | Command::GrabCollider { .. }
            | Command::MoveHand(_)
            | Command::Release
            | Command::Blow(_)
            | Command::Throw(_)
            | Command::TogglePin(_)
            | Command::Cut(_)
            | Command::Reset
            | Command::Pause(_)
            | Command::SingleStep
            | Command::Speed(_)
            | Command::NameLane { .. }
            | Command::ChangeScene(_)
            | Command::EditScene(_) => {}
        }
    }

    fn add(&mut self, settings: Settings) {
        let taken = |color: &usize| !self.0.iter().any(|lane| lane.color == *color);
        let color = (0..MOST_LANES).find(taken);
        self.0.extend(color.map(|color| OldLane { settings, color, new: None }));
    }

    /// Applies a command that happens only in the repeated run to its lanes.
    pub(super) fn apply_to_new(&mut self, command: &Command, session: &Session) {
        let count = session.lanes().len();
        if let Command::RemoveLane(gone) = command
            && count > 1
            && *gone < count
        {
            for lane in &mut self.0 {
                lane.new = match lane.new {
                    Some(place) if place == *gone => None,
                    Some(place) if place > *gone => Some(place - 1),
                    place => place,
                };
            }
        }
    }

    pub(super) fn apply_to_both(&mut self, old: &Command, new: &Command, session: &Session) {
        let before = self.0.len();
        self.apply_to_old(old);
        self.apply_to_new(new, session);
        let count = session.lanes().len();
        if self.0.len() > before && count < MOST_LANES {
            let added = self.0.last_mut();
            added.into_iter().for_each(|lane| lane.new = Some(count));
        }
    }

    /// Updates the lanes after both runs have replaced all of theirs.
    pub(super) fn replace_all(&mut self, events: &[Event]) {
        for event in events {
            if let Event::Command(command) = event {
                self.apply_to_old(command);
            }
        }
        for (place, lane) in self.0.iter_mut().enumerate() {
            lane.new = Some(place);
        }
    }
}
