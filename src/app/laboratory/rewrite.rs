//! Recomputation of the session from an edit on, after undo, redo or removal of the edit.

use super::Laboratory;
use super::selection::Shown;
use super::undo::{Direction, Lists, What};
use crate::session::retelling::{Gesture, Retelling, Taken};
use crate::session::{Event, History, Place, Session};
use crate::simulation::settings::MOST_LANES;
use std::time::{Duration, Instant};

/// Change of the session's events that makes a recomputation necessary.
#[derive(Debug)]
pub(super) enum Change {
    /// Removes the events of the edit.
    TakeOut(Taken),
    /// Inserts the events of an undone edit again.
    PutIn(Gesture),
    /// Keeps all events, and undoes or redoes an edit at the newest moment.
    Now(Box<What>, Direction),
}

#[derive(Debug)]
pub(super) struct Rewriting {
    change: Change,
    /// Number of the edit that is undone or redone.
    pub(super) subject: u64,
    /// Repetition of the events after the edit; `None` until the session has reached the edit.
    retelling: Option<Retelling>,
    /// Number of events before the edit.
    pub(super) events: usize,
    /// Numbers of the edits whose events have been repeated.
    pub(super) retold: Vec<u64>,
    /// True if an earlier moment was shown. The session then pauses at the newest moment.
    from_past: bool,
    /// Lanes that were shown before the recomputation.
    shown: Shown,
    /// State before the recomputation, which is restored if the user cancels.
    before: Box<Before>,
}

/// Session, history and edits before a recomputation. The history that is being recomputed uses the
/// same stored moments in memory.
#[derive(Debug)]
struct Before {
    session: Session,
    history: History,
    lists: Lists,
}

impl Laboratory {
    /// Begins the recomputation from the moment after `events` events. `lists` are the lists of
    /// edits before the undo.
    pub(super) fn rewrite(&mut self, events: usize, change: Change, subject: u64, lists: Lists) {
        self.passed = 0.0;
        let (session, history) = (self.session.clone(), self.history.clone());
        let before = Box::new(Before { session, history, lists });
        let from_past = self.history.is_past();
        self.history.set_out(&mut self.session, Place { events, less: 0 });
        let (shown, retelling, retold) = (self.shown, None, Vec::new());
        self.edits.rewriting = Some(Rewriting {
            change,
            subject,
            retelling,
            events,
            retold,
            from_past,
            shown,
            before,
        });
        self.rewrite_for(self.slice);
    }

    /// Recomputes for one slice of time. If nothing is recomputed, carries out waiting requests.
    pub(super) fn rewrite_slice(&mut self) {
        if self.edits.rewriting.is_some() {
            self.rewrite_for(self.slice);
        } else if self.history.progress().is_some() {
            self.act_in_turn(Self::pursue);
        }
        while self.edits.is_busy()
            && self.edits.rewriting.is_none()
            && self.history.progress().is_none()
        {
            self.turn_waiting();
        }
    }

    /// Finishes the recomputation and carries out all waiting requests.
    pub(super) fn finish_rewriting(&mut self) {
        while self.edits.must_wait() && !self.edits.is_silent() {
            match self.edits.rewriting {
                Some(_) => self.rewrite_for(Duration::MAX),
                None if self.history.progress().is_some() => self.act_in_turn(Self::pursue),
                None => self.turn_waiting(),
            }
        }
    }

    fn rewrite_for(&mut self, time: Duration) {
        let began = Instant::now();
        let Some(mut rewriting) = self.edits.rewriting.take() else { return };
        if rewriting.retelling.is_none() {
            if !self.history.pursue(&mut self.session, || began.elapsed() >= time) {
                self.edits.rewriting = Some(rewriting);
                return;
            }
            if let Change::Now(what, way) = &rewriting.change {
                self.turn_now(what, *way);
                self.forget_lost_lanes();
                return self.end_rewriting(&rewriting);
            }
            rewriting.retelling = self.begin_to_rewrite(&mut rewriting);
        }
        let Some(mut retelling) = rewriting.retelling.take() else { return };
        while let Some((event, from)) = retelling.next(&self.session) {
            let command = match event {
                Event::Command(command) => Some(command.clone()),
                Event::Frame { .. } => None,
            };
            let at = from.map(|from| rewriting.events + from);
            let edit = command
                .zip(at)
                .and_then(|(command, at)| self.retell_edit(&mut rewriting, at, &command));
            if let Some(event) = retelling.happen(&mut self.session) {
                self.happened(event);
            }
            match edit {
                Some(id) => self.after_retold_edit(id),
                None if from.is_none() => self.after_put_in_edit(rewriting.subject),
                None => {}
            }
            if began.elapsed() >= time {
                break;
            }
        }
        if retelling.is_done() {
            self.show_again(&rewriting.shown, &retelling);
            self.end_retelling(&rewriting, &mut retelling);
            self.end_rewriting(&rewriting);
        } else {
            rewriting.retelling = Some(retelling);
            self.edits.rewriting = Some(rewriting);
        }
    }

    /// Cancels the recomputation and the waiting undos, and restores the state before. Returns
    /// false if nothing was being recomputed.
    pub fn cancel_rewriting(&mut self) -> bool {
        let Some(rewriting) = self.edits.rewriting.take() else { return false };
        let Rewriting { events, retelling, shown, before, .. } = rewriting;
        let Before { session, history, lists } = *before;
        if retelling.is_some() {
            let told = self.history.end().events - events;
            self.recorder.replace(told, history.events_from(events));
        }
        (self.session, self.history) = (session, history);
        self.edits.restore(lists);
        self.shown = shown;
        true
    }

    fn end_rewriting(&mut self, rewriting: &Rewriting) {
        if rewriting.from_past {
            self.stand_still();
        }
    }

    /// Removes the later events when the session has reached the edit. Returns the events to
    /// repeat, or `None` for an edit of the newest moment.
    fn begin_to_rewrite(&mut self, rewriting: &mut Rewriting) -> Option<Retelling> {
        let tail = self.history.cut_off(&mut self.session);
        self.recorder.replace(tail.len(), Vec::new());
        let exchanges = self.edits.exchanges_from(rewriting.events);
        let session = &self.session;
        match &mut rewriting.change {
            Change::TakeOut(taken) => {
                let retelling = Retelling::without(session, tail, *taken, &exchanges);
                self.show_lanes_that_stay(rewriting.subject);
                Some(retelling)
            }
            Change::PutIn(gesture) => {
                Some(Retelling::with(session, tail, std::mem::take(gesture), &exchanges))
            }
            Change::Now(..) => None,
        }
    }

    /// Shows the same lanes as before the recomputation. Their colours may have changed.
    fn show_again(&mut self, shown: &Shown, retelling: &Retelling) {
        let now = |old: usize| retelling.color(old, &self.session);
        let mut hidden = [false; MOST_LANES];
        for old in (0..MOST_LANES).filter(|old| shown.hidden[*old]) {
            now(old).into_iter().for_each(|color| hidden[color] = true);
        }
        let selected = now(shown.selected).unwrap_or(shown.selected);
        let [solo, reference] = [shown.solo, shown.reference].map(|it| it.and_then(now));
        self.shown = Shown { selected, solo, reference, hidden };
        self.forget_lost_lanes();
    }

    /// Returns the history that the time bar shows: during a recomputation, the history before it.
    pub fn shown_history(&self) -> &History {
        self.edits.rewriting.as_ref().map_or(&self.history, |rewriting| &rewriting.before.history)
    }

    /// Returns the remaining fraction of a recomputation, from 1 to 0; `None` if nothing is
    /// recomputed.
    pub fn rewriting(&self) -> Option<f64> {
        let rewriting = self.edits.rewriting.as_ref()?;
        if let Change::Now(..) = rewriting.change {
            return self.history.progress().map(|done| 1.0 - done);
        }
        let done = self.history.end().events.saturating_sub(rewriting.events);
        let left = rewriting.retelling.as_ref().map_or(done.max(1), Retelling::left);
        Some(left as f64 / (left + done).max(1) as f64)
    }
}
