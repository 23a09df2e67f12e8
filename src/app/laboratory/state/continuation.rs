//! Continuation of a lane from a moment before its explosion.

use crate::simulation::settings::{SceneNumber, Settings};

/// Remedy with which a lane continues from a moment before its explosion.
#[derive(Clone, Debug, PartialEq)]
pub enum Continuation {
    /// Adds a copy of the lane with other settings.
    NewLane(Box<Settings>),
    /// Changes values of the scene, which all lanes share.
    Scene(Vec<SceneNumber>),
}
