//! Scenes of tests.

use crate::scene::Scene;
use crate::simulation::Simulation;

/// Returns the scene of a text. The panic has the message of the reader.
pub fn scene(text: &str) -> Scene {
    Scene::parse(text, "test").unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the first lane of a scene at its start.
pub fn lane(text: &str) -> Simulation {
    let scene = scene(text);
    Simulation::new(scene.parts.clone(), scene.lanes[0].settings)
}
