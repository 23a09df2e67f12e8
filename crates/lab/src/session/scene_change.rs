//! Numbers of the scene that change while it runs.

use super::{Session, StepCost};
use crate::scene::Scene;
use crate::scene::vary::VariableScene;
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
}
