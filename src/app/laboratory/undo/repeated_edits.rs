//! Update of the list of edits during a recomputation: edits move among the events, and edits that
//! have become impossible are removed.

use super::{Edit, Edits, TakenOut, What, name_of};
use crate::app::laboratory::Laboratory;
use crate::app::laboratory::rewrite::Rewriting;
use crate::scene::LaneSetup;
use crate::session::retelling::Retelling;
use crate::simulation::settings::Command;
use std::ops::Range;

impl Edits {
    /// Returns the ranges of events in which all lanes were exchanged, counted from the event
    /// `events`.
    pub(in super::super) fn exchanges_from(&self, events: usize) -> Vec<Range<usize>> {
        let after = self.exchanges.iter().filter(|range| range.start >= events);
        after.map(|range| range.start - events..range.end - events).collect()
    }

    fn edit_mut(&mut self, id: u64) -> Option<&mut Edit> {
        self.done.iter_mut().chain(&mut self.undone).find(|edit| edit.id == id)
    }

    /// Moves all edits except `subject`, and all exchanges of lanes, among the events. `place`
    /// returns the new index of an event.
    fn move_to(&mut self, subject: u64, place: impl Fn(usize) -> usize) {
        let all = self.done.iter_mut().chain(&mut self.undone);
        for edit in all.filter(|edit| edit.id != subject) {
            edit.last = place(edit.last + 1).saturating_sub(1);
            edit.events = place(edit.events);
            edit.last = edit.last.max(edit.events);
            edit.turned = edit.turned.map(&place);
            if let What::Lane { lane, .. } = &mut edit.what {
                lane.gone = place(lane.gone);
            }
        }
        for range in &mut self.exchanges {
            *range = place(range.start)..place(range.end);
        }
        self.exchanges.retain(|range| !range.is_empty());
    }

    /// Removes the edits from the event `events` on whose events were not repeated. Returns these
    /// edits with their indices in the list.
    fn lose(&mut self, rewriting: &Rewriting) -> Vec<(usize, Edit)> {
        let is_lost = |edit: &Edit| {
            let stays = matches!(edit.what, What::Without(_)) || edit.id == rewriting.subject;
            !stays && edit.events >= rewriting.events && !rewriting.retold.contains(&edit.id)
        };
        let places = 0..self.done.len();
        let lost: Vec<usize> = places.filter(|place| is_lost(&self.done[*place])).collect();
        let taken = lost.into_iter().rev().map(|place| (place, self.done.remove(place)));
        let mut taken: Vec<_> = taken.collect();
        taken.reverse();
        taken
    }

    /// Restores a removed edit and the edits that were removed along with it.
    fn put_back(&mut self, TakenOut { edit, place, lost, .. }: TakenOut) {
        for (place, edit) in lost.into_iter().chain([(place, edit)]) {
            if let What::Lanes { .. } = edit.what {
                self.exchanges.push(edit.events..edit.last + 1);
            }
            self.done.insert(place.min(self.done.len()), edit);
        }
    }
}

impl Laboratory {
    /// Updates the edit to which an event belongs, before the event with index `at` is repeated.
    /// The present state becomes the state before the edit. Returns the number of the edit; `None`
    /// if the event belongs to no edit.
    pub(in super::super) fn retell_edit(
        &mut self,
        rewriting: &mut Rewriting,
        at: usize,
        command: &Command,
    ) -> Option<u64> {
        let is_at =
            |edit: &&Edit| edit.id != rewriting.subject && (edit.events..=edit.last).contains(&at);
        let near: Vec<u64> = self.edits.done.iter().filter(is_at).map(|edit| edit.id).collect();
        if near.is_empty() {
            return None;
        }
        let (now, lanes) = (self.edit_of(command), self.lane_set());
        let adds = matches!(command, Command::DuplicateLane(_) | Command::AddLane { .. });
        for id in near {
            let begins = !rewriting.retold.contains(&id);
            let edit = self.edits.edit_mut(id)?;
            let is_its = match (&mut edit.what, &now) {
                (What::Hand { name, .. }, Some(What::Hand { name: other, .. })) => name == other,
                (
                    What::Settings { color, old, new },
                    Some(What::Settings { color: its, old: from, new: to }),
                ) => {
                    if begins {
                        (*color, *old) = (*its, from.clone());
                    }
                    new.clone_from(to);
                    true
                }
                (What::Scene { old, new }, Some(What::Scene { old: from, new: to })) => {
                    if begins {
                        old.clone_from(from);
                    }
                    new.clone_from(to);
                    true
                }
                (What::Lane { came: false, lane }, Some(What::Lane { lane: its, .. })) => {
                    lane.clone_from(its);
                    true
                }
                (What::Lane { came: true, lane }, Some(What::Settings { color, .. })) => {
                    lane.color == *color
                }
                (What::Lane { came: true, .. }, _) => adds,
                (What::Lanes { old, .. }, _) => {
                    if begins {
                        *old = lanes.clone();
                    }
                    true
                }
                _ => false,
            };
            if is_its {
                if begins {
                    rewriting.retold.push(id);
                }
                return Some(id);
            }
        }
        None
    }

    /// Sets the names and frame sources of lanes that a repeated event added.
    pub(in super::super) fn after_retold_edit(&mut self, id: u64) {
        let place = self.session.lanes().len() - 1;
        let absent = self.absent(place);
        let Some(edit) = self.edits.edit_mut(id) else { return };
        match (&mut edit.what, absent) {
            (What::Lane { came: true, lane }, Some(absent)) => {
                let frames = std::mem::take(&mut lane.frames);
                self.session.show_on(place, frames.clone());
                *lane = super::Absent { frames, ..absent };
            }
            (What::Lanes { new: (lanes, _), .. }, _) => {
                let setup = lanes.get(place).cloned();
                setup.into_iter().for_each(|setup| self.show_lane(place, setup));
            }
            _ => {}
        }
    }

    /// Sets the names and frame sources of lanes that an event of a restored edit added.
    pub(in super::super) fn after_put_in_edit(&mut self, subject: u64) {
        let place = self.session.lanes().len() - 1;
        if let Some(Edit { what: What::Without(taken), .. }) = self.edits.edit_mut(subject)
            && let What::Lanes { new: (lanes, _), .. } = &taken.edit.what
            && let Some(setup) = lanes.get(place).cloned()
        {
            self.show_lane(place, setup);
        }
    }

    fn show_lane(&mut self, place: usize, LaneSetup { name, frames, .. }: LaneSetup) {
        self.session.rename(place, name);
        self.session.show_on(place, frames);
    }

    /// Restores the frame sources of lanes that an edit had removed and that exist again.
    pub(in super::super) fn show_lanes_that_stay(&mut self, subject: u64) {
        let Some(edit) = self.edits.edit_mut(subject) else { return };
        let what = match &edit.what {
            What::Without(taken) => &taken.edit.what,
            what => what,
        };
        match what {
            What::Lane { lane, .. } => {
                let lanes = self.session.lanes();
                let place = lanes.iter().position(|it| it.color == lane.color);
                let frames = lane.frames.clone();
                place.into_iter().for_each(|place| self.session.show_on(place, frames.clone()));
            }
            What::Lanes { old: (lanes, _), .. } => {
                for (place, lane) in lanes.iter().enumerate() {
                    self.session.show_on(place, lane.frames.clone());
                }
            }
            _ => {}
        }
    }

    /// Updates the list of edits after all events have been repeated.
    pub(in super::super) fn end_retelling(
        &mut self,
        rewriting: &Rewriting,
        retelling: &mut Retelling,
    ) {
        let Rewriting { events, subject, .. } = *rewriting;
        let lost = self.edits.lose(rewriting);
        let place = |old: usize| match old.checked_sub(events) {
            Some(old) => events + retelling.place(old),
            None => old,
        };
        self.edits.move_to(subject, place);
        let gesture = retelling.gesture();
        let end = gesture.last().map_or(events, |(last, _)| events + retelling.place(*last));
        let is_undone = self.edits.undone.iter().any(|edit| edit.id == subject);
        let Some(edit) = self.edits.edit_mut(subject) else { return };
        match &mut edit.what {
            What::Hand { gesture: taken, .. } if is_undone => *taken = gesture,
            What::Without(taken) if is_undone => {
                let taken = TakenOut::clone(taken);
                self.edits.put_back(taken);
            }
            What::Without(taken) => {
                let names: Vec<_> = lost.iter().map(|(_, edit)| name_of(&edit.what)).collect();
                let name = name_of(&taken.edit.what);
                (taken.gesture, taken.lost) = (gesture, lost);
                edit.last = end;
                self.edits.turns.lost = (!names.is_empty()).then_some((name, names));
            }
            _ => {}
        }
    }
}
