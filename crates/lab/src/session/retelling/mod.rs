//! Repetition of a session's events after an edit was removed from them (undo) or put back (redo).
//! The "old run" is the recorded sequence of events, the "new run" is the repeated sequence.
//!
//! ```text
//! events from the edit on ─► one by one: left out, put in, or translated ─► session without it
//!                                          lanes: other numbers, settings merged
//!                                          bodies: other numbers of particles, links, obstacles
//! ```
//!
//! A command whose target is missing in the new run is lost: it is removed together with the edit,
//! and put back together with it.

mod bodies;
mod gesture;
mod lanes;
mod settings;

pub use gesture::{Gesture, Taken};

use super::{Event, Session};
use crate::simulation::settings::Command;
use bodies::Bodies;
use lanes::Lanes;
use std::collections::VecDeque;
use std::ops::Range;

/// Event of the old run, by the runs in which it happens.
#[derive(Debug)]
enum Told {
    /// Event that happens in both runs.
    Both(Event),
    /// Command that happens only in the old run.
    Old(Box<Command>),
    /// Commands that replace all lanes, e.g. by those of a comparison.
    Exchange(Vec<Event>),
}

/// Event of the new run that is repeated next.
#[derive(Debug)]
struct Next {
    event: Event,
    /// Index of the event in the old run, counted from the edit; `None` for an inserted command.
    from: Option<usize>,
    /// Indices of the lanes that are missing in the old run.
    absent: Vec<usize>,
}

/// Repetition of the events from an edit on.
#[derive(Debug)]
pub struct Retelling {
    queue: VecDeque<(usize, Told)>,
    next: VecDeque<Next>,
    lanes: Lanes,
    bodies: Bodies,
    /// True if the hand grabbed a body that is missing in the new run. The hand's movements are
    /// then lost, too.
    hand_is_lost: bool,
    takes_out: bool,
    gesture: Gesture,
    lost: usize,
    /// Number of events of the new run before each event of the old run.
    places: Vec<usize>,
    /// Number of events of the new run so far, including those that are about to be repeated.
    told: usize,
}

impl Retelling {
    /// Creates the repetition of `tail` without the edit that begins with its first event. The
    /// session must be at the moment before the edit. `exchanges` are the ranges of events in which
    /// all lanes are replaced.
    pub fn without(
        session: &Session,
        tail: Vec<Event>,
        edit: Taken,
        exchanges: &[Range<usize>],
    ) -> Self {
        let own = edit.of(&tail);
        let queue = joined(tail, exchanges, |number| own[number]);
        Self::begin(session, queue, true, Gesture::new())
    }

    /// Creates the repetition of `tail` with `gesture`, the commands that were removed from it
    /// earlier.
    pub fn with(
        session: &Session,
        tail: Vec<Event>,
        gesture: Gesture,
        exchanges: &[Range<usize>],
    ) -> Self {
        let queue = joined(tail, exchanges, |_| false);
        Self::begin(session, queue, false, gesture)
    }

    fn begin(
        session: &Session,
        queue: VecDeque<(usize, Told)>,
        takes_out: bool,
        gesture: Gesture,
    ) -> Self {
        Self {
            queue,
            next: VecDeque::new(),
            lanes: Lanes::of(session),
            bodies: Bodies::of(session),
            hand_is_lost: false,
            takes_out,
            gesture,
            lost: 0,
            places: Vec::new(),
            told: 0,
        }
    }

    /// Returns the next event, and its index in the old run counted from the edit (`None` for an
    /// inserted command). Returns `None` at the end.
    pub fn next(&mut self, session: &Session) -> Option<(&Event, Option<usize>)> {
        while self.next.is_empty() {
            if !self.takes_out && self.gesture.first().is_some_and(|(at, _)| *at <= self.told) {
                let (_, command) = self.gesture.remove(0);
                self.put_in(command, session);
                continue;
            }
            match self.queue.pop_front() {
                Some((number, told)) => self.tell(number, told, session),
                None if !self.takes_out && !self.gesture.is_empty() => {
                    let (_, command) = self.gesture.remove(0);
                    self.put_in(command, session);
                }
                None => return None,
            }
        }
        self.next.front().map(|next| (&next.event, next.from))
    }

    /// Applies the next event to the session, and returns the event with its actual steps.
    pub fn happen(&mut self, session: &mut Session) -> Option<Event> {
        let next = self.next.pop_front()?;
        Some(session.apply_again(&next.event, &next.absent))
    }

    /// Returns the number of remaining events.
    pub fn left(&self) -> usize {
        self.queue.len() + self.next.len()
    }

    /// True if all events have been repeated.
    pub fn is_done(&self) -> bool {
        self.left() == 0 && (self.takes_out || self.gesture.is_empty())
    }

    /// Takes the removed edit, including the commands that were lost.
    pub fn gesture(&mut self) -> Gesture {
        std::mem::take(&mut self.gesture)
    }

    /// Returns the number of commands that were lost because their target is missing.
    pub fn lost(&self) -> usize {
        self.lost
    }

    /// Returns the number of events of the new run before event `old` of the old run, both counted
    /// from the edit. Positions after the last event keep their distance from it.
    pub fn place(&self, old: usize) -> usize {
        let beyond = old.saturating_sub(self.places.len());
        self.places.get(old).copied().unwrap_or(self.told + beyond)
    }

    /// Returns the colour in the new run of the lane that has the colour `old` in the old run;
    /// `None` if the new run has no such lane.
    pub fn color(&self, old: usize, session: &Session) -> Option<usize> {
        self.lanes.color(old, session)
    }

    fn tell(&mut self, number: usize, told: Told, session: &Session) {
        let count = if let Told::Exchange(events) = &told { events.len() } else { 1 };
        self.places.extend(std::iter::repeat_n(self.told, count));
        match told {
            Told::Old(command) => self.leave_out(number, *command, session, false),
            Told::Exchange(events) => self.exchange(number, events, session),
            Told::Both(Event::Frame { seconds, lanes }) => {
                let (lanes, absent) = self.lanes.frame(lanes, session.lanes().len());
                self.push(Event::Frame { seconds, lanes }, Some(number));
                self.next.back_mut().into_iter().for_each(|next| next.absent.clone_from(&absent));
            }
            Told::Both(Event::Command(command)) => self.retell(number, *command, session),
        }
    }

    fn push(&mut self, event: Event, from: Option<usize>) {
        self.told += 1;
        self.next.push_back(Next { event, from, absent: Vec::new() });
    }

    /// Inserts a command that happens only in the new run.
    fn put_in(&mut self, command: Command, session: &Session) {
        self.hand_is_lost &= !takes(&command);
        self.lanes.put_in(&command, session);
        self.bodies.put_in(&command, session);
        self.push(Event::Command(Box::new(command)), None);
    }

    /// Leaves out a command, so that it happens only in the old run. `is_lost` is true if its
    /// target is missing in the new run.
    fn leave_out(&mut self, number: usize, command: Command, session: &Session, is_lost: bool) {
        self.lanes.leave_out(&command);
        self.bodies.leave_out(&command, session);
        self.hand_is_lost |= is_lost && takes(&command);
        if self.takes_out {
            self.lost += usize::from(is_lost && !matches!(command, Command::MoveHand(_)));
            self.gesture.push((number, command));
        }
    }

    /// Repeats a command in the new run, or leaves it out if its target is missing there.
    fn retell(&mut self, number: usize, command: Command, session: &Session) {
        let follows = matches!(command, Command::MoveHand(_) | Command::Release);
        if self.hand_is_lost && follows {
            return self.leave_out(number, command, session, true);
        }
        if takes(&command) {
            self.hand_is_lost = false;
        }
        let (kept, lost) = self.bodies.translated(&command, session);
        if let (Some(lost), Some(_), true) = (lost, &kept, self.takes_out) {
            self.gesture.push((number, lost));
        }
        let kept = kept.and_then(|kept| self.lanes.translated(kept, session));
        let Some(kept) = kept else { return self.leave_out(number, command, session, true) };
        self.lanes.happens(&command, &kept, session);
        if self.bodies.happens(&command, &kept, session) {
            self.push(Event::Command(Box::new(kept)), Some(number));
        } else {
            self.leave_out(number, command, session, true);
        }
    }

    /// Replaces all lanes in the new run.
    fn exchange(&mut self, number: usize, events: Vec<Event>, session: &Session) {
        for _ in 1..session.lanes().len() {
            self.push(Event::Command(Box::new(Command::RemoveLane(1))), Some(number));
        }
        self.lanes.exchange(&events);
        self.bodies.restart();
        for (place, event) in (number..).zip(events) {
            let removes =
                matches!(&event, Event::Command(it) if matches!(**it, Command::RemoveLane(_)));
            if !removes {
                self.push(event, Some(place));
            }
        }
    }
}

/// True if the hand grabs a particle or collider with this command.
fn takes(command: &Command) -> bool {
    matches!(command, Command::Grab { .. } | Command::GrabCollider { .. })
}

/// Returns the events with their indices. Events that replace all lanes together are grouped into
/// one.
fn joined(
    tail: Vec<Event>,
    exchanges: &[Range<usize>],
    is_own: impl Fn(usize) -> bool,
) -> VecDeque<(usize, Told)> {
    let mut queue: VecDeque<(usize, Told)> = VecDeque::with_capacity(tail.len());
    for (number, event) in tail.into_iter().enumerate() {
        let within = exchanges.iter().find(|range| range.contains(&number) && !is_own(number));
        let told = match event {
            Event::Command(command) if is_own(number) => Told::Old(command),
            event => match (within, queue.back_mut()) {
                (Some(range), Some((first, Told::Exchange(events)))) if range.contains(first) => {
                    events.push(event);
                    continue;
                }
                (Some(_), _) => Told::Exchange(vec![event]),
                (None, _) => Told::Both(event),
            },
        };
        queue.push_back((number, told));
    }
    queue
}
