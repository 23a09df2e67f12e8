//! Scene edits by the user: added and removed bodies, ties and obstacles, and bodies that get their
//! own material.

use glam::DVec3;
use ropelab_mechanics::quantity::magnitude::{
    format_six_digits, is_moderate, is_moderate_positive,
};
use serde::{Deserialize, Serialize};

/// One edit of a scene, applied to every simulation of the session. Bodies that the edit does not
/// concern continue.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum SceneEdit {
    /// A rope of the scene's first rope material.
    AddRope {
        /// Ends of the rope, pinned at a place or tied to a particle.
        ends: [RopeEnd; 2],
        /// Rest length in metres.
        length: f64,
    },
    /// A cloth of the scene's first cloth material, pinned at both upper corners.
    AddCloth {
        /// Upper left corner in metres.
        corner: DVec3,
        /// Vector to the upper right corner, in metres.
        across: DVec3,
        /// Vector to the lower left corner, in metres.
        down: DVec3,
    },
    /// A ball at rest.
    AddBall {
        /// Centre in metres.
        at: DVec3,
        /// Radius in metres.
        radius: f64,
        /// Mass in kilograms.
        mass: f64,
    },
    /// A one-sided link: two particles cannot move further apart than its length.
    Tie {
        /// Particles at the ends of the tie.
        ends: [u32; 2],
        /// Rest length in metres.
        length: f64,
    },
    /// Removes the rope, net, cloth, ball or single particle that contains this particle.
    DeleteBody(u32),
    /// Removes the obstacle with this index.
    DeleteCollider(u32),
    /// Gives the rope, net or cloth that contains this particle its own copy of its material, so
    /// that this copy can change separately.
    OwnMaterial(u32),
}

/// An end of a rope.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum RopeEnd {
    /// Pinned at a position in metres.
    At(DVec3),
    /// Tied to the particle with this index.
    Particle(u32),
}

impl SceneEdit {
    /// Checks the ranges of all values.
    pub fn check(&self) -> Result<(), String> {
        let place = |at: &DVec3| {
            if at.to_array().into_iter().all(is_moderate) {
                return Ok(());
            }
            Err(format!("a place or a displacement is {at}, expected metres of a moderate size"))
        };
        let size = |what: &str, size: f64| {
            if is_moderate_positive(size) {
                return Ok(());
            }
            Err(format!("{what} is {}, expected more than 0", format_six_digits(size)))
        };
        match self {
            Self::AddRope { ends, length } => {
                ends.iter().try_for_each(|end| match end {
                    RopeEnd::At(at) => place(at),
                    RopeEnd::Particle(_) => Ok(()),
                })?;
                size("the length of a rope", *length)
            }
            Self::AddCloth { corner, across, down } => {
                [corner, across, down].into_iter().try_for_each(place)
            }
            Self::AddBall { at, radius, mass } => {
                place(at)?;
                size("the radius of a ball", *radius)?;
                size("the mass of a ball", *mass)
            }
            Self::Tie { length, .. } => size("the length of a tie", *length),
            Self::DeleteBody(_) | Self::DeleteCollider(_) | Self::OwnMaterial(_) => Ok(()),
        }
    }
}
