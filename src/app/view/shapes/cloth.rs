//! Vertices of cloths. Normals are computed from neighbours in the grid. Large cloths are written
//! by several threads.

use super::shape::Patch;
use super::torn::TornPatch;
use crate::app::theme::palette::strain_position;
use crate::app::view::projection::lens::Lens;
use crate::scene::typed::annotation::Pattern;
use glam::{DVec3, Vec3, Vec4};
use itertools::izip;
use macroquad::miniquad::{VertexAttribute, VertexFormat};
use rayon::prelude::*;
use std::ops::Range;

/// Number of particles above which several threads write the vertices.
const PARALLEL: usize = 4096;
/// Number of rows per parallel task. In a large cloth, a task takes a few hundred microseconds.
const ROWS_A_TASK: usize = 16;

/// Vertex of a cloth, 20 bytes. No other data are sent to the driver per particle and frame.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClothVertex {
    position: Vec3,
    /// Normal, then position in the strain colour map, each from 0 to 65535. All are 0 for a
    /// particle that is not drawn.
    normal: [u16; 4],
}

impl ClothVertex {
    /// Attributes for the shader. The cell (column and row) comes from another buffer, which is
    /// written only once.
    pub const ATTRIBUTES: [VertexAttribute; 3] = [
        VertexAttribute::new("position", VertexFormat::Float3),
        VertexAttribute::new("normal", VertexFormat::Short4),
        VertexAttribute::with_buffer("cell", VertexFormat::Float2, 1),
    ];
}

/// Writes the vertices of a patch, in which links may be cut. If `strain_range` is `None`, strains
/// are not computed.
pub fn write_vertices(
    vertices: &mut Vec<ClothVertex>,
    lens: &Lens,
    patch: &Patch,
    torn: Option<&TornPatch>,
    positions: &[DVec3],
    strain_range: Option<f32>,
) {
    let columns = patch.grid.columns as usize;
    let count = columns * patch.grid.rows as usize;
    vertices.resize(count, ClothVertex::default());
    let positions = &positions[patch.grid.first as usize..][..count];
    let task = |(i, part): (usize, &mut [ClothVertex])| {
        let here = RowRange { first: i * ROWS_A_TASK, count: part.len() / columns };
        let rows = Rows::new(lens, patch, torn, positions, here);
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

/// Rows of a patch, with the rows above and below them if these exist. Each coordinate has its own
/// vector, so several particles fit into a SIMD register.
struct Rows<'a> {
    patch: &'a Patch,
    torn: Option<&'a TornPatch>,
    columns: usize,
    /// Index of the first row in `points`.
    first: usize,
    /// Number of rows in `points` above those to be written: 0 or 1.
    above: usize,
    /// Coordinates relative to the centre of the view; NaN for a particle that is not drawn.
    points: [Vec<f32>; 3],
}

/// Rows of a patch that one task writes.
struct RowRange {
    first: usize,
    count: usize,
}

impl Rows<'_> {
    fn new<'a>(
        lens: &Lens,
        patch: &'a Patch,
        torn: Option<&'a TornPatch>,
        positions: &[DVec3],
        RowRange { first: row, count }: RowRange,
    ) -> Rows<'a> {
        let columns = patch.grid.columns as usize;
        let first = row.saturating_sub(1);
        let end = (row + count + 1).min(patch.grid.rows as usize);
        let positions = &positions[first * columns..end * columns];
        let [mut xs, mut ys, mut zs] = [(); 3].map(|()| vec![0.0; positions.len()]);
        for (x, y, z, &position) in izip!(&mut xs, &mut ys, &mut zs, positions) {
            [*x, *y, *z] = lens.relative(position).unwrap_or(Vec3::NAN).to_array();
        }
        Rows { patch, torn, columns, first, above: row - first, points: [xs, ys, zs] }
    }

    /// Returns the index into `points` of the first vertex to be written.
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
                // At an edge, the particle itself replaces the missing neighbour.
                let above = if i < columns { here } else { &points[i - columns..i] };
                let below = points.get(i + columns..i + 2 * columns).unwrap_or(here);
                slopes.fill(axis, here, above, below);
            }
            if let Some(torn) = self.torn {
                self.correct_at_cuts(&mut slopes, i, torn);
            }
            slopes.turn_into_normals();
            let [xs, ys, zs] = [0, 1, 2].map(|axis| &self.points[axis][i..i + columns]);
            let [ax, ay, az] = &slopes.across;
            for (vertex, &x, &y, &z, &nx, &ny, &nz) in izip!(row, xs, ys, zs, ax, ay, az) {
                *vertex = vertex_at(Vec3::new(x, y, z), [nx, ny, nz]);
            }
        }
    }

    /// Corrects the slopes of a row at cut links. The row begins at point `start`. A particle
    /// across a cut does not count as a neighbour.
    fn correct_at_cuts(&self, slopes: &mut Slopes, start: usize, torn: &TornPatch) {
        let columns = self.columns;
        let first = (self.first * columns + start) as u32;
        let row = first..first + columns as u32;
        let above = row.start.saturating_sub(columns as u32)..row.start;
        let is_cut = |cut: &[u32], particle: usize| cut.binary_search(&(particle as u32)).is_ok();
        for &particle in particles_in_range(&torn.right, &row) {
            let left = (particle - row.start) as usize;
            for column in [left, left + 1] {
                let (i, particle) = (start + column, row.start as usize + column);
                let from = if column == 0 || is_cut(&torn.right, particle - 1) { i } else { i - 1 };
                let last = column + 1 == columns;
                let to = if last || is_cut(&torn.right, particle) { i } else { i + 1 };
                self.set_slope(&mut slopes.across, column, i, [from, to]);
            }
        }
        for &particle in particles_in_range(&torn.down, &row)
            .iter()
            .chain(particles_in_range(&torn.down, &above))
        {
            let column = particle as usize % columns;
            let (i, particle) = (start + column, row.start as usize + column);
            let top = i < columns || is_cut(&torn.down, particle - columns);
            let bottom = i + columns >= self.points[0].len() || is_cut(&torn.down, particle);
            let from = if top { i } else { i - columns };
            let to = if bottom { i } else { i + columns };
            self.set_slope(&mut slopes.down, column, i, [from, to]);
        }
    }

    /// Sets a column's slope to the difference between the two neighbours `ends` of point `i`.
    fn set_slope(&self, slopes: &mut [Vec<f32>; 3], column: usize, i: usize, ends: [usize; 2]) {
        for (slopes, points) in slopes.iter_mut().zip(&self.points) {
            let [from, to] = ends.map(|end| drawn_or(points[end], points[i]));
            slopes[column] = to - from;
        }
    }

    /// Sets the strain of each vertex to the mean strain of the structural links at its particle.
    fn write_strains(&self, part: &mut [ClothVertex], range: f32) {
        let columns = self.columns;
        let count = self.points[0].len();
        let mut sums = vec![(0.0, 0.0); count];
        let first = self.first * columns;
        let Patch { across, down, .. } = self.patch;
        let (no_right, no_down) =
            self.torn.map_or((&[][..], &[][..]), |torn| (&torn.right, &torn.down));
        for (rests, step, cut) in [(across, 1, no_right), (down, columns, no_down)] {
            let all = first as u32..(first + count) as u32;
            let mut cut = particles_in_range(cut, &all).iter().peekable();
            for (i, &rest) in rests[first..].iter().enumerate().take(count.saturating_sub(step)) {
                if cut.next_if(|cut| **cut as usize == first + i).is_some() {
                    continue;
                }
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
            vertex.normal[3] = (strain_position(mean, range) * 65535.0) as u16;
        }
    }
}

/// Returns a neighbour's coordinate, or the particle's own if the neighbour is not drawn.
fn drawn_or(neighbour: f32, own: f32) -> f32 {
    if neighbour.is_nan() { own } else { neighbour }
}

/// Returns the particles of an ascending list that are within a range.
fn particles_in_range<'a>(particles: &'a [u32], range: &Range<u32>) -> &'a [u32] {
    let from = particles.partition_point(|particle| *particle < range.start);
    let to = particles.partition_point(|particle| *particle < range.end);
    &particles[from..to]
}

/// Differences that give the normals of a row of particles: between the neighbours along the row,
/// and between the rows below and above. Each coordinate has its own vector.
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
        let or = drawn_or;
        for (slope, &own, &above, &below) in izip!(&mut self.down[axis], here, above, below) {
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

    /// Replaces the slopes `across` by unit normals. Their coordinates are scaled to the range 0 to
    /// 65535, and [`INTEGER_OFFSET`] is added.
    fn turn_into_normals(&mut self) {
        let [ax, ay, az] = &mut self.across;
        let [dx, dy, dz] = &self.down;
        for (ax, ay, az, dx, dy, dz) in izip!(ax, ay, az, dx, dy, dz) {
            let (x, y, z) = (*ay * dz - *az * dy, *az * dx - *ax * dz, *ax * dy - *ay * dx);
            let scale = 1.0 / (x * x + y * y + z * z).sqrt();
            let flat = !(scale > 0.0 && scale < f32::INFINITY);
            let number = |n: f32| n * scale * 32767.0 + (INTEGER_OFFSET + 32767.0);
            *ax = if flat { INTEGER_OFFSET + 32767.0 } else { number(x) };
            *ay = if flat { INTEGER_OFFSET + 32767.0 } else { number(y) };
            *az = if flat { INTEGER_OFFSET + 65534.0 } else { number(z) };
        }
    }
}

/// 2²³. Between 2²³ and 2²⁴ every f32 is an integer n whose lowest bits are n − 2²³, so these bits
/// replace a cast to u16. The cast, which also handles NaN and overflow, took an eighth of the time
/// for all vertices.
const INTEGER_OFFSET: f32 = 8_388_608.0;

/// Returns a vertex. `normal` has coordinates from 0 to 65535, plus [`INTEGER_OFFSET`].
fn vertex_at(position: Vec3, normal: [f32; 3]) -> ClothVertex {
    if position.x.is_nan() {
        return ClothVertex::default();
    }
    let [x, y, z] = normal.map(|n| n.to_bits() as u16);
    ClothVertex { position, normal: [x, y, z, 0] }
}

/// Returns a uniform of the shader: cells along both edges, cells per check or stripe, and the
/// number of the pattern. The longer edge has about fourteen checks.
pub fn fabric_uniform(patch: &Patch) -> Vec4 {
    let [columns, rows] =
        [patch.grid.columns, patch.grid.rows].map(|count| count.saturating_sub(1) as f32);
    let check = (columns.max(rows) / 14.0).round().max(1.0);
    let pattern = match patch.pattern {
        Pattern::Checks => 0.0,
        Pattern::Stripes => 1.0,
        Pattern::Gingham => 2.0,
        Pattern::Plain => 3.0,
    };
    Vec4::new(columns, rows, check, pattern)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::view::shapes::shape::DrawnShape;
    use crate::app::view::shapes::torn::Torn;
    use crate::mesh::topology::Topology;
    use crate::mesh::{ClothMaterial, Mesh};

    fn cloth(cells: u32) -> (DrawnShape, Mesh) {
        let mut mesh = Mesh::default();
        let material =
            ClothMaterial { shear_stiffness: 0.0, bend_stiffness: 0.0, ..ClothMaterial::default() };
        mesh.cloth(DVec3::ZERO, DVec3::X, DVec3::Y, [cells, cells], &material);
        (DrawnShape::new(&mesh), mesh)
    }

    fn written(cells: u32, cuts: &[u32], change: impl Fn(&mut [DVec3])) -> Vec<ClothVertex> {
        let (shape, mut mesh) = cloth(cells);
        let mut fabric = Topology::new(&mesh);
        fabric.cut(cuts);
        let torn = Torn::new(&shape, &fabric);
        let (patch, torn) = (&shape.patches[0], torn.as_ref().map(|torn| &torn.patches[0]));
        change(&mut mesh.positions);
        let mut vertices = Vec::new();
        let lens = Lens::of_test();
        write_vertices(&mut vertices, &lens, patch, torn, &mesh.positions, Some(0.1));
        vertices
    }

    fn decoded(vertex: &ClothVertex) -> Vec3 {
        let [x, y, z, _] = vertex.normal.map(|n| f32::from(n) / 32767.5 - 1.0);
        Vec3::new(x, y, z)
    }

    #[test]
    fn a_flat_cloth_has_one_normal() {
        for cells in [5, 80] {
            for vertex in written(cells, &[], |_| ()) {
                assert!(decoded(&vertex).distance(Vec3::Z) < 1e-3);
            }
        }
    }

    #[test]
    fn a_stretched_cloth_is_as_bright_as_its_strain() {
        let vertices = written(6, &[], |p| p.iter_mut().for_each(|p| *p *= 1.05));
        let expected = strain_position(0.05, 0.1);
        for vertex in vertices {
            assert!((f32::from(vertex.normal[3]) / 65535.0 - expected).abs() < 1e-3);
        }
    }

    #[test]
    fn what_was_cut_off_is_no_neighbour() {
        for cells in [4, 80] {
            let (_, mesh) = cloth(cells);
            let half = f64::from(cells / 2) / f64::from(cells);
            let beyond = |p: &DVec3| [p.x > half, p.y > half];
            let cut: Vec<u32> = (0..)
                .zip(mesh.links.iter())
                .filter(|(_, link)| {
                    let [a, b] = [link.a, link.b].map(|end| mesh.positions[end as usize]);
                    beyond(&a) != beyond(&b)
                })
                .map(|(i, _)| i)
                .collect();
            // The cuts give four quarters, which are moved apart. Each quarter stays flat.
            let apart = |x: &mut [DVec3]| {
                for p in x {
                    let [right, down] = beyond(p);
                    p.z += if right { 0.3 } else { 0.0 } + if down { 0.7 } else { 0.0 };
                }
            };
            for vertex in written(cells, &cut, apart) {
                assert!(decoded(&vertex).distance(Vec3::Z) < 1e-3);
                let strain = f32::from(vertex.normal[3]) / 65535.0;
                assert!(
                    (strain - strain_position(0.0, 0.1)).abs() < 1e-3,
                    "strain position {strain}"
                );
            }
            let uncut = written(cells, &[], apart);
            assert!(uncut.iter().any(|vertex| decoded(vertex).distance(Vec3::Z) > 0.1));
        }
    }

    #[test]
    fn only_the_particle_that_exploded_is_left_out() {
        for bad in [f64::NAN, f64::INFINITY, 1e200] {
            let vertices = written(6, &[], |p| p[10].x = bad);
            for (i, vertex) in vertices.iter().enumerate() {
                assert_eq!(vertex.normal[..3] == [0; 3], i == 10);
                assert!(vertex.position.is_finite());
            }
        }
    }
}
