//! Cloth: normals from the neighbours in the grid, written row by row in parallel.

use super::palette::strain_place;
use super::rope::Lens;
use super::shape::Patch;
use glam::{DVec3, Vec3, Vec4};
use macroquad::miniquad::{VertexAttribute, VertexFormat};
use rayon::prelude::*;

/// From this many particles on, several threads write.
const PARALLEL: usize = 4096;
/// Rows a task: some hundred microseconds of work for a large cloth.
const ROWS_A_TASK: usize = 16;

/// A vertex of a cloth, 20 bytes: all that is streamed a particle.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ClothVertex {
    position: Vec3,
    /// Normal and place in the strain map, 0 to 65535; all 0 = not drawn.
    normal: [u16; 4],
}

impl ClothVertex {
    /// The cell (column and row) comes from a buffer of its own that is written once.
    pub(super) const ATTRIBUTES: [VertexAttribute; 3] = [
        VertexAttribute::new("position", VertexFormat::Float3),
        VertexAttribute::new("normal", VertexFormat::Short4),
        VertexAttribute::with_buffer("cell", VertexFormat::Float2, 1),
    ];
}

/// Writes the vertices of a patch. Without `strain_range` the strain is not measured.
pub(super) fn write(
    vertices: &mut Vec<ClothVertex>,
    lens: &Lens,
    patch: &Patch,
    positions: &[DVec3],
    strain_range: Option<f32>,
) {
    let columns = patch.grid.columns as usize;
    let count = columns * patch.grid.rows as usize;
    vertices.resize(count, ClothVertex::default());
    let rows = Rows { lens, patch, positions: &positions[patch.grid.first as usize..], columns };
    let task = |(i, part): (usize, &mut [ClothVertex])| {
        rows.write(i * ROWS_A_TASK, part, strain_range);
    };
    if count < PARALLEL {
        vertices.chunks_mut(ROWS_A_TASK * columns).enumerate().for_each(task);
    } else {
        vertices.par_chunks_mut(ROWS_A_TASK * columns).enumerate().for_each(task);
    }
}

struct Rows<'a> {
    lens: &'a Lens,
    patch: &'a Patch,
    positions: &'a [DVec3],
    columns: usize,
}

/// The neighbours of a particle; at an edge, the particle itself.
struct Around {
    left: Vec3,
    right: Vec3,
    above: Vec3,
    below: Vec3,
}

impl Rows<'_> {
    fn write(&self, first_row: usize, part: &mut [ClothVertex], strain_range: Option<f32>) {
        for (r, row) in part.chunks_mut(self.columns).enumerate() {
            for (column, vertex) in row.iter_mut().enumerate() {
                *vertex = self.vertex(first_row + r, column, strain_range);
            }
        }
    }

    fn vertex(&self, row: usize, column: usize, strain_range: Option<f32>) -> ClothVertex {
        let i = row * self.columns + column;
        let Some(position) = self.lens.relative(self.positions[i]) else {
            return ClothVertex::default();
        };
        let rows = self.patch.grid.rows as usize;
        let neighbour = |exists: bool, j: usize| {
            let there = if exists { self.lens.relative(self.positions[j]) } else { None };
            there.unwrap_or(position)
        };
        let around = Around {
            left: neighbour(column > 0, i.wrapping_sub(1)),
            right: neighbour(column + 1 < self.columns, i + 1),
            above: neighbour(row > 0, i.wrapping_sub(self.columns)),
            below: neighbour(row + 1 < rows, i + self.columns),
        };
        let normal = (around.right - around.left).cross(around.below - around.above);
        let normal = normal.try_normalize().unwrap_or(Vec3::Z);
        let strain = strain_range
            .map_or(0.0, |range| strain_place(self.strain(i, position, &around), range));
        let code = |x: f32| (x * 32767.0 + 32767.5) as u16;
        ClothVertex {
            position,
            normal: [code(normal.x), code(normal.y), code(normal.z), (strain * 65535.0) as u16],
        }
    }

    /// Mean strain of the structural links of a particle.
    fn strain(&self, i: usize, position: Vec3, around: &Around) -> f32 {
        let Patch { across, down, .. } = self.patch;
        let before = |rests: &[f32], step: usize| i.checked_sub(step).map_or(0.0, |j| rests[j]);
        let left = if i.is_multiple_of(self.columns) { 0.0 } else { before(across, 1) };
        let links = [
            (left, around.left),
            (across[i], around.right),
            (before(down, self.columns), around.above),
            (down[i], around.below),
        ];
        let (mut sum, mut count) = (0.0, 0.0);
        for (rest, end) in links {
            if rest > 0.0 {
                sum += position.distance(end) / rest - 1.0;
                count += 1.0;
            }
        }
        if count > 0.0 { sum / count } else { 0.0 }
    }
}

/// For the shader: cells along both edges, and cells a check of the pattern, of which there are
/// some fourteen across.
pub(super) fn fabric(patch: &Patch) -> Vec4 {
    let [columns, rows] =
        [patch.grid.columns, patch.grid.rows].map(|count| count.saturating_sub(1) as f32);
    let check = (columns.max(rows) / 14.0).round().max(1.0);
    Vec4::new(columns, rows, check, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::view::camera::{Bounds, Camera, Viewport};
    use crate::app::view::shape::Shape;
    use crate::mesh::{ClothMaterial, Mesh};
    use macroquad::math::Rect;

    fn cloth(cells: u32) -> (Shape, Vec<DVec3>) {
        let mut mesh = Mesh::default();
        let material = ClothMaterial {
            areal_density: 0.2,
            stretch_stiffness: 100.0,
            shear_stiffness: 0.0,
            bend_stiffness: 0.0,
            damping: 0.0,
            rigid: false,
            one_sided: false,
        };
        mesh.cloth(DVec3::ZERO, DVec3::X, DVec3::Y, [cells, cells], &material);
        let shape = Shape::new(mesh.positions.len(), &[], &mesh.cloths, &mesh.faces, &mesh.links);
        (shape, mesh.positions)
    }

    fn written(cells: u32, change: impl Fn(&mut [DVec3])) -> Vec<ClothVertex> {
        let bounds = Bounds { min: DVec3::ZERO, max: DVec3::ONE };
        let viewport = Viewport::new(Rect::new(0.0, 0.0, 900.0, 700.0), 1.0);
        let lens = Lens::new(&Camera::new(bounds, 1.3), &viewport);
        let (shape, mut positions) = cloth(cells);
        change(&mut positions);
        let mut vertices = Vec::new();
        write(&mut vertices, &lens, &shape.patches[0], &positions, Some(0.1));
        vertices
    }

    fn decoded(vertex: &ClothVertex) -> Vec3 {
        let [x, y, z, _] = vertex.normal.map(|n| f32::from(n) / 32767.5 - 1.0);
        Vec3::new(x, y, z)
    }

    #[test]
    fn a_flat_cloth_has_one_normal() {
        for cells in [5, 80] {
            for vertex in written(cells, |_| ()) {
                assert!(decoded(&vertex).distance(Vec3::Z) < 1e-3);
            }
        }
    }

    #[test]
    fn a_stretched_cloth_is_as_bright_as_its_strain() {
        let vertices = written(6, |p| p.iter_mut().for_each(|p| *p *= 1.05));
        let expected = strain_place(0.05, 0.1);
        for vertex in vertices {
            assert!((f32::from(vertex.normal[3]) / 65535.0 - expected).abs() < 1e-3);
        }
    }

    #[test]
    fn only_the_particle_that_exploded_is_left_out() {
        for bad in [f64::NAN, f64::INFINITY, 1e200] {
            let vertices = written(6, |p| p[10].x = bad);
            for (i, vertex) in vertices.iter().enumerate() {
                assert_eq!(vertex.normal[..3] == [0; 3], i == 10);
                assert!(vertex.position.is_finite());
            }
        }
    }
}
