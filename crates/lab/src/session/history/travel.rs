//! Travel in the history: going to an earlier moment, and continuing from there.

use super::super::moments::{steps_of, with_steps_less};
use super::super::{Event, Session};
use super::branches::Branch;
use super::{Back, EVENT_BYTES, History, Lived, Past, Place};
use crate::simulation::settings::Command;

impl History {
    /// Travels to a kept moment, and pauses the session there. Returns on arrival.
    pub fn go(&mut self, session: &mut Session, place: Place) {
        self.set_out(session, place);
        self.pursue(session, || false);
    }

    /// Starts to travel to a kept moment. [`Self::pursue`] continues the travel.
    pub fn set_out(&mut self, session: &mut Session, place: Place) {
        let target = Place { events: place.events.clamp(self.gone, self.end().events), ..place };
        let from = self.keyframe_before(target.whole());
        let now = self.past.take().unwrap_or_else(|| Past {
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
        self.past =
            Some(Past { target, applied, partial: false, arrived: false, was_paused: false });
    }

    /// Continues the travel until arrival, or until `enough` returns true. `enough` is called after
    /// every event. Returns true on arrival.
    pub fn pursue(&mut self, session: &mut Session, enough: impl Fn() -> bool) -> bool {
        let end = self.end();
        let (gone, events) = (self.gone, &self.events);
        let Some(past) = self.past.as_mut().filter(|past| !past.arrived) else { return true };
        while past.applied < past.target.whole() {
            if let Some(lived) = events.get(past.applied - gone) {
                session.apply(&lived.event);
            }
            past.applied += 1;
            if enough() {
                return false;
            }
        }
        if past.target.less > 0
            && let Some(lived) = events.get(past.applied - gone)
            && let Some(part) = with_steps_less(&lived.event, past.target.less)
        {
            session.apply(&part);
            past.partial = true;
        }
        if past.target == end {
            self.past = None;
            return true;
        }
        past.arrived = true;
        past.was_paused = session.paused();
        session.command(Command::Pause(true));
        true
    }

    /// Returns the events that would be undone if the session continued from the current moment;
    /// `None` at the newest moment.
    pub fn unrecorded(&self) -> Option<Back> {
        let past = self.past.as_ref()?;
        Some(Back {
            events: self.end().events.checked_sub(past.applied)?,
            instead: self.instead(past),
        })
    }

    fn instead(&self, past: &Past) -> Option<Event> {
        let event = self.event(past.applied).filter(|_| past.partial)?;
        with_steps_less(event, past.target.less)
    }

    /// Continues the session from the current moment, and keeps the later events as a branch. A
    /// travelling session continues from the moment that it has reached. `None` at the newest
    /// moment.
    pub fn go_on(&mut self, session: &mut Session) -> Option<Back> {
        let instead = self.past.as_ref().and_then(|past| self.instead(past));
        let tail = self.leave_past(session)?;
        let events = tail.events.len();
        let whole = tail.events.first().cloned();
        self.keep_branch(tail);
        if let (Some(event), Some(whole)) = (instead.clone(), whole) {
            let share = f64::from(steps_of(&event)) / f64::from(steps_of(&whole.event).max(1));
            let end = self.end_time() + (whole.end - self.end_time()) * share;
            self.events.push_back(Lived { event, end });
            self.bytes += EVENT_BYTES;
        }
        Some(Back { events, instead })
    }

    /// Continues the session from the current moment, and returns the later events instead of
    /// keeping them as a branch. Branches that begin within these events now begin at the current
    /// moment.
    pub fn cut_off(&mut self, session: &mut Session) -> Vec<Event> {
        let Some(mut tail) = self.leave_past(session) else { return Vec::new() };
        self.keep_branches_within(&mut tail);
        tail.events.into_iter().map(|lived| lived.event).collect()
    }

    /// Makes the current moment the newest one, and returns the later events as a branch. `None` at
    /// the newest moment.
    fn leave_past(&mut self, session: &mut Session) -> Option<Branch> {
        let past = self.past.take()?;
        if past.arrived {
            session.command(Command::Pause(past.was_paused));
        }
        session.forget_later_samples();
        (self.frames, self.seconds) = (0, 0.0);
        self.clock = session.time();
        Some(self.cut_tail(past.applied))
    }
}
