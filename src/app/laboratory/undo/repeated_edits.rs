//! Update of the list of edits and of the lanes during a recomputation.

use crate::app::laboratory::Laboratory;
use crate::app::laboratory::edits::{
    AbsentLane, Edit, EditKind, LaneSet, LostEdits, Recomputation, RemovedEdit, RepeatedCommand,
    name_of,
};
use crate::scene::LaneSetup;
use crate::session::Display;
use crate::session::edit_replay::EditReplay;
use crate::simulation::settings::Command;
use crate::simulation::timing::frame_source::FrameSource;

impl Laboratory {
    /// Updates the edit to which the event with index `at` belongs, before this event is repeated.
    /// The current state becomes the edit's old state. Returns the number of the edit; `None` if
    /// the event belongs to no edit.
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

    /// Gives a lane this frame source with a new display, unless the lane has this source already.
    fn give_frame_source(&mut self, index: usize, frames: FrameSource) {
        let lane = self.session.lanes().get(index);
        if lane.is_some_and(|lane| *lane.display.source() != frames) {
            self.session.set_frame_source(index, frames);
            self.history.keep_moment(&self.session);
        }
    }

    /// Restores the displays of lanes that exist again because the edit that had removed them is
    /// gone.
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
