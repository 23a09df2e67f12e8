//! Floor with its grid, which fades into the background.

use super::shadow::ShadowArea;
use crate::app::theme::is_light;
use crate::app::view::projection::camera::Camera;
use crate::app::view::projection::projector::Axes;
use crate::app::view::projection::viewport::Viewport;
use glam::{DVec3, Vec2, Vec4};

/// Uniforms of background and floor. The shader `ground.frag` describes them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GroundUniforms {
    eye: Vec4,
    right: Vec4,
    up: Vec4,
    forward: Vec4,
    origin: Vec4,
    shade_at: Vec4,
}

/// Returns the number of rows of pixels that show the floor, counted from the lower edge.
pub fn floor_rows(camera: &Camera, viewport: &Viewport, floor: Option<f64>) -> i32 {
    let height = viewport.rect.h;
    let (_, up) = camera.half_screen(viewport);
    if floor.is_none_or(|floor| floor >= camera.eye().y) {
        return 0;
    }
    // The horizon is level, because the camera never rolls.
    let horizon = -camera.axes().forward.y / up.y.max(1e-9);
    (0.5 * (1.0 + horizon) * f64::from(height)).clamp(0.0, f64::from(height)) as i32
}

pub fn uniforms(
    camera: &Camera,
    viewport: &Viewport,
    floor: Option<f64>,
    grid: bool,
    shadow: Option<ShadowArea>,
) -> GroundUniforms {
    let (right, up) = camera.half_screen(viewport);
    let Axes { forward, .. } = camera.axes();
    let centre = camera.centre();
    let (spacing, weight) = grid_spacing(camera.height());
    let below = floor.map_or(0.0, |floor| floor - centre.y);
    let with = |v: DVec3, w: f64| v.as_vec3().extend(w as f32);
    let shadow_area = shadow.unwrap_or(ShadowArea { centre: Vec2::ZERO, half: 1.0 });
    // The grid repeats after ten lines, so only the remainder of its origin is needed. This is
    // small enough for f32.
    let origin = |x: f64| -x.rem_euclid(10.0 * spacing);
    GroundUniforms {
        eye: with(camera.eye() - centre, f64::from(is_light())),
        right: with(right, below),
        up: with(up, spacing),
        forward: with(forward, weight),
        origin: Vec4::new(
            origin(centre.x) as f32,
            origin(centre.z) as f32,
            camera.height() as f32,
            f32::from(grid),
        ),
        shade_at: Vec4::new(
            shadow_area.centre.x,
            shadow_area.centre.y,
            shadow_area.half,
            f32::from(shadow.is_some()),
        ),
    }
}

/// Returns the distance in metres between fine lines, a power of ten, and their opacity. Fine lines
/// become more opaque as the view gets smaller, until they become the coarse lines of the next
/// power.
fn grid_spacing(height: f64) -> (f64, f64) {
    let level = (height / 12.0).log10();
    (10f64.powf(level.ceil()), level.ceil() - level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_is_decimal_and_changes_without_a_jump() {
        let (spacing, weight) = grid_spacing(3.0);
        assert!((spacing - 1.0).abs() < 1e-12 && weight > 0.0);
        let (_, gone) = grid_spacing(12.0 * 1.0001);
        let (_, full) = grid_spacing(12.0 * 0.9999);
        assert!(gone > 0.99 && full < 0.01);
    }
}
