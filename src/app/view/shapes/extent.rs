//! Rectangles of pixels ("windows") that the lanes can cover. Only these pixels are anti-aliased.
//! With a software renderer, samples of an empty screen would cost more than the scene.

use super::lane_picture::LanePicture;
use super::shape::DrawnShape;
use crate::app::view::projection::bounds::Bounds;
use crate::app::view::projection::camera::Camera;
use crate::app::view::projection::projector::Projector;
use crate::app::view::projection::viewport::Viewport;
use glam::{DVec3, Vec2};

/// Number of vertical strips of the viewport. Each strip has one window, as high as the strip's
/// content.
const STRIPS: usize = 12;
/// Largest number of links that are added one by one. For more links, a single box around all
/// particles is cheaper.
const MOST_LINKS: usize = 20_000;

/// Rectangle of pixels: x, y, width and height, relative to the viewport's lower left corner.
pub type Window = [i32; 4];

/// Returns the window of all pixels of a viewport.
pub fn whole(viewport: &Viewport) -> Window {
    [0, 0, viewport.rect.w as i32, viewport.rect.h as i32]
}

/// Returns windows that do not overlap and that together contain every drawn pixel of the lanes.
pub fn windows(
    camera: &Camera,
    viewport: &Viewport,
    shape: &DrawnShape,
    lanes: &[&LanePicture],
) -> Vec<Window> {
    let projector = camera.projector(viewport);
    let mut extent = Extent { projector, reach: shape.reach, strips: [None; STRIPS] };
    let is_bounded = if shape.wires.len() * lanes.len() > MOST_LINKS {
        let bounds = lanes.iter().filter_map(|lane| lane.boxes.all());
        bounds.reduce(Bounds::union).is_none_or(|bounds| extent.add_box(bounds))
    } else {
        lanes.iter().all(|lane| extent.add_links(shape, &lane.positions))
    };
    let balls = lanes.iter().flat_map(|lane| &lane.balls).map(|ball| (ball.centre, ball.radius));
    let obstacles = lanes.iter().flat_map(|lane| &lane.obstacles).map(|it| (it.centre, it.reach()));
    let mut spheres = balls.chain(obstacles);
    if is_bounded && spheres.all(|(centre, radius)| extent.add_ball(centre, radius)) {
        extent.windows()
    } else {
        vec![whole(viewport)]
    }
}

/// Returns the smallest rectangle around all windows.
pub fn around(windows: &[Window]) -> Window {
    let union = |[x, y, w, h]: Window, [left, low, wide, high]: Window| {
        let (x0, y0) = (x.min(left), y.min(low));
        [x0, y0, (x + w).max(left + wide) - x0, (y + h).max(low + high) - y0]
    };
    windows.iter().copied().reduce(union).unwrap_or([0; 4])
}

struct Extent {
    projector: Projector,
    reach: f64,
    /// Upper and lower end of each strip's content, in pixels below the top of the viewport.
    strips: [Option<(f32, f32)>; STRIPS],
}

/// Rectangle of pixels that part of a body may cover, relative to the viewport's upper left corner.
#[derive(Clone, Copy)]
struct PixelBox {
    low: Vec2,
    high: Vec2,
    /// Indices of the strips at the left and the right edge. −1 is left of the first strip;
    /// `STRIPS` is right of the last strip.
    strips: (i8, i8),
}

impl PixelBox {
    fn union(self, other: PixelBox) -> PixelBox {
        let (first, last) = (self.strips.0.min(other.strips.0), self.strips.1.max(other.strips.1));
        let (low, high) = (self.low.min(other.low), self.high.max(other.high));
        PixelBox { low, high, strips: (first, last) }
    }
}

impl Extent {
    /// Returns the rectangle of pixels around a point; `None` if the point is behind the eye.
    fn pixel_box(&self, point: DVec3) -> Option<PixelBox> {
        let pixel = self.projector.pixel(point)?;
        let Viewport { rect, scale } = self.projector.viewport;
        let metres = self.projector.metres_per_pixel(point).max(1e-12);
        let reach = (self.reach / metres).min(1e6) as f32 + 6.0 * scale;
        let at = pixel - Vec2::new(rect.x, rect.y);
        let (low, high) = (at - Vec2::splat(reach), at + Vec2::splat(reach));
        let strips = STRIPS as f32;
        let strip = |x: f32| (x / rect.w * strips).clamp(-1.0, strips) as i8;
        Some(PixelBox { low, high, strips: (strip(low.x), strip(high.x)) })
    }

    /// Adds the links and ropes of a lane. Returns false if a link or rope extends behind the eye.
    fn add_links(&mut self, shape: &DrawnShape, positions: &[DVec3]) -> bool {
        let links = shape.wires.iter().copied();
        let ropes = shape.strands.iter().flat_map(|strand| strand.particles.windows(2));
        let pixel_boxes: Vec<_> =
            positions.iter().map(|&p| (self.pixel_box(p), p.is_finite())).collect();
        pixel_boxes
            .iter()
            .filter_map(|(pixel_box, _)| *pixel_box)
            .for_each(|pixel_box| self.add(pixel_box));
        for [a, b] in links.chain(ropes.map(|pair| [pair[0], pair[1]])) {
            match (pixel_boxes[a as usize], pixel_boxes[b as usize]) {
                ((Some(from), _), (Some(to), _)) => {
                    // If both ends cover the same strips, the rectangles of the ends already
                    // contain the link.
                    if from.strips != to.strips {
                        self.add(from.union(to));
                    }
                }
                ((None, true), _) | (_, (None, true)) => return false,
                ((None, false), _) | (_, (None, false)) => (),
            }
        }
        true
    }

    fn add_ball(&mut self, centre: DVec3, radius: f64) -> bool {
        let half = DVec3::splat(radius);
        !centre.is_finite() || self.add_box(Bounds { min: centre - half, max: centre + half })
    }

    fn add_box(&mut self, bounds: Bounds) -> bool {
        let pixel_boxes = bounds.corners().map(|corner| self.pixel_box(corner));
        let all = pixel_boxes.reduce(|all, pixel_box| Some(all?.union(pixel_box?))).flatten();
        all.map(|all| self.add(all)).is_some()
    }

    fn add(&mut self, PixelBox { low, high, strips: (first, last) }: PixelBox) {
        for i in first.max(0)..=last.min(STRIPS as i8 - 1) {
            let strip = &mut self.strips[i as usize];
            let (top, bottom) = strip.unwrap_or((f32::INFINITY, f32::NEG_INFINITY));
            *strip = Some((top.min(low.y), bottom.max(high.y)));
        }
    }

    fn windows(&self) -> Vec<Window> {
        let [_, _, width, height] = whole(&self.projector.viewport);
        let edge = |strip: usize| width * strip as i32 / STRIPS as i32;
        let window = |(i, strip): (usize, &Option<(f32, f32)>)| {
            let (top, bottom) = (*strip)?;
            let inside = |y: f32| (y as i32).clamp(0, height);
            // One more pixel on each side, because windows end at whole pixels.
            let (high, low) = (inside(top - 1.0), inside(bottom + 1.0));
            (low > high).then(|| [edge(i), height - low, edge(i + 1) - edge(i), low - high])
        };
        self.strips.iter().enumerate().filter_map(window).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::view::projection::boxes::Boxes;
    use crate::app::view::projection::camera::ViewKind;
    use crate::mesh::{Chain, Mesh};
    use macroquad::math::Rect;

    fn windows_of(positions: &[DVec3]) -> (Vec<Window>, Viewport, Camera) {
        windows_in(ViewKind::Side, positions)
    }

    fn windows_in(kind: ViewKind, positions: &[DVec3]) -> (Vec<Window>, Viewport, Camera) {
        let viewport = Viewport::new(Rect::new(100.0, 50.0, 1201.0, 800.0), 1.0);
        let bounds = Bounds { min: DVec3::splat(-1.0), max: DVec3::splat(1.0) };
        let mut camera = Camera::new(bounds, 1.5);
        if kind == ViewKind::Orbit {
            camera.orbit(Vec2::new(-160.0, 85.0), &viewport);
        }
        let particles = (0..positions.len() as u32).collect();
        let ropes = vec![Chain { particles, radius: 0.01 }];
        let mesh = Mesh { positions: positions.to_vec(), ropes, ..Mesh::default() };
        let shape = DrawnShape::new(&mesh);
        let mut boxes = Boxes::default();
        boxes.fit(positions);
        let lane = LanePicture { positions: mesh.positions, boxes, ..LanePicture::default() };
        (windows(&camera, &viewport, &shape, &[&lane]), viewport, camera)
    }

    fn arc(particles: u32) -> Vec<DVec3> {
        let last = f64::from(particles - 1);
        let xs = (0..particles).map(|i| f64::from(i) / last * 2.0 - 1.0);
        xs.map(|x| DVec3::new(x, x * x, 0.0)).collect()
    }

    #[test]
    fn every_rope_is_in_windows_all_along_and_most_pixels_are_not() {
        for particles in [3, 40] {
            let arc = arc(particles);
            let (windows, viewport, camera) = windows_of(&arc);
            let along = (0..20).map(|i| f64::from(i) / 20.0);
            let points =
                arc.windows(2).flat_map(|ends| along.clone().map(|s| ends[0].lerp(ends[1], s)));
            for point in points {
                let pixel = camera.screen_from_world(point, &viewport).unwrap();
                let (x, y) = (pixel.x - 100.0, 850.0 - pixel.y);
                let holds = |&&[left, low, w, h]: &&Window| {
                    x >= left as f32
                        && x <= (left + w) as f32
                        && y >= low as f32
                        && y <= (low + h) as f32
                };
                assert!(windows.iter().any(|window| holds(&window)), "{pixel}");
            }
            let area: i32 = windows.iter().map(|[_, _, w, h]| w * h).sum();
            assert!(particles == 3 || area < 1201 * 800 / 5);
        }
    }

    #[test]
    fn a_link_needs_a_window_in_each_strip_that_it_crosses() {
        let strips = |a: f64, b: f64| windows_of(&[DVec3::X * a, DVec3::X * b]).0.len();
        assert_eq!(strips(-50.0, 50.0), STRIPS);
        assert!(matches!(strips(0.05, 0.051), 1 | 2));
        assert_eq!(strips(-50.0, -49.0), 0);
    }

    #[test]
    fn an_explosion_needs_no_window() {
        let (windows, ..) = windows_of(&[DVec3::NAN, DVec3::splat(f64::INFINITY)]);
        assert!(windows.is_empty());
    }

    #[test]
    fn what_surrounds_the_eye_needs_the_whole_viewport() {
        let far_and_near = |eye: DVec3| [DVec3::ZERO, 1e6 * eye];
        let (_, _, camera) = windows_in(ViewKind::Orbit, &[DVec3::ZERO]);
        let behind = far_and_near(camera.eye());
        let (windows, viewport, _) = windows_in(ViewKind::Orbit, &behind);
        assert_eq!(windows, [whole(&viewport)]);
    }
}
