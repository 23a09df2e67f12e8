//! Moments of a session: between two events, or within a frame.

use super::{Event, LaneFrame};
use crate::simulation::settings::Command;

/// A moment of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Events that have happened since the very start.
    pub events: usize,
    /// Steps that the last of them, a frame, is short of in every lane.
    pub less: u32,
}

impl Place {
    /// Events that have happened as a whole.
    pub(super) fn whole(self) -> usize {
        if self.less > 0 { self.events.saturating_sub(1) } else { self.events }
    }
}

/// True if an event took a step in any lane.
pub(super) fn is_step(event: &Event) -> bool {
    steps_of(event) > 0
}

/// Steps of the lane that took the most.
pub(super) fn steps_of(event: &Event) -> u32 {
    match event {
        Event::Frame { lanes, .. } => lanes.iter().map(|lane| lane.steps).max().unwrap_or(0),
        Event::Command(command) => u32::from(**command == Command::SingleStep),
    }
}

/// The frame with fewer steps in every lane; they are owed. `None` if no step is left.
pub(super) fn with_steps_less(event: &Event, by: u32) -> Option<Event> {
    let Event::Frame { seconds, lanes } = event else { return None };
    let less = |lane: &LaneFrame| {
        let mut less = lane.clone();
        let taken = lane.steps.min(by);
        less.steps -= taken;
        if less.own.is_none() {
            less.left_out += taken;
        }
        // The steps that are left out are taken from the last of the own frames, backwards.
        let mut left = by;
        for frame in less.own.iter_mut().flatten().rev() {
            let taken = frame.steps.min(left);
            frame.steps -= taken;
            frame.left_out += taken;
            left -= taken;
        }
        less
    };
    let less = Event::Frame { seconds: *seconds, lanes: lanes.iter().map(less).collect() };
    is_step(&less).then_some(less)
}
