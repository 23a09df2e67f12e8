//! Camera: the position of the eye, and the projection from metres to pixels and back.
//!
//! The side view is orthographic: one metre has the same length everywhere, and a drag stays in a
//! plane parallel to the screen. The orbit view is a perspective projection. In both views, the
//! plane through the centre has the same scale. The floor is always drawn in perspective, because
//! an orthographic floor seen from the side would be a line.

use super::bounds::Bounds;
use super::projector::{Axes, HALF_VIEW, Projector};
use super::viewport::{Fit, Viewport};
use crate::scene::CameraSetup;
use glam::{DVec3, Mat4, Vec2, Vec3};

/// Rate of eased moves in 1/s: 95 % of a move is done after 0.2 s.
const EASE_RATE: f64 = 15.0;
/// Zoom factor per notch of the wheel.
const ZOOM_A_NOTCH: f64 = 1.18;
const HEIGHTS: std::ops::RangeInclusive<f64> = 1e-3..=1e4;
const PITCHES: std::ops::RangeInclusive<f64> = -1.45..=1.45;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ViewKind {
    /// View along −z. A drag stays in a plane z = const.
    #[default]
    Side,
    /// View from any direction around the centre.
    Orbit,
}

/// Camera whose moves are eased (spread over several frames), except moves that follow the mouse.
#[derive(Clone, Debug)]
pub struct Camera {
    now: Pose,
    target: Pose,
    home: Pose,
    home_kind: ViewKind,
    kind: ViewKind,
    fit: Fit,
    /// Aspect ratio (width/height) of the part of the scene that is fitted into the viewport.
    picture: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Pose {
    centre: DVec3,
    /// Distance in metres from the lower to the upper edge of the view, in the plane through the
    /// centre.
    height: f64,
    yaw: f64,
    pitch: f64,
}

impl Pose {
    fn distance(&self) -> f64 {
        0.5 * self.height / HALF_VIEW
    }

    fn axes(&self) -> Axes {
        let (sin_yaw, cos_yaw) = self.yaw.sin_cos();
        let (sin_pitch, cos_pitch) = self.pitch.sin_cos();
        let forward = -DVec3::new(sin_yaw * cos_pitch, sin_pitch, cos_yaw * cos_pitch);
        let right = DVec3::new(cos_yaw, 0.0, -sin_yaw);
        Axes { right, up: right.cross(forward), forward }
    }

    fn blend_to(&self, target: &Pose, part: f64) -> Pose {
        Pose {
            centre: self.centre.lerp(target.centre, part),
            // The height changes linearly, so the point under the cursor stays at its pixel during
            // a zoom: its position is centre + height × const. With a logarithmic change, the point
            // would move.
            height: self.height + part * (target.height - self.height),
            yaw: self.yaw + part * (target.yaw - self.yaw),
            pitch: self.pitch + part * (target.pitch - self.pitch),
        }
    }

    /// Returns the pose that shows this pose's view in the free part of a viewport.
    fn fitted(&self, fit: Fit, picture: f64) -> Pose {
        let height = self.height * fit.scale(picture);
        let up = 0.5 * (fit.covered - fit.below) * height * self.axes().up;
        Pose { centre: self.centre + up, height, ..*self }
    }

    /// Inverse of [`Self::fitted`]: returns the pose whose fitted form is this pose.
    fn unfitted(&self, fit: Fit, picture: f64) -> Pose {
        let up = 0.5 * (fit.covered - fit.below) * self.height * self.axes().up;
        Pose { centre: self.centre - up, height: self.height / fit.scale(picture), ..*self }
    }

    fn is_near(&self, other: &Pose) -> bool {
        let scale = 1e-4 * other.height;
        self.centre.distance(other.centre) < scale
            && (self.height - other.height).abs() < scale
            && (self.yaw - other.yaw).abs() + (self.pitch - other.pitch).abs() < 1e-4
    }

    fn around(bounds: Bounds, aspect: f64, yaw: f64, pitch: f64) -> Pose {
        let mut pose = Pose { centre: DVec3::ZERO, height: 1.0, yaw, pitch };
        let Axes { right, up, .. } = pose.axes();
        let size = bounds.max - bounds.min;
        let seen = |axis: DVec3| size.dot(axis.abs());
        let height = 1.25 * seen(up).max(seen(right) / aspect.max(0.1));
        pose.centre = 0.5 * (bounds.min + bounds.max);
        pose.height = height.clamp(0.2, *HEIGHTS.end());
        pose
    }
}

impl Camera {
    /// Creates the camera of a scene. The scene's view fills the free part of the viewport.
    pub fn from_setup(setup: &CameraSetup, fit: Fit) -> Camera {
        let (kind, pose) = match *setup {
            CameraSetup::Side { centre, height, .. } => {
                (ViewKind::Side, Pose { centre, height, yaw: 0.0, pitch: 0.0 })
            }
            CameraSetup::Orbit { centre, distance, yaw, pitch, .. } => {
                let height = 2.0 * HALF_VIEW * distance;
                let pitch = pitch.to_radians().clamp(*PITCHES.start(), *PITCHES.end());
                (ViewKind::Orbit, Pose { centre, height, yaw: yaw.to_radians(), pitch })
            }
        };
        let picture = setup.aspect();
        let pose = pose.fitted(fit, picture);
        Camera { now: pose, target: pose, home: pose, home_kind: kind, kind, fit, picture }
    }

    /// Adapts the camera to a viewport with another free part. The camera still shows the same part
    /// of the scene.
    pub fn refit(&mut self, fit: Fit) {
        let old = std::mem::replace(&mut self.fit, fit);
        if old != fit {
            for pose in [&mut self.now, &mut self.target, &mut self.home] {
                *pose = pose.unfitted(old, self.picture).fitted(fit, self.picture);
            }
        }
    }

    /// Eases the camera to the home pose of another camera and adopts that home pose.
    pub fn home_to(&mut self, other: &Camera) {
        (self.home, self.home_kind, self.picture) = (other.home, other.home_kind, other.picture);
        self.home();
    }

    pub fn kind(&self) -> ViewKind {
        self.kind
    }

    /// Advances the easing by `seconds`. Returns false once the camera has reached its target.
    pub fn ease(&mut self, seconds: f64) -> bool {
        if self.now.is_near(&self.target) {
            self.now = self.target;
            return false;
        }
        let part = 1.0 - (-EASE_RATE * seconds.clamp(0.0, 0.1)).exp();
        self.now = self.now.blend_to(&self.target, part);
        true
    }

    /// Moves the view without easing. The scene moves with the mouse by `pixels`.
    pub fn pan(&mut self, pixels: Vec2, viewport: &Viewport) {
        let Axes { right, up, .. } = self.now.axes();
        let metres = self.now.height / f64::from(viewport.rect.h);
        let shift = metres * (f64::from(pixels.x) * right - f64::from(pixels.y) * up);
        for pose in [&mut self.now, &mut self.target] {
            pose.centre = (pose.centre - shift).clamp(DVec3::splat(-1e6), DVec3::splat(1e6));
        }
    }

    /// Zooms in (notches > 0) or out. The point under the cursor stays at its pixel.
    pub fn zoom_at(&mut self, cursor: Vec2, notches: f32, viewport: &Viewport) {
        let Axes { right, up, .. } = self.target.axes();
        let unit = viewport.unit_from_pixel(cursor);
        let before = self.target.height;
        let factor = ZOOM_A_NOTCH.powf(f64::from(-notches));
        self.target.height = (before * factor).clamp(*HEIGHTS.start(), *HEIGHTS.end());
        let shrink = 0.5 * (before - self.target.height);
        self.target.centre += shrink * (unit.x * right + unit.y * up);
    }

    /// Turns the camera around the centre by a mouse drag. A side view becomes an orbit view.
    pub fn orbit(&mut self, pixels: Vec2, viewport: &Viewport) {
        self.kind = ViewKind::Orbit;
        let turn = 3.0 / f64::from(viewport.rect.h);
        for pose in [&mut self.now, &mut self.target] {
            pose.yaw -= turn * f64::from(pixels.x);
            pose.pitch =
                (pose.pitch + turn * f64::from(pixels.y)).clamp(*PITCHES.start(), *PITCHES.end());
        }
    }

    /// Eases the camera to a pose that shows all of `bounds` from the current direction.
    pub fn frame(&mut self, bounds: Bounds, viewport: &Viewport) {
        let Pose { yaw, pitch, .. } = self.target;
        self.target = Pose::around(bounds, viewport.aspect(), yaw, pitch);
    }

    /// Eases the camera to its home pose.
    pub fn home(&mut self) {
        self.kind = self.home_kind;
        self.target = self.home;
        self.unwind();
    }

    /// Removes whole turns, so that the camera turns by the smaller angle.
    fn unwind(&mut self) {
        let turns = ((self.now.yaw - self.target.yaw) / std::f64::consts::TAU).round();
        self.now.yaw -= turns * std::f64::consts::TAU;
    }

    /// Returns the centre of the view in metres, relative to which drawn positions are given.
    pub fn centre(&self) -> DVec3 {
        self.now.centre
    }

    /// Returns the height of the view in metres, measured in the plane through the centre.
    pub fn height(&self) -> f64 {
        self.now.height
    }

    /// Returns the size of a physical pixel in metres, in the plane through the centre.
    pub fn metres_per_pixel(&self, viewport: &Viewport) -> f64 {
        self.now.height / f64::from(viewport.rect.h)
    }

    pub fn axes(&self) -> Axes {
        self.now.axes()
    }

    pub fn eye(&self) -> DVec3 {
        self.now.centre - self.now.distance() * self.now.axes().forward
    }

    /// Returns the pixel of a point; `None` if the point is behind the eye or not finite.
    pub fn screen_from_world(&self, point: DVec3, viewport: &Viewport) -> Option<Vec2> {
        self.projector(viewport).pixel(point)
    }

    /// Returns the point under a pixel in the plane that contains `through` and is parallel to the
    /// screen.
    pub fn world_from_screen(&self, pixel: Vec2, through: DVec3, viewport: &Viewport) -> DVec3 {
        let Axes { right, up, forward } = self.now.axes();
        if self.kind == ViewKind::Side {
            let offset = 0.5 * self.now.height * viewport.unit_from_pixel(pixel);
            let depth = (through - self.now.centre).dot(forward);
            let depth = if depth.is_finite() { depth } else { 0.0 };
            return self.now.centre + offset.x * right + offset.y * up + depth * forward;
        }
        let unit = HALF_VIEW * viewport.unit_from_pixel(pixel);
        let ray = forward + unit.x * right + unit.y * up;
        let depth = (through - self.eye()).dot(forward);
        let floor = 1e-3 * self.now.distance();
        let depth = if depth.is_finite() { depth.max(floor) } else { self.now.distance() };
        self.eye() + depth * ray
    }

    pub fn projector(&self, viewport: &Viewport) -> Projector {
        let half_height = match self.kind {
            ViewKind::Side => Some(0.5 * self.now.height),
            ViewKind::Orbit => None,
        };
        Projector { eye: self.eye(), axes: self.now.axes(), half_height, viewport: *viewport }
    }

    /// Returns the matrix from positions relative to the centre to clip space.
    pub fn clip_from_relative(&self, viewport: &Viewport) -> Mat4 {
        let Axes { up, forward, .. } = self.now.axes();
        let distance = self.now.distance();
        let eye = (-distance * forward).as_vec3();
        let view = Mat4::look_at_rh(eye, Vec3::ZERO, up.as_vec3());
        let angle = 2.0 * HALF_VIEW.atan();
        let (near, far) = (0.02 * distance, 60.0 * distance);
        if self.kind == ViewKind::Side {
            let up = 0.5 * self.now.height as f32;
            let right = up * viewport.aspect() as f32;
            let depth = far as f32;
            return Mat4::orthographic_rh_gl(-right, right, -up, up, -depth, depth) * view;
        }
        Mat4::perspective_rh_gl(angle as f32, viewport.aspect() as f32, near as f32, far as f32)
            * view
    }

    /// Returns half the width and half the height of the screen as vectors at unit depth.
    pub fn half_screen(&self, viewport: &Viewport) -> (DVec3, DVec3) {
        let Axes { right, up, .. } = self.now.axes();
        (HALF_VIEW * viewport.aspect() * right, HALF_VIEW * up)
    }
}

#[cfg(test)]
impl Camera {
    /// Returns a side view that shows all of `bounds` in a viewport with this aspect.
    pub fn new(bounds: Bounds, aspect: f64) -> Camera {
        let pose = Pose::around(bounds, aspect, 0.0, 0.0);
        let fit = Fit { aspect, ..Fit::default() };
        Camera {
            now: pose,
            target: pose,
            home: pose,
            home_kind: ViewKind::Side,
            kind: ViewKind::Side,
            fit,
            picture: crate::app::view::projection::viewport::SETUP_ASPECT,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec2;
    use macroquad::math::Rect;
    use proptest::prelude::*;

    fn bounds() -> Bounds {
        Bounds { min: DVec3::new(-1.0, 0.0, -0.5), max: DVec3::new(1.0, 2.0, 0.5) }
    }

    fn viewport(scale: f32) -> Viewport {
        Viewport::new(Rect::new(300.4 * scale, 60.0 * scale, 900.0 * scale, 640.0 * scale), scale)
    }

    fn orbited() -> Camera {
        let mut camera = Camera::new(bounds(), 1.4);
        camera.orbit(Vec2::new(120.0, 60.0), &viewport(1.0));
        camera
    }

    proptest! {
        #[test]
        fn pixel_and_point_are_inverse(x in 310f32..1190.0, y in 70f32..690.0, z in -2.0..2.0) {
            for camera in [Camera::new(bounds(), 1.4), orbited()] {
                let (viewport, pixel) = (viewport(1.0), Vec2::new(x, y));
                let through = DVec3::new(0.3, 0.7, z);
                let point = camera.world_from_screen(pixel, through, &viewport);
                prop_assert!((point - through).dot(camera.axes().forward).abs() < 1e-9);
                let back = camera.screen_from_world(point, &viewport).unwrap();
                prop_assert!(back.distance(pixel) < 0.01, "pixel {pixel} comes back as {back}");
            }
        }

        #[test]
        fn zoom_keeps_the_point_under_the_cursor(
            x in 310f32..1190.0, y in 70f32..690.0, notches in -6f32..6.0,
        ) {
            for mut camera in [Camera::new(bounds(), 1.4), orbited()] {
                let (viewport, cursor) = (viewport(2.0), 2.0 * Vec2::new(x, y));
                let point = camera.world_from_screen(cursor, camera.centre(), &viewport);
                camera.zoom_at(cursor, notches, &viewport);
                for _ in 0..200 {
                    let now = camera.screen_from_world(point, &viewport).unwrap();
                    let is_kept = now.distance(cursor) < 0.05;
                    prop_assert!(is_kept, "point under the cursor at {cursor} moved to {now}");
                    camera.ease(1.0 / 60.0);
                }
                prop_assert!(!camera.ease(1.0 / 60.0));
            }
        }
    }

    #[test]
    fn pan_follows_the_hand_in_the_same_frame() {
        let (mut camera, viewport) = (orbited(), viewport(2.0));
        let point = camera.centre();
        let before = camera.screen_from_world(point, &viewport).unwrap();
        camera.pan(Vec2::new(31.0, -17.0), &viewport);
        let after = camera.screen_from_world(point, &viewport).unwrap();
        assert!((after - before).distance(Vec2::new(31.0, -17.0)) < 0.5);
    }

    #[test]
    fn the_matrix_agrees_with_the_projection() {
        let (camera, viewport) = (orbited(), viewport(1.0));
        let point = DVec3::new(0.4, 1.3, 0.2);
        let clip =
            camera.clip_from_relative(&viewport) * (point - camera.centre()).as_vec3().extend(1.0);
        let unit =
            DVec2::new(f64::from(clip.x / clip.w) * viewport.aspect(), f64::from(clip.y / clip.w));
        let pixel = camera.screen_from_world(point, &viewport).unwrap();
        assert!(viewport.pixel_from_unit(unit).distance(pixel) < 0.05);
    }

    #[test]
    fn home_comes_back_from_anywhere() {
        let mut camera = orbited();
        camera.orbit(Vec2::new(9000.0, -400.0), &viewport(1.0));
        camera.home();
        camera.now = camera.target;
        let first = Camera::new(bounds(), 1.4);
        assert!((camera.eye() - first.eye()).length() < 1e-9);
        assert_eq!(camera.kind(), ViewKind::Side);
    }

    /// Tests viewports of 2 : 1, 1 : 1 and 1 : 2, with and without chips at the top and readings at
    /// the bottom.
    #[test]
    fn a_picture_is_as_large_as_its_own_width_lets_it() {
        let edge = |x: f64, y: f64| DVec3::new(0.3 + x, 0.7 + y, 0.0);
        let centre = edge(0.0, 0.0);
        let setup = CameraSetup::Side { centre, height: 2.0, aspect: 1.0 };
        for (width, height) in [(800.0, 400.0), (400.0, 400.0), (400.0, 800.0)] {
            for (covered, below) in [(0.0, 0.0), (0.2, 0.0), (0.2, 0.3)] {
                let viewport = Viewport::new(Rect::new(10.0, 20.0, width, height), 1.0);
                let fit = Fit { aspect: viewport.aspect(), covered, below };
                let mut camera = Camera::from_setup(&setup, Fit::default());
                camera.refit(fit);
                let at = |x, y| camera.screen_from_world(edge(x, y), &viewport).unwrap();
                let [top, bottom] = [at(0.0, 1.0), at(0.0, -1.0)].map(|pixel| pixel.y);
                let free = height * (1.0 - (covered + below) as f32);
                let (first, last) = (height * covered as f32, height * (1.0 - below as f32));
                assert!(
                    top > 19.5 + first && bottom < 20.5 + last,
                    "picture from {top} to {bottom}"
                );
                assert!(at(-1.0, 0.0).x > 9.5 && at(1.0, 0.0).x < 10.5 + width);
                let fills = (bottom - top) / free.min(width);
                assert!((fills - 1.0).abs() < 0.01, "picture fills {fills} of the free part");
            }
        }
    }

    #[test]
    fn the_first_view_shows_everything() {
        let (camera, viewport) = (Camera::new(bounds(), 1.4), viewport(1.0));
        for x in [-1.0, 1.0] {
            for y in [0.0, 2.0] {
                let pixel = camera.screen_from_world(DVec3::new(x, y, 0.5), &viewport).unwrap();
                assert!(viewport.contains(pixel));
            }
        }
    }

    #[test]
    fn what_is_not_finite_has_no_pixel_and_no_bounds() {
        let (camera, viewport) = (orbited(), viewport(1.0));
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(camera.screen_from_world(DVec3::splat(bad), &viewport), None);
            let point = camera.world_from_screen(Vec2::ONE, DVec3::splat(bad), &viewport);
            assert!(point.is_finite());
        }
        assert_eq!(Bounds::around(&[DVec3::NAN]), None);
    }
}
