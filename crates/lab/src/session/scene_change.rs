//! A scene whose numbers change, or whose bodies come and go, while it runs.

use super::{Session, StepCost};
use crate::scene::Scene;
use crate::scene::vary::VariableScene;
use crate::simulation::change::scene_edit::SceneEdit;
use crate::simulation::settings::SceneNumber;
use std::sync::Arc;

impl Session {
    /// Puts numbers in the place of others in the scene. What makes no scene changes nothing.
    pub(super) fn change_scene(&mut self, numbers: &[SceneNumber]) {
        let changed = VariableScene::spelled_out(&self.scene).changed(numbers);
        let Ok(changed) = changed else { return };
        // The lanes of a recording may be others than the file lists.
        let lanes = self.scene.lanes.clone();
        let scene = Arc::new(Scene { lanes, ..changed });
        let mut goes_on = true;
        for lane in &mut self.lanes {
            goes_on &= lane.simulation.take_parts(scene.parts.clone());
            lane.step_cost = StepCost::default();
        }
        self.scene = scene;
        if !goes_on {
            self.begin_anew();
        }
    }

    /// Adds a body to the scene or takes one out of it; what was there goes on in every lane. What
    /// makes no scene changes nothing.
    pub(super) fn edit_scene(&mut self, edit: &SceneEdit) {
        let Ok(edited) = self.scene.edited(edit) else { return };
        let lanes = self.scene.lanes.clone();
        let scene = Arc::new(Scene { lanes, ..edited.scene.clone() });
        for lane in &mut self.lanes {
            let fresh = edited.fresh_places(edit, &lane.simulation.state().x);
            lane.simulation.carry_over(scene.parts.clone(), &edited.carried(&fresh));
            lane.step_cost = StepCost::default();
            // They name particles by their old numbers.
            lane.inputs.clear();
        }
        self.scene = scene;
    }
}
