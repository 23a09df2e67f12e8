//! Fast test of whether all bodies are so far from each other and from colliders that no contact
//! search is needed. It compares bounding boxes with each other, and with planes that support the
//! colliders.

use crate::contact::colliders::collider::{Collider, ColliderShift, Placed};
use crate::contact::shape::Shape;
use crate::contact::{
    BallPath, Bodies, ContactMemory, ContactMethod, Contacts, Geometry, Instant, SelfContact, Swept,
};
use crate::numerics::motion_bounds::MotionBounds;
use glam::DVec3;
use itertools::izip;

/// Largest number of balls for which the test is made. With more balls, comparing all pairs of
/// boxes would take longer than the search that the test may save.
const MOST_BALLS: usize = 16;

/// Clearance below which the search before sweeps would find a contact, as a multiple of the
/// longest displacement: three margins, each of two displacements.
const REACH_IN_DISPLACEMENTS: f64 = 6.0;

/// Bounding boxes of the motion in some substeps: one box of all ropes and cloths, and one of each
/// ball.
#[derive(Clone, Debug, Default)]
pub struct SubstepBounds {
    meshes: MotionBounds,
    balls: Vec<MotionBounds>,
}

/// Distance by which a body may leave its box: `displacements` times the longest displacement of
/// all bodies, plus `metres`.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct Clearance {
    /// Factor on the longest displacement of all bodies. A body may leave its box by such a
    /// distance because links propagate the motion of other particles.
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

    /// Extends the boxes by the motion of particles from `start` to `end`, in metres. `first` is
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
        (collider, placed): (&Collider, &Placed),
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

impl Contacts {
    /// True if the next step is worth trying without contact: nothing was near contact in the last
    /// substep, and [`Self::are_clear`] will be able to decide after the step.
    pub(crate) fn may_be_clear(&mut self, method: &ContactMethod, bodies: &Bodies) -> bool {
        let Bodies { geometry, mesh, topology, .. } = *bodies;
        let needs_self_contact = match method {
            ContactMethod::Off | ContactMethod::Penalty(_) => return false,
            ContactMethod::Discrete(_) => false,
            ContactMethod::Swept(Swept { itself, .. }) => {
                *itself != SelfContact::Off && geometry.contact_table.has_self_contact()
            }
        };
        if self.is_near || needs_self_contact {
            return false;
        }
        self.touchable.update(mesh, topology, &geometry.balls, &geometry.contact_table);
        self.boxes_can_decide(method, geometry)
    }

    /// True if no body can have been in contact in substeps that begin at `instants`, with the
    /// motion bounded by `motion_bounds`. The result of these substeps is then the same as with
    /// contact, and the contact state is that after the last of them.
    pub(crate) fn are_clear(
        &mut self,
        geometry: &Geometry,
        shifts: &[ColliderShift],
        instants: impl Iterator<Item = Instant>,
        motion_bounds: &SubstepBounds,
        memory: &mut ContactMemory,
    ) -> bool {
        let Geometry { colliders, .. } = geometry;
        let stay = shifts.is_empty() && colliders.iter().all(Collider::stays);
        let mut is_clear = true;
        for instant in instants.take(if stay { 1 } else { usize::MAX }) {
            self.begin_substep(memory, instant);
            crate::contact::place_colliders(colliders, shifts, instant, &mut self.placed);
            let clearance =
                Clearance { displacements: REACH_IN_DISPLACEMENTS, metres: resting_gap(instant) };
            is_clear = is_clear
                && motion_bounds.are_apart(geometry, clearance)
                && self.avoid_colliders(geometry, motion_bounds, clearance);
        }
        if is_clear {
            memory.resting_forces.clear();
        }
        self.is_near = !is_clear;
        is_clear
    }

    /// True if balls and colliders are so far from all bodies in a substep that no search is needed
    /// before the sweeps.
    pub(in crate::contact) fn is_clear_before_sweeps(
        &mut self,
        method: &ContactMethod,
        geometry: &Geometry,
        positions: [&[DVec3]; 2],
    ) -> bool {
        let clearance =
            Clearance { displacements: REACH_IN_DISPLACEMENTS, metres: resting_gap(self.instant) };
        self.boxes_can_decide(method, geometry) && self.is_clear(geometry, positions, clearance)
    }

    /// True if balls and colliders are also clear of the motion by the sweeps.
    pub(in crate::contact) fn is_clear_after_sweeps(
        &mut self,
        geometry: &Geometry,
        positions: [&[DVec3]; 2],
    ) -> bool {
        self.is_clear(geometry, positions, Clearance { displacements: 0.0, metres: 0.0 })
    }

    fn is_clear(
        &mut self,
        geometry: &Geometry,
        positions: [&[DVec3]; 2],
        clearance: Clearance,
    ) -> bool {
        self.motion_bounds.reset(geometry);
        self.motion_bounds.include(geometry, 0, positions[0], positions[1]);
        self.motion_bounds.are_apart(geometry, clearance)
            && self.avoid_colliders(geometry, &self.motion_bounds, clearance)
    }

    /// True if bounding boxes can decide whether bodies touch: balls are few, sorted by particle,
    /// not linked, and move on straight lines.
    fn boxes_can_decide(&self, method: &ContactMethod, geometry: &Geometry) -> bool {
        let balls = &geometry.balls;
        let has_parabolas =
            matches!(method, ContactMethod::Swept(Swept { path: BallPath::Parabola, .. }));
        balls.len() <= MOST_BALLS
            && !self.touchable.has_linked_balls()
            && balls.is_sorted_by_key(|ball| ball.particle)
            && (balls.is_empty() || !has_parabolas)
    }

    fn avoid_colliders(
        &self,
        geometry: &Geometry,
        motion_bounds: &SubstepBounds,
        clearance: Clearance,
    ) -> bool {
        izip!(&geometry.colliders, &self.placed)
            .all(|collider| motion_bounds.avoid_collider(geometry, collider, clearance))
    }
}

/// Returns the largest gap in metres at which balls may have a resting contact, 2 g h².
fn resting_gap(Instant { h, g, .. }: Instant) -> f64 {
    2.0 * g * h * h
}

/// Axis-aligned box that contains all positions that a body may reach in some substeps.
#[derive(Clone, Copy, Debug)]
struct ReachBox {
    centre: DVec3,
    half: DVec3,
    /// Additional distance by which a body may leave the box in every direction, in metres.
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
    use crate::contact::shape::{Capsule, Cuboid, Cylinder, Plane, Sphere};
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
