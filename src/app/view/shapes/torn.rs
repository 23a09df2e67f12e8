//! Parts of a lane that are still drawn after links have been cut.

use super::shape::{DrawnShape, Patch, Rod};
use crate::mesh::Grid;
use crate::mesh::faces::sides_of;
use crate::mesh::topology::Topology;
use crate::mesh::{Link, LinkKind, Links};
use rayon::prelude::*;
use std::collections::HashSet;

/// Number of links per parallel task. Testing a link takes a few nanoseconds.
const LINKS_A_TASK: usize = 16_384;

/// Parts of cloths and ropes that remain after cuts. They are computed once per cut, not once per
/// frame.
#[derive(Clone, Debug)]
pub struct Torn {
    links: Links,
    /// Remaining part of each cloth, in the order of the shape's patches.
    pub patches: Vec<TornPatch>,
    /// Uncut links of cloths that belong to no remaining triangle. They are drawn as threads.
    pub threads: Vec<Rod>,
}

/// Remaining part of a cloth. Indices are relative to the first particle of the grid.
#[derive(Clone, Debug, Default)]
pub struct TornPatch {
    pub faces: Vec<[u32; 3]>,
    /// Particles whose link to the next particle of their row was cut, ascending.
    pub right: Vec<u32>,
    /// Particles whose link to the next particle of their column was cut, ascending.
    pub down: Vec<u32>,
}

impl Torn {
    /// Collects the remaining parts; `None` if no link was cut.
    pub fn new(shape: &DrawnShape, fabric: &Topology) -> Option<Torn> {
        if fabric.cut_links().is_empty() {
            return None;
        }
        let patches: Vec<TornPatch> =
            shape.patches.iter().map(|patch| TornPatch::new(patch, fabric)).collect();
        let threads = shape.patches.iter().zip(&patches).flat_map(|(patch, torn)| {
            let cover = CoveredLinks::new(patch, torn);
            let links = shape.wires.par_iter().enumerate().with_min_len(LINKS_A_TASK);
            let thread = |(i, ends): (usize, &[u32; 2])| {
                let link = cover.is_at_rim(*ends).then(|| fabric.links().at(i))?;
                let rod = Rod { ends: *ends, rest: link.rest as f32, link: i as u32 };
                cover.lacks_triangle(&link).then_some(rod)
            };
            links.filter_map(thread).collect::<Vec<_>>()
        });
        Some(Torn { links: fabric.links().clone(), threads: threads.collect(), patches })
    }
}

impl TornPatch {
    fn new(patch: &Patch, fabric: &Topology) -> TornPatch {
        let grid = patch.grid;
        let mut torn = TornPatch { faces: patch.faces_among(fabric.faces()), ..Self::default() };
        for &number in fabric.cut_links() {
            let link = fabric.links().at(number as usize);
            let (a, b) = (link.a.min(link.b), link.a.max(link.b));
            if !patch.has_particle(a) || !patch.has_particle(b) {
                continue;
            }
            let column = (b - grid.first) % grid.columns;
            if b - a == 1 && column > 0 {
                torn.right.push(a - grid.first);
            } else if b - a == grid.columns {
                torn.down.push(a - grid.first);
            }
        }
        torn.right.sort_unstable();
        torn.down.sort_unstable();
        torn
    }
}

/// Links of a cloth that need no line, because a remaining triangle shows them. A link needs a line
/// only if one of its ends has lost a triangle.
struct CoveredLinks<'a> {
    patch: &'a Patch,
    torn: &'a TornPatch,
    /// True for each particle that has lost a triangle.
    at_rim: Vec<bool>,
    /// Sides of triangles at rims, with the smaller particle first.
    sides: HashSet<[u32; 2]>,
    /// First particles of cells with a triangle at a rim.
    cells: HashSet<u32>,
}

impl CoveredLinks<'_> {
    fn new<'a>(patch: &'a Patch, torn: &'a TornPatch) -> CoveredLinks<'a> {
        let columns = patch.grid.columns;
        let mut at_rim = vec![false; (columns * patch.grid.rows) as usize];
        let mut left = torn.faces.iter().peekable();
        for face in &patch.faces {
            if left.next_if_eq(&face).is_none() {
                face.iter().for_each(|&i| at_rim[i as usize] = true);
            }
        }
        let (mut sides, mut cells) = (HashSet::new(), HashSet::new());
        for face in torn.faces.iter().filter(|face| face.iter().any(|&i| at_rim[i as usize])) {
            sides.extend(sides_of(face));
            cells.insert(cell_of(face, columns));
        }
        CoveredLinks { patch, torn, at_rim, sides, cells }
    }

    /// True if both ends of a link belong to the cloth and one of them is at a rim.
    fn is_at_rim(&self, ends: [u32; 2]) -> bool {
        let first = self.patch.grid.first;
        let at_rim = |end: u32| self.at_rim.get(end.wrapping_sub(first) as usize) == Some(&true);
        (at_rim(ends[0]) || at_rim(ends[1])) && ends.iter().all(|&end| self.patch.has_particle(end))
    }

    /// True if a link at a rim is uncut but no triangle shows it.
    fn lacks_triangle(&self, link: &Link) -> bool {
        let Grid { first, columns, .. } = self.patch.grid;
        let (a, b) = (link.a.min(link.b) - first, link.a.max(link.b) - first);
        let cut = |particles: &[u32], i: u32| particles.binary_search(&i).is_ok();
        let is_shown = match (link.kind, b - a) {
            // A bend link is shown by the two structural links between its ends.
            (LinkKind::Bend, 2) => !cut(&self.torn.right, a) && !cut(&self.torn.right, a + 1),
            (LinkKind::Bend, step) if step == 2 * columns => {
                !cut(&self.torn.down, a) && !cut(&self.torn.down, a + columns)
            }
            (LinkKind::Shear, _) => self.cells.contains(&cell_of(&[a, b, b], columns)),
            _ => self.sides.contains(&[a, b]),
        };
        !link.is_cut() && !is_shown
    }
}

/// Returns the first particle of the cell that contains these corners.
fn cell_of(corners: &[u32; 3], columns: u32) -> u32 {
    let row = corners.iter().map(|i| i / columns).min().unwrap_or(0);
    let column = corners.iter().map(|i| i % columns).min().unwrap_or(0);
    row * columns + column
}

/// True if a link is uncut, or if `link` means "no link".
pub fn is_uncut(link: u32, torn: Option<&Torn>) -> bool {
    let is_cut = |torn: &Torn| torn.links.get(link as usize).is_some_and(|link| link.is_cut());
    !torn.is_some_and(is_cut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{ClothMaterial, Mesh, RopeMaterial};
    use glam::DVec3;

    #[test]
    fn a_cut_is_known_to_triangles_rims_and_ropes() {
        let mut mesh = Mesh::default();
        mesh.rope(DVec3::ZERO, DVec3::X, 1.0, 4, &RopeMaterial::default());
        mesh.cloth(DVec3::Y, DVec3::X, DVec3::Z, [3, 2], &ClothMaterial::default());
        let shape = DrawnShape::new(&mesh);
        let number = |a: u32, b: u32| {
            let found = mesh.links.iter().position(|link| [link.a, link.b] == [a, b]);
            found.expect("a link") as u32
        };
        let mut fabric = Topology::new(&mesh);
        assert!(Torn::new(&shape, &fabric).is_none());
        // Cuts a link of the rope, a link of a row, a link of a column, a diagonal of a cell, and a
        // bend link.
        let cuts = [number(2, 3), number(7, 8), number(9, 13), number(6, 9), number(13, 15)];
        fabric.cut(&cuts);
        let torn = Torn::new(&shape, &fabric).expect("cuts");
        let TornPatch { faces, right, down } = &torn.patches[0];
        assert_eq!((faces.len(), &right[..], &down[..]), (12 - 1 - 1 - 2, &[2][..], &[4][..]));
        // Threads appear around the cell of the cut diagonal, and around the bend link across it.
        let expected = [[5, 6], [5, 9], [5, 10], [5, 13], [6, 8], [9, 10]];
        let mut threads: Vec<[u32; 2]> = torn.threads.iter().map(|rod| rod.ends).collect();
        threads.sort_unstable();
        assert_eq!(threads, expected);
        let rest = |rod: &Rod| mesh.links.at(rod.link as usize).rest as f32;
        assert!(torn.threads.iter().all(|rod| rod.rest == rest(rod)));
        let whole = |torn: Option<&Torn>| {
            shape.strands[0].links.iter().map(|&link| is_uncut(link, torn)).collect::<Vec<_>>()
        };
        assert_eq!(whole(Some(&torn)), [true, true, false, true]);
        assert_eq!(whole(None), [true; 4]);
    }
}
