//! Ropes of a scene file, and their routes.

use super::located::{Fault, Located};
use super::number::{Count, Finite, Point, Positive};
use super::particles::Particles;
use serde::{Deserialize, Serialize};

/// A rope between two points. Without `through`, a taut rope starts straight. A rope that is longer
/// than the distance between its ends starts in the equilibrium of a chain of rigid links: elastic
/// links start at their rest lengths and stretch later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "rope", deny_unknown_fields)]
pub struct RopeFile {
    /// Name for selections: `Body("NAME")`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Located<String>>,
    /// Position of the first particle in metres. Required without `tie_from`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Located<Point>>,
    /// Position of the last particle in metres. Required without `tie_to`, unless the rope is
    /// closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Located<Point>>,
    /// Particle of an earlier body that is also the first particle of the rope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tie_from: Option<Located<Particles>>,
    /// Particle of an earlier body that is also the last particle of the rope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tie_to: Option<Located<Particles>>,
    /// Points, arcs and colliders between the ends, joined by straight lines. Without `length`,
    /// links start at their rest lengths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub through: Vec<Located<Via>>,
    /// True if the rope ends at its beginning, like a belt.
    #[serde(default, skip_serializing_if = "is_open")]
    pub closed: bool,
    /// Rest length of the rope in metres; by default the length of the route.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<Positive>,
    /// Direction of the sag of a slack rope.
    #[serde(default = "down")]
    pub sag: Located<Point>,
    /// Number of links.
    #[serde(default = "twenty")]
    pub segments: Located<Count>,
    /// Name of a rope material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<Located<String>>,
    /// Name of the layer, for `no_contact`. A link has the layer of its first particle, which may
    /// belong to another body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<Located<String>>,
}

impl RopeFile {
    pub(crate) fn check_closed(&self) -> Result<(), Fault> {
        let end = self.to.as_ref().map(|to| to.fault("found `to`, but the rope is closed"));
        let tie = self.tie_to.as_ref().map(|to| to.fault("found `tie_to`, but the rope is closed"));
        end.or(tie).map_or(Ok(()), Err)
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
    /// Particle at this position: `Point(x, y, z)`.
    Point(Point),
    /// Arc from the previous position.
    Arc {
        /// Centre in metres.
        centre: Point,
        /// Axis; counter-clockwise as seen from its tip.
        about: Point,
        /// Angle in degrees.
        degrees: Positive,
    },
    /// Path around a sphere, capsule or cylinder from the first to the last contact.
    Round {
        /// Index of the collider, from 0.
        collider: u32,
        /// Axis; counter-clockwise as seen from its tip.
        about: Point,
        /// Whole turns beyond the shortest path.
        #[serde(default, skip_serializing_if = "has_no_turns")]
        turns: u32,
        /// Distance between the rope's path and the collider's surface in metres.
        #[serde(default, skip_serializing_if = "is_at_surface")]
        gap: Finite,
    },
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn has_no_turns(turns: &u32) -> bool {
    *turns == 0
}

fn is_at_surface(gap: &Finite) -> bool {
    f64::from(*gap) == 0.0
}
