//! Drawing of colliders as grey solids.

use super::tube::{DARK_GREY, GREY, TubePoint, TubeStyle, Tubes};
use crate::contact::Collider;
use crate::contact::shape::{Capsule, Cuboid, Cylinder, Plane, Shape, Sphere};
use glam::DVec3;
use std::f64::consts::TAU;

/// Half the edge of the square that represents a plane, in metres.
const PLANE_HALF_EDGE: f64 = 1.5;
/// Half the thickness of the square that represents a plane, in metres.
const PLANE_HALF_THICKNESS: f64 = 0.01;
const SIDES: u32 = 64;
/// Number of sectors of a turning cylinder. Every other sector is dark.
const SECTORS: u32 = 16;
/// Largest width of a belt's stripes in metres, and smallest number of stripes.
const STRIPE: f64 = 0.06;
const STRIPES: f64 = 8.0;
/// Distance in metres of stripes in front of their face, so that they are visible.
const LIFT: f64 = 1e-4;

/// Collider at its current position.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle {
    pub shape: Shape,
    /// Position of the collider's origin in metres.
    pub centre: DVec3,
    /// Rotation vector of the surface since the start, in rad. `Some` only if the surface turns
    /// while the collider itself does not move.
    pub rotation: Option<DVec3>,
    /// Displacement of the surface since the start, in metres. `Some` only if the surface runs like
    /// a belt while the collider itself does not move.
    pub shift: Option<DVec3>,
}

impl Obstacle {
    /// Creates the drawing of a collider whose origin is at `centre` at time `t` in seconds.
    pub fn new(collider: &Collider, centre: DVec3, t: f64) -> Obstacle {
        let moved = |velocity: DVec3| (velocity != DVec3::ZERO).then_some(velocity * t);
        let (rotation, shift) = (moved(collider.turn), moved(collider.belt));
        Obstacle { shape: collider.shape.clone(), centre, rotation, shift }
    }

    /// Returns the radius in metres of a sphere around the origin that contains the drawn collider.
    pub fn reach(&self) -> f64 {
        match self.shape {
            Shape::Plane(_) => PLANE_HALF_EDGE * std::f64::consts::SQRT_2 + PLANE_HALF_THICKNESS,
            Shape::Sphere(Sphere { radius }) => radius,
            Shape::Capsule(Capsule { half, radius, .. }) => half + radius,
            Shape::Cuboid(ref cuboid) => cuboid.half.length(),
            Shape::Cylinder(Cylinder { half, radius, .. }) => half.hypot(radius),
            Shape::Polyhedron(ref body) => body.reach(),
        }
    }
}

impl Tubes {
    /// Draws all colliders of a lane. A plane at the height of the floor is left out, because the
    /// floor already shows it.
    pub fn obstacles(&mut self, obstacles: &[Obstacle], floor: Option<f64>) {
        for obstacle in obstacles {
            let Obstacle { ref shape, centre, rotation, shift } = *obstacle;
            match *shape {
                Shape::Plane(Plane { normal }) => {
                    let is_floor = normal == DVec3::Y && floor == Some(centre.y);
                    // Ceilings, and walls between the eye and the scene, would hide everything
                    // else.
                    let hides = normal.y < -0.5 || normal.z < -0.5;
                    if !is_floor && !hides {
                        self.slab(centre, normal);
                    }
                }
                Shape::Sphere(Sphere { radius }) => {
                    if let Some(centre) = self.lens.relative(centre) {
                        self.ball(centre, radius as f32, GREY);
                    }
                }
                Shape::Capsule(Capsule { axis, half, radius }) => {
                    let ends = [-half, half].map(|along| self.lens.relative(centre + axis * along));
                    if let [Some(a), Some(b)] = ends {
                        let point = |position| TubePoint { position, along: 0.0, strain: 0.0 };
                        self.tube(&TubeStyle::solid(radius as f32), &[point(a), point(b)]);
                    }
                }
                Shape::Cuboid(ref cuboid) => self.cuboid(centre, cuboid, shift),
                Shape::Cylinder(ref cylinder) => self.cylinder(centre, cylinder, rotation),
                Shape::Polyhedron(ref body) => {
                    for (corners, normal) in body.triangles() {
                        self.polygon(&corners.map(|corner| (centre + corner, normal)));
                    }
                }
            }
        }
    }

    /// Draws a thin square that represents a plane and is visible from the side.
    fn slab(&mut self, centre: DVec3, normal: DVec3) {
        let u = normal.any_orthonormal_vector();
        let v = normal.cross(u);
        let middle = centre - normal * PLANE_HALF_THICKNESS;
        let sides = [
            (normal, PLANE_HALF_THICKNESS, u, PLANE_HALF_EDGE, v, PLANE_HALF_EDGE),
            (u, PLANE_HALF_EDGE, v, PLANE_HALF_EDGE, normal, PLANE_HALF_THICKNESS),
            (v, PLANE_HALF_EDGE, normal, PLANE_HALF_THICKNESS, u, PLANE_HALF_EDGE),
        ];
        for (out, far, a, half_a, b, half_b) in sides {
            for side in [1.0, -1.0] {
                let face = middle + out * (far * side);
                self.quad(face, a * (half_a * side), b * half_b, out * side);
            }
        }
    }

    /// Draws a cuboid. A belt has stripes that move with its surface.
    fn cuboid(&mut self, centre: DVec3, cuboid: &Cuboid, shift: Option<DVec3>) {
        let edges = cuboid.edges();
        for k in 0..3 {
            let [out, a, b] = [0, 1, 2].map(|i| edges[(k + i) % 3]);
            for side in [1.0, -1.0] {
                let (middle, normal) = (centre + out * side, out.normalize() * side);
                self.quad(middle, a * side, b, normal);
                for (along, across) in [(a, b), (b, a)] {
                    let shift = shift.map(|shift| shift.dot(along.normalize()));
                    if let Some(shift) = shift.filter(|shift| *shift != 0.0) {
                        self.stripes(middle + normal * LIFT, along, shift, across, normal);
                    }
                }
            }
        }
    }

    /// Draws dark stripes on a rectangle with half edges `along` and `across`. The stripes have
    /// moved by `shift` metres along the first edge.
    fn stripes(&mut self, middle: DVec3, along: DVec3, shift: f64, across: DVec3, normal: DVec3) {
        let half = along.length();
        let stripe = (2.0 * half / STRIPES).min(STRIPE);
        let first = shift.rem_euclid(2.0 * stripe) - 2.0 * stripe - half;
        for k in 0..=(half / stripe) as u32 + 1 {
            let from = (first + f64::from(2 * k) * stripe).max(-half);
            let to = (first + f64::from(2 * k + 1) * stripe).min(half);
            if from < to {
                let place = |s: f64| middle + along * (s / half);
                let corners = [(from, -1.0), (to, -1.0), (to, 1.0), (from, 1.0)];
                let corners = corners.map(|(s, side)| (place(s) + across * side, normal));
                self.polygon_in(&corners, DARK_GREY);
            }
        }
    }

    /// Draws a cylinder. A turning cylinder has sectors that turn with its surface.
    fn cylinder(&mut self, centre: DVec3, cylinder: &Cylinder, rotation: Option<DVec3>) {
        let Cylinder { axis, half, radius } = *cylinder;
        let (sin, cos) = rotation.map_or(0.0, |rotation| rotation.dot(axis)).sin_cos();
        let still = axis.any_orthonormal_vector();
        let u = still * cos + axis.cross(still) * sin;
        let v = axis.cross(u);
        let rim = |side: u32| {
            let (sin, cos) = (TAU * f64::from(side) / f64::from(SIDES)).sin_cos();
            u * cos + v * sin
        };
        let (top, bottom) = (centre + axis * half, centre - axis * half);
        for side in 0..SIDES {
            let [a, b] = [rim(side), rim(side + 1)];
            let is_dark = rotation.is_some() && side / (SIDES / SECTORS) % 2 == 1;
            let surface = if is_dark { DARK_GREY } else { GREY };
            let corner = |end: DVec3, out: DVec3| (end + out * radius, out);
            let wall = [corner(bottom, a), corner(bottom, b), corner(top, b), corner(top, a)];
            self.polygon_in(&wall, surface);
            for (end, out) in [(top, axis), (bottom, -axis)] {
                let slice = [(end, out), (end + a * radius, out), (end + b * radius, out)];
                self.polygon_in(&slice, surface);
            }
        }
    }

    /// Draws a parallelogram with the half edges `a` and `b`.
    fn quad(&mut self, middle: DVec3, a: DVec3, b: DVec3, normal: DVec3) {
        let corners = [-a - b, a - b, a + b, b - a];
        self.polygon(&corners.map(|corner| (middle + corner, normal)));
    }

    /// Draws a convex polygon of positions with normals.
    fn polygon(&mut self, corners: &[(DVec3, DVec3)]) {
        self.polygon_in(corners, GREY);
    }

    fn polygon_in(&mut self, corners: &[(DVec3, DVec3)], surface: f32) {
        let drawn = |(place, normal): &(DVec3, DVec3)| {
            Some((self.lens.relative(*place)?, normal.as_vec3()))
        };
        let drawn: Option<Vec<_>> = corners.iter().map(drawn).collect();
        let Some(drawn) = drawn else { return };
        self.fan(drawn.into_iter(), surface);
    }
}

/// Returns the centres and radii of the spheres and capsules among the colliders, for shadows.
pub fn spheres(obstacles: &[Obstacle]) -> impl Iterator<Item = (DVec3, f64)> {
    obstacles.iter().filter_map(|obstacle| match obstacle.shape {
        Shape::Sphere(Sphere { radius }) => Some((obstacle.centre, radius)),
        Shape::Capsule(Capsule { radius, .. }) => Some((obstacle.centre, radius)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::view::projection::lens::Lens;
    use glam::dvec3;

    #[test]
    fn every_shape_is_drawn_on_its_surface_with_its_normals() {
        let lens = Lens::of_test();
        let axis = dvec3(0.0, 0.6, 0.8);
        for shape in [
            Shape::Plane(Plane { normal: dvec3(0.6, 0.8, 0.0) }),
            Shape::Sphere(Sphere { radius: 0.5 }),
            Shape::Capsule(Capsule { axis, half: 0.4, radius: 0.2 }),
            Shape::Cuboid(Cuboid::new(dvec3(0.1, 0.2, 0.3), dvec3(10.0, 20.0, 30.0))),
            Shape::Cylinder(Cylinder { axis, half: 0.4, radius: 0.2 }),
        ] {
            let mut tubes = Tubes::default();
            tubes.begin(&lens, 0.05);
            let moving = Some(axis * 0.3);
            let obstacle = Obstacle {
                shape: shape.clone(),
                centre: DVec3::ZERO,
                rotation: moving,
                shift: moving,
            };
            tubes.obstacles(&[obstacle], Some(0.0));
            assert!(!tubes.indices.is_empty(), "{shape:?}");
            let origin = lens.relative(DVec3::ZERO).expect("in front");
            for vertex in &tubes.vertices {
                let place = (vertex.position - origin).as_dvec3();
                let (distance, _) = shape.distance(place);
                let slab =
                    if matches!(shape, Shape::Plane(_)) { 2.0 * PLANE_HALF_THICKNESS } else { 0.0 };
                assert!(
                    distance < 1e-4 + LIFT && distance > -slab - 1e-4,
                    "{shape:?}: vertex {distance} m from the surface"
                );
                assert!((vertex.normal.length() - 1.0).abs() < 1e-4);
            }
        }
    }

    #[test]
    fn a_drum_that_turns_shows_it_and_one_that_stands_has_no_sectors() {
        let drawn = |rotation: Option<DVec3>| {
            let shape = Shape::Cylinder(Cylinder { axis: DVec3::Z, half: 0.4, radius: 0.2 });
            let obstacle = Obstacle { shape, centre: DVec3::ZERO, rotation, shift: None };
            let mut tubes = Tubes::default();
            tubes.begin(&Lens::of_test(), 0.05);
            tubes.obstacles(&[obstacle], None);
            tubes.vertices
        };
        let dark = |rotation| drawn(rotation).iter().filter(|v| v.has_surface(DARK_GREY)).count();
        let all = drawn(None).len();
        assert_eq!((dark(None), dark(Some(DVec3::Z))), (0, all / 2));
        assert_ne!(drawn(Some(DVec3::Z)), drawn(Some(DVec3::Z * 1.1)));
    }
}
