//! Colliders as grey solids.

use super::lens::Lens;
use super::tube::{Dress, GREY, Knot, Tubes};
use crate::contact::shape::{Capsule, Cuboid, Cylinder, Plane, Shape, Sphere};
use glam::DVec3;
use std::f64::consts::TAU;

/// Half the side in metres of the piece of a plane that is drawn.
const PLANE: f64 = 1.5;
/// Half the thickness in metres of that piece.
const SLAB: f64 = 0.01;
/// Sides of a cylinder.
const SIDES: u32 = 64;

/// A collider where it is now.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle {
    /// Its form.
    pub shape: Shape,
    /// Where its origin is, in metres.
    pub centre: DVec3,
}

impl Obstacle {
    /// Radius in metres of a ball round its origin that holds what is drawn of it.
    pub fn reach(&self) -> f64 {
        match self.shape {
            Shape::Plane(_) => PLANE * std::f64::consts::SQRT_2 + SLAB,
            Shape::Sphere(Sphere { radius }) => radius,
            Shape::Capsule(Capsule { half, radius, .. }) => half + radius,
            Shape::Cuboid(ref cuboid) => cuboid.half.length(),
            Shape::Cylinder(Cylinder { half, radius, .. }) => half.hypot(radius),
            Shape::Polyhedron(ref body) => body.reach(),
        }
    }
}

impl Tubes {
    /// All colliders of a lane. A plane at the height of the floor is the floor.
    pub(super) fn obstacles(&mut self, lens: &Lens, obstacles: &[Obstacle], floor: Option<f64>) {
        for obstacle in obstacles {
            let Obstacle { ref shape, centre } = *obstacle;
            match *shape {
                Shape::Plane(Plane { normal }) => {
                    let is_floor = normal == DVec3::Y && floor == Some(centre.y);
                    // Ceilings and walls before the eye would hide all else.
                    let hides = normal.y < -0.5 || normal.z < -0.5;
                    if !is_floor && !hides {
                        self.slab(lens, centre, normal);
                    }
                }
                Shape::Sphere(Sphere { radius }) => {
                    if let Some(centre) = lens.relative(centre) {
                        self.ball(lens, centre, radius as f32, GREY);
                    }
                }
                Shape::Capsule(Capsule { axis, half, radius }) => {
                    let ends = [-half, half].map(|along| lens.relative(centre + axis * along));
                    if let [Some(a), Some(b)] = ends {
                        let knot = |position| Knot { position, along: 0.0, strain: 0.0 };
                        self.tube(lens, &Dress::solid(radius as f32), &[knot(a), knot(b)]);
                    }
                }
                Shape::Cuboid(ref cuboid) => self.cuboid(lens, centre, cuboid),
                Shape::Cylinder(ref cylinder) => self.cylinder(lens, centre, cylinder),
                Shape::Polyhedron(ref body) => {
                    for (corners, normal) in body.triangles() {
                        self.polygon(lens, &corners.map(|corner| (centre + corner, normal)));
                    }
                }
            }
        }
    }

    /// A piece of a plane, a little thick so that it is seen from the side.
    fn slab(&mut self, lens: &Lens, centre: DVec3, normal: DVec3) {
        let u = normal.any_orthonormal_vector();
        let v = normal.cross(u);
        let middle = centre - normal * SLAB;
        let sides = [(normal, SLAB, u, PLANE, v, PLANE), (u, PLANE, v, PLANE, normal, SLAB)];
        let sides = sides.into_iter().chain([(v, PLANE, normal, SLAB, u, PLANE)]);
        for (out, far, a, half_a, b, half_b) in sides {
            for side in [1.0, -1.0] {
                let face = middle + out * (far * side);
                self.quad(lens, face, a * (half_a * side), b * half_b, out * side);
            }
        }
    }

    fn cuboid(&mut self, lens: &Lens, centre: DVec3, cuboid: &Cuboid) {
        let edges = cuboid.edges();
        for k in 0..3 {
            let [out, a, b] = [0, 1, 2].map(|i| edges[(k + i) % 3]);
            for side in [1.0, -1.0] {
                self.quad(lens, centre + out * side, a * side, b, out.normalize() * side);
            }
        }
    }

    fn cylinder(&mut self, lens: &Lens, centre: DVec3, cylinder: &Cylinder) {
        let Cylinder { axis, half, radius } = *cylinder;
        let u = axis.any_orthonormal_vector();
        let v = axis.cross(u);
        let rim = |side: u32| {
            let (sin, cos) = (TAU * f64::from(side) / f64::from(SIDES)).sin_cos();
            u * cos + v * sin
        };
        let (top, bottom) = (centre + axis * half, centre - axis * half);
        for side in 0..SIDES {
            let [a, b] = [rim(side), rim(side + 1)];
            let corner = |end: DVec3, out: DVec3| (end + out * radius, out);
            self.polygon(
                lens,
                &[corner(bottom, a), corner(bottom, b), corner(top, b), corner(top, a)],
            );
            for (end, out) in [(top, axis), (bottom, -axis)] {
                self.polygon(lens, &[(end, out), (end + a * radius, out), (end + b * radius, out)]);
            }
        }
    }

    /// A parallelogram round a middle, by half its edges.
    fn quad(&mut self, lens: &Lens, middle: DVec3, a: DVec3, b: DVec3, normal: DVec3) {
        let corners = [-a - b, a - b, a + b, b - a];
        self.polygon(lens, &corners.map(|corner| (middle + corner, normal)));
    }

    /// A convex polygon of places and normals, as a fan.
    fn polygon(&mut self, lens: &Lens, corners: &[(DVec3, DVec3)]) {
        let drawn: Option<Vec<_>> =
            corners.iter().map(|(place, normal)| Some((lens.relative(*place)?, *normal))).collect();
        let Some(drawn) = drawn else { return };
        self.fan(drawn.into_iter().map(|(place, normal)| (place, normal.as_vec3())), GREY);
    }
}

/// For shadows: the balls among colliders.
pub(super) fn spheres(obstacles: &[Obstacle]) -> impl Iterator<Item = (DVec3, f64)> {
    obstacles.iter().filter_map(|obstacle| match obstacle.shape {
        Shape::Sphere(Sphere { radius }) => Some((obstacle.centre, radius)),
        Shape::Capsule(Capsule { radius, .. }) => Some((obstacle.centre, radius)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::view::bounds::Bounds;
    use crate::app::view::{Camera, Viewport};
    use glam::dvec3;
    use macroquad::math::Rect;

    #[test]
    fn every_shape_is_drawn_on_its_surface_with_its_normals() {
        let bounds = Bounds { min: DVec3::splat(-1.0), max: DVec3::splat(1.0) };
        let viewport = Viewport::new(Rect::new(0.0, 0.0, 900.0, 700.0), 1.0);
        let lens = Lens::new(&Camera::new(bounds, 1.3), &viewport);
        let axis = dvec3(0.0, 0.6, 0.8);
        for shape in [
            Shape::Plane(Plane { normal: dvec3(0.6, 0.8, 0.0) }),
            Shape::Sphere(Sphere { radius: 0.5 }),
            Shape::Capsule(Capsule { axis, half: 0.4, radius: 0.2 }),
            Shape::Cuboid(Cuboid::new(dvec3(0.1, 0.2, 0.3), dvec3(10.0, 20.0, 30.0))),
            Shape::Cylinder(Cylinder { axis, half: 0.4, radius: 0.2 }),
        ] {
            let mut tubes = Tubes::default();
            let obstacle = Obstacle { shape: shape.clone(), centre: DVec3::ZERO };
            tubes.obstacles(&lens, &[obstacle], Some(0.0));
            assert!(!tubes.indices.is_empty(), "{shape:?}");
            let origin = lens.relative(DVec3::ZERO).expect("in front");
            for vertex in &tubes.vertices {
                let place = (vertex.position - origin).as_dvec3();
                let (distance, _) = shape.distance(place);
                let slab = if matches!(shape, Shape::Plane(_)) { 2.0 * SLAB } else { 0.0 };
                assert!(distance < 1e-4 && distance > -slab - 1e-4, "{shape:?} {distance}");
                assert!((vertex.normal.length() - 1.0).abs() < 1e-4);
            }
        }
    }
}
