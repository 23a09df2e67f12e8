//! Search for the particle under the mouse.

use crate::app::view::projection::bounds::Bounds;
use crate::app::view::projection::boxes::{Boxes, RUN};
use crate::app::view::projection::projector::Projector;
use glam::{DVec3, Vec2};

/// Margin in pixels around the projection of a box, for rounding errors.
const MARGIN: f32 = 0.5;

/// Returns the particle nearest to the cursor on the screen, if it is within `radius` physical
/// pixels. Of equally near particles, returns the one with the smallest index. `boxes` must be
/// fitted to the positions. Boxes are searched in order of distance until none can contain a nearer
/// particle.
pub fn nearest_particle(
    positions: &[DVec3],
    boxes: &Boxes,
    projector: &Projector,
    cursor: Vec2,
    radius: f32,
) -> Option<usize> {
    // A box that extends behind the eye may contain a particle at any pixel.
    let least = |bounds| distance_squared(projector, bounds, cursor).unwrap_or(0.0);
    let runs = boxes.runs().enumerate();
    let mut near: Vec<(f32, usize)> = runs
        .filter_map(|(run, bounds)| Some((least(bounds?), run)))
        .filter(|(least, _)| *least < radius * radius)
        .collect();
    near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let mut best = (radius * radius, None);
    for (least, run) in near {
        if least > best.0 {
            break;
        }
        let first = run * RUN;
        for (i, &position) in positions.iter().enumerate().skip(first).take(RUN) {
            let Some(pixel) = projector.pixel(position) else { continue };
            let distance = pixel.distance_squared(cursor);
            let before = distance == best.0 && best.1.is_some_and(|found| i < found);
            if distance < best.0 || before {
                best = (distance, Some(i));
            }
        }
    }
    best.1
}

/// Returns the smallest squared distance in pixels between the cursor and the projection of a box;
/// `None` for a box that extends behind the eye, because its projection is unbounded.
fn distance_squared(projector: &Projector, bounds: Bounds, cursor: Vec2) -> Option<f32> {
    let mut low = Vec2::INFINITY;
    let mut high = Vec2::NEG_INFINITY;
    for corner in bounds.corners() {
        let pixel = projector.pixel(corner).filter(|pixel| pixel.is_finite())?;
        low = low.min(pixel);
        high = high.max(pixel);
    }
    let margin = Vec2::splat(MARGIN);
    let outside = (low - margin - cursor).max(cursor - high - margin).max(Vec2::ZERO);
    Some(outside.length_squared())
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::app::view::projection::camera::Camera;
    use crate::app::view::projection::viewport::Viewport;
    use macroquad::math::Rect;
    use proptest::prelude::*;

    fn nearest_of_all(
        positions: &[DVec3],
        projector: &Projector,
        cursor: Vec2,
        radius: f32,
    ) -> Option<usize> {
        let distances = positions.iter().enumerate().filter_map(|(i, &position)| {
            let pixel = projector.pixel(position)?;
            Some((pixel.distance_squared(cursor), i))
        });
        let within = distances.filter(|(distance, _)| *distance < radius * radius);
        within.min_by(|a, b| a.partial_cmp(b).unwrap()).map(|(_, i)| i)
    }

    fn found(
        positions: &[DVec3],
        projector: &Projector,
        cursor: Vec2,
        radius: f32,
    ) -> Option<usize> {
        let mut boxes = Boxes::default();
        boxes.fit(positions);
        nearest_particle(positions, &boxes, projector, cursor, radius)
    }

    pub fn viewport(scale: f32) -> Viewport {
        Viewport::new(Rect::new(211.0, 33.0, 900.0 * scale, 600.0 * scale), scale)
    }

    /// Returns a side view, and an orbit camera with some particles behind its eye.
    pub fn cameras(yaw: f32, height: f64) -> [Camera; 2] {
        let bounds = Bounds { min: DVec3::splat(-height), max: DVec3::splat(height) };
        let side = Camera::new(bounds, 1.5);
        let mut orbit = side.clone();
        orbit.orbit(Vec2::new(yaw, 40.0), &viewport(1.0));
        [side, orbit]
    }

    /// Generates coordinates that are mostly near the centre, but sometimes far away or not finite.
    fn coordinate() -> impl Strategy<Value = f64> {
        prop_oneof![
            60 => -3.0..3.0,
            20 => prop::sample::select(vec![-0.5, 0.0, 0.25]),
            6 => -1e3..1e3,
            1 => prop::sample::select(vec![f64::NAN, f64::INFINITY, -1e300, 1e12]),
        ]
    }

    fn cloud() -> impl Strategy<Value = Vec<DVec3>> {
        let point = (coordinate(), coordinate(), coordinate()).prop_map(DVec3::from);
        prop::collection::vec(point, 0..1500)
    }

    proptest! {
        #[test]
        fn boxes_find_what_a_look_at_every_particle_finds(
            cloud in cloud(),
            sorted in any::<bool>(),
            yaw in -2000f32..2000.0,
            height in 0.01..4.0,
            cursor in (0f32..1200.0, 0f32..700.0),
            radius in prop_oneof![1f32..40.0, 40f32..2000.0],
        ) {
            let mut cloud = cloud;
            if sorted {
                // Sorted points form runs whose boxes are separate, like those of a cloth.
                cloud.sort_by(|a, b| a.x.total_cmp(&b.x));
            }
            let (cursor, viewport) = (Vec2::from(cursor), viewport(1.0));
            for projector in cameras(yaw, height).map(|camera| camera.projector(&viewport)) {
                prop_assert_eq!(
                    found(&cloud, &projector, cursor, radius),
                    nearest_of_all(&cloud, &projector, cursor, radius)
                );
            }
        }
    }

    #[test]
    fn every_particle_is_found_at_its_pixel_at_any_scale() {
        let position = |i: u32| DVec3::new(f64::from(i % 10), f64::from(i / 10), 0.0);
        let positions: Vec<DVec3> = (0..100).map(position).collect();
        let camera = Camera::new(Bounds::around(&positions).unwrap(), 1.5);
        for scale in [1.0, 1.5, 2.0] {
            let projector = camera.projector(&viewport(scale));
            for (i, &position) in positions.iter().enumerate() {
                let near = projector.pixel(position).unwrap() + Vec2::new(3.0, -4.0) * scale;
                assert_eq!(found(&positions, &projector, near, 20.0 * scale), Some(i));
            }
        }
    }
}
