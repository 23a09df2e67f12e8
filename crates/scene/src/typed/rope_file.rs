//! Ropes of a scene file, and their routes.

use super::located::{Fault, Located};
use super::number::{Count, Finite, Point, Positive};
use super::particles::Particles;
use serde::{Deserialize, Serialize};

/// A rope between two points, straight or along a route. Without `through`, a rope longer than the
/// distance of its ends starts in its hanging equilibrium, every link at its rest length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "rope", deny_unknown_fields)]
pub struct RopeFile {
    /// Name by which others refer to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Located<String>>,
    /// Position of the first particle in metres. Needed without `tie_from`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Located<Point>>,
    /// Position of the last particle in metres. Needed without `tie_to`, unless the rope is closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Located<Point>>,
    /// An existing particle that becomes the first of this rope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tie_from: Option<Located<Particles>>,
    /// An existing particle that becomes the last of this rope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tie_to: Option<Located<Particles>>,
    /// Points, arcs and colliders that the rope passes between its ends, in order, straight in
    /// between. The distance of its ends at the start is then the rest length of every link, scaled
    /// if `length` is given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub through: Vec<Located<Via>>,
    /// True for a ring or a belt: the rope ends where it begins.
    #[serde(default, skip_serializing_if = "is_open")]
    pub closed: bool,
    /// Rest length in metres. Without it, the distance of the ends, or the length of the route.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<Positive>,
    /// Direction in which a slack rope sags at the start; only its part perpendicular to the line
    /// between the ends counts.
    #[serde(default = "down")]
    pub sag: Located<Point>,
    /// Number of links.
    #[serde(default = "twenty")]
    pub segments: Located<Count>,
    /// Material from the scene or from `ropelab list materials`. Without it, the default rope
    /// material.
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
    /// A particle at this place in metres.
    Point(Point),
    /// An arc that begins at the place before it.
    Arc {
        /// Centre in metres.
        centre: Point,
        /// Axis; the arc turns counter-clockwise seen from its tip.
        about: Point,
        /// Angle in degrees.
        degrees: Positive,
    },
    /// Round a sphere, capsule or cylinder, from where the rope touches it to where it leaves it.
    Round {
        /// Number of the collider, from 0.
        collider: u32,
        /// Axis; the rope turns counter-clockwise seen from its tip.
        about: Point,
        /// Whole turns in addition to the least.
        #[serde(default, skip_serializing_if = "is_none")]
        turns: u32,
        /// Distance of the particles from its surface in metres.
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
