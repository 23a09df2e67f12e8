//! The scene file, as its author writes it. `docs/scene-format.md` is generated from these doc
//! comments.
//!
//! A scene file is [RON](https://github.com/ron-rs/ron) in UTF-8; y points up. Units are m, kg, s,
//! N, m/s and rad/s unless a row names another one. Forces, integrators and constraint solvers need
//! no brackets if all their parameters keep their defaults: `Gravity`. Other values with parameters
//! need brackets: `Swept()`. `ropelab check FILE` reports every mistake with line and column.
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
//! Required fields are bold; a value after a comma is the default. Fields without a kind are
//! numbers, or have the kind of their default. `[kind]` is a list. Indented rows below `(…)` are
//! its fields; those below "choice" are its options. A vector is written `(x, y, z)`. Limits:
//! 1,000,000 particles, 8 lanes, 256 MiB.

use super::annotation::AnnotationsFile;
use super::contact_file::{
    BallFile, BallsFile, ColliderFile, ParticleSurfaceFile, ThrownFile, is_still, still,
};
use super::group::Group;
use super::lane_file::{LaneFile, SettingsFile};
use super::located::Located;
use super::material_file::Material;
use super::number::{Count, Finite, NonNegative, Point, Positive, is_zero, one};
use super::particles::Particles;
use super::rope_file::RopeFile;
use crate::camera::CameraSetup;
use ropelab_core::force::{Force, Gravity};
use ropelab_core::mesh::LinkKind;
use ropelab_core::numerics::trajectory::Trajectory;
use serde::{Deserialize, Serialize};

/// Version of the scene format that this program reads and writes.
pub const VERSION: u32 = 1;

pub(crate) fn version_message(version: u64) -> String {
    let reason =
        if version > u64::from(VERSION) { ": this program is older than the file" } else { "" };
    format!("the file has version {version} of the format, expected version {VERSION}{reason}")
}

/// A scene file. Particles are numbered from 0: first those under `particles`, then balls, nets,
/// cloths and ropes, each in the order of its list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Scene", deny_unknown_fields)]
pub struct SceneFile {
    /// Version of the format, 1.
    pub version: Located<u32>,
    /// Name for lists and titles.
    pub name: String,
    /// Caption: what to look at and what it shows.
    #[serde(default)]
    pub look_for: String,
    /// Group in the gallery.
    #[serde(default)]
    pub group: Group,
    /// Materials of ropes, nets and cloths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub materials: Vec<Material>,
    /// Single particles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub particles: Vec<ParticleFile>,
    /// Balls, single or in rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub balls: Vec<Located<BallsFile>>,
    /// Rigid obstacles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub colliders: Vec<ColliderFile>,
    /// Radius and surface of particles other than balls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub surfaces: Vec<ParticleSurfaceFile>,
    /// Pairs of layers whose bodies pass through each other: `[("rope", "drum")]`. A pair may
    /// contain the same layer twice. Bodies without a layer collide with all others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub no_contact: Vec<(Located<String>, Located<String>)>,
    /// Nets of crossing ropes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nets: Vec<SheetFile>,
    /// Cloths over a parallelogram.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cloths: Vec<SheetFile>,
    /// Ropes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ropes: Vec<Located<RopeFile>>,
    /// Single links.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkFile>,
    /// Thrown balls, with restitution 0.5, friction 0.3 and no layer. Their particles have the
    /// highest indices, those with `after: 0` first; `All` in `surfaces`, `masses` and `velocities`
    /// does not select them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thrown: Vec<Located<ThrownFile>>,
    /// Single bends: three particles that resist bending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bends: Vec<BendFile>,
    /// Links that are cut from the start, by the indices of their particles. `(a, b)` cuts all
    /// links between these particles, `(a, b, n)` only one of several: 0 for the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cuts: Vec<Located<CutFile>>,
    /// Masses that replace the masses from the materials.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub masses: Vec<MassFile>,
    /// Initial velocities, 0 by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub velocities: Vec<VelocityFile>,
    /// State of all particles, as written by `ropelab run --end FILE`. Rest lengths and masses keep
    /// their values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Located<StartFile>>,
    /// Particles with a prescribed motion.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<PinFile>,
    /// Force laws; by default gravity on all particles.
    #[serde(default = "gravity_on_all")]
    pub forces: Vec<ForceFile>,
    /// Height of the drawn floor in metres. Nothing collides with the floor.
    #[serde(default)]
    pub floor: Finite,
    /// Camera; by default, a front view of everything.
    pub camera: Option<Located<CameraSetup>>,
    /// Texts, trails and readings.
    #[serde(default, skip_serializing_if = "has_no_annotations")]
    pub annotations: AnnotationsFile,
    /// Settings of every lane.
    #[serde(default)]
    pub settings: SettingsFile,
    /// Lanes, at most 8; by default one lane with the scene's settings.
    #[serde(default)]
    pub lanes: Vec<Located<LaneFile>>,
    /// Triangles for drawing and wind: particle indices, counter-clockwise as seen from the front.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faces: Vec<Located<[u32; 3]>>,
    /// Particles drawn as a rope. The links between them collide.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drawn_ropes: Vec<DrawnRope>,
    /// Grids of particles drawn as cloths. A particle has the index first + row · columns + column.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drawn_cloths: Vec<Located<DrawnCloth>>,
}

fn has_no_annotations(annotations: &AnnotationsFile) -> bool {
    *annotations == AnnotationsFile::default()
}

fn gravity_on_all() -> Vec<ForceFile> {
    let law = Located::new(Force::Gravity(Gravity::default()));
    vec![ForceFile { law, on: all_particles() }]
}

fn all_particles() -> Located<Particles> {
    Located::new(Particles::All)
}

/// A single particle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "particle", deny_unknown_fields)]
pub struct ParticleFile {
    /// Name for selections: `Body("NAME")`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Located<String>>,
    /// Position in metres.
    pub at: Point,
    /// Mass in kilograms.
    #[serde(default = "one")]
    pub mass: Positive,
    /// Initial velocity in m/s.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub velocity: Point,
    /// Radius and surface of a solid sphere; by default a point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ball: Option<BallFile>,
    /// Name of the layer, for `no_contact`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<Located<String>>,
}

/// A net or a cloth over a parallelogram.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "sheet", deny_unknown_fields)]
pub struct SheetFile {
    /// Name for selections: `Body("NAME")`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Located<String>>,
    /// Position of the top left corner in metres.
    pub corner: Point,
    /// Vector to the top right corner in metres.
    pub across: Located<Point>,
    /// Vector to the bottom left corner in metres.
    pub down: Located<Point>,
    /// Numbers of cells across and down.
    pub cells: Located<(Count, Count)>,
    /// Name of a material: a rope material for a net, a cloth material for a cloth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<Located<String>>,
    /// Name of the layer, for `no_contact`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<Located<String>>,
}

/// A single link between two particles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "link", deny_unknown_fields)]
pub struct LinkFile {
    /// Particle at the first end.
    pub a: Located<Particles>,
    /// Particle at the second end.
    pub b: Located<Particles>,
    /// Rest length in metres; by default the distance at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<Positive>,
    /// Stiffness in N/m.
    #[serde(default = "ten_thousand")]
    pub stiffness: Positive,
    /// Damping in N·s/m.
    #[serde(default)]
    pub damping: NonNegative,
    /// Purpose of the link. `Bend` links are springs under relaxation, SHAKE, RATTLE, and
    /// `SoftStep` with `hertz`.
    #[serde(default = "structural")]
    pub kind: LinkKind,
    /// True if the link resists stretching only.
    #[serde(default)]
    pub one_sided: bool,
    /// True if the link is inextensible for constraint solvers; a spring keeps its `stiffness`.
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
    /// First particle.
    pub a: Located<Particles>,
    /// Middle particle.
    pub b: Located<Particles>,
    /// Last particle.
    pub c: Located<Particles>,
    /// Rest lengths a–b and b–c in metres; by default the distances at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<(Positive, Positive)>,
    /// Flexural rigidity EI in N·m². The stiffness against bending is EI/l in N·m per radian, with
    /// the mean rest length l. Two pinned neighbours clamp the bend; its stiffness is then 2 EI/L
    /// with the length L of its free link.
    pub flexural_rigidity: Positive,
}

/// Links that are cut from the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "cut")]
pub struct CutFile(
    /// Indices of the two particles.
    pub u32,
    pub u32,
    /// Index of one link among the links between these particles; `None` for all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub Option<u32>,
);

/// A mass that replaces the mass from the material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "mass", deny_unknown_fields)]
pub struct MassFile {
    /// Selected particles.
    pub of: Located<Particles>,
    /// Mass of each particle in kilograms.
    pub mass: Positive,
}

/// The state of all particles at the start of the scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "start", deny_unknown_fields)]
pub struct StartFile {
    /// Positions in metres.
    pub positions: Vec<Point>,
    /// Velocities in m/s, which replace the velocities from other fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub velocities: Vec<Point>,
    /// Angular velocities of balls in rad/s, which replace `spin`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spins: Vec<Point>,
}

/// An initial velocity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "velocity", deny_unknown_fields)]
pub struct VelocityFile {
    /// Selected particles.
    pub of: Located<Particles>,
    /// Velocity in m/s.
    pub velocity: Point,
}

/// A pin: particles with a prescribed motion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "pin", deny_unknown_fields)]
pub struct PinFile {
    /// Selected particles.
    pub of: Located<Particles>,
    /// Displacement from the initial position over time.
    #[serde(default = "still", skip_serializing_if = "is_still")]
    pub path: Located<Trajectory>,
}

/// A force law and its particles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "force", deny_unknown_fields)]
pub struct ForceFile {
    /// Law.
    pub law: Located<Force>,
    /// Selected particles.
    #[serde(default = "all_particles")]
    pub on: Located<Particles>,
}

/// Particles drawn as a rope.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "drawn_rope", deny_unknown_fields)]
pub struct DrawnRope {
    /// At least 2 particle indices from end to end.
    pub particles: Located<Vec<u32>>,
    /// Radius in metres, for drawing and contact.
    #[serde(default = "two_centimetres")]
    pub radius: Positive,
}

fn two_centimetres() -> Positive {
    Positive::checked(0.02)
}

/// Grid of particles that is drawn as a cloth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "drawn_cloth", deny_unknown_fields)]
pub struct DrawnCloth {
    /// Particle at the top left.
    pub first: u32,
    /// Particles in a row.
    pub columns: u32,
    /// Particles in a column.
    pub rows: u32,
}
