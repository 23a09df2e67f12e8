//! Drawn parts of a scene (ropes, cloths, rods), which all lanes share.

use crate::mesh::faces::Faces;
use crate::mesh::{Chain, Grid, LinkKind, Links, Mesh};
use crate::scene::typed::annotation::Pattern;
use std::sync::atomic::{AtomicU64, Ordering};

/// Index for "no link joins these two particles".
const NO_LINK: u32 = u32::MAX;

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// Drawn ropes, cloths and rods, with the rest lengths for computing the strain colours.
#[derive(Debug)]
pub struct DrawnShape {
    /// Number that identifies the shape and its buffers.
    pub id: u64,
    pub particles: usize,
    pub strands: Vec<Strand>,
    pub patches: Vec<Patch>,
    pub rods: Vec<Rod>,
    /// Largest distance of a drawn point from the box around the particles, in metres.
    pub reach: f64,
    /// Ends of all links, ordered as the links.
    pub wires: Vec<[u32; 2]>,
}

#[derive(Debug)]
pub struct Strand {
    pub particles: Vec<u32>,
    pub radius: f32,
    /// Rest length of each segment in metres.
    pub rests: Vec<f32>,
    pub links: Vec<u32>,
}

#[derive(Debug)]
pub struct Patch {
    pub grid: Grid,
    /// Triangles. Indices are relative to the first particle of the grid.
    pub faces: Vec<[u32; 3]>,
    /// Rest lengths in metres of the links to the next particle in the row and in the column; 0 if
    /// there is no link.
    pub across: Vec<f32>,
    pub down: Vec<f32>,
    pub pattern: Pattern,
}

/// Link that is drawn individually, because it belongs to no rope or cloth, or because the
/// triangles that showed it were cut.
#[derive(Clone, Copy, Debug)]
pub struct Rod {
    pub ends: [u32; 2],
    pub rest: f32,
    pub link: u32,
}

/// Links, sorted by their ends.
struct LinkTable<'a> {
    links: &'a Links,
    sorted: Vec<(u64, u32)>,
}

fn key(a: u32, b: u32) -> u64 {
    u64::from(a.min(b)) << 32 | u64::from(a.max(b))
}

impl<'a> LinkTable<'a> {
    fn new(links: &'a Links) -> LinkTable<'a> {
        let mut sorted: Vec<(u64, u32)> = links
            .iter()
            .enumerate()
            .filter(|(_, link)| link.kind != LinkKind::Bend)
            .map(|(i, link)| (key(link.a, link.b), i as u32))
            .collect();
        sorted.sort_unstable();
        LinkTable { links, sorted }
    }

    fn link_between(&self, a: u32, b: u32) -> u32 {
        let at = self.sorted.partition_point(|&(k, _)| k < key(a, b));
        self.sorted.get(at).filter(|&&(k, _)| k == key(a, b)).map_or(NO_LINK, |&(_, i)| i)
    }

    fn rest(&self, link: u32) -> f32 {
        self.links.get(link as usize).map_or(0.0, |link| link.rest as f32)
    }
}

impl DrawnShape {
    /// Creates the shape of a mesh. Faces that belong to no cloth are not drawn.
    pub fn new(mesh: &Mesh) -> DrawnShape {
        let Mesh { positions, links, faces, ropes, cloths, .. } = mesh;
        let lookup = LinkTable::new(links);
        let strands: Vec<Strand> = ropes.iter().map(|c| Strand::new(c, &lookup)).collect();
        let patches: Vec<Patch> =
            cloths.iter().map(|&grid| Patch::new(grid, faces, &lookup)).collect();
        let mut drawn = vec![false; links.len()];
        for &link in strands.iter().flat_map(|strand| &strand.links) {
            if link != NO_LINK {
                drawn[link as usize] = true;
            }
        }
        let rods = links
            .iter()
            .enumerate()
            .filter(|(i, link)| link.kind == LinkKind::Structural && !drawn[*i])
            .filter(|(_, link)| {
                !patches.iter().any(|p| p.has_particle(link.a) && p.has_particle(link.b))
            })
            .map(|(i, link)| Rod { ends: [link.a, link.b], rest: link.rest as f32, link: i as u32 })
            .collect();
        // A Catmull-Rom curve exceeds the box of its points by at most 0.15 segment lengths.
        let reach = strands
            .iter()
            .map(|s| s.radius + 0.2 * s.rests.iter().copied().fold(0.0, f32::max))
            .fold(0.03, f32::max);
        DrawnShape {
            reach: f64::from(reach),
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            particles: positions.len(),
            strands,
            patches,
            rods,
            wires: links.iter().map(|link| [link.a, link.b]).collect(),
        }
    }

    /// Sets the patterns of the cloths with these indices.
    pub fn with_patterns(mut self, patterns: &[(u32, Pattern)]) -> DrawnShape {
        for &(cloth, pattern) in patterns {
            self.patches[cloth as usize].pattern = pattern;
        }
        self
    }
}

impl Strand {
    fn new(chain: &Chain, lookup: &LinkTable) -> Strand {
        let links: Vec<u32> =
            chain.particles.windows(2).map(|pair| lookup.link_between(pair[0], pair[1])).collect();
        Strand {
            particles: chain.particles.clone(),
            radius: chain.radius as f32,
            rests: links.iter().map(|&link| lookup.rest(link)).collect(),
            links,
        }
    }
}

impl Patch {
    fn new(grid: Grid, faces: &Faces, lookup: &LinkTable) -> Patch {
        let rest = |step: u32, room: fn(&Grid, u32) -> bool| {
            (0..grid.columns * grid.rows)
                .map(|i| {
                    let here = grid.first + i;
                    if room(&grid, i) {
                        lookup.rest(lookup.link_between(here, here + step))
                    } else {
                        0.0
                    }
                })
                .collect()
        };
        let mut patch = Patch {
            grid,
            faces: Vec::new(),
            across: rest(1, |grid, i| (i + 1) % grid.columns != 0),
            down: rest(grid.columns, |grid, i| i / grid.columns + 1 < grid.rows),
            pattern: Pattern::default(),
        };
        patch.faces = patch.faces_among(faces);
        patch
    }

    pub fn has_particle(&self, particle: u32) -> bool {
        let last = self.grid.first + self.grid.columns * self.grid.rows;
        (self.grid.first..last).contains(&particle)
    }

    /// Returns the triangles of the grid. Indices are relative to the grid's first particle.
    pub fn faces_among(&self, faces: &Faces) -> Vec<[u32; 3]> {
        let cells = self.grid.columns.saturating_sub(1) * self.grid.rows.saturating_sub(1);
        let mut own = Vec::with_capacity(2 * cells as usize);
        faces.for_each(|face| {
            if face.iter().all(|&i| self.has_particle(i)) {
                own.push(face.map(|i| i - self.grid.first));
            }
        });
        own
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{ClothMaterial, Link, RopeMaterial};
    use glam::DVec3;

    fn shape() -> DrawnShape {
        let mut mesh = Mesh::default();
        let rope = RopeMaterial { bend_stiffness: 1.0, ..RopeMaterial::default() };
        mesh.rope(DVec3::ZERO, DVec3::X, 1.0, 4, &rope);
        mesh.cloth(DVec3::Y, DVec3::X, DVec3::Z, [3, 2], &ClothMaterial::default());
        mesh.links.push(Link { a: 0, b: 6, ..mesh.links.at(0) });
        DrawnShape::new(&mesh)
    }

    #[test]
    fn only_loose_structural_links_are_rods() {
        let shape = shape();
        assert_eq!(shape.rods.iter().map(|rod| rod.ends).collect::<Vec<_>>(), [[0, 6]]);
    }

    #[test]
    fn rest_lengths_are_those_of_the_links() {
        let shape = shape();
        assert!(shape.strands[0].rests.iter().all(|&rest| (rest - 0.25).abs() < 1e-6));
        let patch = &shape.patches[0];
        assert!((patch.across[0] - 1.0 / 3.0).abs() < 1e-6 && patch.across[3] == 0.0);
        assert!((patch.down[0] - 0.5).abs() < 1e-6 && patch.down[8] == 0.0);
    }
}
