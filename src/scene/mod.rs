//! Scenes: `SceneFile` is what was typed, [`Scene`] is what it means. Nothing
//! after this module validates again.

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

/// Stub until the scene engineer's work is merged.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SceneError(String);

impl Scene {
    /// Stub.
    pub fn load(path: &std::path::Path) -> Result<Self, SceneError> {
        let text = std::fs::read_to_string(path)
            .map_err(|e| SceneError(format!("{}: {e}", path.display())))?;
        Self::parse(&text, &path.display().to_string())
    }
    /// Stub.
    pub fn parse(text: &str, name: &str) -> Result<Self, SceneError> {
        if text.trim() != "stub" {
            return Err(SceneError(format!("{name}:1:1: expected stub")));
        }
        Ok(library::rope())
    }
    /// Stub.
    pub fn to_ron(&self) -> String {
        "stub\n".into()
    }
}

/// Stub.
pub mod library {
    use super::*;
    use crate::constraint::{Link, LinkKind};
    /// Stub.
    pub struct Entry {
        /// Stub.
        pub name: &'static str,
        /// Stub.
        pub text: &'static str,
    }
    impl Entry {
        /// Stub.
        pub fn scene(&self) -> Scene {
            rope()
        }
    }
    /// Stub.
    pub fn list() -> Vec<Entry> {
        vec![Entry { name: "hanging-rope", text: "stub" }]
    }
    /// Stub.
    pub fn find(name: &str) -> Result<Entry, crate::name::UnknownName> {
        list().into_iter().find(|e| e.name == name).ok_or_else(|| {
            crate::name::UnknownName::new("scene", name, list().iter().map(|e| e.name))
        })
    }
    pub(super) fn rope() -> Scene {
        let n = 11u32;
        let positions: Vec<DVec3> =
            (0..n).map(|i| DVec3::new(f64::from(i) * 0.1, 0.0, 0.0)).collect();
        let links = (0..n - 1)
            .map(|a| Link {
                a,
                b: a + 1,
                rest: 0.1,
                stiffness: 500.0,
                damping: 0.1,
                kind: LinkKind::Structural,
                one_sided: false,
                rigid: false,
            })
            .collect();
        Scene {
            name: "Hanging rope".into(),
            look_for: "A catenary.".into(),
            velocities: vec![DVec3::ZERO; n as usize],
            mesh: Mesh { masses: vec![0.01; n as usize], positions, links, ..Mesh::default() },
            pins: vec![
                Pin { particle: 0, path: Path::Still },
                Pin { particle: n - 1, path: Path::Still },
            ],
            forces: vec![TargetedForce {
                law: Force::Gravity(Default::default()),
                targets: (0..n).collect(),
            }],
            camera: CameraSetup::Side { centre: DVec3::ZERO, height: 2.0 },
            floor: -1.0,
            lanes: vec![LaneSetup {
                name: "velocity Verlet".into(),
                settings: Settings::default(),
            }],
        }
    }
}
