//! Which particle is under the mouse.

use super::camera::{Camera, Viewport};
use glam::{DVec3, Vec2};
use rayon::prelude::*;

/// Below this, starting threads costs more than looking.
const SERIAL: usize = 8192;

/// The particle whose picture is nearest to the cursor, if within `radius` physical pixels; of
/// two equally near, the one with the smaller index.
pub fn nearest(
    positions: &[DVec3],
    camera: &Camera,
    viewport: &Viewport,
    cursor: Vec2,
    radius: f32,
) -> Option<usize> {
    let projector = camera.projector(viewport);
    let nearest_of = |first: usize, part: &[DVec3]| {
        let mut best = (radius * radius, usize::MAX);
        for (i, &position) in part.iter().enumerate() {
            let Some(pixel) = projector.pixel(position) else { continue };
            let distance = pixel.distance_squared(cursor);
            if distance < best.0 {
                best = (distance, first + i);
            }
        }
        best
    };
    let (_, index) = if positions.len() <= SERIAL {
        nearest_of(0, positions)
    } else {
        positions
            .par_chunks(SERIAL)
            .enumerate()
            .map(|(chunk, part)| nearest_of(chunk * SERIAL, part))
            .reduce(
                || (f32::INFINITY, usize::MAX),
                |a, b| if (b.0, b.1) < (a.0, a.1) { b } else { a },
            )
    };
    (index != usize::MAX).then_some(index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::view::camera::Bounds;
    use macroquad::math::Rect;

    fn scene(count: usize) -> (Vec<DVec3>, Camera) {
        let side = (count as f64).sqrt().ceil() as usize;
        let positions: Vec<DVec3> = (0..count)
            .map(|i| DVec3::new((i % side) as f64, (i / side) as f64, 0.0) / side as f64)
            .collect();
        let camera = Camera::new(Bounds::around(&positions).unwrap(), 1.5);
        (positions, camera)
    }

    #[test]
    fn every_particle_is_found_at_its_pixel_at_any_scale() {
        for scale in [1.0, 1.5, 2.0] {
            let (positions, camera) = scene(100);
            let viewport =
                Viewport::new(Rect::new(211.0, 33.0, 900.0 * scale, 600.0 * scale), scale);
            for (i, &position) in positions.iter().enumerate() {
                let pixel = camera.screen_from_world(position, &viewport).unwrap();
                let near = pixel + Vec2::new(3.0, -4.0) * scale;
                assert_eq!(nearest(&positions, &camera, &viewport, near, 20.0 * scale), Some(i));
            }
        }
    }

    #[test]
    fn many_and_few_particles_give_the_same_answer() {
        let (mut positions, camera) = scene(20_000);
        positions[7] = DVec3::NAN;
        positions[19_999] = DVec3::splat(f64::INFINITY);
        let viewport = Viewport::new(Rect::new(0.0, 0.0, 900.0, 600.0), 1.0);
        for x in (0..900).step_by(60) {
            let cursor = Vec2::new(x as f32, 311.0);
            let parallel = nearest(&positions, &camera, &viewport, cursor, 40.0);
            let serial = positions
                .chunks(SERIAL)
                .enumerate()
                .filter_map(|(c, part)| {
                    let i = nearest(part, &camera, &viewport, cursor, 40.0)?;
                    let pixel = camera.screen_from_world(part[i], &viewport)?;
                    Some((pixel.distance_squared(cursor), c * SERIAL + i))
                })
                .min_by(|a, b| a.partial_cmp(b).unwrap());
            assert_eq!(parallel, serial.map(|s| s.1));
        }
    }

    #[test]
    fn nothing_within_reach_is_nothing() {
        let (positions, camera) = scene(9);
        let viewport = Viewport::new(Rect::new(0.0, 0.0, 900.0, 600.0), 1.0);
        assert_eq!(nearest(&positions, &camera, &viewport, Vec2::ZERO, 5.0), None);
        assert_eq!(nearest(&[DVec3::NAN], &camera, &viewport, Vec2::ZERO, 5.0), None);
    }
}
