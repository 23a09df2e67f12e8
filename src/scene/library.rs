//! Stand-in: the list of scenes.

use super::{CameraSetup, LaneSetup, Pin, Scene, SceneError, TargetedForce};
use crate::force::{Force, Gravity};
use crate::mesh::{Mesh, RopeMaterial};
use crate::path::Path;
use crate::settings::Settings;
use glam::{DVec3, dvec3};

/// A scene of the list.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its file's name without the ending.
    pub name: &'static str,
}

impl Entry {
    /// The scene.
    pub fn load(&self) -> Result<Scene, SceneError> {
        Ok(rope(self.name))
    }
}

/// The list.
pub fn list() -> &'static [Entry] {
    &[Entry { name: "rope" }, Entry { name: "other-rope" }]
}

pub(super) fn rope(name: &str) -> Scene {
    let mut mesh = Mesh::default();
    let material = RopeMaterial {
        mass_per_metre: 0.2,
        stiffness: 400.0,
        damping: 0.02,
        bend_stiffness: 0.0,
        rigid: false,
        one_sided: false,
        radius: 0.02,
    };
    let particles = mesh.rope(dvec3(-1.0, 2.0, 0.0), dvec3(1.0, 2.0, 0.0), 2.4, 30, &material);
    let pins =
        [particles[0], particles[30]].map(|particle| Pin { particle, path: Path::Still }).to_vec();
    Scene {
        name: name.into(),
        look_for: "A rope that hangs.".into(),
        velocities: vec![DVec3::ZERO; mesh.positions.len()],
        pins,
        forces: vec![TargetedForce { law: Force::Gravity(Gravity::default()), targets: particles }],
        mesh,
        camera: CameraSetup::Side { centre: dvec3(0.0, 1.2, 0.0), height: 3.0 },
        floor: 0.0,
        lanes: vec![LaneSetup { name: "velocity Verlet".into(), settings: Settings::default() }],
    }
}
