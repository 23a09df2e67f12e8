//! Ropes as smooth tubes, and rods and balls made the same way.

use super::lens::Lens;
use super::palette::strain_place;
use super::shape::{Rod, Shape, Strand};
use super::torn::{Torn, holds};
use glam::{DVec3, Vec3};
use macroquad::miniquad::{VertexAttribute, VertexFormat};
use rayon::prelude::*;
use std::f32::consts::{FRAC_PI_2, PI, TAU};

/// The thinnest rope on the screen: half its width in points.
const THINNEST_ROPE: f32 = 2.5;
const THINNEST_ROD: f32 = 1.6;
const THINNEST_THREAD: f32 = 0.6;
/// Half the thickness of a thread in metres.
const THREAD_RADIUS: f32 = 0.001;
/// Half the thickness of a rod in metres.
const ROD_RADIUS: f32 = 0.006;
/// Pixels between two rings along a rope.
const RING_PIXELS: f32 = 7.0;
const MOST_RINGS_A_SEGMENT: f32 = 16.0;
/// Length of one turn of the lay over the radius.
const TURN: f32 = 7.0;
/// From this many ropes on, several threads build them.
const PARALLEL_ROPES: usize = 16;

/// Looks of what is no rope.
const PLAIN: f32 = -1.0;
const GREY: f32 = -2.0;

/// A ball that things run into.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Its middle in metres.
    pub centre: DVec3,
    /// Its radius in metres.
    pub radius: f64,
}

/// A vertex of a tube.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TubeVertex {
    position: Vec3,
    normal: Vec3,
    axis: Vec3,
    /// Turns along, turns around, blend to the coarser lay (−1: plain, −2: plain and grey),
    /// place in the strain map.
    lay: [f32; 4],
}

impl TubeVertex {
    pub(super) const ATTRIBUTES: [VertexAttribute; 4] = [
        VertexAttribute::new("position", VertexFormat::Float3),
        VertexAttribute::new("normal", VertexFormat::Float3),
        VertexAttribute::new("axis", VertexFormat::Float3),
        VertexAttribute::new("lay", VertexFormat::Float4),
    ];
}

/// Triangles of tubes.
#[derive(Debug, Default)]
pub(super) struct Tubes {
    pub(super) vertices: Vec<TubeVertex>,
    pub(super) indices: Vec<u32>,
}

/// A place along the middle of a tube.
#[derive(Clone, Copy, Debug)]
struct Knot {
    position: Vec3,
    /// Rest length from the beginning of the rope.
    along: f32,
    strain: f32,
}

/// How a tube is dressed.
#[derive(Clone, Copy, Debug)]
struct Dress {
    radius: f32,
    /// Thinnest half width in points.
    thinnest: f32,
    turns_per_metre: f32,
    blend: f32,
    sides: u32,
}

impl Dress {
    /// The lay belongs to the material, so that it shows the stretch. Where the rope is drawn
    /// thicker than it is, its turns are 2, 4, 8 … times as long, blended from one to the next.
    fn rope(radius: f32, lens: &Lens) -> Dress {
        let radius = radius.max(1e-4);
        let drawn = radius.max(THINNEST_ROPE * lens.metres_per_point);
        let level = (drawn / radius).log2().max(0.0);
        Dress {
            radius,
            thinnest: THINNEST_ROPE,
            turns_per_metre: 1.0 / (TURN * radius * level.floor().exp2()),
            blend: level.fract(),
            sides: sides(drawn / lens.metres_per_point),
        }
    }

    fn rod(lens: &Lens) -> Dress {
        let drawn = ROD_RADIUS.max(THINNEST_ROD * lens.metres_per_point);
        Dress {
            radius: ROD_RADIUS,
            thinnest: THINNEST_ROD,
            turns_per_metre: 0.0,
            blend: PLAIN,
            sides: sides(drawn / lens.metres_per_point),
        }
    }

    fn thread() -> Dress {
        Dress {
            radius: THREAD_RADIUS,
            thinnest: THINNEST_THREAD,
            turns_per_metre: 0.0,
            blend: PLAIN,
            sides: 6,
        }
    }

    fn radius_at(&self, p: Vec3, lens: &Lens) -> f32 {
        self.radius.max(self.thinnest * lens.metres_per_point_at(p))
    }
}

fn sides(points: f32) -> u32 {
    match points {
        ..5.0 => 8,
        ..15.0 => 12,
        ..40.0 => 20,
        _ => 32,
    }
}

impl Tubes {
    /// All ropes and rods of a lane. With `strain_range`, vertices know their strain.
    pub(super) fn draw(
        &mut self,
        lens: &Lens,
        shape: &Shape,
        positions: &[DVec3],
        torn: Option<&Torn>,
        strain_range: f32,
    ) {
        self.vertices.clear();
        self.indices.clear();
        if shape.strands.len() < PARALLEL_ROPES {
            for strand in &shape.strands {
                self.strand(lens, strand, positions, torn, strain_range);
            }
        } else {
            let parts: Vec<Tubes> = shape
                .strands
                .par_chunks(shape.strands.len().div_ceil(16))
                .map(|strands| {
                    let mut part = Tubes::default();
                    for strand in strands {
                        part.strand(lens, strand, positions, torn, strain_range);
                    }
                    part
                })
                .collect();
            parts.iter().for_each(|part| self.append(part));
        }
        for rod in &shape.rods {
            self.rod(lens, rod, positions, torn, strain_range);
        }
        for ends in torn.iter().flat_map(|torn| &torn.threads) {
            self.thread(lens, *ends, positions);
        }
    }

    fn append(&mut self, part: &Tubes) {
        let first = self.vertices.len() as u32;
        self.vertices.extend_from_slice(&part.vertices);
        self.indices.extend(part.indices.iter().map(|i| i + first));
    }

    /// A rope: one tube for each run of particles that hold together and can be drawn.
    fn strand(
        &mut self,
        lens: &Lens,
        strand: &Strand,
        positions: &[DVec3],
        torn: Option<&Torn>,
        strain_range: f32,
    ) {
        let dress = Dress::rope(strand.radius, lens);
        let mut run: Vec<Knot> = Vec::with_capacity(strand.particles.len());
        let mut along = 0.0;
        for (i, &particle) in strand.particles.iter().enumerate() {
            let here = lens.relative(positions[particle as usize]);
            if i > 0 && !holds(strand.links[i - 1], torn) {
                self.run(lens, &dress, &mut run, strain_range);
            }
            match here {
                Some(position) => run.push(Knot { position, along, strain: 0.0 }),
                None => self.run(lens, &dress, &mut run, strain_range),
            }
            along += strand.rests.get(i).copied().unwrap_or(0.0);
        }
        self.run(lens, &dress, &mut run, strain_range);
    }

    /// Draws and empties a run.
    fn run(&mut self, lens: &Lens, dress: &Dress, run: &mut Vec<Knot>, strain_range: f32) {
        measure_strain(run);
        let knots = smooth(run, lens, strain_range);
        self.tube(lens, dress, &knots);
        run.clear();
    }

    fn rod(
        &mut self,
        lens: &Lens,
        rod: &Rod,
        positions: &[DVec3],
        torn: Option<&Torn>,
        strain_range: f32,
    ) {
        let [Some(a), Some(b)] = rod.ends.map(|end| lens.relative(positions[end as usize])) else {
            return;
        };
        let dress = Dress::rod(lens);
        let bob = 2.2;
        self.ball(lens, a, bob * dress.radius_at(a, lens), PLAIN);
        self.ball(lens, b, bob * dress.radius_at(b, lens), PLAIN);
        if holds(rod.link, torn) {
            let strain = strain_place(a.distance(b) / rod.rest.max(1e-9) - 1.0, strain_range);
            let knot = |position| Knot { position, along: 0.0, strain };
            self.tube(lens, &dress, &[knot(a), knot(b)]);
        }
    }

    /// A link of a cloth that nothing else shows.
    fn thread(&mut self, lens: &Lens, ends: [u32; 2], positions: &[DVec3]) {
        let knots = ends.map(|end| lens.relative(positions[end as usize]));
        if let [Some(a), Some(b)] = knots {
            let knot = |position| Knot { position, along: 0.0, strain: 0.5 };
            self.tube(lens, &Dress::thread(), &[knot(a), knot(b)]);
        }
    }

    /// A tube along the knots, closed by half balls.
    fn tube(&mut self, lens: &Lens, dress: &Dress, knots: &[Knot]) {
        let (Some(first), Some(last)) = (knots.first(), knots.last()) else { return };
        if knots.len() < 2 {
            return;
        }
        let tangents = tangents(knots);
        let mut across = any_across(tangents[0]);
        let mut ring = Ring { dress: *dress, circle: circle(dress.sides), first: true };
        for swell in [0.0, 0.35, 0.75] {
            self.ring(lens, &mut ring, first, tangents[0], across, FRAC_PI_2 * (swell - 1.0));
        }
        for (knot, &tangent) in knots.iter().zip(&tangents) {
            across = (across - across.dot(tangent) * tangent)
                .try_normalize()
                .unwrap_or_else(|| any_across(tangent));
            self.ring(lens, &mut ring, knot, tangent, across, 0.0);
        }
        let tangent = tangents[tangents.len() - 1];
        for swell in [0.25, 0.65, 1.0] {
            self.ring(lens, &mut ring, last, tangent, across, FRAC_PI_2 * swell);
        }
    }

    /// A ring of vertices, leaning by `lean` out of the plane across the tube, joined to the
    /// ring before.
    fn ring(
        &mut self,
        lens: &Lens,
        ring: &mut Ring,
        knot: &Knot,
        tangent: Vec3,
        across: Vec3,
        lean: f32,
    ) {
        let Dress { turns_per_metre, blend, sides, .. } = ring.dress;
        let radius = ring.dress.radius_at(knot.position, lens);
        let (sin_lean, cos_lean) = lean.sin_cos();
        let beside = tangent.cross(across);
        let start = self.vertices.len() as u32;
        for (side, (sin, cos)) in ring.circle.iter().enumerate() {
            let around = side as f32 / sides as f32;
            let normal = cos_lean * (*cos * across + *sin * beside) + sin_lean * tangent;
            self.vertices.push(TubeVertex {
                position: knot.position + radius * normal,
                normal,
                axis: tangent,
                lay: [knot.along * turns_per_metre + sin_lean / TURN, around, blend, knot.strain],
            });
        }
        if !ring.first {
            for side in 0..sides {
                let (new, old) = (start + side, start + side - (sides + 1));
                self.indices.extend([old, old + 1, new, old + 1, new + 1, new]);
            }
        }
        ring.first = false;
    }

    /// Balls that things run into, in grey.
    pub(super) fn obstacles(&mut self, lens: &Lens, balls: &[Ball]) {
        for ball in balls {
            if let Some(centre) = lens.relative(ball.centre) {
                self.ball(lens, centre, ball.radius as f32, GREY);
            }
        }
    }

    fn ball(&mut self, lens: &Lens, centre: Vec3, radius: f32, look: f32) {
        let points = radius / lens.metres_per_point_at(centre).max(1e-12);
        let sides = if points < 6.0 { 16 } else { 40 };
        let rings = sides / 2;
        let start = self.vertices.len() as u32;
        let circle = circle(sides);
        for ring in 0..=rings {
            let (sin_up, cos_up) = (PI * (ring as f32 / rings as f32 - 0.5)).sin_cos();
            for (sin, cos) in &circle {
                let normal = Vec3::new(cos_up * cos, sin_up, cos_up * sin);
                self.vertices.push(TubeVertex {
                    position: centre + radius * normal,
                    normal,
                    axis: Vec3::Y,
                    lay: [0.0, 0.0, look, 0.0],
                });
            }
        }
        for ring in 0..rings {
            for side in 0..sides {
                let low = start + ring * (sides + 1) + side;
                let high = low + sides + 1;
                self.indices.extend([low, high, low + 1, low + 1, high, high + 1]);
            }
        }
    }
}

/// Sine and cosine once around, first and last the same.
fn circle(sides: u32) -> Vec<(f32, f32)> {
    (0..=sides).map(|side| (TAU * side as f32 / sides as f32).sin_cos()).collect()
}

/// What of a tube goes from ring to ring.
struct Ring {
    dress: Dress,
    circle: Vec<(f32, f32)>,
    first: bool,
}

fn any_across(tangent: Vec3) -> Vec3 {
    let away = if tangent.z.abs() < 0.9 { Vec3::Z } else { Vec3::X };
    (away - away.dot(tangent) * tangent).normalize()
}

/// Each knot gets the mean strain of the segments beside it.
fn measure_strain(run: &mut [Knot]) {
    let strain = |a: &Knot, b: &Knot| {
        let rest = b.along - a.along;
        if rest > 0.0 { a.position.distance(b.position) / rest - 1.0 } else { 0.0 }
    };
    let segments: Vec<f32> = run.windows(2).map(|pair| strain(&pair[0], &pair[1])).collect();
    for (i, knot) in run.iter_mut().enumerate() {
        let (before, after) = (i.checked_sub(1).map(|i| segments[i]), segments.get(i).copied());
        knot.strain = match (before, after) {
            (Some(a), Some(b)) => 0.5 * (a + b),
            (Some(a), None) | (None, Some(a)) => a,
            (None, None) => 0.0,
        };
    }
}

/// More knots on the Catmull-Rom curve through the run where segments are long on the screen,
/// fewer where they are shorter than half a point. Strain becomes a place in the map.
fn smooth(run: &[Knot], lens: &Lens, strain_range: f32) -> Vec<Knot> {
    let mut knots: Vec<Knot> = Vec::with_capacity(4 * run.len());
    for i in 0..run.len().saturating_sub(1) {
        let [b, c] = [run[i], run[i + 1]];
        let points =
            b.position.distance(c.position) / lens.metres_per_point_at(b.position).max(1e-12);
        let close = knots.last().is_some_and(|last| {
            last.position.distance(b.position) < 0.5 * lens.metres_per_point_at(b.position)
        });
        if close {
            continue;
        }
        let before = if i > 0 { run[i - 1].position } else { 2.0 * b.position - c.position };
        let after = run.get(i + 2).map_or(2.0 * c.position - b.position, |knot| knot.position);
        let parts = (points / RING_PIXELS).ceil().clamp(1.0, MOST_RINGS_A_SEGMENT);
        for part in 0..parts as u32 {
            let t = part as f32 / parts;
            knots.push(Knot {
                position: catmull_rom(before, b.position, c.position, after, t),
                along: b.along + t * (c.along - b.along),
                strain: strain_place(b.strain + t * (c.strain - b.strain), strain_range),
            });
        }
    }
    if let (Some(last), true) = (run.last(), run.len() > 1) {
        knots.push(Knot { strain: strain_place(last.strain, strain_range), ..*last });
    }
    knots
}

/// The curve from `b` (t = 0) to `c` (t = 1). Catmull and Rom (1974), "A class of local
/// interpolating splines", uniform.
fn catmull_rom(a: Vec3, b: Vec3, c: Vec3, d: Vec3, t: f32) -> Vec3 {
    let (p, q) = (0.5 * (c - a), 0.5 * (d - b));
    let r = c - b;
    b + t * (p + t * ((3.0 * r - 2.0 * p - q) + t * (p + q - 2.0 * r)))
}

fn tangents(knots: &[Knot]) -> Vec<Vec3> {
    let mut previous = Vec3::X;
    (0..knots.len())
        .map(|i| {
            let before = knots[i.saturating_sub(1)].position;
            let after = knots[(i + 1).min(knots.len() - 1)].position;
            previous = (after - before).try_normalize().unwrap_or(previous);
            previous
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::view::bounds::Bounds;
    use crate::app::view::camera::{Camera, Viewport};
    use crate::fabric::Fabric;
    use crate::mesh::{Mesh, RopeMaterial};
    use macroquad::math::Rect;

    fn lens() -> Lens {
        let bounds = Bounds { min: DVec3::splat(-1.0), max: DVec3::splat(1.0) };
        let viewport = Viewport::new(Rect::new(0.0, 0.0, 900.0, 700.0), 1.0);
        Lens::new(&Camera::new(bounds, 1.3), &viewport)
    }

    fn rope(segments: u32) -> (Shape, Mesh) {
        let mut mesh = Mesh::default();
        let material = RopeMaterial {
            mass_per_metre: 0.1,
            stiffness: 100.0,
            damping: 0.0,
            bend_stiffness: 0.0,
            rigid: false,
            one_sided: false,
            radius: 0.01,
        };
        mesh.rope(DVec3::new(-1.0, 0.5, 0.0), DVec3::new(1.0, 0.5, 0.0), 2.0, segments, &material);
        let shape = Shape::new(mesh.positions.len(), &mesh.ropes, &[], &mesh.faces, &mesh.links);
        (shape, mesh)
    }

    fn tubes(shape: &Shape, positions: &[DVec3], torn: Option<&Torn>) -> Tubes {
        let mut tubes = Tubes::default();
        tubes.draw(&lens(), shape, positions, torn, 0.05);
        tubes
    }

    #[test]
    fn the_curve_passes_through_the_particles() {
        let points: Vec<Vec3> =
            (0..8).map(|i| Vec3::new(i as f32, (i as f32 * 1.7).sin(), 0.3)).collect();
        let run: Vec<Knot> =
            points.iter().map(|&p| Knot { position: 0.1 * p, along: p.x, strain: 0.0 }).collect();
        let knots = smooth(&run, &lens(), 0.05);
        assert!(knots.len() > 3 * run.len());
        for knot in &run {
            let nearest = knots.iter().map(|k| k.position.distance(knot.position));
            assert!(nearest.fold(f32::INFINITY, f32::min) < 1e-6);
        }
    }

    #[test]
    fn a_torn_link_leaves_two_tubes() {
        let (shape, mesh) = rope(4);
        let mut fabric = Fabric::new(&mesh);
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
        let lens = lens();
        let tubes = tubes(&shape, &positions, None);
        let top = tubes.vertices.iter().map(|v| v.position.y).fold(f32::MIN, f32::max);
        let middle = (0.5 - lens.centre.y) as f32;
        assert!((top - middle) / lens.metres_per_point > 0.98 * THINNEST_ROPE);
    }
}
