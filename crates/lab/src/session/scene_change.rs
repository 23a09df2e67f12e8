//! Scene whose numbers change, or whose bodies are added or removed, while it runs.

use super::{Lane, Session, StepCost};
use crate::model::Throw;
use crate::scene::Scene;
use crate::scene::edit::{AdoptedBall, EditedScene};
use crate::scene::vary::VariableScene;
use crate::simulation::change::scene_edit::{RopeEnd, SceneEdit};
use crate::simulation::settings::SceneNumber;
use std::sync::Arc;

impl Session {
    /// Replaces numbers of the scene. If the result is no valid scene, nothing changes.
    pub(super) fn change_scene(&mut self, numbers: &[SceneNumber]) {
        let changed = VariableScene::spelled_out(&self.scene).changed(numbers);
        let Ok(changed) = changed else { return };
        // The lanes of a recording may be others than the file lists.
        let lanes = self.scene.lanes.clone();
        self.take_scene(Scene { lanes, ..changed });
    }

    /// Takes a scene with other numbers. It continues, unless its particles or links differ.
    fn take_scene(&mut self, scene: Scene) {
        let scene = Arc::new(scene);
        let mut goes_on = true;
        for lane in &mut self.lanes {
            goes_on &= lane.simulation.take_parts(scene.parts.clone());
            lane.step_cost = StepCost::default();
        }
        self.scene = scene;
        if !goes_on {
            self.begin_again();
        }
    }

    /// The scene after an edit that is made now.
    ///
    /// # Errors
    /// Returns a sentence with the reason if there is none.
    pub fn edited_scene(&self, edit: &SceneEdit) -> Result<EditedScene, String> {
        self.scene.edited(edit, |ball| self.thrown_ball(ball))
    }

    /// A ball that was thrown while the scene ran, by its number among those, if all lanes have it
    /// alike. It is where the first lane has it.
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

    /// Returns the edit with a rope or a tie that is at least as long as the distance of its ends
    /// in every lane that has not exploded, so that it starts stretched in none of them.
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

    /// Adds a body to the scene, removes one, or gives one a material of its own; all other bodies
    /// continue in every lane. If the result is no valid scene, nothing changes.
    pub(super) fn edit_scene(&mut self, edit: &SceneEdit) {
        let edit = &self.long_enough(edit);
        let Ok(edited) = self.edited_scene(edit) else { return };
        let lanes = self.scene.lanes.clone();
        let scene = Scene { lanes, ..edited.scene.clone() };
        if let SceneEdit::OwnMaterial(_) = edit {
            return self.take_scene(scene);
        }
        let scene = Arc::new(scene);
        for lane in &mut self.lanes {
            let fresh = edited.fresh_places(edit, &lane.simulation.state().x);
            lane.simulation.carry_over(scene.parts.clone(), &edited.carried(&fresh));
            lane.step_cost = StepCost::default();
            // Recorded inputs name particles by their old numbers.
            lane.inputs.clear();
        }
        self.scene = scene;
    }
}
