//! The last moments of a session, to go back to: snapshots every now and then, and the events
//! between them, which happen again from the snapshot before.

use super::{Event, LaneFrame, Session, SessionSnapshot};
use crate::simulation::settings::Command;
use std::collections::VecDeque;

/// Frames from one snapshot to the next.
const FRAMES_BETWEEN: u32 = 60;
/// Seconds of computing from one snapshot to the next: going back takes at most as long.
const SECONDS_BETWEEN: f64 = 0.25;

/// Bytes of an event with the numbers of a few lanes.
const EVENT_BYTES: usize = size_of::<Event>() + 64;

/// What a session has lived through lately.
#[derive(Debug)]
pub struct History {
    /// Oldest first; there is always one.
    snapshots: VecDeque<Checkpoint>,
    /// Since the oldest snapshot.
    events: VecDeque<Event>,
    /// Most bytes of all snapshots and events.
    budget: usize,
    bytes: usize,
    /// Since the newest snapshot.
    frames: u32,
    seconds: f64,
}

#[derive(Debug)]
struct Checkpoint {
    snapshot: SessionSnapshot,
    /// Events from the oldest snapshot to this one.
    events: usize,
    /// Of the snapshot, and of the events since the one before.
    bytes: usize,
}

/// How a session went back.
#[derive(Clone, Debug, PartialEq)]
pub struct Back {
    /// How many of the last events have not happened.
    pub events: usize,
    /// What happened in their place: their first frame, with a step less.
    pub instead: Option<Event>,
}

impl History {
    /// A history that begins now. It takes at most so many bytes, but for the newest snapshot and
    /// the events after it.
    pub fn new(session: &Session, budget: usize) -> Self {
        let mut history = Self {
            snapshots: VecDeque::new(),
            events: VecDeque::new(),
            budget,
            bytes: 0,
            frames: 0,
            seconds: 0.0,
        };
        history.keep(session);
        history
    }

    /// Something happened, which led to this session.
    pub fn note(&mut self, event: Event, session: &Session) {
        self.frames += u32::from(is_step(&event));
        if let Event::Frame { lanes, .. } = &event {
            self.seconds += lanes.iter().map(seconds_of).sum::<f64>();
        }
        self.events.push_back(event);
        if self.frames >= FRAMES_BETWEEN || self.seconds >= SECONDS_BETWEEN {
            self.keep(session);
        }
    }

    /// Goes back by one step in every lane that took one in the last frame or single step; commands
    /// after that have not been given. `None` at the oldest moment that is kept.
    pub fn back(&mut self, session: &mut Session) -> Option<Back> {
        let place = self.events.iter().rposition(is_step)?;
        let events = self.events.len() - place;
        let instead = self.events.get(place).and_then(with_a_step_less);
        self.events.truncate(place);
        let later = |moment: &Checkpoint| moment.events > place;
        while self.snapshots.len() > 1 && self.snapshots.back().is_some_and(later) {
            self.forget_newest();
        }
        let before = self.snapshots.back()?;
        session.restore(&before.snapshot);
        self.events.iter().skip(before.events).for_each(|event| session.apply(event));
        if let Some(event) = &instead {
            session.apply(event);
            self.events.push_back(event.clone());
        }
        Some(Back { events, instead })
    }

    fn keep(&mut self, session: &Session) {
        let (snapshot, events) = (session.snapshot(), self.events.len());
        let before = self.snapshots.back().map_or(0, |moment| moment.events);
        let bytes = snapshot.bytes() + (events - before) * EVENT_BYTES;
        self.bytes += bytes;
        self.snapshots.push_back(Checkpoint { snapshot, events, bytes });
        (self.frames, self.seconds) = (0, 0.0);
        while self.bytes > self.budget && self.snapshots.len() > 1 {
            self.forget_oldest();
        }
    }

    fn forget_newest(&mut self) {
        let newest = self.snapshots.pop_back();
        self.bytes -= newest.map_or(0, |moment| moment.bytes);
    }

    fn forget_oldest(&mut self) {
        let oldest = self.snapshots.pop_front();
        self.bytes -= oldest.map_or(0, |moment| moment.bytes);
        let gone = self.snapshots.front().map_or(0, |moment| moment.events);
        self.events.drain(..gone);
        self.snapshots.iter_mut().for_each(|moment| moment.events -= gone);
    }
}

fn seconds_of(lane: &LaneFrame) -> f64 {
    lane.step_cost * f64::from(lane.steps)
}

fn is_step(event: &Event) -> bool {
    match event {
        Event::Frame { lanes, .. } => lanes.iter().any(|lane| lane.steps > 0),
        Event::Command(command) => **command == Command::SingleStep,
    }
}

/// The same frame with a step less in every lane; the step is owed. `None` if no step is left.
fn with_a_step_less(event: &Event) -> Option<Event> {
    let Event::Frame { seconds, lanes } = event else { return None };
    let less = |lane: &LaneFrame| {
        let mut less = LaneFrame { steps: lane.steps.saturating_sub(1), ..lane.clone() };
        // Of its own frames the last that took one takes a step less, and later ones did nothing.
        let own = less.own.iter_mut().flatten();
        if let Some(last) = own.rev().find(|frame| frame.steps > 0) {
            last.steps -= 1;
        }
        less
    };
    let less = Event::Frame { seconds: *seconds, lanes: lanes.iter().map(less).collect() };
    is_step(&less).then_some(less)
}
