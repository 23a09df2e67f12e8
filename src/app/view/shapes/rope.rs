//! Tubes for ropes (along smooth curves), rods and threads; balls.

use super::shape::{DrawnShape, Rod, Strand};
use super::torn::{Torn, is_uncut};
use super::tube::{GREY, PLAIN, TubePoint, TubeStyle, Tubes};
use crate::app::theme::palette::strain_position;
use crate::app::view::projection::lens::Lens;
use glam::{DQuat, DVec3, Vec3};
use rayon::prelude::*;

/// Distance in pixels between two rings of a tube along a rope.
const RING_PIXELS: f32 = 7.0;
const MOST_RINGS_A_SEGMENT: f32 = 16.0;
/// Number of ropes above which several threads build the tubes.
const PARALLEL_ROPES: usize = 16;

/// Initial axis of the pale caps of a ball. It differs from the directions in which balls usually
/// roll.
const CAPS: DVec3 = DVec3::new(0.6, 0.64, 0.48);

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawnBall {
    /// Particle at the centre.
    pub particle: u32,
    pub centre: DVec3,
    pub radius: f64,
    /// Smallest drawn radius in points, which makes a weight thicker than the thinnest drawn rope.
    /// 0 for a ball of the scene.
    pub least_radius: f32,
    /// Rotation since the start, shown by pale caps; `None` for a ball without caps.
    pub rotation: Option<DQuat>,
}

impl Tubes {
    /// Writes the tubes of all ropes, rods and threads of a lane.
    pub fn draw(&mut self, shape: &DrawnShape, positions: &[DVec3], torn: Option<&Torn>) {
        if shape.strands.len() < PARALLEL_ROPES {
            for strand in &shape.strands {
                self.strand(strand, positions, torn);
            }
        } else {
            let (lens, strain_range) = (self.lens, self.strain_range);
            let part = |strands: &[Strand]| {
                let mut part = Tubes { lens, strain_range, ..Tubes::default() };
                strands.iter().for_each(|strand| part.strand(strand, positions, torn));
                part
            };
            let strands = shape.strands.par_chunks(shape.strands.len().div_ceil(16));
            let parts: Vec<Tubes> = strands.map(part).collect();
            parts.iter().for_each(|part| self.append(part));
        }
        for rod in &shape.rods {
            self.rod(rod, positions, torn);
        }
        for thread in torn.iter().flat_map(|torn| &torn.threads) {
            self.write_rod(&TubeStyle::thread(), thread, positions);
        }
    }

    /// Writes a rope, with one tube for each run of connected particles that can be drawn.
    fn strand(&mut self, strand: &Strand, positions: &[DVec3], torn: Option<&Torn>) {
        let style = TubeStyle::rope(strand.radius, &self.lens);
        let mut run: Vec<TubePoint> = Vec::with_capacity(strand.particles.len());
        let mut along = 0.0;
        for (i, &particle) in strand.particles.iter().enumerate() {
            let here = self.lens.relative(positions[particle as usize]);
            if i > 0 && !is_uncut(strand.links[i - 1], torn) {
                self.write_run(&style, &mut run);
            }
            match here {
                Some(position) => run.push(TubePoint { position, along, strain: 0.0 }),
                None => self.write_run(&style, &mut run),
            }
            along += strand.rests.get(i).copied().unwrap_or(0.0);
        }
        self.write_run(&style, &mut run);
    }

    /// Writes the tube of a run of particles and empties the run.
    fn write_run(&mut self, style: &TubeStyle, run: &mut Vec<TubePoint>) {
        measure_strain(run);
        let tube_points = smooth(run, &self.lens, self.strain_range);
        self.tube(style, &tube_points);
        run.clear();
    }

    fn rod(&mut self, rod: &Rod, positions: &[DVec3], torn: Option<&Torn>) {
        let style = TubeStyle::rod(&self.lens);
        let ends = rod.ends.map(|end| self.lens.relative(positions[end as usize]));
        if let [Some(a), Some(b)] = ends {
            let bob = 2.2;
            self.ball(a, bob * style.radius_at(a, &self.lens), PLAIN);
            self.ball(b, bob * style.radius_at(b, &self.lens), PLAIN);
        }
        if is_uncut(rod.link, torn) {
            self.write_rod(&style, rod, positions);
        }
    }

    fn write_rod(&mut self, style: &TubeStyle, rod: &Rod, positions: &[DVec3]) {
        let ends = rod.ends.map(|end| self.lens.relative(positions[end as usize]));
        if let [Some(a), Some(b)] = ends {
            let strain = a.distance(b) / rod.rest.max(1e-9) - 1.0;
            let strain = strain_position(strain, self.strain_range);
            let point = |position| TubePoint { position, along: 0.0, strain };
            self.tube(style, &[point(a), point(b)]);
        }
    }

    pub fn balls(&mut self, balls: &[DrawnBall]) {
        for ball in balls {
            if let Some(centre) = self.lens.relative(ball.centre) {
                let least_radius = ball.least_radius * self.lens.metres_per_point_at(centre);
                let start = self.vertices.len();
                self.ball(centre, (ball.radius as f32).max(least_radius), GREY);
                if let Some(rotation) = ball.rotation {
                    let axis = (rotation * CAPS).as_vec3();
                    self.vertices[start..].iter_mut().for_each(|vertex| vertex.paint_cap(axis));
                }
            }
        }
    }
}

/// Sets the strain at each point of a tube to the mean strain of the two adjacent segments.
fn measure_strain(run: &mut [TubePoint]) {
    let strain = |a: &TubePoint, b: &TubePoint| {
        let rest = b.along - a.along;
        if rest > 0.0 { a.position.distance(b.position) / rest - 1.0 } else { 0.0 }
    };
    let segments: Vec<f32> = run.windows(2).map(|pair| strain(&pair[0], &pair[1])).collect();
    for (i, point) in run.iter_mut().enumerate() {
        let (before, after) = (i.checked_sub(1).map(|i| segments[i]), segments.get(i).copied());
        point.strain = match (before, after) {
            (Some(a), Some(b)) => 0.5 * (a + b),
            (Some(a), None) | (None, Some(a)) => a,
            (None, None) => 0.0,
        };
    }
}

/// Returns points of a Catmull-Rom curve through the run. Segments that are long on the screen get
/// more points; segments shorter than half a point get none. Strains become positions in the colour
/// map.
fn smooth(run: &[TubePoint], lens: &Lens, strain_range: f32) -> Vec<TubePoint> {
    let mut tube_points: Vec<TubePoint> = Vec::with_capacity(4 * run.len());
    for i in 0..run.len().saturating_sub(1) {
        let [b, c] = [run[i], run[i + 1]];
        let points =
            b.position.distance(c.position) / lens.metres_per_point_at(b.position).max(1e-12);
        let close = tube_points.last().is_some_and(|last| {
            last.position.distance(b.position) < 0.5 * lens.metres_per_point_at(b.position)
        });
        if close {
            continue;
        }
        let before = if i > 0 { run[i - 1].position } else { 2.0 * b.position - c.position };
        let after = run.get(i + 2).map_or(2.0 * c.position - b.position, |point| point.position);
        let parts = (points / RING_PIXELS).ceil().clamp(1.0, MOST_RINGS_A_SEGMENT);
        for part in 0..parts as u32 {
            let t = part as f32 / parts;
            tube_points.push(TubePoint {
                position: catmull_rom(before, b.position, c.position, after, t),
                along: b.along + t * (c.along - b.along),
                strain: strain_position(b.strain + t * (c.strain - b.strain), strain_range),
            });
        }
    }
    if let (Some(last), true) = (run.last(), run.len() > 1) {
        tube_points.push(TubePoint { strain: strain_position(last.strain, strain_range), ..*last });
    }
    tube_points
}

/// Returns the point of the curve from `b` (t = 0) to `c` (t = 1) on a uniform spline (Catmull and
/// Rom 1974, "A class of local interpolating splines").
fn catmull_rom(a: Vec3, b: Vec3, c: Vec3, d: Vec3, t: f32) -> Vec3 {
    let (p, q) = (0.5 * (c - a), 0.5 * (d - b));
    let r = c - b;
    b + t * (p + t * ((3.0 * r - 2.0 * p - q) + t * (p + q - 2.0 * r)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::view::shapes::tube::THINNEST_ROPE;
    use crate::mesh::topology::Topology;
    use crate::mesh::{Mesh, RopeMaterial};

    fn rope(segments: u32) -> (DrawnShape, Mesh) {
        let mut mesh = Mesh::default();
        let material = RopeMaterial { radius: 0.01, ..RopeMaterial::default() };
        mesh.rope(DVec3::new(-1.0, 0.5, 0.0), DVec3::new(1.0, 0.5, 0.0), 2.0, segments, &material);
        (DrawnShape::new(&mesh), mesh)
    }

    fn tubes(shape: &DrawnShape, positions: &[DVec3], torn: Option<&Torn>) -> Tubes {
        let mut tubes = Tubes::default();
        tubes.begin(&Lens::of_test(), 0.05);
        tubes.draw(shape, positions, torn);
        tubes
    }

    #[test]
    fn the_curve_passes_through_the_particles() {
        let points: Vec<Vec3> =
            (0..8).map(|i| Vec3::new(i as f32, (i as f32 * 1.7).sin(), 0.3)).collect();
        let run: Vec<TubePoint> = points
            .iter()
            .map(|&p| TubePoint { position: 0.1 * p, along: p.x, strain: 0.0 })
            .collect();
        let tube_points = smooth(&run, &Lens::of_test(), 0.05);
        assert!(tube_points.len() > 3 * run.len());
        for point in &run {
            let nearest = tube_points.iter().map(|k| k.position.distance(point.position));
            assert!(nearest.fold(f32::INFINITY, f32::min) < 1e-6);
        }
    }

    #[test]
    fn a_torn_link_leaves_two_tubes() {
        let (shape, mesh) = rope(4);
        let mut fabric = Topology::new(&mesh);
        fabric.cut(&[2]);
        let whole = tubes(&shape, &mesh.positions, None);
        let torn = tubes(&shape, &mesh.positions, Torn::new(&shape, &fabric).as_ref());
        assert!(!torn.vertices.is_empty());
        let gap = |tubes: &Tubes| {
            tubes.vertices.iter().filter(|v| v.position.x > 0.1 && v.position.x < 0.4).count()
        };
        assert!(gap(&whole) > 0 && gap(&torn) == 0);
    }

    #[test]
    fn whatever_explodes_leaves_only_finite_vertices() {
        for bad in [f64::NAN, f64::INFINITY, 1e300, 1e30, -1e9] {
            for at in 0..9 {
                let (shape, Mesh { mut positions, .. }) = rope(8);
                positions[at].y = bad;
                let tubes = tubes(&shape, &positions, None);
                assert!(
                    tubes.vertices.iter().all(|v| v.position.is_finite() && v.normal.is_finite())
                );
                assert!(tubes.indices.iter().all(|&i| (i as usize) < tubes.vertices.len()));
            }
        }
    }

    #[test]
    fn a_rope_crumpled_into_a_point_is_no_panic() {
        let (shape, Mesh { mut positions, .. }) = rope(8);
        positions.fill(DVec3::splat(0.25));
        let tubes = tubes(&shape, &positions, None);
        assert!(tubes.vertices.iter().all(|v| v.position.is_finite() && v.normal.is_finite()));
    }

    #[test]
    fn the_thinnest_rope_is_still_seen() {
        let (shape, Mesh { positions, .. }) = rope(8);
        let lens = Lens::of_test();
        let tubes = tubes(&shape, &positions, None);
        let top = tubes.vertices.iter().map(|v| v.position.y).fold(f32::MIN, f32::max);
        let middle = (0.5 - lens.centre.y) as f32;
        assert!((top - middle) / lens.metres_per_point > 0.98 * THINNEST_ROPE);
    }
}
