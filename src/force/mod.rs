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

/// The hand's spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grab {
    /// Held particle.
    pub particle: u32,
    /// Where the hand is, in metres.
    pub at: DVec3,
    /// Its velocity in m/s.
    pub velocity: DVec3,
    /// N/m.
    pub stiffness: f64,
    /// N·s/m.
    pub damping: f64,
}
impl ForceLaw for Grab {
    fn name(&self) -> &'static str {
        "grab"
    }
    fn add(&self, at: &Kinematics, f: &mut [DVec3]) {
        let i = self.particle as usize;
        f[i] += self.stiffness * (self.at - at.x[i]) + self.damping * (self.velocity - at.v[i]);
    }
    fn add_jvp(&self, _: &Kinematics, _: &[DVec3], _: &[DVec3], _: &mut [DVec3]) {}
    fn potential(&self, _: &Kinematics) -> Option<f64> {
        None
    }
}
/// Springs.
#[derive(Clone, Debug)]
pub struct Springs {
    links: Vec<crate::constraint::Link>,
}
impl Springs {
    /// From links.
    pub fn new(links: impl IntoIterator<Item = crate::constraint::Link>) -> Self {
        Self { links: links.into_iter().collect() }
    }
}
impl ForceLaw for Springs {
    fn name(&self) -> &'static str {
        "springs"
    }
    fn add(&self, at: &Kinematics, f: &mut [DVec3]) {
        for l in &self.links {
            let (a, b) = (l.a as usize, l.b as usize);
            let d = at.x[b] - at.x[a];
            let Some(n) = d.try_normalize() else { continue };
            let g =
                (l.stiffness * (d.length() - l.rest) + l.damping * (at.v[b] - at.v[a]).dot(n)) * n;
            f[a] += g;
            f[b] -= g;
        }
    }
    fn add_jvp(&self, _: &Kinematics, _: &[DVec3], _: &[DVec3], _: &mut [DVec3]) {}
    fn potential(&self, _: &Kinematics) -> Option<f64> {
        None
    }
}
