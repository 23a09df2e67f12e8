//! Projection of many points from metres to pixels.

use super::viewport::Viewport;
use egui_macroquad::egui::{Pos2, pos2};
use glam::{DVec2, DVec3, Vec2};

/// Half the height of the view divided by the distance of the eye. The field of view of 25° is
/// nearly parallel.
pub const HALF_VIEW: f64 = 0.22;

#[derive(Clone, Copy, Debug, Default)]
pub struct Axes {
    /// Unit vectors: right, upwards on the screen, and into the screen.
    pub right: DVec3,
    pub up: DVec3,
    pub forward: DVec3,
}

/// Camera and viewport, prepared for projecting many points onto pixels.
#[derive(Clone, Copy, Debug, Default)]
pub struct Projector {
    pub eye: DVec3,
    pub axes: Axes,
    /// Half the height of the side view in metres; `None` in the orbit view.
    pub half_height: Option<f64>,
    pub viewport: Viewport,
}

impl Projector {
    /// Returns the pixel of a point in metres, as
    /// [`Camera::screen_from_world`](crate::app::view::Camera::screen_from_world) does.
    pub fn pixel(&self, point: DVec3) -> Option<Vec2> {
        let offset = point - self.eye;
        let depth = offset.dot(self.axes.forward);
        let in_front = self.half_height.is_some() || depth > 1e-9;
        if !in_front || !point.is_finite() {
            return None;
        }
        let scale = 1.0 / self.half_height.unwrap_or(HALF_VIEW * depth);
        let unit = DVec2::new(offset.dot(self.axes.right), offset.dot(self.axes.up)) * scale;
        Some(self.viewport.pixel_from_unit(unit))
    }

    /// Returns the position of a point, given in metres, in user-interface points.
    pub fn point(&self, point: DVec3) -> Option<Pos2> {
        let pixel = self.pixel(point)? / self.viewport.scale;
        Some(pos2(pixel.x, pixel.y))
    }

    /// Returns the metres per user-interface point at the depth of a point.
    pub fn metres_per_point(&self, point: DVec3) -> f64 {
        self.metres_per_pixel(point) * f64::from(self.viewport.scale)
    }

    /// Returns the metres per pixel at the depth of a point.
    pub fn metres_per_pixel(&self, point: DVec3) -> f64 {
        let depth = (point - self.eye).dot(self.axes.forward);
        let half_height = self.half_height.unwrap_or(HALF_VIEW * depth.max(0.0));
        half_height / f64::from(0.5 * self.viewport.rect.h)
    }
}
