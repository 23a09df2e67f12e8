//! Bounding boxes of moving bodies, compared with each other and with supporting planes of the
//! colliders.

use crate::contact::bodies::collider::{Collider, Placed};
use crate::contact::bodies::geometry::Geometry;
use crate::contact::shape::Shape;
use glam::DVec3;
use itertools::izip;
use ropelab_mechanics::numerics::motion_bounds::MotionBounds;

/// Bounding boxes of the motion in some substeps: one box for all ropes and cloths, and one for
/// each ball.
#[derive(Clone, Debug, Default)]
pub struct SubstepBounds {
    meshes: MotionBounds,
    balls: Vec<MotionBounds>,
}

/// Largest distance by which a body may leave its box: `displacements` times the longest
/// displacement of all bodies, plus `metres`.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct Clearance {
    /// Multiple of the longest displacement of all bodies by which a body may leave its box,
    /// because links propagate the motion of other particles.
    pub displacements: f64,
    /// Additional distance, in metres.
    pub metres: f64,
}

impl SubstepBounds {
    /// Clears all boxes and makes one empty box per ball of a scene.
    pub fn reset(&mut self, geometry: &Geometry) {
        self.meshes = MotionBounds::default();
        self.balls.clear();
        self.balls.resize(geometry.balls.len(), MotionBounds::default());
    }

    /// Extends the boxes by the motion of particles from `start` to `end` (in metres). `first` is
    /// the index of the first of these particles.
    pub fn include(&mut self, geometry: &Geometry, first: usize, start: &[DVec3], end: &[DVec3]) {
        let balls = &geometry.balls;
        let skipped = balls.partition_point(|ball| (ball.particle as usize) < first);
        let mut included = 0;
        for (ball, travel) in izip!(&balls[skipped..], &mut self.balls[skipped..]) {
            let at = ball.particle as usize - first;
            if at >= start.len() {
                break;
            }
            self.meshes.merge(&MotionBounds::measure(&start[included..at], &end[included..at]));
            travel.merge(&MotionBounds::measure(&start[at..=at], &end[at..=at]));
            included = at + 1;
        }
        self.meshes.merge(&MotionBounds::measure(&start[included..], &end[included..]));
    }

    /// Extends the boxes by the boxes of other particles.
    pub fn merge(&mut self, others: &Self) {
        self.meshes.merge(&others.meshes);
        izip!(&mut self.balls, &others.balls).for_each(|(own, other)| own.merge(other));
    }

    /// True if no two boxes come within the clearance of each other.
    pub(in crate::contact) fn are_apart(&self, geometry: &Geometry, clearance: Clearance) -> bool {
        let mut boxes = self.boxes(geometry, clearance).enumerate();
        boxes.all(|(k, one)| {
            let mut others = self.boxes(geometry, clearance).skip(k + 1);
            !others.any(|other| one.intersects(&other))
        })
    }

    /// True if no box comes within the clearance of a collider.
    pub(in crate::contact) fn avoid_collider(
        &self,
        geometry: &Geometry,
        collider: &Collider,
        placed: &Placed,
        clearance: Clearance,
    ) -> bool {
        self.boxes(geometry, clearance).all(|reach| reach.avoids(&collider.shape, placed))
    }

    fn boxes(&self, geometry: &Geometry, clearance: Clearance) -> impl Iterator<Item = ReachBox> {
        let balls = self.balls.iter();
        let longest = |most: DVec3, ball: &MotionBounds| most.max(ball.displacement);
        let displacement = balls.clone().fold(self.meshes.displacement, longest);
        let more = clearance.displacements * displacement.length() + clearance.metres;
        let radii = geometry.balls.iter().map(|ball| ball.properties.radius);
        let meshes = ReachBox::around(&self.meshes, geometry.contact_table.largest_radius() + more);
        let balls =
            izip!(balls, radii).map(move |(ball, radius)| ReachBox::around(ball, radius + more));
        meshes.into_iter().chain(balls.flatten())
    }
}

/// Axis-aligned box that contains all positions that a body may reach in some substeps.
#[derive(Clone, Copy, Debug)]
struct ReachBox {
    centre: DVec3,
    half: DVec3,
    /// Distance in metres that a body may move beyond the box in every direction.
    more: f64,
}

impl ReachBox {
    /// Returns the box of a motion, enlarged by `more` metres, or `None` if the motion contains no
    /// particles.
    fn around(travel: &MotionBounds, more: f64) -> Option<Self> {
        let MotionBounds { least, most, displacement } = *travel;
        let half = 0.5 * (most - least) + displacement;
        (least.x <= most.x).then_some(Self { centre: 0.5 * (least + most), half, more })
    }

    fn intersects(&self, other: &Self) -> bool {
        let reach = self.half + other.half + DVec3::splat(self.more + other.more);
        let apart = (self.centre - other.centre).abs();
        // Boxes with NaN count as intersecting.
        !apart.cmpgt(reach).any()
    }

    /// True if some plane separates the box from a convex body.
    fn avoids(&self, shape: &Shape, placed: &Placed) -> bool {
        let towards = shape.distance(self.centre - placed.start).1;
        let axes = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|axis| [axis, -axis]);
        std::iter::once(towards).chain(axes).any(|out| {
            let surface = match shape {
                Shape::Plane(plane) if out == plane.normal => 0.0,
                _ => match shape.core(out) {
                    Some((furthest, radius)) => furthest.dot(out) + radius,
                    None => return false,
                },
            };
            let moved = placed.start.dot(out).max(placed.at(1.0).dot(out));
            let nearest = self.centre.dot(out) - self.half.dot(out.abs());
            nearest - (surface + moved) > self.more
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::shape::Capsule;
    use crate::contact::shape::Cuboid;
    use crate::contact::shape::Cylinder;
    use crate::contact::shape::Plane;
    use crate::contact::shape::Sphere;
    use glam::dvec3;
    use proptest::prelude::*;

    fn shapes() -> [Shape; 5] {
        [
            Shape::Plane(Plane { normal: dvec3(0.6, 0.8, 0.0) }),
            Shape::Sphere(Sphere { radius: 0.7 }),
            Shape::Capsule(Capsule { axis: dvec3(0.0, 0.6, 0.8), half: 0.5, radius: 0.3 }),
            Shape::Cuboid(Cuboid::new(dvec3(0.5, 0.2, 0.9), dvec3(10.0, 20.0, 30.0))),
            Shape::Cylinder(Cylinder { axis: dvec3(0.0, 0.6, 0.8), half: 0.6, radius: 0.4 }),
        ]
    }

    proptest! {
        #[test]
        fn no_point_of_a_box_that_avoids_a_body_is_near_it(
            from in proptest::array::uniform3(-3.0..3.0),
            to in proptest::array::uniform3(-3.0..3.0),
            way in proptest::array::uniform3(-1.0..1.0),
            fractions in proptest::collection::vec(proptest::array::uniform4(0.0..1.0), 20),
        ) {
            let (from, to) = (DVec3::from(from), DVec3::from(to));
            let travel = MotionBounds { least: from.min(to), most: from.max(to), displacement: DVec3::ZERO };
            let reach = ReachBox::around(&travel, 0.1).expect("a box");
            let placed = Placed { start: DVec3::ZERO, displacement: DVec3::from(way) };
            for shape in shapes().iter().filter(|shape| reach.avoids(shape, &placed)) {
                for [x, y, z, t] in &fractions {
                    let point = travel.least + (travel.most - travel.least) * dvec3(*x, *y, *z);
                    let distance = shape.distance(point - placed.at(*t)).0;
                    prop_assert!(distance > 0.1 - 1e-12, "{shape:?} at {point}: {distance}");
                }
            }
        }
    }

    #[test]
    fn boxes_high_above_a_floor_and_beside_a_drum_avoid_them() {
        let travel = MotionBounds {
            least: DVec3::ZERO,
            most: dvec3(4.0, 0.1, 4.0),
            displacement: DVec3::ZERO,
        };
        let reach = ReachBox::around(&travel, 0.1).expect("a box");
        let below = Placed { start: DVec3::NEG_Y, displacement: DVec3::ZERO };
        let floor = Shape::Plane(Plane { normal: DVec3::Y });
        assert!(reach.avoids(&floor, &below));
        assert!(!reach.avoids(&floor, &Placed { displacement: DVec3::Y, ..below }));
        let drum = Shape::Cylinder(Cylinder { axis: DVec3::Z, half: 1.0, radius: 0.5 });
        assert!(reach.avoids(&drum, &Placed { start: dvec3(5.0, 0.0, 0.0), ..below }));
        assert!(!reach.avoids(&drum, &Placed { start: dvec3(4.4, 0.0, 0.0), ..below }));
    }
}
