//! Search for the collider under the mouse.

use crate::app::view::projection::camera::{Camera, ViewKind};
use crate::app::view::projection::viewport::Viewport;
use crate::app::view::shapes::obstacle::Obstacle;
use crate::contact::swept::sphere_to_shape;
use glam::{DVec3, Vec2};

/// Returns the foremost bounded collider under a pixel: its index, and the point of its surface
/// under the pixel. Planes are unbounded, so they are never returned.
pub fn obstacle_at(
    cursor: Vec2,
    obstacles: &[Obstacle],
    camera: &Camera,
    viewport: &Viewport,
) -> Option<(usize, DVec3)> {
    let forward = camera.axes().forward;
    let bounded = |(_, obstacle): &(usize, &Obstacle)| obstacle.shape.inradius().is_some();
    let hits = obstacles.iter().enumerate().filter(bounded).filter_map(|(number, obstacle)| {
        Some((number, surface_at(cursor, obstacle, camera, viewport)?))
    });
    hits.min_by(|(_, a), (_, b)| a.dot(forward).total_cmp(&b.dot(forward)))
}

/// Returns the point of a collider's surface under a pixel; `None` if the pixel is outside the
/// projected collider.
fn surface_at(
    cursor: Vec2,
    obstacle: &Obstacle,
    camera: &Camera,
    viewport: &Viewport,
) -> Option<DVec3> {
    let Obstacle { ref shape, centre, .. } = *obstacle;
    let forward = camera.axes().forward;
    let point = |through: DVec3| camera.world_from_screen(cursor, through, viewport);
    let beside = point(centre);
    let along = (point(centre + forward) - beside).try_normalize()?;
    // The ray extends beyond the collider on both sides, but does not begin behind the eye.
    let reach = 2.0 * (beside.distance(centre) + obstacle.reach());
    let back = match camera.kind() {
        ViewKind::Side => reach,
        ViewKind::Orbit => reach.min(beside.distance(camera.eye())),
    };
    let start = beside - along * back;
    let path = along * (back + reach);
    let (t, _) = sphere_to_shape(shape, start - centre, path, 0.0)?;
    Some(start + path * t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::view::picking::pick::tests::{cameras, viewport};
    use crate::contact::shape::{Capsule, Cuboid, Cylinder, Plane, Shape, Sphere};
    use glam::dvec3;

    fn at_rest(shape: Shape, centre: DVec3) -> Obstacle {
        Obstacle { shape, centre, rotation: None, shift: None }
    }

    #[test]
    fn the_point_under_the_mouse_lies_on_the_surface_that_it_sees() {
        let axis = dvec3(0.0, 0.6, 0.8);
        let centre = dvec3(0.3, -0.2, 0.4);
        for shape in [
            Shape::Sphere(Sphere { radius: 0.5 }),
            Shape::Capsule(Capsule { axis, half: 0.4, radius: 0.2 }),
            Shape::Cuboid(Cuboid::new(dvec3(0.3, 0.2, 0.3), dvec3(10.0, 20.0, 30.0))),
            Shape::Cylinder(Cylinder { axis, half: 0.4, radius: 0.3 }),
        ] {
            for camera in cameras(120.0, 2.0) {
                let obstacles = [at_rest(shape.clone(), centre)];
                let at = |pixel| obstacle_at(pixel, &obstacles, &camera, &viewport(1.0));
                let middle =
                    camera.screen_from_world(centre, &viewport(1.0)).expect("in the picture");
                let (_, point) = at(middle).unwrap_or_else(|| panic!("{shape:?} is hit"));
                let (distance, normal) = shape.distance(point - centre);
                assert!(distance.abs() < 1e-9, "{shape:?}: {distance} m from the surface");
                assert!(normal.dot(camera.axes().forward) < 0.0, "{shape:?}: seen from behind");
                let back = camera.screen_from_world(point, &viewport(1.0)).expect("in the picture");
                assert!(
                    back.distance(middle) < 0.1,
                    "{shape:?}: pixel {middle} comes back as {back}"
                );
                assert_eq!(at(middle + Vec2::new(250.0, 0.0)), None, "{shape:?}");
            }
        }
    }

    #[test]
    fn what_is_in_front_is_taken_and_a_plane_never() {
        let ball = |z: f64| at_rest(Shape::Sphere(Sphere { radius: 0.3 }), dvec3(0.0, 0.0, z));
        let wall = at_rest(Shape::Plane(Plane { normal: DVec3::Z }), DVec3::Z);
        let [side, _] = cameras(120.0, 2.0);
        let middle = side.screen_from_world(DVec3::ZERO, &viewport(1.0)).expect("in the picture");
        let found = |obstacles: &[Obstacle]| {
            obstacle_at(middle, obstacles, &side, &viewport(1.0)).map(|(number, _)| number)
        };
        assert_eq!(found(&[wall.clone(), ball(-1.0), ball(0.5), ball(0.0)]), Some(2));
        assert_eq!(found(&[wall]), None);
    }
}
