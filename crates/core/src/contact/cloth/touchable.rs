//! Links and triangles of ropes and cloths that take part in contact, and the contact properties of
//! their particles.

use crate::contact::{BallSetup, ContactProperties, Layer, Surface};
use crate::mesh::Mesh;
use crate::mesh::faces::{ascending, sides_of};
use crate::mesh::topology::Topology;
use std::sync::Arc;

/// Contact properties of each particle of a scene. Equal properties are stored once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactTable {
    kinds: Arc<Vec<ContactKind>>,
    kind_of: Arc<Vec<u32>>,
}

/// Contact properties of a particle. They also apply to links and triangles whose particles all
/// have them.
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

    /// True if a link or triangle of these particles has self-contact.
    pub(crate) fn have_self_contact(&self, particles: &[u32]) -> bool {
        particles.iter().all(|particle| self.contact_kind(*particle).itself)
    }

    /// True if a link or triangle of these particles collides with balls and colliders.
    pub(crate) fn touch_others(&self, particles: &[u32]) -> bool {
        particles.iter().all(|particle| self.contact_kind(*particle).between)
    }

    /// Returns the largest radius of any particle, in metres.
    pub(crate) fn largest_radius(&self) -> f64 {
        self.kinds.iter().map(|contact_kind| contact_kind.properties.radius).fold(0.0, f64::max)
    }

    /// Returns the contact properties of a link or triangle: the largest radius of its particles,
    /// and surface and layer of its first particle.
    pub(crate) fn of_feature(&self, particles: &[u32]) -> ContactProperties {
        let first = self.of_particle(particles[0]);
        let radius = |radius: f64, particle: &u32| radius.max(self.of_particle(*particle).radius);
        ContactProperties { radius: particles[1..].iter().fold(first.radius, radius), ..first }
    }
}

/// Links and triangles of a simulation that take part in contact, without cut ones.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct Touchable {
    /// Links of ropes and nets.
    pub links: Vec<[u32; 2]>,
    pub triangles: Vec<[u32; 3]>,
    /// Edges of the triangles, each once.
    pub sides: Vec<[u32; 2]>,
    /// Exemptions of balls that are linked to a rope or cloth: the ball and, in ascending order,
    /// the particles that the ball does not collide with.
    exempt: Vec<(u32, Vec<u32>)>,
    /// Numbers of the links that were cut when these lists were built; `None` before the first
    /// build.
    cut: Option<Vec<u32>>,
    /// Number of times that these lists were built. Other lists store it to notice a change.
    pub version: u64,
}

impl Touchable {
    /// Builds the lists again if the set of cut links has changed.
    pub fn update(
        &mut self,
        mesh: &Mesh,
        topology: &Topology,
        balls: &[BallSetup],
        contact_table: &ContactTable,
    ) {
        let cut = topology.cut_links();
        if self.cut.as_deref() == Some(cut) {
            return;
        }
        self.cut = Some(cut.to_vec());
        self.version += 1;
        let mut cut_ends: Vec<[u32; 2]> = cut
            .iter()
            .map(|i| topology.links().at(*i as usize))
            .map(|link| ascending([link.a, link.b]))
            .collect();
        cut_ends.sort_unstable();
        self.links.clear();
        for rope in &mesh.ropes {
            let pairs = rope.particles.windows(2).map(|pair| [pair[0], pair[1]]);
            let holds =
                |&[a, b]: &[u32; 2]| a != b && cut_ends.binary_search(&ascending([a, b])).is_err();
            self.links.extend(pairs.filter(holds));
        }
        self.triangles.clear();
        topology.faces().for_each(|triangle| self.triangles.push(triangle));
        self.sides.clear();
        self.sides.extend(self.triangles.iter().flat_map(sides_of));
        self.sides.sort_unstable();
        self.sides.dedup();
        self.collect_exempt(mesh, topology, balls, contact_table);
    }

    /// Collects the exemptions: a ball does not collide with the part of its own rope that lies
    /// inside the ball.
    fn collect_exempt(
        &mut self,
        mesh: &Mesh,
        topology: &Topology,
        balls: &[BallSetup],
        contact_table: &ContactTable,
    ) {
        self.exempt.clear();
        let of_scene = |ball: &&BallSetup| (ball.particle as usize) < mesh.positions.len();
        for ball in balls.iter().filter(of_scene) {
            // Follows links from the ball up to a length equal to the sum of the radii of ball and
            // rope.
            let mut far = vec![(ball.particle, 0.0)];
            loop {
                let before = far.len();
                for link in topology.links().iter().filter(|link| !link.is_cut()) {
                    for (from, to) in [(link.a, link.b), (link.b, link.a)] {
                        let at = far.iter().find(|(particle, _)| *particle == from);
                        let reach = ball.properties.radius + contact_table.of_particle(to).radius;
                        let known = far.iter().any(|(particle, _)| *particle == to);
                        if let Some(&(_, length)) =
                            at.filter(|(_, length)| !known && *length <= reach)
                        {
                            far.push((to, length + link.rest));
                        }
                    }
                }
                if far.len() == before {
                    break;
                }
            }
            if far.len() > 1 {
                let mut particles: Vec<u32> = far.iter().map(|(particle, _)| *particle).collect();
                particles.sort_unstable();
                self.exempt.push((ball.particle, particles));
            }
        }
    }

    /// True if any ball is linked to a rope or cloth.
    pub fn has_linked_balls(&self) -> bool {
        !self.exempt.is_empty()
    }

    /// True if a ball does not collide with features that contain one of these particles.
    pub fn is_exempt(&self, ball: u32, particles: &[u32]) -> bool {
        let contains_exempt = |exempt: &[u32]| {
            particles.iter().any(|particle| exempt.binary_search(particle).is_ok())
        };
        self.exempt.iter().any(|(of, exempt)| *of == ball && contains_exempt(exempt))
    }
}
