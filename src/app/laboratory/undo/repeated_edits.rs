//! Update of the list of edits during a recomputation: edits move among the events, and edits that
//! have become impossible are removed.

use super::{Edits, name_of};
use crate::app::laboratory::Laboratory;
use crate::app::laboratory::edit::{AbsentLane, Edit, EditKind, LaneSet, RemovedEdit};
use crate::app::laboratory::recomputation::Recomputation;
use crate::app::laboratory::waiting_requests::LostEdits;
use crate::scene::LaneSetup;
use crate::session::Display;
use crate::session::edit_replay::EditReplay;
use crate::simulation::settings::Command;
use crate::simulation::timing::frame_source::FrameSource;
use std::ops::Range;

impl Edits {
    /// Returns the ranges of events in which all lanes were exchanged, counted from the event with
    /// index `events`.
    pub(in super::super) fn exchanges_from(&self, events: usize) -> Vec<Range<usize>> {
        let after = self.lists.exchanges.iter().filter(|range| range.start >= events);
        after.map(|range| range.start - events..range.end - events).collect()
    }

    fn edit_mut(&mut self, id: u64) -> Option<&mut Edit> {
        self.lists.done.iter_mut().chain(&mut self.lists.undone).find(|edit| edit.id == id)
    }

    /// Moves all edits except `subject`, and all exchanges of lanes, among the events. `new_index`
    /// returns the new index of an event.
    fn move_edits(&mut self, subject: u64, new_index: impl Fn(usize) -> usize) {
        let all = self.lists.done.iter_mut().chain(&mut self.lists.undone);
        for edit in all.filter(|edit| edit.id != subject) {
            edit.last = new_index(edit.last + 1).saturating_sub(1);
            edit.events = new_index(edit.events);
            edit.last = edit.last.max(edit.events);
            edit.reversed_at = edit.reversed_at.map(&new_index);
            if let EditKind::Lane { lane, .. } = &mut edit.kind {
                lane.removed_at = new_index(lane.removed_at);
            }
        }
        for range in &mut self.lists.exchanges {
            *range = new_index(range.start)..new_index(range.end);
        }
        self.lists.exchanges.retain(|range| !range.is_empty());
    }

    /// Removes the edits whose events come after the recomputed edit but could not be repeated.
    /// Returns them with their indices in the list.
    fn remove_impossible(&mut self, recomputation: &Recomputation) -> Vec<(usize, Edit)> {
        let is_lost = |edit: &Edit| {
            let stays =
                matches!(edit.kind, EditKind::Removal(_)) || edit.id == recomputation.subject;
            !stays
                && edit.events >= recomputation.events
                && !recomputation.repeated.contains(&edit.id)
        };
        let done = std::mem::take(&mut self.lists.done).into_iter().enumerate();
        let (lost, kept): (Vec<_>, Vec<_>) = done.partition(|(_, edit)| is_lost(edit));
        self.lists.done = kept.into_iter().map(|(_, edit)| edit).collect();
        lost
    }

    fn restore_removed(&mut self, RemovedEdit { edit, index, lost, .. }: RemovedEdit) {
        for (index, edit) in lost.into_iter().chain([(index, edit)]) {
            if let EditKind::Lanes { .. } = edit.kind {
                self.lists.exchanges.push(edit.events..edit.last + 1);
            }
            self.lists.done.insert(index.min(self.lists.done.len()), edit);
        }
    }
}

impl EditKind {
    /// Updates the edit before one of its commands is repeated. Returns false if the command does
    /// not belong to the edit. `now` is the edit that the command would make now, `lanes` are the
    /// present lanes.
    fn update(
        &mut self,
        now: Option<&Self>,
        RepeatedCommand { is_first, adds_lane }: RepeatedCommand,
        lanes: &LaneSet,
    ) -> bool {
        match self {
            Self::Hand { name, .. } => {
                matches!(now, Some(Self::Hand { name: other, .. }) if name == other)
            }
            Self::Settings { color, old, new } => {
                let Some(Self::Settings { color: its, old: from, new: to }) = now else {
                    return false;
                };
                if is_first {
                    (*color, *old) = (*its, from.clone());
                }
                new.clone_from(to);
                true
            }
            Self::Scene { old, new } => {
                let Some(Self::Scene { old: from, new: to }) = now else { return false };
                if is_first {
                    old.clone_from(from);
                }
                new.clone_from(to);
                true
            }
            Self::Lane { is_added: false, lane } => {
                let Some(Self::Lane { lane: its, .. }) = now else { return false };
                lane.clone_from(its);
                true
            }
            Self::Lane { is_added: true, lane } => match now {
                Some(Self::Settings { color, .. }) => lane.color == *color,
                Some(_) | None => adds_lane,
            },
            Self::Lanes { old, .. } => {
                if is_first {
                    old.clone_from(lanes);
                }
                true
            }
            Self::Removal(_) => false,
        }
    }
}

/// Properties of a command of an edit that is repeated.
#[derive(Clone, Copy)]
struct RepeatedCommand {
    /// True for the first repeated command of the edit.
    is_first: bool,
    /// True if the command adds a lane.
    adds_lane: bool,
}

impl Laboratory {
    /// Updates the edit to which the event with index `at` belongs, before this event is repeated:
    /// the present state becomes the state before the edit. Returns the number of the edit; `None`
    /// if the event belongs to no edit.
    pub(in super::super) fn update_repeated_edit(
        &mut self,
        recomputation: &mut Recomputation,
        at: usize,
        command: &Command,
    ) -> Option<u64> {
        let is_at = |edit: &&Edit| {
            edit.id != recomputation.subject && (edit.events..=edit.last).contains(&at)
        };
        let near: Vec<u64> =
            self.edits.lists.done.iter().filter(is_at).map(|edit| edit.id).collect();
        if near.is_empty() {
            return None;
        }
        let (now, lanes) = (self.edit_kind_of(command), self.lane_set());
        let adds_lane = matches!(command, Command::DuplicateLane(_) | Command::AddLane { .. });
        for id in near {
            let is_first = !recomputation.repeated.contains(&id);
            let edit = self.edits.edit_mut(id)?;
            let repeated = RepeatedCommand { is_first, adds_lane };
            let is_its = edit.kind.update(now.as_ref(), repeated, &lanes);
            if is_its {
                if is_first {
                    recomputation.repeated.push(id);
                }
                return Some(id);
            }
        }
        None
    }

    /// Sets names and frame sources of lanes that a repeated event added.
    pub(in super::super) fn set_up_repeated_lanes(&mut self, id: u64) {
        let index = self.session.lanes().len() - 1;
        let absent = self.absent_lane(index);
        let Some(edit) = self.edits.edit_mut(id) else { return };
        match &mut edit.kind {
            EditKind::Lane { is_added: true, lane } => {
                let Some(absent) = absent else { return };
                let frames = lane.display.source().clone();
                *lane = AbsentLane { display: Display::new(frames.clone()), ..absent };
                self.give_frame_source(index, frames);
            }
            EditKind::Lanes { new: LaneSet { lanes, .. }, .. } => {
                let setup = lanes.get(index).cloned();
                setup.into_iter().for_each(|setup| self.set_up_lane(index, setup));
            }
            EditKind::Lane { is_added: false, .. }
            | EditKind::Hand { .. }
            | EditKind::Settings { .. }
            | EditKind::Scene { .. }
            | EditKind::Removal(_) => {}
        }
    }

    /// Sets names and frame sources of lanes that an event of a restored edit added.
    pub(in super::super) fn set_up_restored_lanes(&mut self, subject: u64) {
        let index = self.session.lanes().len() - 1;
        if let Some(Edit { kind: EditKind::Removal(taken), .. }) = self.edits.edit_mut(subject)
            && let EditKind::Lanes { new: LaneSet { lanes, .. }, .. } = &taken.edit.kind
            && let Some(setup) = lanes.get(index).cloned()
        {
            self.set_up_lane(index, setup);
        }
    }

    fn set_up_lane(&mut self, index: usize, LaneSetup { name, frames, .. }: LaneSetup) {
        self.session.rename(index, name);
        self.give_frame_source(index, frames);
    }

    /// Starts a display for a lane if the lane has another source of frames.
    fn give_frame_source(&mut self, index: usize, frames: FrameSource) {
        let lane = self.session.lanes().get(index);
        if lane.is_some_and(|lane| *lane.display.source() != frames) {
            self.session.set_frame_source(index, frames);
            self.history.keep_moment(&self.session);
        }
    }

    /// Restores the displays of lanes that an edit had removed and that exist again.
    pub(in super::super) fn restore_displays(&mut self, subject: u64) {
        let Some(edit) = self.edits.edit_mut(subject) else { return };
        let kind = match &edit.kind {
            EditKind::Removal(taken) => &taken.edit.kind,
            kind => kind,
        };
        match kind {
            EditKind::Lane { lane, .. } => {
                let (color, display) = (lane.color, lane.display.clone());
                if let Some(index) = self.index_of_lane(color) {
                    self.session.set_display(index, display);
                    self.history.keep_moment(&self.session);
                }
            }
            EditKind::Lanes { old: LaneSet { lanes, .. }, .. } => {
                for (index, lane) in lanes.clone().into_iter().enumerate() {
                    self.give_frame_source(index, lane.frames);
                }
            }
            EditKind::Hand { .. }
            | EditKind::Settings { .. }
            | EditKind::Scene { .. }
            | EditKind::Removal(_) => {}
        }
    }

    /// Updates the list of edits after all events have been repeated.
    pub(in super::super) fn finish_repetition(
        &mut self,
        recomputation: &Recomputation,
        repetition: &mut EditReplay,
    ) {
        let Recomputation { events, subject, .. } = *recomputation;
        let lost = self.edits.remove_impossible(recomputation);
        let new_index = |old: usize| match old.checked_sub(events) {
            Some(old) => events + repetition.new_index(old),
            None => old,
        };
        self.edits.move_edits(subject, new_index);
        let gesture = repetition.take_removed();
        let end = gesture.last().map_or(events, |(last, _)| events + repetition.new_index(*last));
        let is_undone = self.edits.lists.undone.iter().any(|edit| edit.id == subject);
        let Some(edit) = self.edits.edit_mut(subject) else { return };
        match &mut edit.kind {
            EditKind::Hand { gesture: taken, .. } if is_undone => *taken = gesture,
            EditKind::Removal(taken) if is_undone => {
                let taken = RemovedEdit::clone(taken);
                self.edits.restore_removed(taken);
            }
            EditKind::Removal(taken) => {
                let names: Vec<_> = lost.iter().map(|(_, edit)| name_of(&edit.kind)).collect();
                let name = name_of(&taken.edit.kind);
                (taken.gesture, taken.lost) = (gesture, lost);
                edit.last = end;
                self.edits.requests.lost =
                    (!names.is_empty()).then_some(LostEdits { removed: name, later: names });
            }
            EditKind::Hand { .. }
            | EditKind::Settings { .. }
            | EditKind::Scene { .. }
            | EditKind::Lane { .. }
            | EditKind::Lanes { .. } => {}
        }
    }
}
