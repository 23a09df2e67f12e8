//! Crossings of ropes and cloths with triangles of cloths at the start of a scene.

use crate::contact::bodies::contact_features::ContactFeatures;
use crate::contact::bodies::geometry::Geometry;
use crate::contact::search::feature_tree::{FeatureTree, MovingBox};
use crate::contact::search::self_contact_features::SelfContactFeatures;
use glam::DVec3;
use ropelab_mechanics::mesh::Mesh;
use std::fmt;

/// Links and edges of triangles that pass through triangles at the start of a scene. All features
/// with self-contact are checked, except against features within two links of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InitialCrossings {
    /// Number of crossings.
    pub count: usize,
    /// Particles of the first link or edge that passes through a triangle.
    pub side: [u32; 2],
    /// Particles of the triangle through which `side` passes.
    pub triangle: [u32; 3],
    /// True if there were too many near pairs to check all of them. `count` is then a lower bound.
    is_partial: bool,
}

/// Largest number of features in a scene that is checked. The check then takes one second and about
/// 200 MB.
const MOST_FEATURES: usize = 1_500_000;

/// Largest number of near pairs that are checked. The check then takes one second.
const MOST_PAIRS: usize = 10_000_000;

impl InitialCrossings {
    /// Result for a scene that is too large to be checked.
    const UNKNOWN: Self = Self { count: 0, side: [0; 2], triangle: [0; 3], is_partial: true };

    /// Finds the crossings at the start of a scene. `None` if there are none.
    pub fn find(geometry: &Geometry, mesh: &Mesh) -> Option<Self> {
        if !geometry.contact_table.has_self_contact() {
            return None;
        }
        let contact_features =
            ContactFeatures::at_start(mesh, &geometry.balls, &geometry.contact_table);
        let ContactFeatures { links, sides, triangles, .. } = &contact_features;
        if links.len() + sides.len() + triangles.len() > MOST_FEATURES {
            return Some(Self::UNKNOWN);
        }
        let SelfContactFeatures { edges, triangles, rings, .. } =
            SelfContactFeatures::choose(&contact_features, &geometry.contact_table, mesh);
        let x = &mesh.positions;
        let around = |particles: &[u32]| {
            let of = |i: u32| MovingBox::of(x[i as usize], DVec3::ZERO, 0.0);
            particles[1..].iter().fold(of(particles[0]), |all, i| all.with(&of(*i)))
        };
        let mut tree = FeatureTree::default();
        tree.build(triangles.iter().map(|triangle| around(triangle)));
        let mut found: Option<Self> = None;
        let mut checked = 0;
        for side in &edges {
            if checked > MOST_PAIRS {
                let found = found.unwrap_or(Self::UNKNOWN);
                return Some(Self { is_partial: true, ..found });
            }
            tree.query(&around(side), 0, 0.0, &mut |k| {
                checked += 1;
                let triangle = triangles[k];
                let are_neighbours = side
                    .iter()
                    .any(|i| triangle.iter().any(|j| rings.are_within_two_links(*i, *j)));
                let layers = [&side[..], &triangle[..]]
                    .map(|of| geometry.contact_table.of_feature(of).layer);
                let side_at = side.map(|i| x[i as usize]);
                let triangle_at = triangle.map(|i| x[i as usize]);
                if !are_neighbours
                    && geometry.layers.may_collide(layers[0], layers[1])
                    && segment_crosses_triangle(side_at, triangle_at)
                {
                    let first = found.unwrap_or(Self {
                        count: 0,
                        side: *side,
                        triangle,
                        is_partial: false,
                    });
                    found = Some(Self { count: first.count + 1, ..first });
                }
            });
        }
        found
    }
}

impl fmt::Display for InitialCrossings {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { count, side: [a, b], triangle: [c, d, e], is_partial } = self;
        if *count == 0 {
            return write!(
                f,
                "too many links and triangles have self-contact to check whether some pass through each \
                 other at the start; contact does not undo such crossings"
            );
        }
        let sides = match (count, is_partial) {
            (1, false) => "1 link passes".to_owned(),
            (_, false) => format!("{count} links pass"),
            (_, true) => format!("{count} links or more pass"),
        };
        write!(
            f,
            "{sides} through triangles at the start, {a}–{b} through {c}–{d}–{e}; contact does not \
             undo crossings"
        )
    }
}

/// True if the segment p–q passes through the triangle: p and q lie on different sides of the
/// triangle's plane, and all edges turn round the segment in the same direction.
fn segment_crosses_triangle([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let volume = |a: DVec3, b: DVec3, c: DVec3, d: DVec3| (b - a).dot((c - a).cross(d - a));
    let [u, v, w] = [volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a)];
    let is_round = u > 0.0 && v > 0.0 && w > 0.0 || u < 0.0 && v < 0.0 && w < 0.0;
    is_round && volume(a, b, c, p) * volume(a, b, c, q) < 0.0
}
