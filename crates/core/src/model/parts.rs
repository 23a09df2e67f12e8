//! Initial state and physics of a scene.

use super::thrown::ScheduledThrow;
use crate::contact::Geometry;
use glam::DVec3;
use ropelab_mechanics::force::Force;
use ropelab_mechanics::mesh::Mesh;
use ropelab_mechanics::mesh::topology::Topology;
use ropelab_mechanics::numerics::trajectory::Trajectory;
use std::ops::Range;

/// Particles and links at the start of a scene, and all forces, pins and obstacles. All simulations
/// of a scene share one copy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts {
    /// Particles, links, faces, and the lists of particles that are drawn as rope or cloth.
    pub mesh: Mesh,
    /// Initial velocities in m/s, one per particle; empty if everything starts at rest.
    pub velocities: Vec<DVec3>,
    /// Indices of the links that are cut from the start of the scene, in ascending order.
    pub cuts: Vec<u32>,
    /// Pinned particles and their trajectories.
    pub pins: Vec<Pin>,
    /// Force laws and their particles.
    pub forces: Vec<TargetedForce>,
    /// Balls, points and obstacles for contact.
    pub contact: Geometry,
    /// Balls that are thrown after the start of the scene, sorted by time.
    pub throws: Vec<ScheduledThrow>,
    /// Ranges of link indices in ascending order, each with the strength of its links.
    pub strengths: Vec<(Range<u32>, Strength)>,
}

/// Load above which a link tears.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strength {
    /// Largest strain (length over rest length − 1) of the link; infinite = no limit.
    pub strain: f64,
    /// Largest tension of the link in newtons; infinite = no limit.
    pub force: f64,
}

impl Strength {
    /// Strength of a link that never tears.
    pub const UNBREAKABLE: Self = Self { strain: f64::INFINITY, force: f64::INFINITY };
}

/// A particle that follows a trajectory, regardless of forces.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// Index of the particle.
    pub particle: u32,
    /// Trajectory, as displacements from the particle's initial position.
    pub path: Trajectory,
}

/// A force law and its particles.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetedForce {
    /// The law.
    pub law: Force,
    /// Indices of the law's particles, in ascending order.
    pub targets: Vec<u32>,
}

impl Parts {
    /// Returns the links, bends and triangles at the start of the scene, without cut ones.
    pub fn topology(&self) -> Topology {
        let mut topology = Topology::new(&self.mesh);
        topology.cut(&self.cuts);
        topology
    }

    /// Returns the initial velocity of a particle in m/s.
    pub fn velocity(&self, particle: usize) -> DVec3 {
        self.velocities.get(particle).copied().unwrap_or(DVec3::ZERO)
    }

    /// Yields the velocity of each particle at the start of the scene, in m/s. Pinned particles are
    /// at rest, even if the scene gives them a velocity.
    pub(crate) fn start_velocities(&self) -> impl Iterator<Item = DVec3> {
        let mut pinned: Vec<u32> = self.pins.iter().map(|pin| pin.particle).collect();
        pinned.sort_unstable();
        let is_pinned = move |i: &usize| pinned.binary_search(&(*i as u32)).is_ok();
        (0..self.mesh.positions.len())
            .map(move |i| if is_pinned(&i) { DVec3::ZERO } else { self.velocity(i) })
    }
}
