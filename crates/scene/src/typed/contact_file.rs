//! Balls and colliders, as the author of a scene file writes them.

use super::located::Located;
use super::number::{Count, NonNegative, Point, Positive, is_zero, one};
use super::particles::Particles;
use ropelab_core::numerics::trajectory::Trajectory;
use serde::{Deserialize, Serialize};

/// Properties of a ball.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "ball", deny_unknown_fields)]
pub struct BallFile {
    /// Radius in metres.
    pub radius: Positive,
    /// Initial angular velocity in rad/s.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub spin: Point,
    /// Surface.
    #[serde(default = "default_surface")]
    pub surface: Located<SurfaceFile>,
}

/// One ball, or rows of equal balls along x, y and z.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "balls", deny_unknown_fields)]
pub struct BallsFile {
    /// Name for selections: `Body("NAME")`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Located<String>>,
    /// Position of the first ball in metres.
    pub at: Point,
    /// Radius in metres.
    #[serde(default = "tenth")]
    pub radius: Positive,
    /// Mass of each ball in kilograms.
    #[serde(default = "one")]
    pub mass: Positive,
    /// Initial velocity in m/s.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub velocity: Point,
    /// Initial angular velocity in rad/s.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub spin: Point,
    /// Surface.
    #[serde(default = "default_surface")]
    pub surface: Located<SurfaceFile>,
    /// Numbers of balls along x, y and z.
    #[serde(default = "single")]
    pub count: Located<(Count, Count, Count)>,
    /// Distances between neighbouring centres along x, y and z in metres; by default the diameter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spacing: Option<Point>,
    /// Largest random offset along each axis in metres.
    #[serde(default)]
    pub jitter: NonNegative,
    /// Largest random velocity along each axis in m/s, added to `velocity`.
    #[serde(default)]
    pub speed: NonNegative,
    /// Seed of the random offsets and velocities.
    #[serde(default)]
    pub seed: u32,
    /// Name of the layer, for `no_contact`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<Located<String>>,
}

/// A thrown ball.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "thrown", deny_unknown_fields)]
pub struct ThrownFile {
    /// Position in metres.
    pub at: Point,
    /// Initial velocity in m/s.
    pub velocity: Point,
    /// Mass in kilograms.
    pub mass: Positive,
    /// Radius in metres.
    pub radius: Positive,
    /// Time of the throw in seconds, rounded down to the start of a step.
    #[serde(default, skip_serializing_if = "is_thrown_at_start")]
    pub after: NonNegative,
}

fn is_thrown_at_start(after: &NonNegative) -> bool {
    f64::from(*after) == 0.0
}

fn true_by_default() -> bool {
    true
}

fn is_false(flag: &bool) -> bool {
    !*flag
}

fn is_true(flag: &bool) -> bool {
    *flag
}

fn tenth() -> Positive {
    Positive::checked(0.1)
}

fn single() -> Located<(Count, Count, Count)> {
    let one = Count::checked(1);
    Located::new((one, one, one))
}

/// A surface. A contact between two surfaces has the larger restitution and the geometric mean of
/// the friction coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "surface", default, deny_unknown_fields)]
pub struct SurfaceFile {
    /// Coefficient of restitution, 0 to 1; by default 0.5 for balls, otherwise 0.
    pub restitution: Option<NonNegative>,
    /// Coefficient of kinetic friction.
    pub friction: NonNegative,
    /// Coefficient of static friction; by default `friction`. Penalty contact uses `friction` only.
    pub static_friction: Option<NonNegative>,
}

impl Default for SurfaceFile {
    fn default() -> Self {
        let friction = NonNegative::checked(0.3);
        Self { restitution: None, friction, static_friction: None }
    }
}

pub(crate) fn default_surface() -> Located<SurfaceFile> {
    Located::new(SurfaceFile::default())
}

/// Radius and surface of particles other than balls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "surface_of", deny_unknown_fields)]
pub struct ParticleSurfaceFile {
    /// Selected particles.
    pub of: Located<Particles>,
    /// Radius in metres; by default the radius of the rope material, or 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<NonNegative>,
    /// True if links and triangles between these particles also collide. Links outside ropes, nets
    /// and cloths collide if both particles have a radius; balls do not hit particles without links.
    #[serde(default = "true_by_default", skip_serializing_if = "is_true")]
    pub between: bool,
    /// True if these bodies collide with themselves and each other (self-contact); they are two
    /// radii thick.
    #[serde(default, skip_serializing_if = "is_false")]
    pub itself: bool,
    /// Surface.
    #[serde(default = "default_surface")]
    pub surface: Located<SurfaceFile>,
}

/// A collider: a rigid obstacle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "collider", deny_unknown_fields)]
pub struct ColliderFile {
    /// Shape of the collider.
    pub shape: Located<ShapeFile>,
    /// Position of the centre, or of a point of a plane, in metres.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub at: Point,
    /// Surface.
    #[serde(default = "default_surface")]
    pub surface: Located<SurfaceFile>,
    /// Displacement from the initial position over time.
    #[serde(default = "still", skip_serializing_if = "is_still")]
    pub path: Located<Trajectory>,
    /// Angular velocity of the surface in rad/s, for a drum.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub turn: Point,
    /// Velocity of the surface in m/s, for a running belt.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub belt: Point,
    /// Name of the layer, for `no_contact`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<Located<String>>,
}

pub(super) fn still() -> Located<Trajectory> {
    Located::new(Trajectory::Still)
}

pub(super) fn is_still(path: &Located<Trajectory>) -> bool {
    **path == Trajectory::Still
}

/// Shape of a collider.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "shape", deny_unknown_fields)]
pub enum ShapeFile {
    /// Half-space.
    Plane {
        /// Normal vector away from the solid side.
        #[serde(default = "up")]
        normal: Point,
    },
    /// A sphere.
    Sphere {
        /// Radius in metres.
        radius: Positive,
    },
    /// A rod with round ends.
    Capsule {
        /// Radius in metres.
        radius: Positive,
        /// Distance between the centres of the round ends in metres.
        length: NonNegative,
        /// Direction of the axis.
        #[serde(default = "up")]
        along: Point,
    },
    /// A rectangular box.
    Box {
        /// Edge lengths before rotation, in metres.
        size: Point,
        /// Rotations about x, y and z, in this order, in degrees.
        #[serde(default, skip_serializing_if = "is_zero")]
        turned: Point,
    },
    /// A cylinder with flat ends.
    Cylinder {
        /// Radius in metres.
        radius: Positive,
        /// Length in metres.
        length: Positive,
        /// Direction of the axis.
        #[serde(default = "up")]
        along: Point,
    },
    /// A closed convex body of at most 2000 triangles.
    Mesh {
        /// Wavefront OBJ file, relative to the scene file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        /// Corners in metres relative to `at`, instead of a file.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        points: Vec<Point>,
        /// Indices of `points` from 0, counter-clockwise as seen from outside.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        triangles: Vec<[u32; 3]>,
    },
}

fn up() -> Point {
    Point::checked(glam::DVec3::Y)
}
