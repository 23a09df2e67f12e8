//! Changes of a recorded edit: by a later change of the same edit, and by a recomputation.

use super::edit::{Edit, EditKind, LaneSet};
use super::names::CUT;

impl Edit {
    /// Merges a later change into this edit if both belong to one drag of a slider or one stroke of
    /// the scissors, or if the change sets up the lane that the edit added. `events` is the number
    /// of events before the change. Returns false if the change is a separate edit.
    pub fn merge(&mut self, events: usize, kind: &EditKind) -> bool {
        let is_merged = match &mut self.kind {
            EditKind::Settings { color, new, .. } => {
                if let EditKind::Settings { color: its, new: newest, .. } = kind
                    && color == its
                {
                    new.clone_from(newest);
                    true
                } else {
                    false
                }
            }
            EditKind::Scene { new, .. } => {
                if let EditKind::Scene { new: newest, .. } = kind
                    && new.iter().map(|it| &it.path).eq(newest.iter().map(|it| &it.path))
                {
                    new.clone_from(newest);
                    true
                } else {
                    false
                }
            }
            EditKind::Hand { name, .. } => {
                *name == CUT && matches!(kind, EditKind::Hand { name: CUT, .. })
            }
            EditKind::Lane { is_added, lane } => {
                let is_its = |color: &usize| *is_added && lane.color == *color;
                matches!(kind, EditKind::Settings { color, .. } if is_its(color))
            }
            EditKind::Lanes { .. } | EditKind::Removal(_) => false,
        };
        if is_merged {
            self.last = events;
        }
        is_merged
    }
}

impl EditKind {
    /// Updates the edit before one of its commands is repeated. Returns false if the command does
    /// not belong to the edit. `now` is the edit that the command would make now; `lanes` are the
    /// current lanes.
    pub fn update(
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
pub struct RepeatedCommand {
    /// True for the first repeated command of the edit.
    pub is_first: bool,
    /// True if the command adds a lane.
    pub adds_lane: bool,
}
