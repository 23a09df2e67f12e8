//! Output line for a single event, and the simulation of a scene given as text.

use crate::scene::Scene;
use crate::simulation::Simulation;
use std::sync::Arc;

/// Measured quantity, its value, and the largest accepted value.
pub(super) type OccasionLine = (String, f64, f64);

/// Parses the text of a scene. Returns the simulation of its first lane, and the scene.
pub(super) fn simulation(text: &str) -> (Simulation, Arc<Scene>) {
    let scene = Arc::new(Scene::parse(text, "occasion.ron").expect("a scene of this file"));
    (Simulation::new(scene.parts.clone(), scene.lanes[0].settings), scene)
}
