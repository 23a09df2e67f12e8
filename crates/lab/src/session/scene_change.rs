//! Changes of a running scene: its values change, and bodies are added or removed.

use super::lane::Lane;
use super::side_by_side::Session;
use super::step_cost::StepCost;
use crate::model::Throw;
use crate::scene::Scene;
use crate::scene::edit::{AdoptedBall, EditedScene};
use crate::scene::vary::VariableScene;
use crate::simulation::scene_edit::{RopeEnd, SceneEdit};
use crate::simulation::settings::SceneNumber;
use std::sync::Arc;

impl Session {
    /// Replaces values of the scene. Values that make the scene invalid are ignored.
    pub(super) fn change_scene(&mut self, numbers: &[SceneNumber]) {
        let changed = VariableScene::spelled_out(&self.scene).changed(numbers);
        let Ok(changed) = changed else { return };
        // The lanes of a recording may differ from those of its scene file.
        let lanes = self.scene.lanes.clone();
        self.replace_scene(Scene { lanes, ..changed });
    }

    /// Replaces the scene by one with other values. The simulations continue if particles and links
    /// correspond. Otherwise the session restarts.
    fn replace_scene(&mut self, scene: Scene) {
        let scene = Arc::new(scene);
        let mut continues = true;
        for lane in &mut self.lanes {
            continues &= lane.simulation.replace_parts(scene.parts.clone());
            lane.step_cost = StepCost::default();
        }
        self.scene = scene;
        if !continues {
            self.reset_time();
        }
    }

    /// Returns the scene after an edit at the current moment. If the edit is impossible, returns a
    /// sentence with the reason.
    pub fn edited_scene(&self, edit: &SceneEdit) -> Result<EditedScene, String> {
        self.scene.edited(edit, |ball| self.thrown_ball(ball))
    }

    /// Returns the thrown ball with this index, at its position in the first lane. `None` if any
    /// lane lacks this ball or has a different one.
    fn thrown_ball(&self, number: usize) -> Option<AdoptedBall> {
        let ball = |lane: &Lane| {
            let (simulation, model) = (&lane.simulation, lane.simulation.model());
            let Throw { radius, mass, .. } = model.thrown().balls.get(number)?.throw;
            let particle = simulation.parts().mesh.positions.len() + number;
            let at = simulation.state().x.get(particle).copied()?;
            Some(AdoptedBall { at, radius, mass })
        };
        let first = ball(self.lanes.first()?)?;
        let same = |other: AdoptedBall| [other.radius, other.mass] == [first.radius, first.mass];
        self.lanes.iter().all(|lane| ball(lane).is_some_and(same)).then_some(first)
    }

    /// If an edit adds a rope or a tie, makes it at least as long as the distance between its ends
    /// in every lane that has not exploded. Otherwise the new links would start stretched. Other
    /// edits are unchanged.
    pub fn long_enough(&self, edit: &SceneEdit) -> SceneEdit {
        let running = self.lanes.iter().filter(|lane| lane.simulation.explosion().is_none());
        let longest = |ends: [RopeEnd; 2]| {
            let distance = |lane: &Lane| {
                let x = &lane.simulation.state().x;
                let place = |end: RopeEnd| match end {
                    RopeEnd::At(at) => Some(at),
                    RopeEnd::Particle(particle) => x.get(particle as usize).copied(),
                };
                let [a, b] = ends.map(place);
                a.zip(b).map_or(0.0, |(a, b)| a.distance(b))
            };
            running.map(distance).filter(|it| it.is_finite()).fold(0.0, f64::max)
        };
        match *edit {
            SceneEdit::AddRope { ends, length } => {
                SceneEdit::AddRope { ends, length: length.max(longest(ends)) }
            }
            SceneEdit::Tie { ends, length } => {
                let length = length.max(longest(ends.map(RopeEnd::Particle)));
                SceneEdit::Tie { ends, length }
            }
            other => other,
        }
    }

    /// Adds or removes a body, or gives a body its own material. In every lane, all other bodies
    /// continue. An edit that makes the scene invalid is ignored.
    pub(super) fn edit_scene(&mut self, edit: &SceneEdit) {
        let edit = &self.long_enough(edit);
        let Ok(edited) = self.edited_scene(edit) else { return };
        let lanes = self.scene.lanes.clone();
        let scene = Scene { lanes, ..edited.scene.clone() };
        if let SceneEdit::OwnMaterial(_) = edit {
            return self.replace_scene(scene);
        }
        let scene = Arc::new(scene);
        for lane in &mut self.lanes {
            let fresh = edited.positions_of_new_particles(edit, &lane.simulation.state().x);
            lane.simulation.carry_over(scene.parts.clone(), &edited.parts_mapping(&fresh));
            lane.step_cost = StepCost::default();
            // The recorded inputs contain particle indices from before the edit.
            lane.inputs.clear();
        }
        self.scene = scene;
    }
}
