use super::collider::{Collider, Obstacles, Placed};
use super::contact_table::ContactTable;
use super::layer::Layers;
use super::properties::{BallSetup, PointSetup};

/// Bodies of a scene that take part in contact: balls, points, links, triangles and colliders.
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
    pub(in crate::contact) fn obstacles<'a>(&'a self, placed: &'a [Placed]) -> Obstacles<'a> {
        Obstacles { colliders: &self.colliders, placed, layers: &self.layers }
    }
}
