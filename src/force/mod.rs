//! The force laws: one file each, one signature, one list (the force registry: pairs of law and
//! target, Millington, *Game Physics Engine Development*).
//!
//! Adding one: write `NAME.rs` with a struct that implements [`ForceLaw`], then add its variant
//! to [`Force`] and its arm to [`Force::law`].

mod gravity;

pub use gravity::Gravity;

use glam::DVec3;
use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator};

/// Where everything is when a force is asked for. Slices have one entry a particle.
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
    /// Triangles of cloths, as particle indices.
    pub faces: &'a [[u32; 3]],
    /// Particles that the law acts on, ascending. A law over faces acts on a face when all its
    /// corners are targets.
    pub targets: &'a [u32],
}

/// A law that pushes particles.
pub trait ForceLaw {
    /// Name for lists: `gravity`.
    fn name(&self) -> &'static str;

    /// Adds the force in newtons on each target to `f`.
    fn add(&self, at: &Kinematics, f: &mut [DVec3]);

    /// Adds the directional derivative ∂f/∂x·dx + ∂f/∂v·dv in newtons to `df`.
    fn add_jvp(&self, at: &Kinematics, dx: &[DVec3], dv: &[DVec3], df: &mut [DVec3]);

    /// Potential energy in joules; `None` for a law that has none (drag, wind).
    fn potential(&self, at: &Kinematics) -> Option<f64>;
}

/// The list of force laws that a scene can name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, EnumIter)]
pub enum Force {
    /// Uniform gravity.
    Gravity(Gravity),
}

impl Force {
    /// The law behind the name.
    pub fn law(&self) -> &dyn ForceLaw {
        match self {
            Self::Gravity(law) => law,
        }
    }

    /// Every law with default parameters.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }
}
