//! Force of one contact, for display, records and measurements.

use glam::DVec3;

/// A contact or a collision in the substep that was resolved last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactForce {
    /// Particles of both sides; the first `count` entries are valid.
    pub particles: [u32; 4],
    /// Factors of `force`, one per particle. They add up to 1 on the first side. On the second side
    /// they add up to −1 if that side consists of particles.
    pub weights: [f64; 4],
    /// Number of particles.
    pub count: usize,
    /// Number of the collider on the other side in the scene; `None` if that side consists of
    /// particles.
    pub collider: Option<u32>,
    /// Position of the first particle at the moment of contact, in metres.
    pub at: DVec3,
    /// Unit normal towards the first side.
    pub normal: DVec3,
    /// Sum of normal force and friction on the first side in newtons; in a collision, the mean over
    /// the substep.
    pub force: DVec3,
}

impl ContactForce {
    /// Yields each particle with the force on it in newtons.
    pub fn forces(self) -> impl Iterator<Item = (u32, DVec3)> {
        (0..self.count).map(move |k| (self.particles[k], self.force * self.weights[k]))
    }
}
