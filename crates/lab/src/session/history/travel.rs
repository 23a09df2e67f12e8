//! Travel through the history: going to an earlier moment, and continuing from there.

use super::super::event::Event;
use super::super::moments::{SessionMoment, steps_of, without_last_steps};
use super::super::side_by_side::Session;
use super::branch::Branch;
use super::keyframe::{EVENT_BYTES, TimedEvent};
use super::{History, Travel, UndoneEvents};
use crate::simulation::settings::Command;

impl History {
    /// Travels to a kept moment, and pauses the session there. Returns on arrival.
    pub fn go_to(&mut self, session: &mut Session, place: SessionMoment) {
        self.start_travel(session, place);
        self.continue_travel(session, || false);
    }

    /// Starts to travel to a kept moment. [`Self::continue_travel`] continues the travel.
    pub fn start_travel(&mut self, session: &mut Session, place: SessionMoment) {
        let target = SessionMoment {
            events: place.events.clamp(self.dropped_events, self.end().events),
            ..place
        };
        let from = self.keyframe_before(target.whole());
        let now = self.travel.take().unwrap_or_else(|| Travel {
            target: self.end(),
            applied: self.end().events,
            partial: false,
            arrived: true,
            was_paused: session.paused(),
        });
        let applied = if !now.partial && (from..=target.whole()).contains(&now.applied) {
            if now.arrived {
                session.command(Command::Pause(now.was_paused));
            }
            now.applied
        } else {
            let keyframe = self.keyframes.iter().rfind(|keyframe| keyframe.events == from);
            keyframe.into_iter().for_each(|keyframe| session.restore(&keyframe.snapshot));
            from
        };
        self.travel =
            Some(Travel { target, applied, partial: false, arrived: false, was_paused: false });
    }

    /// Continues the travel until it arrives, or until `enough` returns true. `enough` is called
    /// after every event. Returns true on arrival.
    pub fn continue_travel(&mut self, session: &mut Session, enough: impl Fn() -> bool) -> bool {
        let end = self.end();
        let (dropped_events, events) = (self.dropped_events, &self.events);
        let Some(travel) = self.travel.as_mut().filter(|travel| !travel.arrived) else {
            return true;
        };
        while travel.applied < travel.target.whole() {
            if let Some(timed) = events.get(travel.applied - dropped_events) {
                session.apply(&timed.event);
            }
            travel.applied += 1;
            if enough() {
                return false;
            }
        }
        if travel.target.missing_steps > 0
            && let Some(timed) = events.get(travel.applied - dropped_events)
            && let Some(part) = without_last_steps(&timed.event, travel.target.missing_steps)
        {
            session.apply(&part);
            travel.partial = true;
        }
        if travel.target == end {
            self.travel = None;
            return true;
        }
        travel.arrived = true;
        travel.was_paused = session.paused();
        session.command(Command::Pause(true));
        true
    }

    /// Returns a copy of the session at the moment that it shows. The copy runs if the session ran
    /// at that moment.
    pub fn copy_of_shown(&self, session: &Session) -> Session {
        let mut copy = session.clone();
        if let Some(travel) = &self.travel {
            copy.command(Command::Pause(travel.was_paused));
        }
        copy
    }

    /// Repeats the events between two moments in a copy of the session. The copy must be at `from`,
    /// a moment between two events.
    pub fn repeat_in(&self, copy: &mut Session, from: SessionMoment, to: SessionMoment) {
        for event in (from.events..to.whole()).filter_map(|index| self.event(index)) {
            copy.apply(event);
        }
        if to.missing_steps > 0
            && let Some(event) = self.event(to.whole())
            && let Some(part) = without_last_steps(event, to.missing_steps)
        {
            copy.apply(&part);
        }
    }

    /// Returns the events that would be undone if the session continued from the current moment;
    /// `None` at the newest moment.
    pub fn pending_undo(&self) -> Option<UndoneEvents> {
        let travel = self.travel.as_ref()?;
        Some(UndoneEvents {
            events: self.end().events.checked_sub(travel.applied)?,
            replacement: self.replacement(travel),
        })
    }

    fn replacement(&self, travel: &Travel) -> Option<Event> {
        let event = self.event(travel.applied).filter(|_| travel.partial)?;
        without_last_steps(event, travel.target.missing_steps)
    }

    /// Continues the session from the current moment, and keeps the later events as a branch. If
    /// the session is travelling, it continues from the moment that it has reached. Returns `None`
    /// at the newest moment.
    pub fn continue_from_here(&mut self, session: &mut Session) -> Option<UndoneEvents> {
        let replacement = self.travel.as_ref().and_then(|travel| self.replacement(travel));
        let tail = self.make_newest(session)?;
        let events = tail.events.len();
        let whole = tail.events.first().cloned();
        self.keep_branch(tail);
        if let (Some(event), Some(whole)) = (replacement.clone(), whole) {
            let fraction = f64::from(steps_of(&event)) / f64::from(steps_of(&whole.event).max(1));
            let end = self.end_time() + (whole.end - self.end_time()) * fraction;
            self.events.push_back(TimedEvent { event, end });
            self.bytes += EVENT_BYTES;
        }
        Some(UndoneEvents { events, replacement })
    }

    /// Continues the session from the current moment. Returns the later events instead of keeping
    /// them as a branch. Branches that began within the returned events then begin at the current
    /// moment.
    pub fn take_later_events(&mut self, session: &mut Session) -> Vec<Event> {
        let Some(mut tail) = self.make_newest(session) else { return Vec::new() };
        self.keep_branches_within(&mut tail);
        tail.events.into_iter().map(|timed| timed.event).collect()
    }

    /// Makes the current moment the newest one, and returns the later events as a branch. `None` at
    /// the newest moment.
    fn make_newest(&mut self, session: &mut Session) -> Option<Branch> {
        let travel = self.travel.take()?;
        if travel.arrived {
            session.command(Command::Pause(travel.was_paused));
        }
        session.forget_later_samples();
        (self.frames, self.seconds) = (0, 0.0);
        self.clock = session.time();
        Some(self.remove_later_events(travel.applied))
    }
}
