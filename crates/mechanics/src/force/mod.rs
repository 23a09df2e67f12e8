//! Force laws, one per file. A scene lists forces as pairs of a law and its targets (a force
//! registry, Millington, *Game Physics Engine Development*).
//!
//! To add a law, write `NAME.rs` with a struct that implements [`ForceLaw`]. Then add a variant to
//! [`Force`], and an arm to each of [`Force::law`] and [`Force::check`].
//!
//! The coefficients of drag and wind are per mass, so that the motion of a rope or cloth does not
//! depend on its number of particles. Scenes do not list [`Springs`], [`Bending`] and [`Grab`]:
//! these laws follow from the links, the bends and the mouse drag.

mod attractor;
mod bending;
mod check;
mod faces;
mod grab;
mod gravity;
mod gust;
mod law;
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
pub use law::{ForceLaw, Kinematics};
pub use linear_drag::LinearDrag;
pub use quadratic_drag::QuadraticDrag;
pub use springs::spring::Springs;
pub use springs::spring_rows::Epilogue;
pub use targets::Targets;
pub use uniform_acceleration::UniformAcceleration;
pub use wind::Wind;

use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator};

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
    /// Wind on particles, f = c m (u − v), with u = velocity · gust. The law includes `LinearDrag`:
    /// do not use both.
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

    /// Yields all laws with default parameters.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }
}
