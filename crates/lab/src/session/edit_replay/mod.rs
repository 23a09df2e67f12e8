//! Repetition of a session's events after an edit was removed from them (undo) or put back (redo).
//! The "recorded run" is the original sequence of events. The "repeated run" is the sequence
//! without the edit (undo) or with it (redo).
//!
//! ```text
//! events from the edit on ─► one by one: left out, put in, or translated ─► session without it
//!                                          lanes: other numbers, settings merged
//!                                          bodies: other numbers of particles, links, obstacles
//! ```
//!
//! If the target of a command is missing in the repeated run, the command is lost: undo removes it
//! together with the edit, and redo inserts it together with the edit.

mod bodies;
mod body_change;
mod edit_extent;
mod lanes;
mod settings;

pub use edit_extent::{EditExtent, RemovedCommands};

use super::event::Event;
use super::side_by_side::Session;
use crate::simulation::settings::Command;
use bodies::Bodies;
use lanes::Lanes;
use std::collections::VecDeque;
use std::ops::Range;

/// Event of the recorded run, classified by the runs in which it happens.
#[derive(Debug)]
enum OldEvent {
    /// Event that happens in both runs.
    Both(Event),
    /// Command that happens only in the recorded run.
    Old(Box<Command>),
    /// Commands that replace all lanes, e.g. by the lanes of a comparison.
    ReplaceLanes(Vec<Event>),
}

#[derive(Debug)]
struct NextEvent {
    event: Event,
    /// Index of the event in the recorded run, counted from the edit; `None` for an inserted
    /// command.
    from: Option<usize>,
    /// Indices of the lanes that are missing in the recorded run.
    absent: Vec<usize>,
}

/// Repetition of the events from an edit onwards.
#[derive(Debug)]
pub struct EditReplay {
    queue: VecDeque<(usize, OldEvent)>,
    next: VecDeque<NextEvent>,
    lanes: Lanes,
    bodies: Bodies,
    /// True if the mouse has grabbed a body that is missing in the repeated run. The movements of
    /// this drag are then left out, too.
    hand_is_lost: bool,
    removes_edit: bool,
    removed: RemovedCommands,
    lost: usize,
    /// Number of events of the repeated run before each event of the recorded run.
    new_indices: Vec<usize>,
    /// Number of events of the repeated run so far, including the events in `next`.
    new_events: usize,
}

impl EditReplay {
    /// Creates the repetition of `tail` without the edit that begins with its first event. The
    /// session must be at the moment before the edit. `lane_replacements` are the ranges of events
    /// that replace all lanes.
    pub fn without_edit(
        session: &Session,
        tail: Vec<Event>,
        edit: EditExtent,
        lane_replacements: &[Range<usize>],
    ) -> Self {
        let own = edit.own_events(&tail);
        let queue = group_replacements(tail, lane_replacements, |number| own[number]);
        Self::begin(session, queue, true, RemovedCommands::new())
    }

    /// Creates the repetition of `tail` with the commands `removed`, which an undo has removed from
    /// it.
    pub fn with_edit(
        session: &Session,
        tail: Vec<Event>,
        removed: RemovedCommands,
        lane_replacements: &[Range<usize>],
    ) -> Self {
        let queue = group_replacements(tail, lane_replacements, |_| false);
        Self::begin(session, queue, false, removed)
    }

    fn begin(
        session: &Session,
        queue: VecDeque<(usize, OldEvent)>,
        removes_edit: bool,
        removed: RemovedCommands,
    ) -> Self {
        Self {
            queue,
            next: VecDeque::new(),
            lanes: Lanes::of(session),
            bodies: Bodies::of(session),
            hand_is_lost: false,
            removes_edit,
            removed,
            lost: 0,
            new_indices: Vec::new(),
            new_events: 0,
        }
    }

    /// Returns the next event and its index in the recorded run, counted from the edit (`None` for
    /// an inserted command). Returns `None` at the end.
    pub fn next(&mut self, session: &Session) -> Option<(&Event, Option<usize>)> {
        while self.next.is_empty() {
            let is_due = |index: usize| index <= self.new_events || self.queue.is_empty();
            if !self.removes_edit && self.removed.first().is_some_and(|(index, _)| is_due(*index)) {
                let (_, command) = self.removed.remove(0);
                self.insert_command(command, session);
            } else {
                let (number, old_event) = self.queue.pop_front()?;
                self.prepare_event(number, old_event, session);
            }
        }
        self.next.front().map(|next| (&next.event, next.from))
    }

    /// Applies the next event to the session, and returns it with the steps that were actually
    /// taken.
    pub fn apply_next(&mut self, session: &mut Session) -> Option<Event> {
        let next = self.next.pop_front()?;
        Some(session.apply_replanned(&next.event, &next.absent))
    }

    /// Returns the number of events that are still to be repeated.
    pub fn left(&self) -> usize {
        self.queue.len() + self.next.len()
    }

    /// True if all events have been repeated.
    pub fn is_done(&self) -> bool {
        self.left() == 0 && (self.removes_edit || self.removed.is_empty())
    }

    /// Takes the removed edit out of the repetition, together with the commands that were lost.
    pub fn take_removed(&mut self) -> RemovedCommands {
        std::mem::take(&mut self.removed)
    }

    /// Returns the number of commands that were lost because their target is missing.
    pub fn lost(&self) -> usize {
        self.lost
    }

    /// Returns the number of events of the repeated run before event `old` of the recorded run,
    /// both counted from the edit. If `old` is after the last repeated event, its distance from
    /// that event is the same in both runs.
    pub fn new_index(&self, old: usize) -> usize {
        let beyond = old.saturating_sub(self.new_indices.len());
        self.new_indices.get(old).copied().unwrap_or(self.new_events + beyond)
    }

    /// Returns the colour, in the repeated run, of the lane with the colour `old` in the recorded
    /// run. `None` if the repeated run has no such lane.
    pub fn new_color(&self, old: usize, session: &Session) -> Option<usize> {
        self.lanes.new_color(old, session)
    }

    fn prepare_event(&mut self, number: usize, old_event: OldEvent, session: &Session) {
        let count = if let OldEvent::ReplaceLanes(events) = &old_event { events.len() } else { 1 };
        self.new_indices.extend(std::iter::repeat_n(self.new_events, count));
        match old_event {
            OldEvent::Old(command) => self.leave_out(number, *command, session, false),
            OldEvent::ReplaceLanes(events) => self.replace_lanes(number, events, session),
            OldEvent::Both(Event::Frame { seconds, lanes }) => {
                let (lanes, absent) = self.lanes.translate_frame(lanes, session.lanes().len());
                self.push(Event::Frame { seconds, lanes }, Some(number));
                self.next.back_mut().into_iter().for_each(|next| next.absent.clone_from(&absent));
            }
            OldEvent::Both(Event::Command(command)) => {
                self.prepare_command(number, *command, session)
            }
        }
    }

    fn push(&mut self, event: Event, from: Option<usize>) {
        self.new_events += 1;
        self.next.push_back(NextEvent { event, from, absent: Vec::new() });
    }

    /// Inserts a command that happens only in the repeated run.
    fn insert_command(&mut self, command: Command, session: &Session) {
        self.hand_is_lost &= !is_grab(&command);
        self.lanes.apply_to_new(&command, session);
        self.bodies.apply_to_new(&command, session);
        self.push(Event::Command(Box::new(command)), None);
    }

    /// Leaves out a command in the repeated run. It then happens only in the recorded run.
    /// `is_lost` is true if the target of the command is missing in the repeated run.
    fn leave_out(&mut self, number: usize, command: Command, session: &Session, is_lost: bool) {
        self.lanes.apply_to_old(&command);
        self.bodies.apply_to_old(&command, session);
        self.hand_is_lost |= is_lost && is_grab(&command);
        if self.removes_edit {
            self.lost += usize::from(is_lost && !matches!(command, Command::MoveHand(_)));
            self.removed.push((number, command));
        }
    }

    /// Repeats a command in the repeated run, or leaves it out if its target is missing there.
    fn prepare_command(&mut self, number: usize, command: Command, session: &Session) {
        let follows = matches!(command, Command::MoveHand(_) | Command::Release);
        if self.hand_is_lost && follows {
            return self.leave_out(number, command, session, true);
        }
        if is_grab(&command) {
            self.hand_is_lost = false;
        }
        let (kept, lost) = self.bodies.translate(&command, session);
        if let (Some(lost), Some(_), true) = (lost, &kept, self.removes_edit) {
            self.removed.push((number, lost));
        }
        let kept = kept.and_then(|kept| self.lanes.translate(kept, session));
        let Some(kept) = kept else { return self.leave_out(number, command, session, true) };
        self.lanes.apply_to_both(&command, &kept, session);
        if self.bodies.apply_to_both(&command, &kept, session) {
            self.push(Event::Command(Box::new(kept)), Some(number));
        } else {
            self.leave_out(number, command, session, true);
        }
    }

    fn replace_lanes(&mut self, number: usize, events: Vec<Event>, session: &Session) {
        for _ in 1..session.lanes().len() {
            self.push(Event::Command(Box::new(Command::RemoveLane(1))), Some(number));
        }
        self.lanes.replace_all(&events);
        self.bodies.remove_thrown();
        for (place, event) in (number..).zip(events) {
            let removes =
                matches!(&event, Event::Command(it) if matches!(**it, Command::RemoveLane(_)));
            if !removes {
                self.push(event, Some(place));
            }
        }
    }
}

fn is_grab(command: &Command) -> bool {
    matches!(command, Command::Grab { .. } | Command::GrabCollider { .. })
}

/// Returns the events with their indices. Consecutive events that replace all lanes are joined to
/// one event.
fn group_replacements(
    tail: Vec<Event>,
    lane_replacements: &[Range<usize>],
    is_own: impl Fn(usize) -> bool,
) -> VecDeque<(usize, OldEvent)> {
    let mut queue: VecDeque<(usize, OldEvent)> = VecDeque::with_capacity(tail.len());
    for (number, event) in tail.into_iter().enumerate() {
        let within =
            lane_replacements.iter().find(|range| range.contains(&number) && !is_own(number));
        let old_event = match event {
            Event::Command(command) if is_own(number) => OldEvent::Old(command),
            event => match (within, queue.back_mut()) {
                (Some(range), Some((first, OldEvent::ReplaceLanes(events))))
                    if range.contains(first) =>
                {
                    events.push(event);
                    continue;
                }
                (Some(_), _) => OldEvent::ReplaceLanes(vec![event]),
                (None, _) => OldEvent::Both(event),
            },
        };
        queue.push_back((number, old_event));
    }
    queue
}
