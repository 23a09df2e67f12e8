//! Ropes of a scene file, and their routes.

use super::located::{Fault, Located};
use super::number::{Count, Finite, Point, Positive};
use super::particles::Particles;
use serde::{Deserialize, Serialize};

/// A rope between two points. Without `through` it starts straight, or in its hanging equilibrium
/// if it is longer than the distance of its ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "rope", deny_unknown_fields)]
pub struct RopeFile {
    /// Name for references.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Located<String>>,
    /// First particle in metres. Needed without `tie_from`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Located<Point>>,
    /// Last particle in metres. Needed without `tie_to`, unless the rope is closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Located<Point>>,
    /// Existing particle that becomes the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tie_from: Option<Located<Particles>>,
    /// Existing particle that becomes the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tie_to: Option<Located<Particles>>,
    /// Points, arcs and colliders between the ends, in order, straight in between. Links then start
    /// at their rest lengths, unless `length` is given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub through: Vec<Located<Via>>,
    /// True if the rope ends where it begins, as a belt.
    #[serde(default, skip_serializing_if = "is_open")]
    pub closed: bool,
    /// Rest length in metres. Without it, that of the line or route.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<Positive>,
    /// Direction in which a slack rope sags, perpendicular to the line between the ends.
    #[serde(default = "down")]
    pub sag: Located<Point>,
    /// Number of links.
    #[serde(default = "twenty")]
    pub segments: Located<Count>,
    /// Name of a rope material. Without it, all defaults.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<Located<String>>,
    /// Layer for `no_contact`. Particles at ties keep their own; a link has that of its first
    /// particle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<Located<String>>,
}

impl RopeFile {
    /// Checks that a closed rope has no end of its own.
    pub(crate) fn check_closed(&self) -> Result<(), Fault> {
        let end = self.to.as_ref().map(|to| to.fault("found `to`, but the rope is closed"));
        let tie = self.tie_to.as_ref().map(|to| to.fault("found `tie_to`, but the rope is closed"));
        if let Some(fault) = end.or(tie) {
            return Err(fault);
        }
        Ok(())
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_open(closed: &bool) -> bool {
    !closed
}

fn down() -> Located<Point> {
    Located::new(Point::checked(glam::dvec3(0.0, -1.0, 0.0)))
}

fn twenty() -> Located<Count> {
    Located::new(Count::checked(20))
}

/// A part of a rope's route.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "via", deny_unknown_fields)]
pub enum Via {
    /// A particle at this place.
    Point(Point),
    /// An arc that begins at the place before it.
    Arc {
        /// Centre in metres.
        centre: Point,
        /// Axis; counter-clockwise seen from its tip.
        about: Point,
        /// Angle in degrees.
        degrees: Positive,
    },
    /// Path round a sphere, capsule or cylinder, from where the rope touches it to where it leaves
    /// it.
    Round {
        /// Number of the collider, from 0.
        collider: u32,
        /// Axis; counter-clockwise seen from its tip.
        about: Point,
        /// Whole turns in addition to the least.
        #[serde(default, skip_serializing_if = "is_none")]
        turns: u32,
        /// Distance from the surface in metres.
        #[serde(default, skip_serializing_if = "is_at_surface")]
        gap: Finite,
    },
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_none(turns: &u32) -> bool {
    *turns == 0
}

fn is_at_surface(gap: &Finite) -> bool {
    f64::from(*gap) == 0.0
}
