//! Conversion of positions in metres to f32 relative to the centre of the view, and of lengths to
//! points of the user interface.

use crate::app::view::projection::camera::{Camera, ViewKind};
use crate::app::view::projection::viewport::Viewport;
use glam::{DVec3, Vec3};
#[cfg(test)]
use macroquad::math::Rect;

#[derive(Clone, Copy, Debug, Default)]
pub struct Lens {
    pub centre: DVec3,
    pub eye: Vec3,
    forward: Vec3,
    /// Metres per user-interface point at a depth of 1 m; 0 in the side view, where depth has no
    /// effect.
    slope: f32,
    /// Largest coordinate relative to the centre, in metres, at which f32 is precise enough.
    limit: f32,
    /// Metres per user-interface point at the centre.
    pub metres_per_point: f32,
}

impl Lens {
    pub fn new(camera: &Camera, viewport: &Viewport) -> Lens {
        let at_centre = camera.metres_per_pixel(viewport) as f32 * viewport.scale;
        let eye = (camera.eye() - camera.centre()).as_vec3();
        Lens {
            centre: camera.centre(),
            eye,
            forward: camera.axes().forward.as_vec3(),
            slope: if camera.kind() == ViewKind::Side { 0.0 } else { at_centre / eye.length() },
            limit: 1e5 * camera.height() as f32,
            metres_per_point: at_centre,
        }
    }

    #[cfg(test)]
    pub fn of_test() -> Lens {
        let bounds = super::bounds::Bounds { min: DVec3::splat(-1.0), max: DVec3::splat(1.0) };
        let viewport = Viewport::new(Rect::new(0.0, 0.0, 900.0, 700.0), 1.0);
        Lens::new(&Camera::new(bounds, 1.3), &viewport)
    }

    /// Returns a position relative to the centre; `None` if it cannot be drawn.
    pub fn relative(&self, position: DVec3) -> Option<Vec3> {
        let p = (position - self.centre).as_vec3();
        // NaN also fails the comparisons. `&` instead of `&&` makes one branch instead of three.
        ((p.x.abs() < self.limit) & (p.y.abs() < self.limit) & (p.z.abs() < self.limit))
            .then_some(p)
    }

    /// Returns the metres per user-interface point at a position relative to the centre.
    pub fn metres_per_point_at(&self, p: Vec3) -> f32 {
        if self.slope == 0.0 {
            return self.metres_per_point;
        }
        self.slope * (p - self.eye).dot(self.forward).max(0.0)
    }
}
