//! Undo, redo, and the order of requests during a recomputation.

use crate::app::laboratory::Laboratory;
use crate::app::laboratory::edits::{
    AbsentLane, Change, Direction, Edit, EditKind, LaboratoryAction, LaneSet, Lists, LostEdits,
    RemovedEdit, UndoOutcome, WaitingRequest, name_of,
};
use crate::session::edit_replay::{EditExtent, RemovedCommands};
use crate::simulation::settings::{Command, Settings};

impl Laboratory {
    /// Undoes the last edit of the whole session and goes to the newest moment, regardless of the
    /// shown moment.
    pub fn undo(&mut self) -> UndoOutcome {
        self.request_undo_or_redo(Direction::Undo)
    }

    /// Redoes the most recently undone edit and goes to the newest moment.
    pub fn redo(&mut self) -> UndoOutcome {
        self.request_undo_or_redo(Direction::Redo)
    }

    /// True if there is an edit to undo.
    pub fn can_undo(&self) -> bool {
        !self.edits.lists.done.is_empty()
    }

    /// True if there is an edit to redo.
    pub fn can_redo(&self) -> bool {
        !self.edits.lists.undone.is_empty()
    }

    /// Returns how many undos and how many redos wait until the session has been recomputed.
    pub fn waiting_undos_and_redos(&self) -> [usize; 2] {
        let count = |direction| {
            let is_one = |it: &&WaitingRequest| match it {
                WaitingRequest::UndoOrRedo(waiting) => *waiting == direction,
                WaitingRequest::RemoveEdit(_)
                | WaitingRequest::Command(_)
                | WaitingRequest::LaboratoryAction(_) => false,
            };
            self.edits.requests.waiting.iter().filter(is_one).count()
        };
        [count(Direction::Undo), count(Direction::Redo)]
    }

    /// Returns the outcome of an undo or redo that had to wait. Returns each outcome once.
    pub fn take_undo_outcome(&mut self) -> Option<(Direction, UndoOutcome)> {
        self.edits.requests.outcome.take()
    }

    /// Removes the edit with this number from any position in the list, recomputes the later
    /// events, and goes to the newest moment.
    pub fn remove_edit(&mut self, id: u64) -> UndoOutcome {
        if self.is_replaying() || self.edits.is_busy() {
            self.edits.requests.waiting.push_back(WaitingRequest::RemoveEdit(id));
            return UndoOutcome::Waiting;
        }
        if !self.waiting.is_empty() {
            self.cancel_background_work();
        }
        self.remove_edit_now(id)
    }

    /// Returns the names of the most recently removed edits. Returns them once.
    pub fn take_lost_edits(&mut self) -> Option<LostEdits> {
        self.edits.requests.lost.take()
    }

    fn request_undo_or_redo(&mut self, direction: Direction) -> UndoOutcome {
        if self.is_replaying() || self.edits.is_busy() {
            if !self.is_replaying() && !self.edits.has_left(direction) {
                return UndoOutcome::Nothing;
            }
            self.edits.requests.waiting.push_back(WaitingRequest::UndoOrRedo(direction));
            return UndoOutcome::Waiting;
        }
        // A command that waits for background work may turn out to be an edit, so it is carried out
        // first.
        if !self.waiting.is_empty() {
            self.cancel_background_work();
        }
        self.undo_or_redo_now(direction)
    }

    /// Queues a command until the recomputation ends. The command then acts on the recomputed
    /// state.
    pub(in super::super) fn queue_command(&mut self, command: Command) {
        let waiting = &mut self.edits.requests.waiting;
        // Of consecutive mouse moves, only the last is kept.
        if matches!(command, Command::MoveHand(_))
            && let Some(WaitingRequest::Command(last)) = waiting.back_mut()
            && matches!(**last, Command::MoveHand(_))
        {
            **last = command;
        } else {
            waiting.push_back(WaitingRequest::Command(Box::new(command)));
        }
    }

    /// Queues a request until the recomputation ends.
    pub(in super::super) fn queue_request(&mut self, action: LaboratoryAction) {
        self.edits.requests.waiting.push_back(WaitingRequest::LaboratoryAction(action));
    }

    /// Carries out a queued request without queuing it again.
    pub(in super::super) fn carry_out_queued(&mut self, act: impl FnOnce(&mut Self)) {
        self.edits.requests.is_carrying_out = true;
        act(self);
        self.edits.requests.is_carrying_out = false;
    }

    pub(in super::super) fn carry_out_next_request(&mut self) {
        match self.edits.requests.waiting.pop_front() {
            Some(WaitingRequest::UndoOrRedo(direction)) => {
                let outcome = self.undo_or_redo_now(direction);
                self.edits.requests.outcome = Some((direction, outcome));
            }
            Some(WaitingRequest::RemoveEdit(id)) => {
                let outcome = self.remove_edit_now(id);
                self.edits.requests.outcome = Some((Direction::Undo, outcome));
            }
            Some(WaitingRequest::Command(command)) => {
                self.carry_out_queued(|laboratory| laboratory.perform(*command));
            }
            Some(WaitingRequest::LaboratoryAction(action)) => {
                self.carry_out_queued(|laboratory| laboratory.act(action));
            }
            None => {}
        }
    }

    fn act(&mut self, action: LaboratoryAction) {
        match action {
            LaboratoryAction::ExchangeLanes(lanes) => self.exchange_lanes(lanes),
            LaboratoryAction::RestoreLanes => self.restore_lanes(),
            LaboratoryAction::Travel(place) => self.travel(place),
            LaboratoryAction::TravelBy(find) => {
                self.travel_by(find);
            }
            LaboratoryAction::LoopPast(interval) => self.loop_past(interval),
            LaboratoryAction::SwitchBranch => self.switch_branch(),
            LaboratoryAction::BranchOff { color, settings } => {
                self.branch_off(color, settings.map(|settings| *settings));
            }
            LaboratoryAction::ContinueBeforeExplosion { color, continuation } => {
                self.continue_before_explosion(color, continuation);
            }
            LaboratoryAction::SetFrameSource { color, source } => {
                self.set_frame_source(color, source);
            }
        }
    }

    /// Moves the next edit to the other list, and recomputes the session without the edit (undo) or
    /// with it (redo).
    fn undo_or_redo_now(&mut self, direction: Direction) -> UndoOutcome {
        let lists = self.edits.lists.clone();
        let Some(mut edit) = self.edits.list_for(direction).pop() else {
            return UndoOutcome::Nothing;
        };
        let name = name_of(&edit.kind);
        if self.is_too_old(&edit, direction) {
            return UndoOutcome::TooOld(name);
        }
        let (events, kind, id) = (edit.events, edit.kind.clone(), edit.id);
        let extent = edit.extent();
        self.end_work_before_recomputation();
        edit.reversed_at = Some(self.history.end().events);
        self.edits.list_for(direction.reversed()).push(edit);
        match (kind, direction) {
            (EditKind::Hand { .. }, Direction::Undo) => {
                self.recompute_from(events, Change::RemoveEvents(extent), id, lists)
            }
            (EditKind::Hand { gesture, .. }, Direction::Redo) => {
                self.recompute_from(events, Change::InsertEvents(gesture), id, lists);
            }
            (EditKind::Lane { is_added, lane }, direction)
                if restores_lane(is_added, direction) =>
            {
                let removal = EditExtent::Hand { last: 0 };
                self.recompute_from(lane.removed_at, Change::RemoveEvents(removal), id, lists);
            }
            (EditKind::Removal(taken), Direction::Undo) => {
                self.recompute_from(events, Change::InsertEvents(taken.gesture), id, lists);
                return UndoOutcome::Restored(name);
            }
            (EditKind::Removal(taken), Direction::Redo) => {
                let Some(index) = self.edits.index_of(taken.edit.id) else {
                    return UndoOutcome::Nothing;
                };
                let edit = self.edits.lists.done.remove(index);
                self.recompute_without(edit, id, lists);
                return UndoOutcome::Removed(name);
            }
            (kind, direction) => {
                let newest = self.history.end().events;
                self.recompute_from(newest, Change::AtNewest(Box::new(kind), direction), id, lists);
            }
        }
        UndoOutcome::Done(name)
    }

    fn remove_edit_now(&mut self, id: u64) -> UndoOutcome {
        let Some(index) = self.edits.index_of(id) else { return UndoOutcome::Nothing };
        let edit = &self.edits.lists.done[index];
        let name = name_of(&edit.kind);
        if edit.events < self.history.start().events {
            return UndoOutcome::TooOld(name);
        }
        self.end_work_before_recomputation();
        let lists = self.edits.lists.clone();
        let edit = self.edits.lists.done.remove(index);
        self.edits.lists.undone.clear();
        let taken = RemovedEdit {
            edit: edit.clone(),
            index,
            gesture: RemovedCommands::new(),
            lost: Vec::new(),
        };
        let entry = self.edits.new_edit(edit.events, EditKind::Removal(Box::new(taken)));
        let id = entry.id;
        self.edits.lists.done.push(entry);
        self.recompute_without(edit, id, lists);
        UndoOutcome::Removed(name)
    }

    /// Recomputes the session without `edit`. `id` is the number of the list entry that records the
    /// removal.
    fn recompute_without(&mut self, edit: Edit, id: u64, lists: Lists) {
        let (events, extent) = (edit.events, edit.extent());
        let entry = self.edits.lists.done.iter_mut().find(|entry| entry.id == id);
        if let Some(Edit { kind: EditKind::Removal(taken), events: at, .. }) = entry {
            (taken.edit, *at) = (edit, events);
        }
        self.recompute_from(events, Change::RemoveEvents(extent), id, lists);
    }

    fn end_work_before_recomputation(&mut self) {
        self.cancel_background_work();
        self.end_loop();
        self.stop_past();
        self.waiting_continuation = None;
        self.edits.is_dragging = false;
    }

    /// True if the moment needed for recomputing an edit is no longer stored.
    fn is_too_old(&self, edit: &Edit, direction: Direction) -> bool {
        let from = match &edit.kind {
            EditKind::Hand { .. } | EditKind::Removal(_) => edit.events,
            EditKind::Lane { is_added, lane } if restores_lane(*is_added, direction) => {
                lane.removed_at
            }
            EditKind::Lane { .. }
            | EditKind::Settings { .. }
            | EditKind::Scene { .. }
            | EditKind::Lanes { .. } => {
                return false;
            }
        };
        from < self.history.start().events
    }

    /// Undoes or redoes an edit that changes only the newest moment. The session must be at that
    /// moment.
    pub(in super::super) fn apply_at_newest(&mut self, kind: &EditKind, direction: Direction) {
        fn chosen<'a, T>(direction: Direction, old: &'a T, new: &'a T) -> &'a T {
            if direction == Direction::Undo { old } else { new }
        }
        match kind {
            EditKind::Hand { .. } | EditKind::Removal(_) => {}
            EditKind::Settings { color, old, new } => {
                self.restore_settings(*color, **chosen(direction, old, new))
            }
            EditKind::Scene { old, new } => {
                self.command_silently(Command::ChangeScene(chosen(direction, old, new).clone()));
            }
            EditKind::Lane { lane, .. } => {
                let gone = self.remove_lane_silently(lane.color);
                if let Some(Edit { kind: EditKind::Lane { lane, .. }, .. }) =
                    self.edits.list_for(direction.reversed()).last_mut()
                {
                    *lane = gone.unwrap_or_else(|| lane.clone());
                }
            }
            EditKind::Lanes { old, new } => self.set_lanes(chosen(direction, old, new).clone()),
        }
    }

    /// Removes the lane with this colour without recording an edit. Returns the data for restoring
    /// the lane.
    fn remove_lane_silently(&mut self, color: usize) -> Option<AbsentLane> {
        let index = self.index_of_lane(color)?;
        let absent = self.absent_lane(index);
        self.command_silently(Command::RemoveLane(index));
        absent
    }

    pub(super) fn set_lanes(&mut self, LaneSet { lanes, reference }: LaneSet) {
        self.edits.silent = true;
        let start = self.history.end().events;
        self.replace_lanes(lanes);
        self.edits.lists.exchanges.push(start..self.history.end().events);
        self.edits.silent = false;
        let lanes = self.session.lanes();
        self.shown.reference = reference.and_then(|index| Some(lanes.get(index)?.color));
    }

    fn restore_settings(&mut self, color: usize, settings: Settings) {
        if let Some(lane) = self.index_of_lane(color) {
            self.command_silently(Command::Configure { lane, settings });
        }
    }

    /// Carries out a command without recording an edit.
    fn command_silently(&mut self, command: Command) {
        self.edits.silent = true;
        self.command(command);
        self.edits.silent = false;
    }
}

/// True if the undo or redo of an edit adds its lane again. `is_added` is true for an edit that
/// added a lane.
fn restores_lane(is_added: bool, direction: Direction) -> bool {
    is_added == (direction == Direction::Redo)
}
