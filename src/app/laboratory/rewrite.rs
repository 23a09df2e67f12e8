//! The session is recomputed from an edit on, which has not happened, or has.

use super::Laboratory;
use super::selection::Shown;
use super::undo::{Lists, Way, What};
use crate::session::retelling::{Gesture, Retelling, Taken};
use crate::session::{Event, History, Place, Session};
use crate::simulation::settings::MOST_LANES;
use std::time::{Duration, Instant};

/// Change of the events after an edit.
#[derive(Debug)]
pub(super) enum Change {
    /// Removes the edit that begins with the first event.
    TakeOut(Taken),
    /// Inserts a gesture again.
    PutIn(Gesture),
    /// Leaves all events, and undoes an edit, or does it again, at the newest moment.
    Now(Box<What>, Way),
}

/// Recomputation under way.
#[derive(Debug)]
pub(super) struct Rewriting {
    change: Change,
    /// Number of the edit that is undone or redone.
    pub(super) subject: u64,
    /// Later events, once the session is at the edit.
    retelling: Option<Retelling>,
    /// Events before the edit.
    pub(super) events: usize,
    /// Numbers of the edits that have happened again.
    pub(super) retold: Vec<u64>,
    /// The user had the past on screen: the session stops afterwards, as after every travel to the
    /// newest moment.
    from_past: bool,
    /// Lanes as the window showed them before.
    shown: Shown,
    /// Everything as it was before, for a cancelled recomputation.
    before: Box<Before>,
}

/// The session, its history and its edits before they are recomputed. It shares the stored moments
/// with the history that replaces it.
#[derive(Debug)]
struct Before {
    session: Session,
    history: History,
    lists: Lists,
}

impl Laboratory {
    /// Begins to compute the session again. `lists` are the edits before.
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

    /// Recomputes for a while, or carries out the waiting requests.
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

    /// Computes on to the end of all that waits.
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

    /// Cancels the recomputation and the undos that wait for it, and restores everything. Returns
    /// false if none was under way.
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

    /// The session has arrived at the edit: the later events wait to be repeated.
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

    /// The window shows the lanes that it showed before.
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

    /// History on screen: while the session is recomputed, the previous one.
    pub fn shown_history(&self) -> &History {
        self.edits.rewriting.as_ref().map_or(&self.history, |rewriting| &rewriting.before.history)
    }

    /// Remaining share of the recomputation after an edit.
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
