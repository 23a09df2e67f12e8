//! Features of ropes and cloths that take part in self-contact.

use super::feature_tree::sort_by_place;
use super::rings::Rings;
use crate::contact::bodies::contact_features::ContactFeatures;
use crate::contact::bodies::contact_table::ContactTable;
use ropelab_mechanics::mesh::Mesh;

#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct SelfContactFeatures {
    /// Particles of all features with self-contact, in ascending order.
    pub points: Vec<u32>,
    /// Links of ropes and edges of triangles, sorted along a space-filling curve.
    pub edges: Vec<[u32; 2]>,
    /// True for each entry of `edges` that is an edge of a triangle.
    pub are_sides: Vec<bool>,
    /// Triangles, sorted along a space-filling curve.
    pub triangles: Vec<[u32; 3]>,
    pub rings: Rings,
}

impl SelfContactFeatures {
    /// Chooses the features with self-contact from the links, edges and triangles in
    /// `contact_features`.
    pub fn choose(
        contact_features: &ContactFeatures,
        contact_table: &ContactTable,
        mesh: &Mesh,
    ) -> Self {
        let has_self_contact = |particles: &[u32]| contact_table.have_self_contact(particles);
        let edges = contact_features.links.iter().chain(&contact_features.sides);
        let mut edges: Vec<[u32; 2]> =
            edges.filter(|edge| has_self_contact(*edge)).copied().collect();
        let triangles =
            contact_features.triangles.iter().filter(|triangle| has_self_contact(*triangle));
        let mut triangles: Vec<[u32; 3]> = triangles.copied().collect();
        let mut points: Vec<u32> = edges.iter().flatten().copied().collect();
        points.sort_unstable();
        points.dedup();
        sort_by_place(&mut edges, &mesh.positions);
        sort_by_place(&mut triangles, &mesh.positions);
        let are_sides =
            edges.iter().map(|edge| contact_features.sides.binary_search(edge).is_ok()).collect();
        let rings = Rings::new(mesh.positions.len(), &edges);
        Self { points, edges, are_sides, triangles, rings }
    }
}
