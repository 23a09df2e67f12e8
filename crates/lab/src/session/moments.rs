//! Moments of a session: between two events, or within a frame.

use super::event::Event;
use super::lane_frame::LaneFrame;
use crate::simulation::settings::Command;

/// Moment of a session: between two events, or within a frame after some of its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionMoment {
    /// Number of events since the start of the session, including an incomplete last event.
    pub events: usize,
    /// Number of steps that every lane (simulation) has not yet taken in the last event, which is
    /// then a frame. 0 means that the event is complete.
    pub missing_steps: u32,
}

impl SessionMoment {
    /// Returns the number of complete events.
    pub(super) fn whole(self) -> usize {
        if self.missing_steps > 0 { self.events.saturating_sub(1) } else { self.events }
    }
}

/// True if an event took a step in any lane.
pub(super) fn is_step(event: &Event) -> bool {
    steps_of(event) > 0
}

/// Returns the largest number of steps that a lane took in an event.
pub(super) fn steps_of(event: &Event) -> u32 {
    match event {
        Event::Frame { lanes, .. } => lanes.iter().map(|lane| lane.steps).max().unwrap_or(0),
        Event::Command(command) => u32::from(**command == Command::SingleStep),
    }
}

/// Returns the frame with `by` fewer steps in every lane. The time of these steps is owed to the
/// next frame. `None` if no step would be left, or if the event is not a frame.
pub(super) fn without_last_steps(event: &Event, by: u32) -> Option<Event> {
    let Event::Frame { seconds, lanes } = event else { return None };
    let shortened = |lane: &LaneFrame| {
        let mut shortened = lane.clone();
        let taken = lane.steps.min(by);
        shortened.steps -= taken;
        if shortened.own.is_none() {
            shortened.left_out += taken;
        }
        // If the lane has its own display, steps are removed from its last frame first, then from
        // earlier ones.
        let mut left = by;
        for frame in shortened.own.iter_mut().flatten().rev() {
            let taken = frame.steps.min(left);
            frame.steps -= taken;
            frame.left_out += taken;
            left -= taken;
        }
        shortened
    };
    let shortened =
        Event::Frame { seconds: *seconds, lanes: lanes.iter().map(shortened).collect() };
    is_step(&shortened).then_some(shortened)
}
