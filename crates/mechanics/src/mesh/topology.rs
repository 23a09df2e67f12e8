//! Links, bends and triangles of one simulation, and the list of its cut links.

use super::bends::Bends;
use super::faces::Faces;
use super::generators::Mesh;
use super::links::Links;
use itertools::Itertools;

/// Links, bends and triangles of a mesh after cuts. They share the memory of the mesh until the
/// first cut or the first change of the damping.
#[derive(Clone, Debug)]
pub struct Topology {
    links: Links,
    stiffness_damping: f64,
    bends: Bends,
    faces: Faces,
    cut: Vec<u32>,
}

impl Topology {
    /// Creates the topology of a mesh without cuts.
    pub fn new(mesh: &Mesh) -> Self {
        let Mesh { links, bends, faces, .. } = mesh;
        Self {
            links: links.clone(),
            stiffness_damping: 0.0,
            bends: bends.clone(),
            faces: faces.clone(),
            cut: Vec::new(),
        }
    }

    /// Sets each link's damping to its damping in the mesh plus `beta` (in seconds) times its
    /// stiffness. `original` are the links of the mesh. Cut links remain cut.
    pub fn set_stiffness_damping(&mut self, original: &Links, beta: f64) {
        if beta == self.stiffness_damping {
            return;
        }
        self.stiffness_damping = beta;
        self.links = if beta == 0.0 {
            original.clone()
        } else {
            original.iter().map(|link| link.damped(beta)).collect()
        };
        for &i in &self.cut {
            self.links.cut(i as usize);
        }
    }

    /// Returns all links. Cut links are included, so that the indices of links never change.
    pub fn links(&self) -> &Links {
        &self.links
    }

    /// Returns the bends that span no cut link.
    pub fn bends(&self) -> &Bends {
        &self.bends
    }

    /// Returns the triangles that have no cut link as a side.
    pub fn faces(&self) -> &Faces {
        &self.faces
    }

    /// Returns the indices of the cut links, in the order of the cuts.
    pub fn cut_links(&self) -> &[u32] {
        &self.cut
    }

    /// Cuts links. Also removes the triangles that have these links as sides, and the bends that
    /// span them. Returns the links that had not been cut before, in ascending order.
    pub fn cut(&mut self, links: &[u32]) -> Vec<u32> {
        let is_whole = |&i: &u32| self.links.get(i as usize).is_some_and(|link| !link.is_cut());
        let newly_cut: Vec<u32> = links.iter().copied().filter(is_whole).sorted().dedup().collect();
        let sides = newly_cut.iter().map(|&i| {
            let link = self.links.at(i as usize);
            [link.a, link.b]
        });
        let sides = sides.collect_vec();
        self.faces.cut(&sides);
        self.bends.cut(&sides);
        for &i in &newly_cut {
            self.links.cut(i as usize);
        }
        self.cut.extend(&newly_cut);
        newly_cut
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::ClothMaterial;
    use glam::DVec3;

    #[test]
    fn damping_keeps_cuts_and_goes_again() {
        let mut mesh = Mesh::default();
        mesh.cloth(DVec3::ZERO, DVec3::X, DVec3::Y, [3, 2], &ClothMaterial::default());
        let mut topology = Topology::new(&mesh);
        topology.cut(&[2]);
        topology.set_stiffness_damping(&mesh.links, 0.5);
        for (i, (own, now)) in mesh.links.iter().zip(topology.links().iter()).enumerate() {
            assert_eq!(now.damping, own.damping + 0.5 * own.stiffness);
            assert_eq!(now.is_cut(), i == 2);
        }
        topology.set_stiffness_damping(&mesh.links, 0.0);
        assert!(topology.links().at(2).is_cut());
        assert_eq!(topology.links().at(0), mesh.links.at(0));
    }

    #[test]
    fn a_cut_is_made_once_and_takes_the_triangles_beside_it() {
        let mut mesh = Mesh::default();
        mesh.cloth(DVec3::ZERO, DVec3::X, DVec3::Y, [3, 2], &ClothMaterial::default());
        let mut topology = Topology::new(&mesh);
        let inner = (0..mesh.links.len() as u32)
            .find(|&i| {
                let link = mesh.links.at(i as usize);
                (link.a, link.b) == (5, 6)
            })
            .expect("a link inside the cloth");
        let none = u32::MAX;
        assert_eq!(topology.cut(&[inner, none, 0, inner]), [0, inner]);
        assert_eq!(topology.cut(&[inner, 1]), [1]);
        assert_eq!(topology.cut_links(), [0, inner, 1]);
        let cut = topology.links().iter().filter(|link| link.is_cut()).count();
        assert_eq!((cut, topology.links().len()), (3, mesh.links.len()));
        // Three of the 12 triangles are gone: the two beside the inner link, and the corner
        // triangle that had the links 0 and 1 as sides.
        assert_eq!(topology.faces().iter().count(), 12 - 3);
        assert_eq!(mesh.faces.iter().count(), 12);
    }
}
