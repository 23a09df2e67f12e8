//! Table of the contact properties of all particles.

use super::layer::Layer;
use super::properties::ContactProperties;
use super::surface::Surface;
use std::sync::Arc;

/// Contact properties of each particle of a scene. Equal properties are stored once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactTable {
    kinds: Arc<Vec<ContactKind>>,
    kind_of: Arc<Vec<u32>>,
}

/// Contact properties of a particle. They also apply to the links and triangles whose particles all
/// have these properties.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactKind {
    /// Radius, restitution, friction and layer.
    pub properties: ContactProperties,
    /// True if balls and colliders collide with the links and triangles between particles of this
    /// kind, in addition to the particles themselves.
    pub between: bool,
    /// True if links and triangles between particles of this kind have self-contact: they collide
    /// with each other.
    pub itself: bool,
}

impl Default for ContactKind {
    fn default() -> Self {
        Self {
            properties: ContactProperties {
                radius: 0.0,
                surface: Surface::default(),
                layer: Layer::default(),
            },
            between: true,
            itself: false,
        }
    }
}

impl ContactTable {
    /// Builds the table from the properties of all particles, in the order of their indices.
    pub fn new(contact_kinds: impl IntoIterator<Item = ContactKind>) -> Self {
        let mut kinds: Vec<ContactKind> = Vec::new();
        let mut last = 0;
        let number = |contact_kind: ContactKind| {
            if kinds.get(last) != Some(&contact_kind) {
                last = kinds.iter().position(|kind| *kind == contact_kind).unwrap_or_else(|| {
                    kinds.push(contact_kind);
                    kinds.len() - 1
                });
            }
            last as u32
        };
        let kind_of = contact_kinds.into_iter().map(number).collect();
        Self { kind_of: Arc::new(kind_of), kinds: Arc::new(kinds) }
    }

    /// Returns the contact properties of a particle. For a particle after the end of the table,
    /// returns the defaults with radius 0.
    pub(crate) fn of_particle(&self, particle: u32) -> ContactProperties {
        self.contact_kind(particle).properties
    }

    fn contact_kind(&self, particle: u32) -> ContactKind {
        let kind =
            self.kind_of.get(particle as usize).and_then(|kind| self.kinds.get(*kind as usize));
        kind.copied().unwrap_or_default()
    }

    /// True if any particle has self-contact.
    pub fn has_self_contact(&self) -> bool {
        self.kinds.iter().any(|contact_kind| contact_kind.itself)
    }

    /// True if the link or triangle between these particles has self-contact.
    pub(crate) fn have_self_contact(&self, particles: &[u32]) -> bool {
        particles.iter().all(|particle| self.contact_kind(*particle).itself)
    }

    /// True if the link or triangle between these particles collides with balls and colliders.
    pub(crate) fn collides_with_bodies(&self, particles: &[u32]) -> bool {
        particles.iter().all(|particle| self.contact_kind(*particle).between)
    }

    /// Returns the largest radius of any particle, in metres.
    pub(crate) fn largest_radius(&self) -> f64 {
        self.kinds.iter().map(|contact_kind| contact_kind.properties.radius).fold(0.0, f64::max)
    }

    /// Returns the contact properties of a link or triangle: the largest radius of its particles,
    /// and the surface and the layer of its first particle.
    pub(crate) fn of_feature(&self, particles: &[u32]) -> ContactProperties {
        let first = self.of_particle(particles[0]);
        let radius = |radius: f64, particle: &u32| radius.max(self.of_particle(*particle).radius);
        ContactProperties { radius: particles[1..].iter().fold(first.radius, radius), ..first }
    }
}
