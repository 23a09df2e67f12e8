//! Contact state that persists from step to step.

use super::balls::resting::RestingForce;
use super::bodies::geometry::Geometry;
use super::bodies::properties::BallSetup;
use super::report::ContactReport;
use super::resolve::position_level::RememberedForce;
use glam::DVec3;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactMemory {
    /// Angular velocities of balls in rad/s, one per ball.
    pub spin: Vec<DVec3>,
    /// Forces in the resting contacts of balls, sorted by the bodies in contact. The sweeps of the
    /// next substep start from these forces.
    pub resting_forces: Vec<RestingForce>,
    /// Forces in the contacts of ropes and cloths, sorted by key. The sweeps of the next substep
    /// start from these forces.
    pub mesh_forces: Vec<RememberedForce>,
    /// Number of cut links when `mesh_forces` was stored. If another link is cut, `mesh_forces` is
    /// not used, because links and triangles have new indices.
    pub cut_links: usize,
    pub report: ContactReport,
}

impl ContactMemory {
    /// Returns the contact state at the start of a scene.
    pub fn new(geometry: &Geometry) -> Self {
        let spin = geometry.balls.iter().map(|ball| ball.spin).collect();
        Self { spin, ..Self::default() }
    }

    /// Copies `other`; allocates memory only where a buffer is too small.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        let Self { spin, resting_forces, mesh_forces, cut_links, report } = other;
        self.spin.clone_from(spin);
        self.resting_forces.clone_from(resting_forces);
        self.mesh_forces.clone_from(mesh_forces);
        self.cut_links = *cut_links;
        self.report = *report;
    }

    /// Restores the contact state at the start of a scene.
    pub fn restart(&mut self, geometry: &Geometry) {
        self.spin.clear();
        self.spin.extend(geometry.balls.iter().map(|ball| ball.spin));
        self.resting_forces.clear();
        self.mesh_forces.clear();
        self.cut_links = 0;
        self.report = ContactReport::default();
    }

    /// Returns the angular momentum in kg·m²/s of all balls about their centres, Σ 2/5 m r² ω.
    /// `mass` returns the mass of a particle in kilograms.
    pub fn spin(&self, geometry: &Geometry, mass: impl Fn(u32) -> f64) -> DVec3 {
        let balls = geometry.balls.iter().zip(&self.spin);
        let spin = |(ball, spin): (&BallSetup, &DVec3)| {
            *spin * (0.4 * mass(ball.particle) * ball.properties.radius * ball.properties.radius)
        };
        balls.map(spin).sum()
    }

    /// Returns the rotational energy in joules of all balls, Σ ½ · 2/5 m r² ω². `mass` returns the
    /// mass of a particle in kilograms.
    pub(crate) fn rotational_energy(&self, geometry: &Geometry, mass: impl Fn(u32) -> f64) -> f64 {
        let balls = geometry.balls.iter().zip(&self.spin);
        let energy = |(ball, spin): (&BallSetup, &DVec3)| {
            let BallSetup { particle, properties, .. } = ball;
            0.2 * mass(*particle) * properties.radius * properties.radius * spin.length_squared()
        };
        0.0 + balls.map(energy).sum::<f64>()
    }
}
