//! Force laws, one file each, in one list (the force registry: pairs of law and target, Millington,
//! *Game Physics Engine Development*).
//!
//! To add a law, write `NAME.rs` with a struct that implements [`ForceLaw`]. Then add its variant
//! to [`Force`] and its arms to [`Force::law`] and [`Force::check`].
//!
//! Drag and wind are given per mass, so that a body falls and flies alike however finely it is
//! divided. [`Springs`], [`Bending`] and [`Grab`] are laws too, but not in the list, because they
//! come from links, from bends and from the hand.

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

/// State of the particles for which a force is evaluated. Slices have one entry per particle.
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
    pub faces: &'a Faces,
    /// Particles that the law acts on. A law over faces acts on a face when all its corners are
    /// targets.
    pub targets: Targets<'a>,
}

/// Law of a force on particles.
pub trait ForceLaw {
    /// Name for lists: `gravity`.
    fn name(&self) -> &'static str;

    /// Short description for lists: "uniform gravity".
    fn title(&self) -> &'static str;

    /// Adds the force in newtons on each target to `f`.
    fn add(&self, at: &Kinematics, f: &mut [DVec3]);

    /// Returns the acceleration that all targets share, whatever their masses and positions. `None`
    /// for every other law. It saves a multiplication by the mass and a division by the mass.
    fn uniform_acceleration(&self) -> Option<UniformAcceleration> {
        None
    }

    /// Adds the directional derivative ∂f/∂x·dx + ∂f/∂v·dv in newtons to `df`.
    fn add_jvp(&self, at: &Kinematics, dx: &[DVec3], dv: &[DVec3], df: &mut [DVec3]);

    /// True if the force on a particle depends on that particle alone. A step may then be made for
    /// some of the particles at a time.
    fn is_local(&self) -> bool {
        false
    }

    /// True if the force on a particle at rest varies with time, as a gusty wind does: its targets
    /// never come to rest.
    fn varies(&self) -> bool {
        false
    }

    /// Returns the potential energy in joules. `None` for a law that has none (drag, wind).
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

/// Force laws that a scene can name.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, EnumIter)]
#[serde(deny_unknown_fields)]
pub enum Force {
    /// Uniform gravity, f = m g.
    Gravity(Gravity),
    /// Drag f = −c m v: velocity decays as e^(−ct); terminal velocity g/c.
    LinearDrag(LinearDrag),
    /// Drag f = −c m |v| v; terminal velocity √(g/c). For a sphere in air c = ½ρ C_d A/m.
    QuadraticDrag(QuadraticDrag),
    /// Wind on particles, f = c m (u − v), where the air has the velocity u = velocity · gust. It
    /// includes `LinearDrag`: do not use both.
    Wind(Wind),
    /// Wind on the faces of cloths as flat plates of area A with the unit normal n: drag ½ρ C_D A
    /// |u·n| u and lift ½ρ C_L A (u·n)/|u| (|u|² n − (u·n) u), u relative to the face.
    FaceWind(FaceWind),
    /// Attraction by a point, f = −μ m r/(r² + ε²)^(3/2).
    Attractor(Attractor),
}

impl Force {
    /// Returns the law of this variant.
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

    /// Checks all parameters. The error names the wrong one in one sentence.
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

    /// Returns every law with default parameters.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }
}
