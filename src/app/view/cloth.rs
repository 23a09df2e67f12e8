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
    let positions = &positions[patch.grid.first as usize..][..count];
    let task = |(i, part): (usize, &mut [ClothVertex])| {
        let rows = Rows::new(lens, patch, positions, i * ROWS_A_TASK, part.len() / columns);
        rows.write_normals(part);
        if let Some(range) = strain_range {
            rows.write_strains(part, range);
        }
    };
    if count < PARALLEL {
        vertices.chunks_mut(ROWS_A_TASK * columns).enumerate().for_each(task);
    } else {
        vertices.par_chunks_mut(ROWS_A_TASK * columns).enumerate().for_each(task);
    }
}

/// Some rows of a patch, with the row above and the row below where there is one.
struct Rows<'a> {
    patch: &'a Patch,
    columns: usize,
    /// The row that `points` begins with.
    first: usize,
    /// Rows of `points` before those to be written: 0 or 1.
    above: usize,
    /// Relative to the centre of the view; NaN = not drawn.
    points: Vec<Vec3>,
}

impl Rows<'_> {
    fn new<'a>(
        lens: &Lens,
        patch: &'a Patch,
        positions: &[DVec3],
        row: usize,
        count: usize,
    ) -> Rows<'a> {
        let columns = patch.grid.columns as usize;
        let first = row.saturating_sub(1);
        let end = (row + count + 1).min(patch.grid.rows as usize);
        let points = positions[first * columns..end * columns]
            .iter()
            .map(|&position| lens.relative(position).unwrap_or(Vec3::NAN))
            .collect();
        Rows { patch, columns, first, above: row - first, points }
    }

    /// Index into `points` of the first vertex to be written.
    fn start(&self) -> usize {
        self.above * self.columns
    }

    fn write_normals(&self, part: &mut [ClothVertex]) {
        let columns = self.columns;
        let mut i = self.start();
        for row in part.chunks_mut(columns) {
            // At an edge, the particle itself stands for the neighbour that is not there.
            let above = if i < columns { 0 } else { columns };
            let below = if i + columns < self.points.len() { columns } else { 0 };
            for (column, vertex) in row.iter_mut().enumerate() {
                let left = usize::from(column > 0);
                let right = usize::from(column + 1 < columns);
                *vertex = self.vertex(i, [i - left, i + right, i - above, i + below]);
                i += 1;
            }
        }
    }

    fn vertex(&self, i: usize, around: [usize; 4]) -> ClothVertex {
        let position = self.points[i];
        if position.is_nan() {
            return ClothVertex::default();
        }
        let [left, right, above, below] = around.map(|j| {
            let there = self.points[j];
            if there.is_nan() { position } else { there }
        });
        let normal = (right - left).cross(below - above).try_normalize().unwrap_or(Vec3::Z);
        let [x, y, z] = (normal * 32767.0 + 32767.5).to_array();
        ClothVertex { position, normal: [x as u16, y as u16, z as u16, 0] }
    }

    /// Each particle gets the mean strain of its structural links.
    fn write_strains(&self, part: &mut [ClothVertex], range: f32) {
        let columns = self.columns;
        let mut sums = vec![(0.0, 0.0); self.points.len()];
        for (rests, step) in [(&self.patch.across, 1), (&self.patch.down, columns)] {
            let rests = &rests[self.first * columns..];
            let pairs = self.points.iter().zip(&self.points[step.min(self.points.len())..]);
            for (i, ((a, b), &rest)) in pairs.zip(rests).enumerate() {
                let strain = a.distance(*b) / rest - 1.0;
                if rest > 0.0 && strain.is_finite() {
                    for j in [i, i + step] {
                        sums[j].0 += strain;
                        sums[j].1 += 1.0;
                    }
                }
            }
        }
        for (vertex, (sum, count)) in part.iter_mut().zip(&sums[self.start()..]) {
            let mean = sum / f32::max(*count, 1.0);
            vertex.normal[3] = (strain_place(mean, range) * 65535.0) as u16;
        }
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
