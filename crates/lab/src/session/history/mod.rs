//! History of a session, for returning to earlier moments. It consists of keyframes (snapshots) and
//! of the events between them. To reach a moment, the session restores the keyframe before the
//! moment and repeats the events up to it.
//!
//! Keyframes have a memory budget. When the budget is used up, keyframes are dropped: they stay
//! dense near the present and become sparse in the distant past. A distant moment then takes longer
//! to compute, but stays reachable.

mod branches;
mod budget;
mod travel;

pub use branches::ListedBranch;

use super::event::Event;
use super::lane_frame::LaneFrame;
use super::moments::{SessionMoment, is_step, steps_of};
use super::side_by_side::Session;
use super::snapshot::SessionSnapshot;
use crate::simulation::settings::Command;
use branches::Branch;
use std::collections::VecDeque;
use std::sync::Arc;

/// Maximum number of frames between two keyframes.
const FRAMES_BETWEEN: u32 = 60;
/// Maximum computing time between two keyframes, in seconds. Between dense keyframes, going back
/// takes at most this time.
const SECONDS_BETWEEN: f64 = 0.08;

/// Largest distance in events between two changes of one slider drag.
const EVENTS_OF_A_DRAG: usize = 60;
/// Assumed size in bytes of an event with the step counts of a few lanes.
const EVENT_BYTES: usize = size_of::<TimedEvent>() + 64;
/// History of a session, and the moment that the session shows. Clones share their keyframes.
#[derive(Clone, Debug)]
pub struct History {
    /// Keyframes, oldest first; never empty.
    keyframes: VecDeque<Keyframe>,
    /// Events since the oldest keyframe, oldest first.
    events: VecDeque<TimedEvent>,
    /// Number of events before `events`, which were dropped.
    dropped_events: usize,
    /// Session time in seconds at the start of `events`.
    start_time: f64,
    marks: Vec<Mark>,
    /// Number of events up to and including the last change of settings or of the scene; `None`
    /// before the first change.
    last_change: Option<usize>,
    travel: Option<Travel>,
    /// Branches that begin in the current events. The session would switch to the last one next.
    branches: Vec<Branch>,
    /// Number of all branches so far, including dropped ones.
    branches_made: usize,
    /// Maximum size in bytes of all keyframes and events.
    budget: usize,
    bytes: usize,
    frames: u32,
    seconds: f64,
    /// Work of all events so far, in multiples of the work between two keyframes.
    work: f64,
    /// Session time in seconds after the newest event, counted from the last restart of the scene.
    clock: f64,
}

#[derive(Clone, Debug)]
struct Keyframe {
    snapshot: Arc<SessionSnapshot>,
    /// Number of events from the start of the session to the keyframe.
    events: usize,
    bytes: usize,
    work: f64,
}

#[derive(Clone, Debug)]
struct TimedEvent {
    event: Event,
    /// Session time in seconds after the event. Restarts of the scene do not reset it.
    end: f64,
}

/// Mark on the timeline: an event to which the user may want to return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Number of events up to and including the marked event.
    pub events: usize,
    /// Kind of the event.
    pub kind: MarkKind,
}

/// Kind of a marked event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// Explosion of a lane.
    Explosion {
        /// Index of the lane at the time of the explosion.
        lane: usize,
        /// Palette index of the lane's colour, which never changes.
        color: usize,
    },
    /// Cut of links.
    Cut,
    /// Throw of a ball.
    Throw,
    /// Pinning or freeing of a particle.
    Pin,
    /// Grab of a particle or collider with the mouse.
    Drag,
    /// Change of a lane's settings.
    Settings,
    /// Addition or removal of a lane.
    Lanes,
    /// Change of gravity, wind or a material.
    Scene,
    /// Addition or removal of a body.
    Body,
    /// Restart of the scene.
    Restart,
}

/// State of a session that shows an earlier moment, or that travels to it.
#[derive(Clone, Debug)]
struct Travel {
    target: SessionMoment,
    /// Number of complete events that the session has applied.
    applied: usize,
    /// True if the session has also applied some steps of the next event.
    partial: bool,
    arrived: bool,
    /// True if the session is paused at the target moment itself. Any session that shows an earlier
    /// moment is paused.
    was_paused: bool,
}

/// Effect of continuing from an earlier moment: events that are undone, and the event that replaces
/// them.
#[derive(Clone, Debug, PartialEq)]
pub struct UndoneEvents {
    /// Number of events that are undone, counted from the end.
    pub events: usize,
    /// Event that replaces the undone events: the first of them, with fewer steps. `None` if the
    /// session continues between two events.
    pub replacement: Option<Event>,
}

impl History {
    /// Creates a history that begins now. `budget` limits its bytes, without the newest keyframe
    /// and the events after it.
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

    /// Records an event. The session must be at its newest moment, and the event must be applied.
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

    /// Undoes one step of each lane that took steps in the last event with steps, and all later
    /// commands. Returns `None` at the oldest kept moment.
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

    /// Returns the moment that the session shows, or to which it travels.
    pub fn shown_moment(&self) -> SessionMoment {
        self.travel.as_ref().map_or(self.end(), |travel| travel.target)
    }

    /// True if the session shows an earlier moment, or travels to one.
    pub fn is_past(&self) -> bool {
        self.travel.is_some()
    }

    /// Returns the finished fraction of the travel to a moment, 0 to 1; `None` if the session does
    /// not travel.
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

    /// Returns the bytes of all keyframes and events.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the number of events between the keyframe before `place` and `place`. They must be
    /// repeated to reach `place`.
    pub fn events_to_repeat(&self, place: SessionMoment) -> usize {
        place.whole() - self.keyframe_before(place.whole())
    }

    /// Returns the largest number of events that must be repeated to reach a kept moment.
    pub fn most_events_to_repeat(&self) -> usize {
        let next = self.keyframes.iter().skip(1).map(|keyframe| keyframe.events);
        let gaps = self.keyframes.iter().zip(next.chain([self.end().events]));
        gaps.map(|(keyframe, next)| next - keyframe.events).max().unwrap_or(0)
    }

    /// Returns the session time of a moment in seconds. Restarts of the scene do not reset it.
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

    /// Returns the last moment between two events whose session time is at most `time` seconds.
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

    /// Returns the moment before the explosion at `mark`, earlier by `steps` steps of the exploded
    /// lane.
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

    /// Returns the number of events up to and including the last event with a step, among the first
    /// `events`. `None` if none of them has a step.
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
            Event::Command(command) => mark_kind_of(command),
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

    /// True if a change belongs to the same slider drag as the previous change, and therefore gets
    /// no mark.
    fn is_same_slider_drag(&mut self, kind: MarkKind, events: usize) -> bool {
        if !matches!(kind, MarkKind::Settings | MarkKind::Scene) {
            return false;
        }
        let before = self.last_change.replace(events);
        let is_near = before.is_some_and(|it| it < events && events - it <= EVENTS_OF_A_DRAG);
        is_near && self.marks.last().is_some_and(|mark| mark.kind == kind)
    }

    /// True if the explosion of the lane with this colour is already marked since the last restart.
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

fn mark_kind_of(command: &Command) -> Option<MarkKind> {
    match command {
        Command::Grab { .. } | Command::GrabCollider { .. } => Some(MarkKind::Drag),
        Command::Throw(_) => Some(MarkKind::Throw),
        Command::TogglePin(_) => Some(MarkKind::Pin),
        Command::Cut(_) => Some(MarkKind::Cut),
        Command::Reset => Some(MarkKind::Restart),
        Command::Configure { .. } => Some(MarkKind::Settings),
        Command::AddLane { .. } | Command::DuplicateLane(_) | Command::RemoveLane(_) => {
            Some(MarkKind::Lanes)
        }
        Command::ChangeScene(_) => Some(MarkKind::Scene),
        Command::EditScene(_) => Some(MarkKind::Body),
        Command::MoveHand(_)
        | Command::Release
        | Command::Blow(_)
        | Command::Pause(_)
        | Command::SingleStep
        | Command::Speed(_)
        | Command::NameLane { .. } => None,
    }
}
