//! Force laws, one per file. A scene lists forces as pairs of a law and its targets (a force
//! registry, Millington, *Game Physics Engine Development*).
//!
//! To add a law, write `NAME.rs` with a struct that implements [`ForceLaw`]. Then add a variant to
//! [`Force`], and an arm to each of [`Force::law`] and [`Force::check`].
//!
//! The coefficients of drag and wind are per mass, so that the motion of a rope or cloth does not
//! depend on how finely it is divided into particles. [`Springs`], [`Bending`] and [`Grab`] are
//! laws that no scene lists: they follow from links, from bends and from the user's hand.

mod attractor;
mod bending;
mod check;
mod faces;
mod grab;
mod gravity;
mod gust;
mod linear_drag;
mod quadratic_drag;
mod row_vectors;
mod springs;
mod targets;
mod uniform_acceleration;
mod wind;

pub use attractor::Attractor;
pub use bending::Bending;
pub use faces::face_wind::FaceWind;
pub use grab::Grab;
pub use gravity::Gravity;
pub use gust::Gust;
pub use linear_drag::LinearDrag;
pub use quadratic_drag::QuadraticDrag;
pub use springs::spring::Springs;
pub use springs::spring_rows::Epilogue;
pub use targets::Targets;
pub use uniform_acceleration::UniformAcceleration;
pub use wind::Wind;

use crate::mesh::faces::Faces;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator};

/// State for which a force is evaluated. Each slice has one entry per particle.
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
    /// Particles on which the law acts. A law on triangles acts on a triangle if all its corners
    /// are targets.
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

    /// Returns the acceleration of a law that gives all targets the same acceleration at the same
    /// velocity. `None` for other laws. The model then adds the acceleration directly, without a
    /// multiplication and a division by the mass.
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

    /// True if the force on a resting particle changes with time, as in gusts. Its targets never
    /// come to rest.
    fn varies(&self) -> bool {
        false
    }

    /// Returns the potential energy in joules. `None` for a law without potential (drag, wind).
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

/// Force laws for scenes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, EnumIter)]
#[serde(deny_unknown_fields)]
pub enum Force {
    /// Uniform gravity, f = m g.
    Gravity(Gravity),
    /// Linear drag f = −c m v: velocity decays as e^(−ct); terminal velocity g/c.
    LinearDrag(LinearDrag),
    /// Quadratic drag f = −c m |v| v; terminal velocity √(g/c). For a sphere in air c = ½ρ C_d A/m.
    QuadraticDrag(QuadraticDrag),
    /// Wind on particles, f = c m (u − v), with u = velocity · gust. It includes `LinearDrag`: do
    /// not use both.
    Wind(Wind),
    /// Wind on triangles of cloths with area A and unit normal n, in air of density ρ with the
    /// relative velocity u: drag ½ρ C_D A |u·n| u and lift ½ρ C_L A (u·n)/|u| (|u|² n − (u·n) u).
    FaceWind(FaceWind),
    /// Attraction by a point, f = −μ m r/(r² + ε²)^(3/2).
    Attractor(Attractor),
}

impl Force {
    /// Returns the force law of this variant.
    #[inline]
    pub fn law(&self) -> &dyn ForceLaw {
        match self {
            Self::Gravity(law) => law,
            Self::LinearDrag(law) => law,
            Self::QuadraticDrag(law) => law,
            Self::Wind(law) => law,
            Self::FaceWind(law) => law,
            Self::Attractor(law) => law,
        }
    }

    /// Checks all parameters. The error is a sentence that names the invalid parameter.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::Gravity(law) => law.check(),
            Self::LinearDrag(law) => law.check(),
            Self::QuadraticDrag(law) => law.check(),
            Self::Wind(law) => law.check(),
            Self::FaceWind(law) => law.check(),
            Self::Attractor(law) => law.check(),
        }
    }

    /// Iterates over all laws, with default parameters.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }
}
