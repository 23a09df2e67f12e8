//! Force of a contact, for display and measurements.

use glam::DVec3;

/// A contact or a collision in the last substep, with its force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactForce {
    /// Particles of both bodies; the first `count` entries are valid.
    pub particles: [u32; 4],
    /// Signed barycentric weights of the particles: the force on particle k is `force` · weight k.
    /// The weights of the first body add up to 1, those of the second body to −1. A collider has no
    /// weights.
    pub weights: [f64; 4],
    /// Number of valid entries in `particles` and `weights`.
    pub count: usize,
    /// Index of the collider in the scene; `None` if the second body is not a collider.
    pub collider: Option<u32>,
    /// Position of the first particle at the moment of contact, in metres.
    pub at: DVec3,
    /// Unit normal from the second body towards the first.
    pub normal: DVec3,
    /// Sum of normal force and friction on the first body, in newtons. For a collision, the mean
    /// over the substep.
    pub force: DVec3,
}

impl ContactForce {
    /// Yields each particle with the force on it, in newtons.
    pub fn forces(self) -> impl Iterator<Item = (u32, DVec3)> {
        (0..self.count).map(move |k| (self.particles[k], self.force * self.weights[k]))
    }
}
