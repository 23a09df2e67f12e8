//! Tubes along a line of points, and balls made of the same vertices.

use crate::app::view::projection::lens::Lens;
use glam::Vec3;
use macroquad::miniquad::{VertexAttribute, VertexFormat};
use std::f32::consts::{FRAC_PI_2, PI, TAU};
use std::sync::LazyLock;

/// Half the width in points of the thinnest drawn rope.
pub const THINNEST_ROPE: f32 = 2.5;
const THINNEST_ROD: f32 = 1.6;
const THINNEST_THREAD: f32 = 0.6;
/// Half the thickness of a thread (a single link at the rim of a cut), in metres.
const THREAD_RADIUS: f32 = 0.001;
const ROD_RADIUS: f32 = 0.006;
/// Length of one turn of a rope's strands, divided by the rope's radius.
const TURN_LENGTH: f32 = 7.0;

/// Codes of surfaces other than those of ropes.
pub const PLAIN: f32 = -1.0;
pub const GREY: f32 = -2.0;
pub const DARK_GREY: f32 = -3.0;
const PALE: f32 = -4.0;

/// Cosine of the angle between the axis of a cap and its edge.
const CAP_COSINE: f32 = 0.72;

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TubeVertex {
    pub position: Vec3,
    pub normal: Vec3,
    axis: Vec3,
    /// Turns along the rope; turns around the rope; blend between two turn lengths, or code of a
    /// surface (−1 plain, −2 grey, −3 dark grey, −4 pale); position in the strain colour map.
    lay: [f32; 4],
}

impl TubeVertex {
    pub const ATTRIBUTES: [VertexAttribute; 4] = [
        VertexAttribute::new("position", VertexFormat::Float3),
        VertexAttribute::new("normal", VertexFormat::Float3),
        VertexAttribute::new("axis", VertexFormat::Float3),
        VertexAttribute::new("lay", VertexFormat::Float4),
    ];

    /// Makes a ball's vertex pale inside the caps around an axis, and dark in a ring around each
    /// cap. Between cap and ring, the code changes continuously. The shader rounds it, so the edges
    /// are sharp.
    pub fn paint_cap(&mut self, axis: Vec3) {
        let inside = self.normal.dot(axis).abs() - CAP_COSINE;
        self.lay[2] = 0.5 * (DARK_GREY + PALE) - (8.0 * inside).clamp(-1.5, 0.5);
    }

    #[cfg(test)]
    pub fn has_surface(&self, surface: f32) -> bool {
        self.lay[2] == surface
    }
}

#[derive(Debug, Default)]
pub struct Tubes {
    pub(super) lens: Lens,
    /// Strain at the end of the colour map.
    pub(super) strain_range: f32,
    pub vertices: Vec<TubeVertex>,
    pub indices: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
pub struct TubePoint {
    pub position: Vec3,
    /// Rest length in metres from the beginning of the rope to this point.
    pub along: f32,
    pub strain: f32,
}

#[derive(Clone, Copy, Debug)]
pub struct TubeStyle {
    radius: f32,
    /// Smallest drawn radius of the tube in points.
    least_radius: f32,
    turns_per_metre: f32,
    blend: f32,
    sides: u32,
}

impl TubeStyle {
    /// Returns the style of a rope. The turns of its strands move with the material, so they show
    /// the strain. If a rope is drawn thicker than it is, its turns are 2, 4, 8, … times as long,
    /// with a blend between two lengths.
    pub fn rope(radius: f32, lens: &Lens) -> TubeStyle {
        let radius = radius.max(1e-4);
        let drawn = radius.max(THINNEST_ROPE * lens.metres_per_point);
        let level = (drawn / radius).log2().max(0.0);
        TubeStyle {
            radius,
            least_radius: THINNEST_ROPE,
            turns_per_metre: 1.0 / (TURN_LENGTH * radius * level.floor().exp2()),
            blend: level.fract(),
            sides: sides(drawn / lens.metres_per_point),
        }
    }

    pub fn rod(lens: &Lens) -> TubeStyle {
        let drawn = ROD_RADIUS.max(THINNEST_ROD * lens.metres_per_point);
        TubeStyle {
            radius: ROD_RADIUS,
            least_radius: THINNEST_ROD,
            turns_per_metre: 0.0,
            blend: PLAIN,
            sides: sides(drawn / lens.metres_per_point),
        }
    }

    /// Returns the style of a grey solid at its true thickness.
    pub fn solid(radius: f32) -> TubeStyle {
        TubeStyle { radius, least_radius: 0.0, turns_per_metre: 0.0, blend: GREY, sides: 32 }
    }

    pub fn thread() -> TubeStyle {
        TubeStyle {
            radius: THREAD_RADIUS,
            least_radius: THINNEST_THREAD,
            turns_per_metre: 0.0,
            blend: PLAIN,
            sides: 6,
        }
    }

    pub fn radius_at(&self, p: Vec3, lens: &Lens) -> f32 {
        self.radius.max(self.least_radius * lens.metres_per_point_at(p))
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
    /// Removes all tubes to begin a drawing through this lens.
    pub fn begin(&mut self, lens: &Lens, strain_range: f32) {
        (self.lens, self.strain_range) = (*lens, strain_range);
        self.vertices.clear();
        self.indices.clear();
    }

    pub fn append(&mut self, part: &Tubes) {
        let first = self.vertices.len() as u32;
        self.vertices.extend_from_slice(&part.vertices);
        self.indices.extend(part.indices.iter().map(|i| i + first));
    }

    /// Writes a tube along the points, with a hemisphere at each end.
    pub fn tube(&mut self, style: &TubeStyle, points: &[TubePoint]) {
        let (Some(first), Some(last)) = (points.first(), points.last()) else { return };
        if points.len() < 2 {
            return;
        }
        let tangents = tangents(points);
        let mut across = any_across(tangents[0]);
        let mut ring = Ring { style: *style, circle: circle(style.sides), first: true };
        for swell in [0.0, 0.35, 0.75] {
            self.ring(&mut ring, first, tangents[0], across, FRAC_PI_2 * (swell - 1.0));
        }
        for (point, &tangent) in points.iter().zip(&tangents) {
            across = (across - across.dot(tangent) * tangent)
                .try_normalize()
                .unwrap_or_else(|| any_across(tangent));
            self.ring(&mut ring, point, tangent, across, 0.0);
        }
        let tangent = tangents[tangents.len() - 1];
        for swell in [0.25, 0.65, 1.0] {
            self.ring(&mut ring, last, tangent, across, FRAC_PI_2 * swell);
        }
    }

    /// Writes a ring of vertices and connects it to the previous ring. `lean` is the angle in rad
    /// between the normals and the plane perpendicular to the tube.
    fn ring(&mut self, ring: &mut Ring, point: &TubePoint, tangent: Vec3, across: Vec3, lean: f32) {
        let TubeStyle { turns_per_metre, blend, sides, .. } = ring.style;
        let radius = ring.style.radius_at(point.position, &self.lens);
        let (sin_lean, cos_lean) = lean.sin_cos();
        let beside = tangent.cross(across);
        let start = self.vertices.len() as u32;
        for (side, (sin, cos)) in ring.circle.iter().enumerate() {
            let around = side as f32 / sides as f32;
            let normal = cos_lean * (*cos * across + *sin * beside) + sin_lean * tangent;
            self.vertices.push(TubeVertex {
                position: point.position + radius * normal,
                normal,
                axis: tangent,
                lay: [
                    point.along * turns_per_metre + sin_lean / TURN_LENGTH,
                    around,
                    blend,
                    point.strain,
                ],
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

    /// Writes a convex polygon of positions with normals.
    pub fn fan(&mut self, corners: impl Iterator<Item = (Vec3, Vec3)>, surface: f32) {
        let start = self.vertices.len() as u32;
        self.vertices.extend(corners.map(|(position, normal)| TubeVertex {
            position,
            normal,
            axis: normal.any_orthonormal_vector(),
            lay: [0.0, 0.0, surface, 0.0],
        }));
        let end = self.vertices.len() as u32;
        self.indices.extend((start + 1..end - 1).flat_map(|i| [start, i, i + 1]));
    }

    pub fn ball(&mut self, centre: Vec3, radius: f32, surface: f32) {
        static SMALL: LazyLock<UnitSphere> = LazyLock::new(|| UnitSphere::new(16));
        static LARGE: LazyLock<UnitSphere> = LazyLock::new(|| UnitSphere::new(40));
        let points = radius / self.lens.metres_per_point_at(centre).max(1e-12);
        let UnitSphere { normals, indices } = if points < 6.0 { &*SMALL } else { &*LARGE };
        let start = self.vertices.len() as u32;
        self.vertices.extend(normals.iter().map(|&normal| TubeVertex {
            position: centre + radius * normal,
            normal,
            axis: Vec3::Y,
            lay: [0.0, 0.0, surface, 0.0],
        }));
        self.indices.extend(indices.iter().map(|i| start + i));
    }
}

/// Ball of radius 1, whose vertices equal their normals.
struct UnitSphere {
    normals: Vec<Vec3>,
    /// Indices of the vertices of the triangles.
    indices: Vec<u32>,
}

impl UnitSphere {
    fn new(sides: u32) -> Self {
        let rings = sides / 2;
        let circle = circle(sides);
        let normals = (0..=rings).flat_map(|ring| {
            let (sin_up, cos_up) = (PI * (ring as f32 / rings as f32 - 0.5)).sin_cos();
            circle.iter().map(move |(sin, cos)| Vec3::new(cos_up * cos, sin_up, cos_up * sin))
        });
        let indices = (0..rings).flat_map(|ring| {
            (0..sides).flat_map(move |side| {
                let low = ring * (sides + 1) + side;
                let high = low + sides + 1;
                [low, high, low + 1, low + 1, high, high + 1]
            })
        });
        Self { normals: normals.collect(), indices: indices.collect() }
    }
}

/// Returns sines and cosines around a full circle. The first and the last pair are equal.
fn circle(sides: u32) -> Vec<(f32, f32)> {
    (0..=sides).map(|side| (TAU * side as f32 / sides as f32).sin_cos()).collect()
}

/// State passed from ring to ring of a tube.
struct Ring {
    style: TubeStyle,
    circle: Vec<(f32, f32)>,
    first: bool,
}

fn any_across(tangent: Vec3) -> Vec3 {
    let away = if tangent.z.abs() < 0.9 { Vec3::Z } else { Vec3::X };
    (away - away.dot(tangent) * tangent).normalize()
}

fn tangents(points: &[TubePoint]) -> Vec<Vec3> {
    let mut previous = Vec3::X;
    (0..points.len())
        .map(|i| {
            let before = points[i.saturating_sub(1)].position;
            let after = points[(i + 1).min(points.len() - 1)].position;
            previous = (after - before).try_normalize().unwrap_or(previous);
            previous
        })
        .collect()
}
