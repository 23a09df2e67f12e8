//! The session is computed again from an edit on, which has not happened, or has.

use super::Laboratory;
use super::undo::{Way, What};
use crate::session::{Event, LaneFrame, Place};
use crate::simulation::settings::Command;
use crate::simulation::timing::frame_source::FrameSource;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Commands that belong together, each with the number of events since the first.
pub(super) type Gesture = Vec<(usize, Command)>;

/// Change to the events that came after an edit.
#[derive(Debug)]
pub(super) enum Change {
    /// Removes the gesture that begins with the first event.
    TakeOut {
        /// Events after it within which cuts are of the same stroke.
        stroke: usize,
    },
    /// Puts a gesture back in.
    PutIn(Gesture),
    /// A lane at this place has not been removed. Its frames come from this source.
    LaneBack { place: usize, color: usize, frames: FrameSource },
    /// Leaves all events, and undoes an edit, or does it again, at the newest moment.
    Now(Box<What>, Way),
}

/// The work.
#[derive(Debug)]
pub(super) struct Rewriting {
    change: Change,
    /// Events that came after, once the session is at the edit.
    queue: Option<VecDeque<Event>>,
    events: usize,
    /// The past was shown before: the session stands still afterwards, as after every way to the
    /// newest moment.
    from_past: bool,
}

impl Laboratory {
    pub(super) fn rewrite(&mut self, events: usize, change: Change) {
        if events < self.history.start().events {
            return;
        }
        self.passed = 0.0;
        let from_past = self.history.is_past();
        self.history.set_out(&mut self.session, Place { events, less: 0 });
        self.edits.rewriting = Some(Rewriting { change, queue: None, events, from_past });
        self.rewrite_for(self.slice);
    }

    /// Computes on for a while, or carries out what waits.
    pub(super) fn rewrite_slice(&mut self) {
        if self.edits.rewriting.is_some() {
            self.rewrite_for(self.slice);
        }
        while self.edits.is_busy() && self.edits.rewriting.is_none() {
            self.turn_waiting();
        }
    }

    /// Computes on to the end of all that waits.
    pub(super) fn finish_rewriting(&mut self) {
        while self.edits.is_busy() && !self.edits.is_silent() {
            match self.edits.rewriting {
                Some(_) => self.rewrite_for(Duration::MAX),
                None => self.turn_waiting(),
            }
        }
    }

    fn rewrite_for(&mut self, time: Duration) {
        let began = Instant::now();
        let Some(mut rewriting) = self.edits.rewriting.take() else { return };
        if rewriting.queue.is_none() {
            if self.history.pursue(&mut self.session, || began.elapsed() >= time) {
                rewriting.queue = Some(self.begin_to_rewrite(&mut rewriting.change));
            } else {
                self.edits.rewriting = Some(rewriting);
                return;
            }
        }
        let queue = rewriting.queue.get_or_insert_default();
        while let Some(event) = queue.pop_front() {
            let event = self.session.apply_anew(&event);
            self.happened(event);
            if began.elapsed() >= time {
                break;
            }
        }
        let (left, from_past) = (!queue.is_empty(), rewriting.from_past);
        self.edits.rewriting = left.then_some(rewriting);
        self.forget_lost_lanes();
        if !left && from_past {
            self.stand_still();
        }
    }

    /// The session is at the edit: what came after waits to happen again.
    fn begin_to_rewrite(&mut self, change: &mut Change) -> VecDeque<Event> {
        if let Change::Now(what, way) = change {
            self.turn_now(what, *way);
            return VecDeque::new();
        }
        let tail = self.history.cut_off(&mut self.session);
        self.recorder.replace(tail.len(), Vec::new());
        match change {
            Change::TakeOut { stroke } => {
                let (gesture, left) = take_out(tail, *stroke);
                self.edits.took_out(gesture);
                left
            }
            Change::PutIn(gesture) => put_in(tail, std::mem::take(gesture)),
            Change::LaneBack { place, color, frames } => {
                let (place, color) = (*place, *color);
                let at = self.session.lanes().iter().position(|lane| lane.color == color);
                if let Some(at) = at {
                    self.session.show_on(at, frames.clone());
                }
                tail.into_iter().skip(1).map(|event| with_lane(event, place)).collect()
            }
            Change::Now(..) => tail.into(),
        }
    }

    /// Share of the way that is left, while the session is computed again from an edit on.
    pub fn rewriting(&self) -> Option<f64> {
        let rewriting = self.edits.rewriting.as_ref()?;
        if let Change::Now(..) = rewriting.change {
            return self.history.progress().map(|done| 1.0 - done);
        }
        let done = self.history.end().events.saturating_sub(rewriting.events);
        let left = rewriting.queue.as_ref().map_or(done.max(1), VecDeque::len);
        Some(left as f64 / (left + done).max(1) as f64)
    }
}

/// Events of the hand from the first of these on, and the other events. Cuts belong to the first
/// one if no more than `stroke` events lie between them.
fn take_out(tail: Vec<Event>, stroke: usize) -> (Gesture, VecDeque<Event>) {
    let (mut gesture, mut left) = (Gesture::new(), VecDeque::new());
    let (mut first, mut ended) = (None, false);
    for (number, event) in tail.into_iter().enumerate() {
        let command = match &event {
            Event::Command(command) if !ended => Some(command),
            _ => None,
        };
        let belongs = match (command, &first) {
            (None, _) => false,
            (Some(command), None) => {
                first = Some(Command::clone(command));
                ended = !lasts(command) && stroke == 0;
                true
            }
            (Some(command), Some(first)) => {
                let goes_on = continues(first, command);
                ended = ends(command);
                goes_on
            }
        };
        ended |= stroke > 0 && number >= stroke;
        match event {
            Event::Command(command) if belongs => gesture.push((number, *command)),
            event => left.push_back(event),
        }
    }
    (gesture, left)
}

/// True if more commands belong to one that the hand begins with.
fn lasts(first: &Command) -> bool {
    matches!(first, Command::Blow(_) | Command::Grab { .. } | Command::GrabCollider { .. })
}

fn continues(first: &Command, command: &Command) -> bool {
    match first {
        Command::Blow(_) => matches!(command, Command::Blow(_)),
        Command::Cut(_) => matches!(command, Command::Cut(_)),
        _ => matches!(command, Command::MoveHand(_) | Command::Release),
    }
}

/// True if nothing after a command belongs to what the hand began before.
fn ends(command: &Command) -> bool {
    matches!(
        command,
        Command::Blow(None)
            | Command::Release
            | Command::Reset
            | Command::Grab { .. }
            | Command::GrabCollider { .. }
    )
}

fn put_in(tail: Vec<Event>, gesture: Gesture) -> VecDeque<Event> {
    let mut queue = VecDeque::new();
    let (mut tail, mut gesture) = (tail.into_iter(), gesture.into_iter().peekable());
    loop {
        let number = queue.len();
        let next = gesture.next_if(|(at, _)| *at <= number);
        let next = next.map(|(_, command)| Event::Command(Box::new(command)));
        match next.or_else(|| tail.next()) {
            Some(event) => queue.push_back(event),
            None => break,
        }
    }
    queue.extend(gesture.map(|(_, command)| Event::Command(Box::new(command))));
    queue
}

/// An event as it is with another lane at a place.
fn with_lane(event: Event, place: usize) -> Event {
    let moved = |lane: usize| if lane >= place { lane + 1 } else { lane };
    match event {
        Event::Frame { seconds, mut lanes } => {
            lanes.insert(place.min(lanes.len()), LaneFrame::default());
            Event::Frame { seconds, lanes }
        }
        Event::Command(command) => Event::Command(Box::new(match *command {
            Command::Configure { lane, settings } => {
                Command::Configure { lane: moved(lane), settings }
            }
            Command::DuplicateLane(lane) => Command::DuplicateLane(moved(lane)),
            Command::RemoveLane(lane) => Command::RemoveLane(moved(lane)),
            other => other,
        })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    fn event(command: Command) -> Event {
        Event::Command(Box::new(command))
    }

    #[test]
    fn what_the_hand_did_is_taken_out_as_a_whole_and_put_in_again() {
        let frame = || Event::Frame { seconds: 0.016, lanes: vec![LaneFrame::default()] };
        let grab = Command::GrabCollider { collider: 0, at: DVec3::ZERO };
        let way = || event(Command::MoveHand(DVec3::X));
        let events = vec![
            event(grab),
            way(),
            frame(),
            event(Command::Pause(true)),
            way(),
            frame(),
            event(Command::Release),
            frame(),
            event(Command::Grab { particle: 0, mode: Default::default(), at: DVec3::ZERO }),
            way(),
        ];
        let (gesture, left) = take_out(events.clone(), 0);
        assert_eq!(gesture.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [0, 1, 4, 6]);
        assert_eq!(left.len(), 6, "{left:?}");
        assert_eq!(Vec::from(put_in(left.into(), gesture)), events);
        let (cut, left) = take_out(vec![event(Command::Cut(vec![1])), event(Command::Release)], 0);
        assert_eq!((cut.len(), left.len()), (1, 1));
        let cut = |link| event(Command::Cut(vec![link]));
        let events = vec![cut(1), frame(), cut(2), frame(), cut(3), frame(), cut(4)];
        let (stroke, left) = take_out(events.clone(), 4);
        assert_eq!(stroke.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [0, 2, 4]);
        assert_eq!(left.len(), 4, "the last cut is another stroke: {left:?}");
        assert_eq!(Vec::from(put_in(left.into(), stroke)), events);
    }
}
