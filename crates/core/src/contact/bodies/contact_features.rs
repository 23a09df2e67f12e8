//! Links and triangles of ropes and cloths that take part in contact.

use super::contact_table::ContactTable;
use super::properties::BallSetup;
use ropelab_mechanics::mesh::Mesh;
use ropelab_mechanics::mesh::faces::{ascending, sides_of};
use ropelab_mechanics::mesh::topology::Topology;

/// Uncut links and triangles of a simulation that take part in contact.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct ContactFeatures {
    /// Links of ropes and nets, and links between particles that belong to no body but have a
    /// radius.
    pub links: Vec<[u32; 2]>,
    pub triangles: Vec<[u32; 3]>,
    /// Edges of the triangles, each once.
    pub sides: Vec<[u32; 2]>,
    /// Particles with which balls that are linked to a rope or cloth do not collide.
    exempt: Vec<Exemption>,
    /// Indices of the links that were cut when these lists were built; `None` before the first
    /// build.
    cut: Option<Vec<u32>>,
    /// Number of times that these lists were built, by which other lists detect a change.
    pub version: u64,
}

/// Particles with which a ball does not collide.
#[derive(Clone, Debug)]
struct Exemption {
    /// Particle of the ball.
    ball: u32,
    /// Particles with which the ball does not collide, in ascending order.
    particles: Vec<u32>,
}

impl ContactFeatures {
    /// Builds the lists at the start of a scene.
    pub fn at_start(mesh: &Mesh, balls: &[BallSetup], contact_table: &ContactTable) -> Self {
        let mut features = Self::default();
        features.update(mesh, &Topology::new(mesh), balls, contact_table);
        features
    }

    /// Rebuilds the lists if the set of cut links has changed.
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
            let is_whole =
                |&[a, b]: &[u32; 2]| a != b && cut_ends.binary_search(&ascending([a, b])).is_err();
            self.links.extend(pairs.filter(is_whole));
        }
        self.triangles.clear();
        topology.faces().for_each(|triangle| self.triangles.push(triangle));
        self.add_free_links(mesh, topology, contact_table);
        self.sides.clear();
        self.sides.extend(self.triangles.iter().flat_map(sides_of));
        self.sides.sort_unstable();
        self.sides.dedup();
        self.collect_exempt(mesh, topology, balls, contact_table);
    }

    /// Adds the links with a radius that have an end outside all ropes, nets, cloths and faces.
    /// Links inside a cloth are excluded, because the triangles of the cloth collide.
    fn add_free_links(&mut self, mesh: &Mesh, topology: &Topology, contact_table: &ContactTable) {
        let mut is_free = vec![true; mesh.positions.len()];
        let of_ropes = mesh.ropes.iter().flat_map(|rope| &rope.particles);
        let of_bodies = of_ropes.chain(self.triangles.as_flattened());
        of_bodies.for_each(|particle| is_free[*particle as usize] = false);
        let radius = |particle: u32| contact_table.of_particle(particle).radius;
        let collides = |&[a, b]: &[u32; 2]| {
            (is_free[a as usize] || is_free[b as usize]) && radius(a) > 0.0 && radius(b) > 0.0
        };
        let whole = topology.links().iter().filter(|link| !link.is_cut());
        self.links.extend(whole.map(|link| [link.a, link.b]).filter(collides));
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
            // Follows links from the ball, up to the sum of the radii of ball and rope.
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
                self.exempt.push(Exemption { ball: ball.particle, particles });
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
        self.exempt.iter().any(|of| of.ball == ball && contains_exempt(&of.particles))
    }
}
