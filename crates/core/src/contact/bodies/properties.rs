//! Contact properties of particles, and the particles that are balls or points.

use super::layer::Layer;
use super::surface::Surface;
use glam::DVec3;

/// Contact properties of a particle: radius, surface and layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactProperties {
    /// Radius in metres.
    pub radius: f64,
    /// Restitution and friction.
    pub surface: Surface,
    /// Layer: determines the bodies that can touch the particle.
    pub layer: Layer,
}

/// A particle other than a ball that collides with colliders.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointSetup {
    /// Index of the particle.
    pub particle: u32,
    /// Radius, restitution, friction and layer.
    pub properties: ContactProperties,
}

/// A particle that is a ball: a solid sphere that can spin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BallSetup {
    /// Index of the particle.
    pub particle: u32,
    /// Radius, restitution, friction and layer.
    pub properties: ContactProperties,
    /// Angular velocity at the start in rad/s.
    pub spin: DVec3,
}
