//! A scene as it is typed. `docs/scene-format.md` is made from the comments of this file and of
//! the types that it names.
//!
//! A scene file is [RON](https://github.com/ron-rs/ron) in UTF-8. Lengths are in metres, masses in
//! kilograms, times in seconds, forces in newtons; y is up. `//` begins a comment. What has
//! parameters is written with brackets even when all of them stay at their defaults:
//! `Gravity()`. Every mistake is answered with the line, the column and what was expected; try
//! `ropelab check FILE`.
//!
//! ```ron
//! // A rope with a weight at its end, blown aside.
//! (
//!     version: 1,
//!     name: "Weight on a cord",
//!     look_for: "How far the wind turns the cord.",
//!     materials: [Rope(name: "cord", mass_per_metre: 0.1, stiffness: 300)],
//!     ropes: [(name: "rope", from: (0, 2, 0), to: (0, 1, 0), segments: 10, material: "cord")],
//!     masses: [(of: End("rope"), mass: 0.5)],
//!     pins: [(of: Start("rope"))],
//!     forces: [(law: Gravity()), (law: Gravity(g: (3, 0, 0)), on: End("rope"))],
//!     camera: Side(centre: (0, 1.4, 0), height: 2),
//!     settings: (integrator: VelocityVerlet, dt: 0.001),
//!     lanes: [
//!         (name: "velocity Verlet"),
//!         (name: "explicit Euler", settings: (integrator: ExplicitEuler)),
//!     ],
//! )
//! ```
//!
//! Limits: 1 000 000 particles, 8 lanes, files of 256 MiB.

use super::annotation::AnnotationsFile;
use super::contact_file::{BallFile, BallsFile, ColliderFile, ParticleSurfaceFile, ThrownFile};
use super::lane_file::{LaneFile, SettingsFile};
use super::located::Located;
use super::material_file::Material;
use super::number::{Count, Finite, NonNegative, Point, Positive};
use super::{CameraSetup, Group};
use crate::force::{Force, Gravity};
use crate::mesh::LinkKind;
use crate::numerics::trajectory::Trajectory;
use serde::{Deserialize, Serialize};

/// Version of the format that this program reads and writes.
pub const VERSION: u32 = 1;

/// A scene file. Particles are numbered from 0: first those under `particles`, then balls, nets,
/// cloths and ropes, each in the order of its list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Scene", deny_unknown_fields)]
pub struct SceneFile {
    /// Version of the format, 1. Best written first.
    pub version: Located<u32>,
    /// Name for lists and titles.
    pub name: String,
    /// What a person should look for.
    #[serde(default)]
    pub look_for: String,
    /// What it teaches: the gallery of the window is sorted by it.
    #[serde(default)]
    pub group: Group,
    /// What ropes, nets and cloths are made of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub materials: Vec<Material>,
    /// Single particles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub particles: Vec<ParticleFile>,
    /// Balls: single ones, rows, grids. They collide with each other and with colliders, and roll.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub balls: Vec<Located<BallsFile>>,
    /// Obstacles: planes, spheres, capsules, boxes, cylinders and convex meshes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub colliders: Vec<ColliderFile>,
    /// Radius and surface of particles other than balls, for what they do with colliders.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub surfaces: Vec<ParticleSurfaceFile>,
    /// Pairs of layers that pass through each other, as `[("rope", "drum")]`; of a pair of one layer
    /// with itself, its bodies with each other. A layer is whatever has its name as `layer`: balls,
    /// particles, ropes, nets, cloths, colliders. What has none touches everything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub no_contact: Vec<(Located<String>, Located<String>)>,
    /// Nets of crossing ropes over a parallelogram.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nets: Vec<SheetFile>,
    /// Cloths over a parallelogram.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cloths: Vec<SheetFile>,
    /// Ropes between two points. A rope may be tied to anything above it: to single particles,
    /// nets, cloths, and ropes that come before it in the list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ropes: Vec<Located<RopeFile>>,
    /// Single links.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkFile>,
    /// Balls that are thrown, as the window does it: those that are in the air from the start come
    /// after all other particles, those that are thrown later after these. In `surfaces`, `masses`
    /// and `velocities`, `All` does not mean them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thrown: Vec<Located<ThrownFile>>,
    /// Single bends. Ropes, nets and cloths bring their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bends: Vec<BendFile>,
    /// Links that are cut from the start: every link between the two particles of a pair.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cuts: Vec<Located<[u32; 2]>>,
    /// Masses that replace those that follow from the materials.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub masses: Vec<MassFile>,
    /// Initial velocities; without one a particle starts at rest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub velocities: Vec<VelocityFile>,
    /// Particles that stay, or go their own way, whatever pulls at them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<PinFile>,
    /// Force laws and what they act on. Without this field: gravity on everything.
    #[serde(default = "gravity_on_all")]
    pub forces: Vec<ForceFile>,
    /// Height of the floor in metres, for the eye.
    #[serde(default)]
    pub floor: Finite,
    /// How the scene is looked at; without it, from the front with room for all to hang.
    #[serde(default)]
    pub camera: Option<Located<CameraSetup>>,
    /// What the window writes and draws beside the scene.
    #[serde(default, skip_serializing_if = "is_plain")]
    pub annotations: AnnotationsFile,
    /// Settings of every lane; a lane may override them field by field.
    #[serde(default)]
    pub settings: SettingsFile,
    /// Contestants, 1 to 8. Without this field: one, with the settings above.
    #[serde(default)]
    pub lanes: Vec<Located<LaneFile>>,
    /// Triangles to draw and for the wind, as particle numbers, counter-clockwise seen from the
    /// front. Cloths bring their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faces: Vec<Located<[u32; 3]>>,
    /// Runs of particles to draw as a rope. Ropes and nets bring their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drawn_ropes: Vec<DrawnRope>,
    /// Patches of particles to draw as a cloth. Cloths bring their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drawn_cloths: Vec<Located<DrawnCloth>>,
}

fn is_plain(annotations: &AnnotationsFile) -> bool {
    *annotations == AnnotationsFile::default()
}

fn gravity_on_all() -> Vec<ForceFile> {
    let law = Located::new(Force::Gravity(Gravity::default()));
    vec![ForceFile { law, on: everything() }]
}

fn everything() -> Located<Particles> {
    Located::new(Particles::All)
}

/// A single particle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "particle", deny_unknown_fields)]
pub struct ParticleFile {
    /// Name by which others refer to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Located<String>>,
    /// Where it starts, in metres.
    pub at: Point,
    /// Mass in kilograms.
    #[serde(default = "one")]
    pub mass: Positive,
    /// Initial velocity in m/s.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub velocity: Point,
    /// Makes it a ball.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ball: Option<BallFile>,
    /// Its layer, for `no_contact`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<Located<String>>,
}

pub(super) fn one() -> Positive {
    Positive::checked(1.0)
}

pub(super) fn is_zero(p: &Point) -> bool {
    // Not −0, which is another number of the state.
    glam::DVec3::from(*p).to_array().map(f64::to_bits) == [0; 3]
}

/// A rope between two points. A rope that is longer than their distance starts hanging, every
/// link at its own length, in the shape in which it would rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "rope", deny_unknown_fields)]
pub struct RopeFile {
    /// Name by which others refer to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Located<String>>,
    /// Where its first particle is, in metres. Needed, unless `tie_from` says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Located<Point>>,
    /// Where its last particle is, in metres. Needed, unless `tie_to` says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Located<Point>>,
    /// A particle that exists already and serves as the first of this rope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tie_from: Option<Located<Particles>>,
    /// A particle that exists already and serves as the last of this rope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tie_to: Option<Located<Particles>>,
    /// Rest length in metres. Without it, the distance of the ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<Positive>,
    /// Direction in which a rope that is too long sags at the start; only the part across the
    /// line between its ends counts.
    #[serde(default = "down")]
    pub sag: Located<Point>,
    /// Number of links.
    #[serde(default = "twenty")]
    pub segments: Located<Count>,
    /// Name of its material, of the scene or of `ropelab list materials`. Without it, the default
    /// rope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<Located<String>>,
    /// Its layer, for `no_contact`. Particles that it is tied to keep theirs; a link has that of its
    /// first particle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<Located<String>>,
}

fn down() -> Located<Point> {
    Located::new(Point::checked(glam::dvec3(0.0, -1.0, 0.0)))
}

fn twenty() -> Located<Count> {
    Located::new(Count::checked(20))
}

/// A net or a cloth over a parallelogram.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "sheet", deny_unknown_fields)]
pub struct SheetFile {
    /// Name by which others refer to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Located<String>>,
    /// Where its top left corner is, in metres.
    pub corner: Point,
    /// From the top left to the top right corner, in metres.
    pub across: Located<Point>,
    /// From the top left to the bottom left corner, in metres.
    pub down: Located<Point>,
    /// Number of cells across and down.
    pub cells: Located<(Count, Count)>,
    /// Name of its material, of the scene or of `ropelab list materials`: of a rope for a net, of a
    /// cloth for a cloth. Without it, the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<Located<String>>,
    /// Its layer, for `no_contact`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<Located<String>>,
}

/// A single link between two particles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "link", deny_unknown_fields)]
pub struct LinkFile {
    /// One end.
    pub a: Located<Particles>,
    /// The other end.
    pub b: Located<Particles>,
    /// Rest length in metres. Without it, the distance of the ends at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<Positive>,
    /// Stiffness in N/m.
    #[serde(default = "ten_thousand")]
    pub stiffness: Positive,
    /// Damping along the link in N·s/m.
    #[serde(default)]
    pub damping: NonNegative,
    /// What it is for.
    #[serde(default = "structural")]
    pub kind: LinkKind,
    /// Resists stretch only.
    #[serde(default)]
    pub one_sided: bool,
    /// Constraint solvers treat it as inextensible; as a spring it keeps `stiffness`.
    #[serde(default)]
    pub rigid: bool,
}

fn ten_thousand() -> Positive {
    Positive::checked(10_000.0)
}

fn structural() -> LinkKind {
    LinkKind::Structural
}

/// Three particles in a row that resist bending.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "bend", deny_unknown_fields)]
pub struct BendFile {
    /// The particle on one side.
    pub a: Located<Particles>,
    /// The particle in the middle, where it bends.
    pub b: Located<Particles>,
    /// The particle on the other side.
    pub c: Located<Particles>,
    /// Rest lengths in metres from a to b and from b to c. Without it, the distances at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<(Positive, Positive)>,
    /// Flexural rigidity EI in N·m². A cell of length l, half of it on either side of b, takes a
    /// moment of EI/l N·m per radian.
    pub flexural_rigidity: Positive,
}

/// Which particles are meant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "particles")]
pub enum Particles {
    /// Every particle of the scene.
    All,
    /// The particle of that number.
    Particle(u32),
    /// All particles of what has that name.
    Body(String),
    /// First particle of a rope.
    Start(String),
    /// Last particle of a rope.
    End(String),
    /// Particle k of a rope, counted from 0.
    Node(String, u32),
    /// A corner of a net or cloth.
    Corner(String, Corner),
    /// An edge of a net or cloth.
    Edge(String, Edge),
    /// The particle of a net or cloth in that column and row, counted from 0 at the top left.
    Knot(String, u32, u32),
    /// The particles of these numbers, for exported scenes.
    Numbers(Vec<u32>),
    /// All that the list names.
    Any(Vec<Particles>),
}

/// A corner of a net or cloth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "corner")]
pub enum Corner {
    /// At `corner`.
    TopLeft,
    /// At corner + across.
    TopRight,
    /// At corner + down.
    BottomLeft,
    /// At corner + across + down.
    BottomRight,
}

/// An edge of a net or cloth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "edge")]
pub enum Edge {
    /// From the top left along `across`.
    Top,
    /// From the bottom left along `across`.
    Bottom,
    /// From the top left along `down`.
    Left,
    /// From the top right along `down`.
    Right,
}

/// A mass that replaces the one from the material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "mass", deny_unknown_fields)]
pub struct MassFile {
    /// Whose.
    pub of: Located<Particles>,
    /// Mass of each of them in kilograms.
    pub mass: Positive,
}

/// An initial velocity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "velocity", deny_unknown_fields)]
pub struct VelocityFile {
    /// Whose.
    pub of: Located<Particles>,
    /// Velocity in m/s.
    pub velocity: Point,
}

/// A pin: particles that no force moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "pin", deny_unknown_fields)]
pub struct PinFile {
    /// Whom it holds.
    pub of: Located<Particles>,
    /// Where they go, relative to their start.
    #[serde(default = "still", skip_serializing_if = "is_still")]
    pub path: Located<Trajectory>,
}

fn still() -> Located<Trajectory> {
    Located::new(Trajectory::Still)
}

fn is_still(path: &Located<Trajectory>) -> bool {
    **path == Trajectory::Still
}

/// A pair of the force registry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "force", deny_unknown_fields)]
pub struct ForceFile {
    /// The law.
    pub law: Located<Force>,
    /// What it acts on.
    #[serde(default = "everything")]
    pub on: Located<Particles>,
}

/// A run of particles to draw as a rope.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "drawn_rope", deny_unknown_fields)]
pub struct DrawnRope {
    /// Particle numbers from end to end, at least 2.
    pub particles: Located<Vec<u32>>,
    /// Radius in metres.
    #[serde(default = "two_centimetres")]
    pub radius: Positive,
}

fn two_centimetres() -> Positive {
    Positive::checked(0.02)
}

/// A patch of particles to draw as a cloth: the particle in (column, row) has the number
/// first + row · columns + column.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "drawn_cloth", deny_unknown_fields)]
pub struct DrawnCloth {
    /// Number of the top left particle.
    pub first: u32,
    /// Particles across.
    pub columns: u32,
    /// Particles down.
    pub rows: u32,
}
