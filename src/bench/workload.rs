//! Workloads of the benchmarks.

use crate::constraint::{ConstraintSolver, Relaxation, SweepOrder};
use crate::contact::shape::{Plane, Shape};
use crate::contact::{BallSetup, Collider, ContactProperties, Geometry, Layer, Surface};
use crate::force::{Force, Gravity};
use crate::integrate::Method;
use crate::mesh::Link;
use crate::mesh::{ClothMaterial, Mesh, RopeMaterial};
use crate::model::{Parts, Pin, TargetedForce};
use crate::numerics::random::Random;
use crate::numerics::trajectory::Trajectory;
use crate::simulation::settings::{LinkMode, Settings};
use glam::DVec3;
use serde::Serialize;
use strum::{EnumIter, EnumString, IntoStaticStr};

/// Number of ropes in [`Workload::W7`].
pub(super) const LANES: usize = 1000;
/// Number of steps of each rope in [`Workload::W7`].
pub(super) const LANE_STEPS: usize = 1000;

/// Half the edge in metres of the cube of balls ([`Workload::W5`]).
pub(super) const HALF_CUBE: f64 = 2.0;

const BALLS: usize = 1000;

/// Distance in metres between neighbouring particles.
const SPACING: f64 = 0.1;

/// Workload of a benchmark. Its particles have unit mass and are 0.1 m apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumIter, EnumString, IntoStaticStr)]
pub enum Workload {
    /// A rope of 1 000 particles with one end pinned, relaxed by 20 sweeps from end to end.
    W1,
    /// A cloth of 100 × 100 particles with both shear diagonals and two pinned corners, relaxed by
    /// 8 coloured sweeps.
    W2,
    /// A cloth of 500 × 500 particles, relaxed by 4 coloured sweeps.
    W3,
    /// The cloth of [`Self::W2`], with damped springs as links.
    W4,
    /// 1 000 balls of radius 0.1 m that move in a cube of 4 m at about 1 m/s without energy loss,
    /// with swept contact.
    W5,
    /// The cloth of [`Self::W2`] without 5 % of its links, with particles numbered at random.
    W6,
    /// 1 000 ropes of 20 particles with springs, each for 1 000 steps, in parallel, as for a
    /// stability map.
    W7,
}

impl Workload {
    /// Returns the number of sweeps per step; `None` for springs and balls.
    pub fn iterations(self) -> Option<u32> {
        match self {
            Self::W1 => Some(20),
            Self::W2 | Self::W6 => Some(8),
            Self::W3 => Some(4),
            Self::W4 | Self::W5 | Self::W7 => None,
        }
    }

    /// Returns the time step in seconds.
    pub fn dt(self) -> f64 {
        match self {
            Self::W4 | Self::W7 => 1.0 / 6000.0,
            _ => 1.0 / 60.0,
        }
    }

    /// Returns the settings to measure, each with the name of its path through the code.
    pub fn paths(self) -> Vec<(&'static str, Settings)> {
        let with = |integrator| Settings { integrator, dt: self.dt(), ..Settings::default() };
        let springs = with(Method::SymplecticEuler);
        let relaxed = |order| {
            let iterations = self.iterations().unwrap_or(1);
            let relaxation = Relaxation { iterations, order, ..Relaxation::default() };
            let constraints = ConstraintSolver::Relaxation(relaxation);
            Settings { links: LinkMode::Constraints, constraints, ..springs }
        };
        match self {
            Self::W1 => vec![("chain", relaxed(SweepOrder::EndToEnd))],
            Self::W2 | Self::W3 => vec![("grid", relaxed(SweepOrder::Coloured))],
            Self::W6 => vec![("net", relaxed(SweepOrder::Coloured))],
            Self::W4 => {
                vec![("springs, symplectic Euler", springs), ("springs, RK4", with(Method::Rk4))]
            }
            Self::W5 => vec![("swept, grid", springs)],
            Self::W7 => vec![("springs, symplectic Euler", springs)],
        }
    }

    /// Returns the initial parts of the model, at rest.
    pub fn parts(self) -> Parts {
        if self == Self::W5 {
            let surface = Surface { restitution: 1.0, static_friction: 0.0, friction: 0.0 };
            return balls(BALLS, HALF_CUBE, surface);
        }
        let mut mesh = Mesh::default();
        let pinned = match self {
            Self::W1 => rope(&mut mesh, 1000),
            Self::W7 => rope(&mut mesh, 20),
            Self::W2 | Self::W4 | Self::W6 => cloth(&mut mesh, 100),
            Self::W3 => cloth(&mut mesh, 500),
            Self::W5 => Vec::new(),
        };
        mesh.masses.fill(1.0);
        let pinned =
            if self == Self::W6 { damage_and_renumber(&mut mesh, &pinned) } else { pinned };
        let all = (0..mesh.positions.len() as u32).collect();
        Parts {
            velocities: Vec::new(),
            cuts: Vec::new(),
            pins: pinned
                .into_iter()
                .map(|particle| Pin { particle, path: Trajectory::Still })
                .collect(),
            forces: vec![TargetedForce { law: Force::Gravity(Gravity::default()), targets: all }],
            mesh,
            contact: Geometry::default(),
            throws: Vec::new(),
            strengths: Vec::new(),
        }
    }
}

/// Returns balls of radius 0.1 m on a lattice that fills a cube between six walls. Each component
/// of their random velocities is at most 1 m/s. No force acts.
pub(super) fn balls(count: usize, half: f64, surface: Surface) -> Parts {
    let mut parts = Parts::default();
    let side = (count as f64).cbrt().ceil() as usize;
    let mut random = Random::new(1);
    for k in 0..count {
        let place = [k % side, k / side % side, k / side / side];
        let place = DVec3::from(place.map(|k| (k as f64 + 0.5) / side as f64 - 0.5));
        let particle = parts.mesh.particle(place * (2.0 * half), 1.0);
        parts.velocities.push(random.point(1.0));
        let properties = ContactProperties { radius: 0.1, surface, layer: Layer::default() };
        parts.contact.balls.push(BallSetup { particle, properties, spin: DVec3::ZERO });
    }
    for normal in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|axis| [axis, -axis]) {
        let wall = Shape::Plane(Plane { normal });
        parts.contact.colliders.push(Collider::still(wall, normal * -half, surface));
    }
    parts
}

/// Adds a horizontal rope to the mesh and returns the particle of its pinned end.
fn rope(mesh: &mut Mesh, particles: u32) -> Vec<u32> {
    let segments = particles - 1;
    let length = f64::from(segments) * SPACING;
    let material = RopeMaterial {
        mass_per_metre: 1.0 / SPACING,
        stiffness: 1e3,
        damping: 0.1,
        rigid: true,
        ..RopeMaterial::default()
    };
    let rope = mesh.rope(DVec3::ZERO, DVec3::X * length, length, segments, &material);
    vec![rope[0]]
}

/// Adds a horizontal square cloth to the mesh and returns its two pinned corners.
fn cloth(mesh: &mut Mesh, side: u32) -> Vec<u32> {
    let length = f64::from(side - 1) * SPACING;
    let material = ClothMaterial {
        areal_density: 1.0,
        stretch_stiffness: 1e4,
        shear_stiffness: 1e4,
        bend_stiffness: 0.0,
        damping: 1.0,
        rigid: true,
        ..ClothMaterial::default()
    };
    let (u, v) = (DVec3::X * length, DVec3::Z * length);
    let grid = mesh.cloth(DVec3::ZERO, u, v, [side - 1; 2], &material);
    vec![grid.at(0, 0), grid.at(side - 1, 0)]
}

/// Removes 5 % of the links at random and numbers the particles in random order. Returns the new
/// numbers of the pinned particles.
fn damage_and_renumber(mesh: &mut Mesh, pinned: &[u32]) -> Vec<u32> {
    let mut random = Random::new(1);
    let mut links: Vec<Link> = mesh.links.iter().filter(|_| random.below(20) != 0).collect();
    let mut new_index: Vec<u32> = (0..mesh.positions.len() as u32).collect();
    for i in (1..new_index.len()).rev() {
        new_index.swap(i, random.below(i + 1));
    }
    let positions = mesh.positions.clone();
    for (old, new) in new_index.iter().enumerate() {
        mesh.positions[*new as usize] = positions[old];
    }
    for link in &mut links {
        link.a = new_index[link.a as usize];
        link.b = new_index[link.b as usize];
    }
    mesh.links = links.into();
    mesh.faces = mesh.faces.iter().map(|face| face.map(|i| new_index[i as usize])).collect();
    mesh.cloths.clear();
    pinned.iter().map(|i| new_index[*i as usize]).collect()
}
