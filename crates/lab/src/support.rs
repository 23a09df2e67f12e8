//! Scenes for tests.

use crate::scene::Scene;
use crate::simulation::Simulation;

/// Reads a scene. Panics with the reader's message if the text is invalid.
pub fn scene(text: &str) -> Scene {
    Scene::parse(text, "test").unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the first lane of a scene at its start.
pub fn lane(text: &str) -> Simulation {
    let scene = scene(text);
    Simulation::new(scene.parts.clone(), scene.lanes[0].settings)
}
