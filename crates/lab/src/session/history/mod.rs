//! History of a session, for returning to earlier moments. It consists of keyframes (snapshots) and
//! the events between them. To travel to a moment, the session restores the keyframe before it and
//! repeats the events from there.
//!
//! Keyframes have a memory budget. When it is used up, keyframes are dropped so that the rest is
//! dense near the present and sparse in the distant past. A distant moment then takes longer to
//! compute. The oldest moments are dropped only if the events need more than half of the budget, or
//! if the last two keyframes exceed it.

mod branch;
mod branches;
mod budget;
mod keyframe;
mod mark;
mod travel;

pub use branch::ListedBranch;
pub use mark::{Mark, MarkKind};

use super::event::Event;
use super::lane_frame::LaneFrame;
use super::moments::{SessionMoment, is_step, steps_of};
use super::side_by_side::Session;
use crate::simulation::settings::Command;
use branch::Branch;
use keyframe::{EVENT_BYTES, Keyframe, TimedEvent};
use std::collections::VecDeque;

/// Largest number of frames between two keyframes.
const FRAMES_BETWEEN: u32 = 60;
/// Longest computing time between two keyframes in seconds. While keyframes are dense, travelling
/// to a kept moment takes at most this long.
const SECONDS_BETWEEN: f64 = 0.08;

/// Largest distance between two changes that count as one drag of a slider, in events.
const EVENTS_OF_A_DRAG: usize = 60;

/// History of a session, and the moment that the session shows. Clones share their keyframes.
#[derive(Clone, Debug)]
pub struct History {
    /// Keyframes, oldest first; never empty.
    keyframes: VecDeque<Keyframe>,
    /// Events since the oldest keyframe, oldest first.
    events: VecDeque<TimedEvent>,
    /// Number of dropped events, which came before `events`.
    dropped_events: usize,
    /// Session time in seconds at the start of `events`.
    start_time: f64,
    marks: Vec<Mark>,
    /// Number of events up to and including the last change of settings or of the scene; `None`
    /// before the first change.
    last_change: Option<usize>,
    travel: Option<Travel>,
    /// Branches that begin in the current events. The next switch leads to the last one.
    branches: Vec<Branch>,
    /// Number of all branches so far, including dropped ones.
    branches_made: usize,
    /// Largest size of all keyframes, events and branches in bytes.
    budget: usize,
    bytes: usize,
    frames: u32,
    seconds: f64,
    /// Work of all events so far. The work between two keyframes is 1.
    work: f64,
    /// Session time in seconds after the newest event, counted from the last restart of the scene.
    clock: f64,
}

/// State of a session that shows an earlier moment or travels to one.
#[derive(Clone, Debug)]
struct Travel {
    target: SessionMoment,
    /// Number of complete events that the session has applied.
    applied: usize,
    /// True if the session has also applied some steps of the next event.
    partial: bool,
    arrived: bool,
    /// True if the session was paused when it first passed the target moment. While it shows an
    /// earlier moment, it is always paused.
    was_paused: bool,
}

/// Events that are undone when a session continues from an earlier moment, and the event that takes
/// their place.
#[derive(Clone, Debug, PartialEq)]
pub struct UndoneEvents {
    /// Number of events that are undone, counted from the end.
    pub events: usize,
    /// Event that takes the place of the undone events: the first of them, with fewer steps. `None`
    /// if the session continues between two events.
    pub replacement: Option<Event>,
}

impl History {
    /// Creates a history that begins at the present moment of the session. `budget` limits its size
    /// in bytes. The newest keyframe and the events after it are kept even if they exceed `budget`.
    pub fn new(session: &Session, budget: usize) -> Self {
        let mut history = Self {
            keyframes: VecDeque::new(),
            events: VecDeque::new(),
            dropped_events: 0,
            start_time: 0.0,
            marks: Vec::new(),
            last_change: None,
            travel: None,
            branches: Vec::new(),
            branches_made: 0,
            budget,
            bytes: 0,
            frames: 0,
            seconds: 0.0,
            work: 0.0,
            clock: session.time(),
        };
        history.add_keyframe(session);
        history
    }

    /// Records an event that was just applied to the session, which must be at its newest moment.
    pub fn record(&mut self, event: Event, session: &Session) {
        if let Event::Frame { lanes, .. } = &event {
            let seconds: f64 = lanes.iter().map(seconds_of).sum();
            self.seconds += seconds;
            self.work += seconds / SECONDS_BETWEEN;
        }
        if is_step(&event) || matches!(event, Event::Frame { .. }) {
            self.frames += 1;
            self.work += 1.0 / f64::from(FRAMES_BETWEEN);
        }
        self.add_marks(&event, session);
        let end = self.end_time() + self.duration_of(&event, session);
        self.clock = session.time();
        self.events.push_back(TimedEvent { event, end });
        self.bytes += EVENT_BYTES;
        if self.frames >= FRAMES_BETWEEN || self.seconds >= SECONDS_BETWEEN {
            self.add_keyframe(session);
        } else {
            self.free_memory();
        }
    }

    /// Undoes the last step of the session and all later commands. Lanes that took no step in that
    /// event stay as they are. Returns `None` at the oldest kept moment.
    pub fn step_back(&mut self, session: &mut Session) -> Option<UndoneEvents> {
        let before = self.step_before(self.shown_moment())?;
        self.go_to(session, before);
        self.continue_from_here(session)
    }

    /// Returns the newest moment of the session.
    pub fn end(&self) -> SessionMoment {
        SessionMoment { events: self.dropped_events + self.events.len(), missing_steps: 0 }
    }

    /// Returns the oldest moment that the history keeps.
    pub fn start(&self) -> SessionMoment {
        SessionMoment { events: self.dropped_events, missing_steps: 0 }
    }

    /// Returns the moment that the session shows or travels to.
    pub fn shown_moment(&self) -> SessionMoment {
        self.travel.as_ref().map_or(self.end(), |travel| travel.target)
    }

    /// True if the session shows an earlier moment, or travels to one.
    pub fn is_past(&self) -> bool {
        self.travel.is_some()
    }

    /// Returns the finished fraction of the travel to a moment, 0 to 1; `None` if the session is
    /// not travelling.
    pub fn progress(&self) -> Option<f64> {
        let travel = self.travel.as_ref().filter(|travel| !travel.arrived)?;
        let from = self.keyframe_before(travel.target.whole());
        let distance = travel.target.whole().saturating_sub(from).max(1);
        Some(travel.applied.saturating_sub(from) as f64 / distance as f64)
    }

    /// Returns the marks of the timeline, oldest first.
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// Returns the size of all keyframes, events and branches in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns how many events must be repeated to travel to `place`: those after the keyframe
    /// before it.
    pub fn events_to_repeat(&self, place: SessionMoment) -> usize {
        place.whole() - self.keyframe_before(place.whole())
    }

    /// Returns the largest number of events that a travel to a kept moment must repeat.
    pub fn most_events_to_repeat(&self) -> usize {
        let next = self.keyframes.iter().skip(1).map(|keyframe| keyframe.events);
        let gaps = self.keyframes.iter().zip(next.chain([self.end().events]));
        gaps.map(|(keyframe, next)| next - keyframe.events).max().unwrap_or(0)
    }

    /// Returns the session time of a moment in seconds. A restart of the scene does not reset this
    /// time.
    pub fn time_of(&self, place: SessionMoment) -> f64 {
        let end = |events: usize| {
            let index = events.checked_sub(self.dropped_events + 1);
            index.and_then(|index| self.events.get(index)).map_or(self.start_time, |it| it.end)
        };
        if place.missing_steps == 0 {
            return end(place.events);
        }
        let (from, to) = (end(place.events - 1), end(place.events));
        let steps = self.event(place.events - 1).map_or(1, steps_of).max(1);
        to - (to - from) * f64::from(place.missing_steps.min(steps)) / f64::from(steps)
    }

    /// Returns the last moment between two events at which the session time is at most `time`
    /// seconds.
    pub fn place_at(&self, time: f64) -> SessionMoment {
        let events = self.dropped_events + self.events.partition_point(|timed| timed.end <= time);
        SessionMoment { events, missing_steps: 0 }
    }

    /// Returns the moment one step before `place`; `None` if no earlier step is kept.
    pub fn step_before(&self, place: SessionMoment) -> Option<SessionMoment> {
        let last = self.frame_ending_by(place.events)?;
        let missing_steps = if last == place.events { place.missing_steps + 1 } else { 1 };
        let steps = self.event(last - 1).map_or(0, steps_of);
        Some(if missing_steps < steps {
            SessionMoment { events: last, missing_steps }
        } else {
            SessionMoment { events: last - 1, missing_steps: 0 }
        })
    }

    /// Returns the moment one step after `place`; `None` if there is no later step.
    pub fn step_after(&self, place: SessionMoment) -> Option<SessionMoment> {
        if place.missing_steps > 0 {
            return Some(SessionMoment { missing_steps: place.missing_steps - 1, ..place });
        }
        let next = self.frame_beginning_from(place.events)?;
        let steps = self.event(next - 1).map_or(1, steps_of);
        Some(SessionMoment { events: next, missing_steps: steps.saturating_sub(1) })
    }

    /// Returns the end of the frame before `place`; `None` if no earlier frame is kept.
    pub fn frame_before(&self, place: SessionMoment) -> Option<SessionMoment> {
        let last = self.frame_ending_by(place.events)?;
        Some(SessionMoment { events: last - 1, missing_steps: 0 })
    }

    /// Returns the end of the frame that contains `place` or follows it; `None` if there is no
    /// later frame.
    pub fn frame_after(&self, place: SessionMoment) -> Option<SessionMoment> {
        if place.missing_steps > 0 {
            return Some(SessionMoment { missing_steps: 0, ..place });
        }
        Some(SessionMoment { events: self.frame_beginning_from(place.events)?, missing_steps: 0 })
    }

    /// Returns the moment that is `steps` steps of the exploded lane before the explosion at
    /// `mark`. If the mark is of another kind, returns the moment after the marked event.
    pub fn before_explosion(&self, mark: &Mark, mut steps: u32) -> SessionMoment {
        let MarkKind::Explosion { lane, .. } = mark.kind else {
            return SessionMoment { events: mark.events, missing_steps: 0 };
        };
        let mut events = mark.events;
        while events > self.dropped_events {
            let taken = match self.event(events - 1) {
                Some(Event::Frame { lanes, .. }) => lanes.get(lane).map_or(0, |it| it.steps),
                Some(event) => steps_of(event),
                None => 0,
            };
            if steps < taken {
                return SessionMoment { events, missing_steps: steps };
            }
            steps -= taken;
            events -= 1;
            if steps == 0 {
                break;
            }
        }
        SessionMoment { events, missing_steps: 0 }
    }

    /// Returns the kept events after the first `events` events of the session.
    pub fn events_from(&self, events: usize) -> Vec<Event> {
        let kept = self.events.iter().skip(events.saturating_sub(self.dropped_events));
        kept.map(|timed| timed.event.clone()).collect()
    }

    fn event(&self, index: usize) -> Option<&Event> {
        let timed = self.events.get(index.checked_sub(self.dropped_events)?)?;
        Some(&timed.event)
    }

    fn end_time(&self) -> f64 {
        self.events.back().map_or(self.start_time, |timed| timed.end)
    }

    fn duration_of(&self, event: &Event, session: &Session) -> f64 {
        match event {
            Event::Frame { .. } => (session.time() - self.clock).max(0.0),
            Event::Command(command) if **command == Command::SingleStep => {
                let dt = session.lanes().iter().map(|lane| lane.simulation.settings().dt);
                dt.fold(0.0, f64::max)
            }
            Event::Command(_) => 0.0,
        }
    }

    /// Returns the number of events up to and including the last event with a step. Only the first
    /// `events` events are searched. `None` if none of them has a step.
    fn frame_ending_by(&self, events: usize) -> Option<usize> {
        let among = events.checked_sub(self.dropped_events)?;
        let last = self.events.iter().take(among).rposition(|timed| is_step(&timed.event))?;
        Some(self.dropped_events + last + 1)
    }

    fn frame_beginning_from(&self, events: usize) -> Option<usize> {
        let skipped = events.checked_sub(self.dropped_events)?;
        let next = self.events.iter().skip(skipped).position(|timed| is_step(&timed.event))?;
        Some(events + next + 1)
    }

    fn keyframe_before(&self, events: usize) -> usize {
        let before = self.keyframes.iter().rfind(|keyframe| keyframe.events <= events);
        before.map_or(self.dropped_events, |keyframe| keyframe.events)
    }

    fn add_marks(&mut self, event: &Event, session: &Session) {
        let events = self.end().events + 1;
        let kind = match event {
            Event::Frame { .. } => None,
            Event::Command(command) => MarkKind::of(command),
        };
        // A change of the number of segments restarts the scene.
        let restarts_scene = kind == Some(MarkKind::Scene) && session.time() < self.clock;
        let kind = if restarts_scene { Some(MarkKind::Restart) } else { kind };
        if let Some(kind) = kind.filter(|kind| !self.is_same_slider_drag(*kind, events)) {
            self.marks.push(Mark { events, kind });
        }
        for (lane, it) in session.lanes().iter().enumerate() {
            if it.simulation.explosion().is_some() && !self.has_explosion_mark(it.color) {
                let kind = MarkKind::Explosion { lane, color: it.color };
                self.marks.push(Mark { events, kind });
            }
        }
    }

    /// True if a change belongs to the same drag of a slider as the change before. It then gets no
    /// mark of its own.
    fn is_same_slider_drag(&mut self, kind: MarkKind, events: usize) -> bool {
        if !matches!(kind, MarkKind::Settings | MarkKind::Scene) {
            return false;
        }
        let before = self.last_change.replace(events);
        let is_near = before.is_some_and(|it| it < events && events - it <= EVENTS_OF_A_DRAG);
        is_near && self.marks.last().is_some_and(|mark| mark.kind == kind)
    }

    /// True if an explosion of the lane with this colour has been marked since the last restart.
    fn has_explosion_mark(&self, color: usize) -> bool {
        let since = self.marks.iter().rev().take_while(|mark| mark.kind != MarkKind::Restart);
        since.into_iter().any(
            |mark| matches!(mark.kind, MarkKind::Explosion { color: known, .. } if known == color),
        )
    }
}

fn seconds_of(lane: &LaneFrame) -> f64 {
    lane.step_cost * f64::from(lane.steps)
}
