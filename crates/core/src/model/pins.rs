//! Pins: particles that are held in place or follow a path.

use glam::DVec3;
use ropelab_mechanics::numerics::trajectory::Trajectory;

/// A pinned particle, with the origin and the path of its pin.
#[derive(Clone, Debug, PartialEq)]
pub struct PinnedParticle {
    /// Index of the particle.
    pub particle: u32,
    /// Origin of the path's displacements, in metres.
    pub origin: DVec3,
    /// Path, as displacements from the origin.
    pub path: Trajectory,
}
