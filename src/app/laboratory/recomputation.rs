//! Recomputation of the session from the moment of an edit that was undone, redone or removed.

use super::Laboratory;
use super::edits::{Before, Change, Lists, Recomputation};
use super::state::Shown;
use crate::session::edit_replay::EditReplay;
use crate::session::{Event, History, SessionMoment};
use crate::simulation::settings::MOST_LANES;
use std::time::{Duration, Instant};

impl Laboratory {
    /// Begins the recomputation from the moment after `events` events. `lists` are the lists of
    /// edits from before the undo.
    pub(super) fn recompute_from(
        &mut self,
        events: usize,
        change: Change,
        subject: u64,
        lists: Lists,
    ) {
        self.pending_seconds = 0.0;
        let (session, history) = (self.session.clone(), self.history.clone());
        let before = Box::new(Before { session, history, lists });
        let from_past = self.history.is_past();
        self.history.start_travel(&mut self.session, SessionMoment { events, missing_steps: 0 });
        let (shown, repetition, repeated) = (self.shown, None, Vec::new());
        self.edits.recomputation = Some(Recomputation {
            change,
            subject,
            repetition,
            events,
            repeated,
            from_past,
            shown,
            before,
        });
        self.recompute_for(self.slice);
    }

    /// Continues the recomputation for one slice of time. If nothing is being recomputed, carries
    /// out waiting requests.
    pub(super) fn recompute_slice(&mut self) {
        self.advance_queue(self.slice);
        while self.edits.is_busy()
            && self.edits.recomputation.is_none()
            && self.history.progress().is_none()
        {
            self.carry_out_next_request();
        }
    }

    /// Finishes the recomputation and carries out all waiting requests.
    pub(super) fn finish_recomputation(&mut self) {
        while self.edits.must_wait() {
            self.advance_queue(Duration::MAX);
        }
    }

    /// Continues the recomputation for at most `time`. If nothing is being recomputed, continues
    /// the session's travel to another moment. If the session does not travel either, carries out
    /// the next waiting request.
    fn advance_queue(&mut self, time: Duration) {
        match self.edits.recomputation {
            Some(_) => self.recompute_for(time),
            None if self.history.progress().is_some() => {
                self.carry_out_queued(Self::continue_travel)
            }
            None => self.carry_out_next_request(),
        }
    }

    fn recompute_for(&mut self, time: Duration) {
        let began = Instant::now();
        let Some(mut recomputation) = self.edits.recomputation.take() else { return };
        if recomputation.repetition.is_none() {
            if !self.history.continue_travel(&mut self.session, || began.elapsed() >= time) {
                self.edits.recomputation = Some(recomputation);
                return;
            }
            if let Change::AtNewest(kind, direction) = &recomputation.change {
                self.apply_at_newest(kind, *direction);
                self.deselect_removed_lanes();
                return self.end_recomputation(&recomputation);
            }
            recomputation.repetition = self.remove_later_events(&mut recomputation);
        }
        let Some(mut repetition) = recomputation.repetition.take() else { return };
        while let Some((event, from)) = repetition.next(&self.session) {
            let command = match event {
                Event::Command(command) => Some(command.clone()),
                Event::Frame { .. } => None,
            };
            let at = from.map(|from| recomputation.events + from);
            let edit = command.zip(at).and_then(|(command, at)| {
                self.update_repeated_edit(&mut recomputation, at, &command)
            });
            if let Some(event) = repetition.apply_next(&mut self.session) {
                self.record_event(event);
            }
            match edit {
                Some(id) => self.set_up_repeated_lanes(id),
                None if from.is_none() => self.set_up_restored_lanes(recomputation.subject),
                None => {}
            }
            if began.elapsed() >= time {
                break;
            }
        }
        if repetition.is_done() {
            self.restore_shown_lanes(&recomputation.shown, &repetition);
            self.finish_repetition(&recomputation, &mut repetition);
            self.end_recomputation(&recomputation);
        } else {
            recomputation.repetition = Some(repetition);
            self.edits.recomputation = Some(recomputation);
        }
    }

    /// Cancels the recomputation and the waiting undos, and restores the earlier state. Returns
    /// false if nothing was being recomputed.
    pub fn cancel_recomputation(&mut self) -> bool {
        let Some(recomputation) = self.edits.recomputation.take() else { return false };
        let Recomputation { events, repetition, shown, before, .. } = recomputation;
        let Before { session, history, lists } = *before;
        if repetition.is_some() {
            let recorded = self.history.end().events - events;
            self.recorder.replace(recorded, history.events_from(events));
        }
        (self.session, self.history) = (session, history);
        self.edits.restore(lists);
        self.shown = shown;
        true
    }

    fn end_recomputation(&mut self, recomputation: &Recomputation) {
        if recomputation.from_past {
            self.pause_at_newest();
        }
    }

    /// Removes the later events from the session, which must be at the moment of the edit, and
    /// returns them for repetition. Returns `None` if the edit concerns the newest moment only.
    fn remove_later_events(&mut self, recomputation: &mut Recomputation) -> Option<EditReplay> {
        let tail = self.history.take_later_events(&mut self.session);
        self.recorder.replace(tail.len(), Vec::new());
        let exchanges = self.edits.exchanges_from(recomputation.events);
        let session = &self.session;
        match &mut recomputation.change {
            Change::RemoveEvents(taken) => {
                let repetition = EditReplay::without_edit(session, tail, *taken, &exchanges);
                self.restore_displays(recomputation.subject);
                Some(repetition)
            }
            Change::InsertEvents(gesture) => {
                Some(EditReplay::with_edit(session, tail, std::mem::take(gesture), &exchanges))
            }
            Change::AtNewest(..) => None,
        }
    }

    /// Shows the lanes that were shown before the recomputation. Their colours may have changed.
    fn restore_shown_lanes(&mut self, shown: &Shown, repetition: &EditReplay) {
        let now = |old: usize| repetition.new_color(old, &self.session);
        let mut hidden = [false; MOST_LANES];
        for old in (0..MOST_LANES).filter(|old| shown.hidden[*old]) {
            now(old).into_iter().for_each(|color| hidden[color] = true);
        }
        let selected = now(shown.selected).unwrap_or(shown.selected);
        let [solo, reference] = [shown.solo, shown.reference].map(|it| it.and_then(now));
        self.shown = Shown { selected, solo, reference, hidden };
        self.deselect_removed_lanes();
    }

    /// Returns the history for the time bar: during a recomputation, the history from before it.
    pub fn shown_history(&self) -> &History {
        self.edits
            .recomputation
            .as_ref()
            .map_or(&self.history, |recomputation| &recomputation.before.history)
    }

    /// Returns the unfinished fraction of a recomputation, which falls from 1 to 0. Returns `None`
    /// if nothing is being recomputed.
    pub fn recomputation_left(&self) -> Option<f64> {
        let recomputation = self.edits.recomputation.as_ref()?;
        if let Change::AtNewest(..) = recomputation.change {
            return self.history.progress().map(|done| 1.0 - done);
        }
        let done = self.history.end().events.saturating_sub(recomputation.events);
        let left = recomputation.repetition.as_ref().map_or(done.max(1), EditReplay::left);
        Some(left as f64 / (left + done).max(1) as f64)
    }
}
