//! Recording of edits when their commands are carried out.

use crate::app::laboratory::Laboratory;
use crate::app::laboratory::edits::{AbsentLane, CUT, EditKind, Grabbed};
use crate::scene::vary::VariableScene;
use crate::session::edit_replay::RemovedCommands;
use crate::simulation::scene_edit::SceneEdit;
use crate::simulation::settings::{Command, GrabMode, SceneNumber};

impl Laboratory {
    /// Records the edit that a command makes. Must be called before the command is carried out.
    pub(in super::super) fn record_edit(&mut self, command: &Command) {
        if self.edits.silent {
            return;
        }
        match command {
            Command::Grab { particle, mode, .. } => {
                let model = self.selected().simulation.model();
                let needs_step = *mode == GrabMode::Spring || !model.is_pinned(*particle);
                let events = self.history.end().events;
                self.edits.grabbed = Some(Grabbed { events, has_moved: false, needs_step });
            }
            Command::Release => self.edits.grabbed = None,
            // A click without a move changes nothing.
            Command::MoveHand(_) => {
                if let Some(grabbed) = &mut self.edits.grabbed {
                    grabbed.has_moved = true;
                    if !(grabbed.needs_step && self.session.paused()) {
                        self.push_drag();
                    }
                }
            }
            Command::SingleStep | Command::Pause(false) => self.push_drag(),
            command => {
                if let Some(kind) = self.edit_kind_of(command) {
                    self.push_edit(kind);
                }
            }
        }
    }

    /// Records the drag as an edit if the mouse has moved since the grab.
    fn push_drag(&mut self) {
        if let Some(grabbed) = self.edits.grabbed.take_if(|grabbed| grabbed.has_moved) {
            self.push_edit_at(grabbed.events, hand_edit("the drag"));
        }
    }

    /// Returns the kind of the edit that a command would make now; `None` if the command makes no
    /// edit.
    pub(super) fn edit_kind_of(&self, command: &Command) -> Option<EditKind> {
        Some(match command {
            Command::Cut(_) => hand_edit(CUT),
            Command::TogglePin(_) => hand_edit("the pin"),
            Command::Throw(_) => hand_edit("the throw"),
            Command::GrabCollider { .. } => hand_edit("the move of the obstacle"),
            Command::Grab { .. } => hand_edit("the drag"),
            Command::EditScene(edit) => EditKind::Hand {
                name: name_of_edit(edit),
                is_built: true,
                gesture: RemovedCommands::new(),
            },
            Command::Blow(Some(_)) => {
                let blows = self.selected().simulation.model().blow.is_some();
                return (!blows).then(|| hand_edit("the wind"));
            }
            Command::Configure { lane, settings } => {
                let lane = self.session.lanes().get(*lane)?;
                let old = Box::new(*lane.simulation.settings());
                EditKind::Settings { color: lane.color, old, new: Box::new(*settings) }
            }
            Command::ChangeScene(numbers) => {
                EditKind::Scene { old: self.scene_numbers(numbers), new: numbers.clone() }
            }
            Command::RemoveLane(index) => {
                if self.session.lanes().len() == 1 {
                    return None;
                }
                EditKind::Lane { is_added: false, lane: self.absent_lane(*index)? }
            }
            // `record_new_lane` records the addition of a lane.
            Command::AddLane { .. } | Command::DuplicateLane(_) => return None,
            Command::MoveHand(_)
            | Command::Release
            | Command::Blow(None)
            | Command::Reset
            | Command::Pause(_)
            | Command::SingleStep
            | Command::Speed(_)
            | Command::NameLane { .. } => return None,
        })
    }

    /// Records the edit of a lane that was just added at the end of the list of lanes.
    pub(in super::super) fn record_new_lane(&mut self) {
        let index = self.session.lanes().len() - 1;
        if let Some(lane) = self.absent_lane(index).filter(|_| !self.edits.silent) {
            let events = self.history.end().events.saturating_sub(1);
            self.push_edit_at(events, EditKind::Lane { is_added: true, lane });
        }
    }

    /// Returns the scene's current values at the paths of these numbers.
    fn scene_numbers(&self, numbers: &[SceneNumber]) -> Vec<SceneNumber> {
        let now = VariableScene::spelled_out(self.session.scene());
        let number = |SceneNumber { path, .. }: &SceneNumber| {
            let value = now.number(path).ok().flatten();
            SceneNumber { path: path.clone(), value }
        };
        numbers.iter().map(number).collect()
    }

    /// Returns the data that can restore the lane with index `index`, which is about to be removed.
    pub(super) fn absent_lane(&self, index: usize) -> Option<AbsentLane> {
        let lane = self.session.lanes().get(index)?;
        let (color, display) = (lane.color, lane.display.clone());
        Some(AbsentLane { color, display, removed_at: self.history.end().events })
    }

    fn push_edit(&mut self, kind: EditKind) {
        self.push_edit_at(self.history.end().events, kind);
    }

    pub(super) fn push_edit_at(&mut self, events: usize, kind: EditKind) {
        self.edits.lists.undone.clear();
        let is_dragging = std::mem::replace(&mut self.edits.is_dragging, true);
        if let Some(last) = self.edits.lists.done.last_mut().filter(|_| is_dragging)
            && last.merge(events, &kind)
        {
            return;
        }
        let edit = self.edits.new_edit(events, kind);
        self.edits.lists.done.push(edit);
    }
}

fn hand_edit(name: &'static str) -> EditKind {
    EditKind::Hand { name, is_built: false, gesture: RemovedCommands::new() }
}

fn name_of_edit(edit: &SceneEdit) -> &'static str {
    match edit {
        SceneEdit::AddRope { .. } => "the new rope",
        SceneEdit::AddCloth { .. } => "the new cloth",
        SceneEdit::AddBall { .. } => "the new ball",
        SceneEdit::Tie { .. } => "the tie",
        SceneEdit::DeleteBody(_) | SceneEdit::DeleteCollider(_) => "the deletion",
        SceneEdit::OwnMaterial(_) => "the body's own material",
    }
}
