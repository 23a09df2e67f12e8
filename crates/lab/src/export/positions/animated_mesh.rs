//! Mesh with moving vertices that represents a scene in a modelling program.
//!
//! Cloths become triangles, ropes become lines, and balls become octahedra. All other particles are
//! left out: some programs drop unused vertices, which would shift the indices of later vertices.

use crate::mesh::LinkKind;
use crate::model::Parts;
use glam::DVec3;
use itertools::Itertools;

pub(super) const PC2_HEADER: &[u8] = b"POINTCACHE2\0";

/// Faces of an octahedron with the corners +x, −x, +y, −y, +z, −z. They run counter-clockwise when
/// seen from outside.
const FACES: [[u32; 3]; 8] =
    [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];

pub(super) struct AnimatedMesh {
    /// Particles that are vertices, in ascending order.
    points: Vec<u32>,
    /// Ends of the links that are drawn as lines.
    lines: Vec<[u32; 2]>,
    /// Particles and radii (in metres) of balls; thrown balls come last.
    balls: Vec<(u32, f64)>,
}

impl AnimatedMesh {
    pub fn of(parts: &Parts) -> Self {
        let topology = parts.topology();
        let mut in_faces = vec![false; parts.mesh.positions.len()];
        topology.faces().for_each(|face| {
            face.iter().for_each(|corner| in_faces[*corner as usize] = true);
        });
        let links = topology.links().iter();
        let whole = links.filter(|link| link.kind == LinkKind::Structural && !link.is_cut());
        let lines: Vec<[u32; 2]> = whole
            .map(|link| [link.a, link.b])
            .filter(|ends| !ends.iter().all(|end| in_faces[*end as usize]))
            .collect();
        let mut is_point = in_faces;
        lines.iter().flatten().for_each(|end| is_point[*end as usize] = true);
        let points = (0..).zip(&is_point).filter(|(_, is)| **is).map(|(i, _)| i).collect();
        let balls = parts.contact.balls.iter().map(|ball| (ball.particle, ball.properties.radius));
        let first = parts.mesh.positions.len() as u32;
        let thrown = (first..).zip(&parts.throws).map(|(i, thrown)| (i, thrown.throw.radius));
        Self { points, lines, balls: balls.chain(thrown).collect() }
    }

    pub fn len(&self) -> usize {
        self.points.len() + 6 * self.balls.len()
    }

    pub fn vertices<'a>(&'a self, x: &'a [DVec3]) -> impl Iterator<Item = DVec3> + 'a {
        let points = self.points.iter().map(|i| x[*i as usize]);
        let axes = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];
        let corners = self
            .balls
            .iter()
            .flat_map(move |(i, radius)| axes.map(|axis| x[*i as usize] + axis * *radius));
        points.chain(corners)
    }

    pub fn to_obj(&self, x: &[DVec3], triangles: &[[u32; 3]]) -> String {
        let number = |particle: u32| self.points.partition_point(|point| *point < particle) + 1;
        let vertices = self.vertices(x).map(|DVec3 { x, y, z }| format!("v {x} {y} {z}\n"));
        let list = |head: &str, numbers: &[usize]| format!("{head} {}\n", numbers.iter().join(" "));
        let faces = triangles.iter().map(|face| list("f", &face.map(number)));
        let first = self.points.len() + 1;
        let balls = (0..self.balls.len()).flat_map(|ball| {
            FACES.map(|face| list("f", &face.map(|corner| first + 6 * ball + corner as usize)))
        });
        let lines = self.lines.iter().map(|ends| list("l", &ends.map(number)));
        vertices.chain(faces).chain(balls).chain(lines).collect()
    }
}
