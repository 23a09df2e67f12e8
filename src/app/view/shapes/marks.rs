//! Marks over the scene: pins, trails, the ring around the body that a click would grab, and the
//! spring of a mouse drag.

use crate::app::theme::is_light;
use crate::app::view::projection::projector::Projector;
use glam::{DVec3, Vec2};
use macroquad::color::Color;
use macroquad::math::Rect;
use macroquad::miniquad::{VertexAttribute, VertexFormat};
use std::collections::HashMap;

/// Largest number of particles drawn as dots. More dots would cover the whole body.
const MOST_DOTS: usize = 20_000;
/// Distance in points from the cursor within which particles are drawn as dots.
const DOTS_NEAR: f32 = 52.0;
/// Distance in points between two pins below which both are drawn small.
const CROWDED: f32 = 26.0;
/// Smallest distance in points between drawn pins. Pins closer to a drawn pin are left out.
const PIN_SPACING: f32 = 13.0;

/// Length in pixels below which neighbouring pieces of a trail are joined.
const SHORTEST_PIECE: f32 = 1.0;

const ALARM: Color = Color::new(0.93, 0.32, 0.20, 1.0);

pub(super) fn ink() -> Color {
    if is_light() { Color::new(0.08, 0.09, 0.11, 1.0) } else { Color::new(0.93, 0.95, 0.97, 1.0) }
}

/// Returns the colour of the outlines of marks.
pub(super) fn halo() -> Color {
    if is_light() { Color::new(1.0, 1.0, 1.0, 0.8) } else { Color::new(0.04, 0.045, 0.055, 0.75) }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marks {
    /// Particle, or centre of a collider, that a click would grab.
    pub hovered: Option<DVec3>,
    pub grabs: Vec<GrabMark>,
    /// Positions in metres where lanes failed.
    pub failures: Vec<DVec3>,
    /// Position of the mouse in physical pixels. Particles near it are drawn as dots.
    pub cursor: Option<Vec2>,
    /// Ends of the stroke of a cut, in physical pixels.
    pub cut: Option<[Vec2; 2]>,
    pub trails: Vec<TrailMark>,
}

/// Trail of a particle. Older parts are fainter.
#[derive(Clone, Debug, PartialEq)]
pub struct TrailMark {
    /// Positions in metres, oldest first.
    pub points: Vec<DVec3>,
    /// Colour of the newest part.
    pub color: Color,
}

/// Positions in metres of the dragged body and of the mouse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrabMark {
    pub held: DVec3,
    pub hand: DVec3,
}

/// Corner of the square in which a mark is drawn.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarkVertex {
    position: Vec2,
    place: Vec2,
    /// Code of the form; radius or half the length; half the thickness. Lengths are in pixels.
    form: [f32; 3],
    color: [f32; 4],
}

impl MarkVertex {
    pub const ATTRIBUTES: [VertexAttribute; 4] = [
        VertexAttribute::new("position", VertexFormat::Float2),
        VertexAttribute::new("place", VertexFormat::Float2),
        VertexAttribute::new("form", VertexFormat::Float3),
        VertexAttribute::new("color", VertexFormat::Float4),
    ];
}

#[derive(Clone, Copy)]
enum Form {
    Disc = 0,
    Ring = 1,
    Diamond = 2,
    HollowDiamond = 3,
    Line = 4,
}

/// Triangles of the marks of one viewport.
#[derive(Debug, Default)]
pub struct Drawing {
    projector: Projector,
    pub vertices: Vec<MarkVertex>,
    pub indices: Vec<u32>,
}

impl Drawing {
    /// Removes all marks and sets the projection of the next viewport.
    pub fn begin(&mut self, projector: Projector) {
        self.projector = projector;
        self.vertices.clear();
        self.indices.clear();
    }

    /// Returns the pixel of a point, if it is in the viewport or at most 50 pixels outside it.
    fn pixel(&self, point: DVec3) -> Option<Vec2> {
        let pixel = self.projector.pixel(point)?;
        let rect = self.projector.viewport.rect;
        let near = |x: f32, from: f32, size: f32| x > from - 50.0 && x < from + size + 50.0;
        (near(pixel.x, rect.x, rect.w) && near(pixel.y, rect.y, rect.h)).then_some(pixel)
    }

    fn clip(&self, pixel: Vec2) -> Vec2 {
        let rect = self.projector.viewport.rect;
        Vec2::new(2.0 * (pixel.x - rect.x) / rect.w - 1.0, 1.0 - 2.0 * (pixel.y - rect.y) / rect.h)
    }

    /// Draws the pinned particles of a lane. Pins near each other are drawn small, and some are
    /// left out.
    pub fn pins(&mut self, positions: &[DVec3], pins: &[u32]) {
        let scale = self.projector.viewport.scale;
        let places = pins.iter().filter_map(|&pin| positions.get(pin as usize));
        let pixels = places.filter_map(|&position| self.pixel(position));
        for (pixel, is_crowded) in spaced_out(pixels, scale) {
            let size = if is_crowded { 0.55 * scale } else { scale };
            self.put_mark(Form::Diamond, pixel, [7.0 * size, 0.0], halo());
            self.put_mark(Form::HollowDiamond, pixel, [4.8 * size, 0.85 * size], ink());
        }
    }

    /// Draws every particle as a dot, unless there are too many.
    pub fn draw_dots(&mut self, positions: &[DVec3]) {
        if positions.len() > MOST_DOTS {
            return;
        }
        let scale = self.projector.viewport.scale;
        for &position in positions {
            let Some(pixel) = self.pixel(position) else { continue };
            self.put_mark(Form::Disc, pixel, [2.9 * scale, 0.0], halo());
            self.put_mark(Form::Disc, pixel, [1.9 * scale, 0.0], ink());
        }
    }

    /// Draws the particles near the cursor as dots that become fainter with distance.
    pub fn dots_near(&mut self, positions: &[DVec3], cursor: Vec2) {
        if positions.len() > MOST_DOTS {
            return;
        }
        let scale = self.projector.viewport.scale;
        for &position in positions {
            let Some(pixel) = self.pixel(position) else { continue };
            let seen = 1.0 - pixel.distance(cursor) / (DOTS_NEAR * scale);
            if seen > 0.0 {
                let alpha = (1.6 * seen).min(1.0);
                self.put_mark(
                    Form::Disc,
                    pixel,
                    [2.9 * scale, 0.0],
                    with_alpha(halo(), 0.7 * alpha),
                );
                self.put_mark(Form::Disc, pixel, [1.8 * scale, 0.0], with_alpha(ink(), alpha));
            }
        }
    }

    /// Draws the trails, the failures and the marks of the mouse.
    pub fn draw_marks(&mut self, marks: &Marks) {
        let Marks { hovered, grabs, failures, cursor: _, cut, trails } = marks;
        let scale = self.projector.viewport.scale;
        trails.iter().for_each(|trail| self.trail(trail));
        for &failure in failures {
            self.failure(failure);
        }
        if let Some(pixel) = hovered.and_then(|point| self.pixel(point)) {
            self.put_mark(Form::Ring, pixel, [9.0 * scale, 2.2 * scale], halo());
            self.put_mark(Form::Ring, pixel, [9.0 * scale, 1.0 * scale], ink());
        }
        for grab in grabs {
            self.draw_grab(grab);
        }
        if let &Some([from, to]) = cut {
            self.cut(from, to);
        }
    }

    fn trail(&mut self, TrailMark { points, color }: &TrailMark) {
        let scale = self.projector.viewport.scale;
        let pixel = |place: &DVec3| self.projector.pixel(*place).filter(|p| p.length() < 1e5);
        let mut pixels: Vec<_> = points.iter().map(pixel).collect();
        let end = pixels.pop();
        let is_short = |a: &Vec2, b: &Vec2| a.distance_squared(*b) < SHORTEST_PIECE.powi(2);
        pixels.dedup_by(|next, last| matches!((next, last), (Some(a), Some(b)) if is_short(a, b)));
        pixels.extend(end);
        for (age, ends) in pixels.windows(2).enumerate() {
            let &[Some(from), Some(to)] = ends else { continue };
            let fresh = (age + 1) as f32 / pixels.len() as f32;
            let thickness = (0.5 + 0.6 * fresh) * scale;
            self.draw_line(from, to, thickness, with_alpha(*color, 0.15 + 0.6 * fresh));
        }
    }

    fn failure(&mut self, point: DVec3) {
        let Some(pixel) = self.pixel(point) else { return };
        let scale = self.projector.viewport.scale;
        let arm = 6.0 * scale;
        for (thickness, color) in [(2.6, halo()), (1.2, ALARM)] {
            for across in [Vec2::splat(arm), Vec2::new(arm, -arm)] {
                self.draw_line(pixel - across, pixel + across, thickness * scale, color);
            }
        }
    }

    /// Draws a spring from the dragged body to the mouse, or to the edge of the viewport if the
    /// mouse is outside it.
    fn draw_grab(&mut self, grab: &GrabMark) {
        let (Some(from), Some(hand)) = (self.pixel(grab.held), self.projector.pixel(grab.hand))
        else {
            return;
        };
        let rect = self.projector.viewport.rect;
        let Some(to) = end_inside(from, hand, rect) else { return };
        let scale = self.projector.viewport.scale;
        let coil = coil(from, to, scale);
        for (thickness, color) in [(1.9, halo()), (0.8, ink())] {
            for pair in coil.windows(2) {
                self.draw_line(pair[0], pair[1], thickness * scale, color);
            }
        }
        self.put_mark(Form::Disc, from, [5.6 * scale, 0.0], halo());
        self.put_mark(Form::Disc, from, [4.2 * scale, 0.0], ink());
        if to == hand {
            self.put_mark(Form::Ring, to, [6.0 * scale, 2.0 * scale], halo());
            self.put_mark(Form::Ring, to, [6.0 * scale, 0.9 * scale], ink());
        }
    }

    fn cut(&mut self, from: Vec2, to: Vec2) {
        let scale = self.projector.viewport.scale;
        let dash = 7.0 * scale;
        let along = to - from;
        let count = (along.length() / (2.0 * dash)).ceil().clamp(1.0, 400.0);
        for i in 0..count as u32 {
            let start = from + along * (i as f32 / count);
            let end = from + along * ((i as f32 + 0.5) / count);
            self.draw_line(start, end, 2.0 * scale, halo());
            self.draw_line(start, end, 1.0 * scale, ALARM);
        }
    }

    /// Draws a line with round ends. `thickness` is half its width in pixels.
    pub fn draw_line(&mut self, a: Vec2, b: Vec2, thickness: f32, color: Color) {
        let half = 0.5 * (b - a);
        let along = half.try_normalize().unwrap_or(Vec2::X);
        let form = [half.length(), thickness];
        self.square(Form::Line, 0.5 * (a + b), along, form, color);
    }

    fn put_mark(&mut self, form: Form, pixel: Vec2, size: [f32; 2], color: Color) {
        self.square(form, pixel, Vec2::X, size, color);
    }

    fn square(
        &mut self,
        form: Form,
        middle: Vec2,
        along: Vec2,
        [size, thickness]: [f32; 2],
        color: Color,
    ) {
        let corner = std::f32::consts::SQRT_2;
        let (long, wide) = match form {
            Form::Line => (size + thickness + 1.0, thickness + 1.0),
            Form::Diamond | Form::HollowDiamond => {
                let reach = corner * (size + thickness) + 1.0;
                (reach, reach)
            }
            Form::Disc | Form::Ring => (size + thickness + 1.0, size + thickness + 1.0),
        };
        let start = self.vertices.len() as u32;
        for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            let place = Vec2::new(x * long, y * wide);
            self.vertices.push(MarkVertex {
                position: self.clip(middle + place.x * along + place.y * along.perp()),
                place,
                form: [f32::from(form as u8), size, thickness],
                color: [color.r, color.g, color.b, color.a],
            });
        }
        self.indices.extend([0, 1, 2, 0, 2, 3].map(|i| start + i));
    }
}

fn with_alpha(color: Color, alpha: f32) -> Color {
    Color { a: color.a * alpha, ..color }
}

/// Returns the last point of a line that is inside a rectangle, or the start of the line if none
/// is. Returns `None` if the end of the line is not finite.
fn end_inside(from: Vec2, to: Vec2, rect: Rect) -> Option<Vec2> {
    let (least, most) = (Vec2::new(rect.x, rect.y), Vec2::new(rect.x + rect.w, rect.y + rect.h));
    let part_along = |from: f32, to: f32, least: f32, most: f32| match to {
        to if to > most => (most - from) / (to - from),
        to if to < least => (least - from) / (to - from),
        _ => 1.0,
    };
    let part = part_along(from.x, to.x, least.x, most.x);
    let part = part.min(part_along(from.y, to.y, least.y, most.y)).max(0.0);
    let end = if part < 1.0 { from + part * (to - from) } else { to };
    (to.is_finite() && end.is_finite()).then_some(end)
}

/// Selects pixels that are at least [`PIN_SPACING`] apart. Each is returned with true if another
/// pixel is nearer to it than [`CROWDED`].
fn spaced_out(pixels: impl Iterator<Item = Vec2>, scale: f32) -> Vec<(Vec2, bool)> {
    let (spacing, crowded) = (PIN_SPACING * scale, CROWDED * scale);
    let reach = (crowded / spacing).ceil() as i32;
    let mut kept: Vec<(Vec2, bool)> = Vec::new();
    let mut cells: HashMap<(i32, i32), usize> = HashMap::new();
    for pixel in pixels {
        let (column, row) =
            ((pixel.x / spacing).floor() as i32, (pixel.y / spacing).floor() as i32);
        let around = (-reach..=reach).flat_map(|i| (-reach..=reach).map(move |j| (i, j)));
        let (mut is_crowded, mut is_free) = (false, true);
        for near in around.filter_map(|(i, j)| cells.get(&(column + i, row + j))) {
            let (other, other_is_crowded) = &mut kept[*near];
            let apart = pixel.distance(*other);
            if apart < crowded {
                (is_crowded, *other_is_crowded) = (true, true);
                is_free &= apart >= spacing;
            }
        }
        if is_free {
            cells.insert((column, row), kept.len());
            kept.push((pixel, is_crowded));
        }
    }
    kept
}

/// Returns the points of a zigzag line with straight ends. The number of turns is fixed, so their
/// spacing shows how far the spring is stretched.
fn coil(from: Vec2, to: Vec2, scale: f32) -> Vec<Vec2> {
    const TURNS: u32 = 14;
    let along = to - from;
    let length = along.length();
    if length < 1.0 {
        return vec![from, to];
    }
    let across = along.perp() / length * (5.0 * scale).min(0.2 * length);
    let mut points = vec![from];
    for i in 0..=TURNS {
        let side = match i {
            0 | TURNS => 0.0,
            i if i % 2 == 0 => 1.0,
            _ => -1.0,
        };
        points.push(from + along * (0.12 + 0.76 * i as f32 / TURNS as f32) + side * across);
    }
    points.push(to);
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::view::projection::bounds::Bounds;
    use crate::app::view::projection::camera::Camera;
    use crate::app::view::projection::viewport::Viewport;

    fn drawing() -> Drawing {
        let bounds = Bounds { min: DVec3::splat(-1.0), max: DVec3::splat(1.0) };
        let viewport = Viewport::new(Rect::new(10.0, 20.0, 900.0, 700.0), 1.0);
        let projector = Camera::new(bounds, 1.3).projector(&viewport);
        Drawing { projector, ..Drawing::default() }
    }

    #[test]
    fn a_coil_goes_from_particle_to_hand() {
        let (from, to) = (Vec2::new(3.0, 4.0), Vec2::new(90.0, -20.0));
        let points = coil(from, to, 2.0);
        assert_eq!((points[0], points[points.len() - 1]), (from, to));
    }

    #[test]
    fn a_spring_to_a_hand_outside_the_picture_ends_at_its_edge() {
        let rect = Rect::new(10.0, 20.0, 900.0, 700.0);
        let end = |x: f32, y: f32| end_inside(Vec2::new(110.0, 120.0), Vec2::new(x, y), rect);
        assert_eq!(end(500.0, 600.0), Some(Vec2::new(500.0, 600.0)), "a hand inside");
        assert_eq!(end(-90.0, 120.0), Some(Vec2::new(10.0, 120.0)), "a hand left of it");
        assert_eq!(end(310.0, -80.0), Some(Vec2::new(210.0, 20.0)), "a hand above it");
        assert_eq!(end(f32::INFINITY, 0.0), None);
        let mut drawing = drawing();
        let (held, hand) = (DVec3::ZERO, DVec3::new(30.0, 0.0, 0.0));
        let marks = Marks { grabs: vec![GrabMark { held, hand }], ..Marks::default() };
        drawing.draw_marks(&marks);
        assert!(!drawing.vertices.is_empty(), "the spring is drawn");
    }

    #[test]
    fn what_is_not_finite_or_far_away_is_not_marked() {
        let mut drawing = drawing();
        let bad = [DVec3::NAN, DVec3::splat(f64::INFINITY), DVec3::new(1e200, 0.0, 0.0)];
        drawing.draw_dots(&bad);
        drawing.pins(&bad, &[0, 1, 2]);
        let marks = Marks {
            hovered: Some(bad[0]),
            grabs: vec![GrabMark { held: DVec3::ZERO, hand: bad[1] }],
            failures: bad.to_vec(),
            ..Marks::default()
        };
        drawing.draw_marks(&marks);
        assert!(drawing.vertices.is_empty());
    }

    #[test]
    fn crowded_pins_are_small_and_thinned_out() {
        let mut drawing = drawing();
        let row: Vec<DVec3> =
            (0..1000).map(|i| DVec3::new(f64::from(i) * 1e-3, 0.0, 0.0)).collect();
        drawing.pins(&row, &(0..1000).collect::<Vec<_>>());
        let diamonds = drawing.indices.len() / 12;
        assert!(diamonds > 5 && diamonds < 40, "{diamonds} pins drawn");
    }

    /// The pins are alternately on the left and the right edge, like the particles of a net.
    #[test]
    fn pins_of_two_edges_are_crowded_though_the_one_before_is_far() {
        let rung = |i: u32| [0.0, 300.0].map(|x| Vec2::new(x, 4.0 * i as f32));
        let kept = spaced_out((0..100).flat_map(rung), 1.0);
        assert!(kept.len() > 40 && kept.len() < 64, "{} pins kept", kept.len());
        assert!(kept.iter().all(|(_, is_crowded)| *is_crowded));
        let alone = [Vec2::ZERO, Vec2::new(CROWDED, 0.0)];
        assert_eq!(spaced_out(alone.into_iter(), 1.0), alone.map(|pixel| (pixel, false)));
    }
}
