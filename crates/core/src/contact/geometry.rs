//! Bodies of a scene that take part in contact: balls, points, links, triangles and colliders.

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
    /// Layer, which decides with which other bodies the particle can be in contact.
    pub layer: Layer,
}

/// Bodies of a scene that take part in contact.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Geometry {
    /// Balls: particles that are solid spheres and can spin.
    pub balls: Vec<BallSetup>,
    /// Particles other than balls that collide with colliders.
    pub points: Vec<PointSetup>,
    /// Contact properties of each particle. Properties of links and triangles follow from their
    /// particles.
    pub contact_table: ContactTable,
    /// Obstacles, which forces do not move.
    pub colliders: Vec<Collider>,
    /// Pairs of layers that pass through each other.
    pub layers: Layers,
}

impl Geometry {
    /// True if no contact is possible: the scene has no balls, no colliders and no self-contact.
    pub fn is_empty(&self) -> bool {
        self.balls.is_empty() && self.colliders.is_empty() && !self.contact_table.has_self_contact()
    }

    /// Returns the colliders with their positions in a substep.
    pub(super) fn obstacles<'a>(&'a self, placed: &'a [Placed]) -> Obstacles<'a> {
        Obstacles { colliders: &self.colliders, placed, layers: &self.layers }
    }
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
