//! Shapes of colliders, described by their signed distance: positive outside, negative inside.
//!
//! All shapes are convex and their distances φ are exact, so |∇φ| = 1: a body at distance φ can
//! move by φ without contact. Only + − × ÷ √ are used, so the bits are the same on every machine.

mod capsule;
mod cuboid;
mod cylinder;
mod direction;
mod plane;
mod polyhedron;
mod sphere;

pub use capsule::Capsule;
pub use cuboid::Cuboid;
pub use cylinder::Cylinder;
pub use plane::Plane;
pub use polyhedron::Polyhedron;
pub use sphere::Sphere;

use glam::DVec3;
use serde::Serialize;
use std::sync::Arc;

/// A convex body around its own origin.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Half-space below a plane.
    Plane(Plane),
    /// A ball.
    Sphere(Sphere),
    /// All points within a radius of a segment.
    Capsule(Capsule),
    /// A box, in any orientation.
    Cuboid(Cuboid),
    /// A cylinder with flat ends.
    Cylinder(Cylinder),
    /// A convex body with flat faces.
    Polyhedron(Arc<Polyhedron>),
}

/// Name and description of a shape, for lists.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ShapeInfo {
    /// Name in a scene file.
    pub name: &'static str,
    /// Description in a few words.
    pub title: &'static str,
}

/// Every shape, in the order of [`Shape`].
pub const SHAPES: [ShapeInfo; 6] = [
    ShapeInfo {
        name: "Plane",
        title: "everything on one side of a plane: a floor, a slope, a wall",
    },
    ShapeInfo { name: "Sphere", title: "a ball" },
    ShapeInfo { name: "Capsule", title: "a rod with round ends" },
    ShapeInfo { name: "Box", title: "a box at any angle: a table, a step" },
    ShapeInfo { name: "Cylinder", title: "a cylinder with flat ends: a drum, a pole" },
    ShapeInfo { name: "Mesh", title: "a convex body of triangles, from an OBJ file: a stone" },
];

impl Shape {
    /// Returns the signed distance of `p` in metres, and its gradient: the outward unit normal.
    pub fn distance(&self, p: DVec3) -> (f64, DVec3) {
        match self {
            Self::Plane(shape) => shape.distance(p),
            Self::Sphere(shape) => shape.distance(p),
            Self::Capsule(shape) => shape.distance(p),
            Self::Cuboid(shape) => shape.distance(p),
            Self::Cylinder(shape) => shape.distance(p),
            Self::Polyhedron(shape) => shape.distance(p),
        }
    }
}

impl Shape {
    /// Returns the furthest point of the body's core in a direction, and a radius in metres. The
    /// body consists of all points within this radius of its core; a capsule's core is a segment.
    /// `None` for unbounded bodies.
    pub fn core(&self, direction: DVec3) -> Option<(DVec3, f64)> {
        match self {
            Self::Plane(_) => None,
            Self::Sphere(Sphere { radius }) => Some((DVec3::ZERO, *radius)),
            Self::Capsule(shape) => {
                let end = shape.axis * shape.half;
                Some((if end.dot(direction) < 0.0 { -end } else { end }, shape.radius))
            }
            Self::Cuboid(shape) => {
                let [a, b, c] =
                    shape.edges().map(|edge| if edge.dot(direction) < 0.0 { -edge } else { edge });
                Some((a + b + c, 0.0))
            }
            Self::Cylinder(Cylinder { axis, half, radius }) => {
                let height = direction.dot(*axis);
                let end = *axis * if height < 0.0 { -half } else { *half };
                let out = (direction - *axis * height).normalize_or_zero();
                Some((end + out * *radius, 0.0))
            }
            Self::Polyhedron(shape) => Some((shape.furthest(direction), 0.0)),
        }
    }
}

impl Shape {
    /// Returns the inradius in metres, the radius of the largest ball inside the body; `None` for
    /// unbounded bodies.
    pub fn inradius(&self) -> Option<f64> {
        match self {
            Self::Plane(_) => None,
            Self::Sphere(Sphere { radius }) | Self::Capsule(Capsule { radius, .. }) => {
                Some(*radius)
            }
            Self::Cuboid(Cuboid { half, .. }) => Some(half.min_element()),
            Self::Cylinder(Cylinder { half, radius, .. }) => Some(half.min(*radius)),
            // Approximation by the largest ball around the origin.
            Self::Polyhedron(shape) => Some(-shape.distance(DVec3::ZERO).0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;
    use proptest::prelude::*;

    /// Returns an octahedron of eight triangles.
    fn octahedron() -> Shape {
        let points = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| [axis, -axis]).concat();
        let triangles = (0..8).map(|k: u32| {
            let [a, b, c] = [k & 1, 2 + (k >> 1 & 1), 4 + (k >> 2 & 1)];
            if k.count_ones().is_multiple_of(2) { [a, b, c] } else { [a, c, b] }
        });
        let body = Polyhedron::new(&points, &triangles.collect::<Vec<_>>());
        Shape::Polyhedron(Arc::new(body.expect("an octahedron").0))
    }

    fn all() -> [Shape; 6] {
        [
            Shape::Plane(Plane { normal: dvec3(0.6, 0.8, 0.0) }),
            Shape::Sphere(Sphere { radius: 0.7 }),
            Shape::Capsule(Capsule { axis: dvec3(0.0, 0.6, 0.8), half: 0.5, radius: 0.3 }),
            Shape::Cuboid(Cuboid::new(dvec3(0.5, 0.2, 0.9), dvec3(0.0, 0.0, 180.0))),
            Shape::Cylinder(Cylinder { axis: dvec3(0.0, 0.6, 0.8), half: 0.6, radius: 0.4 }),
            octahedron(),
        ]
    }

    #[test]
    fn distances_are_those_that_one_can_see() {
        let near = |found: (f64, DVec3), distance: f64, normal: DVec3| {
            assert!((found.0 - distance).abs() < 1e-15, "{found:?}");
            assert!((found.1 - normal).length() < 1e-15, "{found:?}");
        };
        let [plane, sphere, _, cuboid, _, octahedron] = all();
        near(plane.distance(dvec3(1.2, 1.6, 5.0)), 2.0, dvec3(0.6, 0.8, 0.0));
        near(sphere.distance(dvec3(0.0, 0.0, -2.0)), 1.3, DVec3::NEG_Z);
        near(cuboid.distance(dvec3(0.0, 0.5, 0.0)), 0.3, DVec3::Y);
        near(cuboid.distance(dvec3(0.0, 0.15, 0.0)), -0.05, DVec3::Y);
        near(octahedron.distance(DVec3::ZERO), -1.0 / 3f64.sqrt(), DVec3::splat(1.0 / 3f64.sqrt()));
        near(octahedron.distance(dvec3(0.0, 1.5, 0.0)), 0.5, DVec3::Y);
        let cylinder = Shape::Cylinder(Cylinder { axis: DVec3::Y, half: 1.0, radius: 0.5 });
        near(cylinder.distance(dvec3(0.8, 1.4, 0.0)), 0.5, dvec3(0.6, 0.8, 0.0));
        near(cylinder.distance(dvec3(0.0, 0.0, 0.4)), -0.1, DVec3::Z);
    }

    proptest! {
        #[test]
        fn the_normal_is_the_gradient_of_the_distance_and_of_length_1(
            p in proptest::array::uniform3(-2.0..2.0),
        ) {
            let p = DVec3::from(p);
            for shape in all() {
                let (distance, normal) = shape.distance(p);
                prop_assert!((normal.length() - 1.0).abs() < 1e-12);
                let d = 1e-6;
                let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| {
                    (shape.distance(p + axis * d).0 - shape.distance(p - axis * d).0) / (2.0 * d)
                });
                let gradient = dvec3(x, y, z);
                // Inside a body, the distance has ridges where two faces are equally near.
                if distance > 1e-3 {
                    let difference = (gradient - normal).length();
                    prop_assert!(difference < 1e-4, "{shape:?}: {gradient}, not {normal}");
                }
                // The nearest point is at the returned distance.
                let nearest = shape.distance(p - normal * distance).0;
                prop_assert!(distance < 0.0 || nearest.abs() < 1e-12);
            }
        }
    }
}
