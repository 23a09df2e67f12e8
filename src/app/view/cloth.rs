//! Cloth: normals from the neighbours in the grid, written row by row in parallel.

use super::lens::Lens;
use super::palette::strain_place;
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

/// Some rows of a patch, with the row above and the row below where there is one. A column for each
/// axis, so that several particles fit into a register.
struct Rows<'a> {
    patch: &'a Patch,
    columns: usize,
    /// The row that the points begin with.
    first: usize,
    /// Rows of points before those to be written: 0 or 1.
    above: usize,
    /// Relative to the centre of the view; NaN = not drawn.
    points: [Vec<f32>; 3],
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
        let mut points = [(); 3].map(|()| Vec::with_capacity((end - first) * columns));
        for &position in &positions[first * columns..end * columns] {
            let point = lens.relative(position).unwrap_or(Vec3::NAN).to_array();
            points.iter_mut().zip(point).for_each(|(column, number)| column.push(number));
        }
        Rows { patch, columns, first, above: row - first, points }
    }

    /// Index into `points` of the first vertex to be written.
    fn start(&self) -> usize {
        self.above * self.columns
    }

    fn point(&self, i: usize) -> Vec3 {
        Vec3::from_array([0, 1, 2].map(|axis| self.points[axis][i]))
    }

    fn write_normals(&self, part: &mut [ClothVertex]) {
        let columns = self.columns;
        let mut slopes = Slopes::new(columns);
        for (k, row) in part.chunks_mut(columns).enumerate() {
            let i = self.start() + k * columns;
            for (axis, points) in self.points.iter().enumerate() {
                let here = &points[i..i + columns];
                // At an edge, the particle itself stands for the neighbour that is not there.
                let above = if i < columns { here } else { &points[i - columns..i] };
                let below = points.get(i + columns..i + 2 * columns).unwrap_or(here);
                slopes.fill(axis, here, above, below);
            }
            slopes.turn_into_normals();
            for (column, vertex) in row.iter_mut().enumerate() {
                *vertex = slopes.vertex(column, self.point(i + column));
            }
        }
    }

    /// Each particle gets the mean strain of its structural links.
    fn write_strains(&self, part: &mut [ClothVertex], range: f32) {
        let columns = self.columns;
        let count = self.points[0].len();
        let mut sums = vec![(0.0, 0.0); count];
        for (rests, step) in [(&self.patch.across, 1), (&self.patch.down, columns)] {
            let rests = &rests[self.first * columns..];
            for (i, &rest) in rests.iter().enumerate().take(count.saturating_sub(step)) {
                let strain = self.point(i).distance(self.point(i + step)) / rest - 1.0;
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

/// From neighbour to neighbour along a row of particles, and from the row above to the row below;
/// an axis each.
struct Slopes {
    across: [Vec<f32>; 3],
    down: [Vec<f32>; 3],
}

impl Slopes {
    fn new(columns: usize) -> Slopes {
        let zeros = || [(); 3].map(|()| vec![0.0; columns]);
        Slopes { across: zeros(), down: zeros() }
    }

    fn fill(&mut self, axis: usize, here: &[f32], above: &[f32], below: &[f32]) {
        // A neighbour that is not drawn is no neighbour.
        let or = |neighbour: f32, own: f32| if neighbour.is_nan() { own } else { neighbour };
        for (slope, ((&own, &above), &below)) in
            self.down[axis].iter_mut().zip(here.iter().zip(above).zip(below))
        {
            *slope = or(below, own) - or(above, own);
        }
        let last = here.len() - 1;
        let across = &mut self.across[axis];
        let ends = |left: usize, own: usize, right: usize| {
            or(here[right], here[own]) - or(here[left], here[own])
        };
        across[0] = ends(0, 0, 1.min(last));
        across[last] = ends(last.saturating_sub(1), last, last);
        for (slope, three) in across[1..].iter_mut().zip(here.windows(3)) {
            *slope = or(three[2], three[1]) - or(three[0], three[1]);
        }
    }

    /// `across` becomes the unit normals, as they are sent: 0 to 65535.
    fn turn_into_normals(&mut self) {
        let [ax, ay, az] = &mut self.across;
        let [dx, dy, dz] = &self.down;
        for (((ax, ay), az), ((dx, dy), dz)) in
            ax.iter_mut().zip(ay).zip(az).zip(dx.iter().zip(dy).zip(dz))
        {
            let (x, y, z) = (*ay * dz - *az * dy, *az * dx - *ax * dz, *ax * dy - *ay * dx);
            let scale = 1.0 / (x * x + y * y + z * z).sqrt();
            let flat = !(scale > 0.0 && scale < f32::INFINITY);
            let number = |n: f32| n * scale * 32767.0 + 32767.5;
            *ax = if flat { 32767.5 } else { number(x) };
            *ay = if flat { 32767.5 } else { number(y) };
            *az = if flat { 65534.5 } else { number(z) };
        }
    }

    fn vertex(&self, column: usize, position: Vec3) -> ClothVertex {
        if position.is_nan() {
            return ClothVertex::default();
        }
        let [x, y, z] = [0, 1, 2].map(|axis| self.across[axis][column] as u16);
        ClothVertex { position, normal: [x, y, z, 0] }
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
    use crate::app::view::bounds::Bounds;
    use crate::app::view::camera::{Camera, Viewport};
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
