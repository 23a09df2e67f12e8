//! All bodies of a scene with contact: balls, points, surfaces and colliders.

use super::colliders::collider::{Obstacles, Placed};
use super::{Collider, ContactTable, Layer, Layers, Surface};
use glam::DVec3;

/// Contact properties of a particle: radius, surface and layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactProperties {
    /// Radius in metres.
    pub radius: f64,
    /// Restitution and friction.
    pub surface: Surface,
    /// Layer, which decides which other bodies the particle touches.
    pub layer: Layer,
}

/// All bodies of a scene with contact.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Geometry {
    /// Particles that are balls: solid spheres that turn.
    pub balls: Vec<BallSetup>,
    /// Particles other than balls that touch colliders.
    pub points: Vec<PointSetup>,
    /// Contact properties of all particles, from which those of links and triangles follow.
    pub contact_table: ContactTable,
    /// Obstacles.
    pub colliders: Vec<Collider>,
    /// Pairs of layers that pass through each other.
    pub layers: Layers,
}

impl Geometry {
    /// True if no contact is possible: there are no balls, no colliders and no self-contact.
    pub fn is_empty(&self) -> bool {
        self.balls.is_empty() && self.colliders.is_empty() && !self.contact_table.has_self_contact()
    }

    /// Returns the colliders at their positions in a substep.
    pub(super) fn obstacles<'a>(&'a self, placed: &'a [Placed]) -> Obstacles<'a> {
        Obstacles { colliders: &self.colliders, placed, layers: &self.layers }
    }
}

/// A particle other than a ball that touches colliders.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointSetup {
    /// Index of the particle.
    pub particle: u32,
    /// Radius, restitution, friction and layer.
    pub properties: ContactProperties,
}

/// A particle that is a ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BallSetup {
    /// Index of the particle.
    pub particle: u32,
    /// Radius, restitution, friction and layer.
    pub properties: ContactProperties,
    /// Angular velocity at the start in rad/s.
    pub spin: DVec3,
}
