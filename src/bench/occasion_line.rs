//! Line of the output of an occasion, and simulation of a scene given as text.

use crate::scene::Scene;
use crate::simulation::Simulation;
use std::sync::Arc;

/// Quantity, value, and greatest accepted value.
pub(super) type OccasionLine = (String, f64, f64);

/// Returns the simulation of the first lane of a scene given as text, and the scene.
pub(super) fn simulation(text: &str) -> (Simulation, Arc<Scene>) {
    let scene = Arc::new(Scene::parse(text, "occasion.ron").expect("a scene of this file"));
    (Simulation::new(scene.parts.clone(), scene.lanes[0].settings), scene)
}
