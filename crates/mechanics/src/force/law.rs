//! Interface of a force law, and the state that forces depend on.

use super::targets::Targets;
use super::uniform_acceleration::UniformAcceleration;
use crate::mesh::faces::Faces;
use glam::DVec3;

/// State that forces depend on. Each slice has one entry per particle.
#[derive(Clone, Copy, Debug)]
pub struct Kinematics<'a> {
    /// Time in seconds.
    pub t: f64,
    /// Positions in metres.
    pub x: &'a [DVec3],
    /// Velocities in m/s.
    pub v: &'a [DVec3],
    /// Masses in kilograms; 0 = pinned.
    pub masses: &'a [f64],
    /// Triangles of cloths.
    pub faces: &'a Faces,
    /// Particles that the law acts on. A law on triangles acts on a triangle if all its corners are
    /// targets.
    pub targets: Targets<'a>,
}

/// Force law: force on each particle as a function of time, positions and velocities.
pub trait ForceLaw {
    /// Returns the name for lists, e.g. `gravity`.
    fn name(&self) -> &'static str;

    /// Returns a short description for lists, e.g. "uniform gravity".
    fn title(&self) -> &'static str;

    /// Adds the force on each target in newtons to `f`.
    fn add(&self, at: &Kinematics, f: &mut [DVec3]);

    /// Returns the acceleration if it depends on the velocity alone. The model then adds it
    /// directly, without multiplying and dividing by the mass. `None` for other laws.
    fn uniform_acceleration(&self) -> Option<UniformAcceleration> {
        None
    }

    /// Adds the directional derivative ∂f/∂x·dx + ∂f/∂v·dv in newtons to `df`.
    fn add_jvp(&self, at: &Kinematics, dx: &[DVec3], dv: &[DVec3], df: &mut [DVec3]);

    /// True if the force on a particle depends only on the state of that particle. The particles
    /// may then be stepped in parts, one part after the other.
    fn is_local(&self) -> bool {
        false
    }

    /// True if the force on a resting particle changes with time, as in gusts. The targets then
    /// never come to rest.
    fn varies(&self) -> bool {
        false
    }

    /// Returns the potential energy in joules; `None` for a law without a potential (drag, wind).
    fn potential(&self, at: &Kinematics) -> Option<f64>;

    /// True if the law has a potential energy.
    fn has_potential(&self) -> bool {
        let nowhere = Kinematics {
            t: 0.0,
            x: &[DVec3::ZERO],
            v: &[DVec3::ZERO],
            masses: &[1.0],
            faces: &Faces::default(),
            targets: Targets::new(&[], 1),
        };
        self.potential(&nowhere).is_some()
    }
}
