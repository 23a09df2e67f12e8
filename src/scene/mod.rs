//! Scenes: `SceneFile` is what was typed, [`Scene`] is what it means. Nothing
//! after this module validates again.

pub mod library;

use crate::force::Force;
use crate::mesh::Mesh;
use crate::path::Path;
use crate::settings::Settings;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// A checked scene: indices in range, numbers finite, masses and lengths positive.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Name for lists and titles.
    pub name: String,
    /// What a person should look for.
    pub look_for: String,
    /// Particles, links, faces and what is drawn as rope or cloth.
    pub mesh: Mesh,
    /// Initial velocities in m/s, one a particle.
    pub velocities: Vec<DVec3>,
    /// Pinned particles and their ways.
    pub pins: Vec<Pin>,
    /// Laws and their targets.
    pub forces: Vec<TargetedForce>,
    /// How the scene is looked at.
    pub camera: CameraSetup,
    /// Height of the floor in metres, for the eye.
    pub floor: f64,
    /// At least one lane.
    pub lanes: Vec<LaneSetup>,
}

/// A particle that follows a path instead of forces.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// Its index.
    pub particle: u32,
    /// Its way, relative to its start.
    pub path: Path,
}

/// A pair of the force registry.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetedForce {
    /// The law.
    pub law: Force,
    /// Particles that it acts on, ascending.
    pub targets: Vec<u32>,
}

/// A lane as the scene lists it.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneSetup {
    /// Name for its header.
    pub name: String,
    /// Its settings.
    pub settings: Settings,
}

/// How the scene is looked at when it is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum CameraSetup {
    /// From the front, orthographic; the mouse drags in the plane of the picture.
    Side {
        /// Point in the middle of the picture, in metres.
        centre: DVec3,
        /// Height of the picture in metres.
        height: f64,
    },
    /// In perspective around a point.
    Orbit {
        /// Point in the middle of the picture, in metres.
        centre: DVec3,
        /// Distance of the eye in metres.
        distance: f64,
        /// Angle around the vertical in degrees; 0 looks along −z.
        yaw: f64,
        /// Angle above the horizon in degrees.
        pitch: f64,
    },
}

/// Stand-in.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SceneError(String);

impl Scene {
    /// Stand-in.
    pub fn load(path: &std::path::Path) -> Result<Self, SceneError> {
        let text = std::fs::read_to_string(path)
            .map_err(|e| SceneError(format!("{}: {e}", path.display())))?;
        Ok(library::rope(text.lines().next().unwrap_or("empty")))
    }
}
