//! Meshes of the benchmarks: the workloads of `ropelab bench`, and a cloth that resists bending.

use glam::DVec3;
use ropelab::bench::Workload;
use ropelab::mesh::Link;
use ropelab::mesh::{ClothMaterial, Mesh};

/// Links between particles, some of which are pinned.
pub struct WorkloadMesh {
    pub links: Vec<Link>,
    /// Positions at rest in metres.
    pub x: Vec<DVec3>,
    /// Inverse masses in 1/kg.
    pub w: Vec<f64>,
}

impl WorkloadMesh {
    pub fn of(workload: Workload) -> Self {
        let parts = workload.parts();
        let mut w: Vec<f64> = parts.mesh.masses.iter().map(|mass| 1.0 / mass).collect();
        parts.pins.iter().for_each(|pin| w[pin.particle as usize] = 0.0);
        Self { links: parts.mesh.links.iter().collect(), x: parts.mesh.positions, w }
    }

    /// Creates a cloth as large as that of workload W2, from the default material of scenes.
    pub fn plate() -> Self {
        let mut mesh = Mesh::default();
        let (u, v) = (DVec3::X * 9.9, DVec3::Z * 9.9);
        mesh.cloth(DVec3::ZERO, u, v, [99, 99], &ClothMaterial::default());
        let mut w: Vec<f64> = mesh.masses.iter().map(|mass| 1.0 / mass).collect();
        [w[0], w[99]] = [0.0; 2];
        Self { links: mesh.links.iter().collect(), x: mesh.positions, w }
    }

    /// Returns positions up to 1 cm from rest along each axis.
    pub fn disturbed(&self) -> Vec<DVec3> {
        let mut numbers = LinearCongruence(2);
        let mut offset = || 0.01 * (numbers.below(2001) as f64 / 1000.0 - 1.0);
        self.x.iter().map(|x| *x + DVec3::new(offset(), offset(), offset())).collect()
    }
}

/// Linear congruential generator, which gives the same numbers on every machine.
struct LinearCongruence(u64);

impl LinearCongruence {
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}
