//! Fast test whether bodies are so far from each other and from colliders that no search is needed:
//! bounding boxes against each other, and against planes that support the colliders.

use crate::contact::colliders::collider::{Collider, ColliderShift, Placed};
use crate::contact::shape::Shape;
use crate::contact::{
    BallPath, Bodies, ContactMemory, ContactMethod, Contacts, Geometry, Instant, SelfContact, Swept,
};
use crate::numerics::motion_bounds::MotionBounds;
use glam::DVec3;
use itertools::izip;

/// Upper limit of the number of balls for which the test is made. With more, comparing all pairs of
/// boxes would take longer than the search that the test may save.
const MOST_BALLS: usize = 16;

/// Reach of the test, in units of the longest displacement: three margins by links, each of two
/// displacements.
const REACH_IN_DISPLACEMENTS: f64 = 6.0;

/// Bounding boxes of the motion in some substeps: one of all ropes and cloths, and one of each
/// ball.
#[derive(Clone, Debug, Default)]
pub struct Travels {
    meshes: MotionBounds,
    balls: Vec<MotionBounds>,
}

/// Distance by which a body may leave its box: `ways` times the longest displacement, plus `more`
/// metres.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct Slack {
    /// Factor of the longest displacement of all bodies, because links propagate motion.
    pub ways: f64,
    /// Additional distance, in metres.
    pub more: f64,
}

impl Travels {
    /// Forgets all particles and makes one empty box for each ball of a scene.
    pub fn start(&mut self, geometry: &Geometry) {
        self.meshes = MotionBounds::default();
        self.balls.clear();
        self.balls.resize(geometry.balls.len(), MotionBounds::default());
    }

    /// Extends the boxes by the motion of particles from `start` to `end`, in metres. `first` is
    /// the number of the first of these particles.
    pub fn include(&mut self, geometry: &Geometry, first: usize, start: &[DVec3], end: &[DVec3]) {
        let balls = &geometry.balls;
        let skipped = balls.partition_point(|ball| (ball.particle as usize) < first);
        let mut seen = 0;
        for (ball, travel) in izip!(&balls[skipped..], &mut self.balls[skipped..]) {
            let at = ball.particle as usize - first;
            if at >= start.len() {
                break;
            }
            self.meshes.merge(&MotionBounds::measure(&start[seen..at], &end[seen..at]));
            travel.merge(&MotionBounds::measure(&start[at..=at], &end[at..=at]));
            seen = at + 1;
        }
        self.meshes.merge(&MotionBounds::measure(&start[seen..], &end[seen..]));
    }

    /// Extends the boxes by those of another part of the particles.
    pub fn merge(&mut self, others: &Self) {
        self.meshes.merge(&others.meshes);
        izip!(&mut self.balls, &others.balls).for_each(|(own, other)| own.merge(other));
    }

    /// True if all bodies stay clear of each other.
    pub(in crate::contact) fn are_apart(&self, geometry: &Geometry, slack: Slack) -> bool {
        let mut boxes = self.boxes(geometry, slack).enumerate();
        boxes.all(|(k, one)| {
            let mut others = self.boxes(geometry, slack).skip(k + 1);
            !others.any(|other| one.meets(&other))
        })
    }

    /// True if all bodies stay clear of a collider.
    pub(in crate::contact) fn avoid(
        &self,
        geometry: &Geometry,
        (collider, placed): (&Collider, &Placed),
        slack: Slack,
    ) -> bool {
        self.boxes(geometry, slack).all(|reach| reach.avoids(&collider.shape, placed))
    }

    fn boxes(&self, geometry: &Geometry, slack: Slack) -> impl Iterator<Item = ReachBox> {
        let balls = self.balls.iter();
        let way =
            balls.clone().fold(self.meshes.displacement, |most, ball| most.max(ball.displacement));
        let more = slack.ways * way.length() + slack.more;
        let radii = geometry.balls.iter().map(|ball| ball.properties.radius);
        let meshes = ReachBox::round(&self.meshes, geometry.contact_table.thickest() + more);
        let balls =
            izip!(balls, radii).map(move |(ball, radius)| ReachBox::round(ball, radius + more));
        meshes.into_iter().chain(balls.flatten())
    }
}

impl Contacts {
    /// True if the next step is worth trying without contact: nothing was near in the last substep,
    /// and [`Self::are_clear`] can decide after the step.
    pub fn may_be_clear(&mut self, method: &ContactMethod, bodies: &Bodies) -> bool {
        let Bodies { geometry, mesh, topology, .. } = *bodies;
        let touch_themselves = match method {
            ContactMethod::Off | ContactMethod::Penalty(_) => return false,
            ContactMethod::Discrete(_) => false,
            ContactMethod::Swept(Swept { itself, .. }) => {
                *itself != SelfContact::Off && geometry.contact_table.touch_themselves()
            }
        };
        if self.is_near || touch_themselves {
            return false;
        }
        self.touchable.update(mesh, topology, &geometry.balls, &geometry.contact_table);
        self.can_tell(method, geometry)
    }

    /// True if nothing can have touched anything in substeps that begin at `instants` and moved
    /// particles by `travels`. Their result is then the same as with contact, and contact is left
    /// in its state at the end of the last of these substeps.
    pub fn are_clear(
        &mut self,
        geometry: &Geometry,
        shifts: &[ColliderShift],
        instants: impl Iterator<Item = Instant>,
        travels: &Travels,
        memory: &mut ContactMemory,
    ) -> bool {
        let Geometry { colliders, .. } = geometry;
        let stay = shifts.is_empty() && colliders.iter().all(Collider::stays);
        let mut is_clear = true;
        for instant in instants.take(if stay { 1 } else { usize::MAX }) {
            self.forget(memory, instant);
            crate::contact::place(colliders, shifts, instant, &mut self.placed);
            let slack = Slack { ways: REACH_IN_DISPLACEMENTS, more: resting_gap(instant) };
            is_clear = is_clear
                && travels.are_apart(geometry, slack)
                && self.avoid_colliders(geometry, travels, slack);
        }
        if is_clear {
            memory.pressures.clear();
        }
        self.is_near = !is_clear;
        is_clear
    }

    /// True if balls and colliders are so far from everything in a substep that no search is needed
    /// before the sweeps.
    pub(in crate::contact) fn starts_clear(
        &mut self,
        method: &ContactMethod,
        geometry: &Geometry,
        ways: [&[DVec3]; 2],
    ) -> bool {
        let slack = Slack { ways: REACH_IN_DISPLACEMENTS, more: resting_gap(self.instant) };
        self.can_tell(method, geometry) && self.is_clear(geometry, ways, slack)
    }

    /// True if nothing touched balls or colliders after the sweeps either.
    pub(in crate::contact) fn ends_clear(
        &mut self,
        geometry: &Geometry,
        ways: [&[DVec3]; 2],
    ) -> bool {
        self.is_clear(geometry, ways, Slack { ways: 0.0, more: 0.0 })
    }

    fn is_clear(&mut self, geometry: &Geometry, ways: [&[DVec3]; 2], slack: Slack) -> bool {
        self.travels.start(geometry);
        self.travels.include(geometry, 0, ways[0], ways[1]);
        self.travels.are_apart(geometry, slack)
            && self.avoid_colliders(geometry, &self.travels, slack)
    }

    /// True if boxes can decide: balls are few, sorted by particle, not linked to anything, and
    /// move on straight lines.
    fn can_tell(&self, method: &ContactMethod, geometry: &Geometry) -> bool {
        let balls = &geometry.balls;
        let bends = matches!(method, ContactMethod::Swept(Swept { path: BallPath::Parabola, .. }));
        balls.len() <= MOST_BALLS
            && !self.touchable.balls_hang()
            && balls.is_sorted_by_key(|ball| ball.particle)
            && (balls.is_empty() || !bends)
    }

    fn avoid_colliders(&self, geometry: &Geometry, travels: &Travels, slack: Slack) -> bool {
        izip!(&geometry.colliders, &self.placed)
            .all(|collider| travels.avoid(geometry, collider, slack))
    }
}

/// Returns the gap in metres up to which balls may rest on something, 2 g h².
fn resting_gap(Instant { h, g, .. }: Instant) -> f64 {
    2.0 * g * h * h
}

/// Box that contains all positions that a body may reach.
#[derive(Clone, Copy, Debug)]
struct ReachBox {
    centre: DVec3,
    half: DVec3,
    /// Additional reach in every direction, in metres.
    more: f64,
}

impl ReachBox {
    /// Returns the box of a travel, or `None` if it contains no particles.
    fn round(travel: &MotionBounds, more: f64) -> Option<Self> {
        let MotionBounds { least, most, displacement } = *travel;
        let half = 0.5 * (most - least) + displacement;
        (least.x <= most.x).then_some(Self { centre: 0.5 * (least + most), half, more })
    }

    fn meets(&self, other: &Self) -> bool {
        let reach = self.half + other.half + DVec3::splat(self.more + other.more);
        let apart = (self.centre - other.centre).abs();
        // Boxes with NaN do not count as apart.
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
            shares in proptest::collection::vec(proptest::array::uniform4(0.0..1.0), 20),
        ) {
            let (from, to) = (DVec3::from(from), DVec3::from(to));
            let (least, most) = (from.min(to), from.max(to));
            let travel = MotionBounds { least, most, displacement: DVec3::ZERO };
            let reach = ReachBox::round(&travel, 0.1).expect("a box");
            let placed = Placed { start: DVec3::ZERO, way: DVec3::from(way) };
            for shape in shapes().iter().filter(|shape| reach.avoids(shape, &placed)) {
                for [x, y, z, t] in &shares {
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
        let reach = ReachBox::round(&travel, 0.1).expect("a box");
        let below = Placed { start: DVec3::NEG_Y, way: DVec3::ZERO };
        let floor = Shape::Plane(Plane { normal: DVec3::Y });
        assert!(reach.avoids(&floor, &below));
        assert!(!reach.avoids(&floor, &Placed { way: DVec3::Y, ..below }));
        let drum = Shape::Cylinder(Cylinder { axis: DVec3::Z, half: 1.0, radius: 0.5 });
        assert!(reach.avoids(&drum, &Placed { start: dvec3(5.0, 0.0, 0.0), ..below }));
        assert!(!reach.avoids(&drum, &Placed { start: dvec3(4.4, 0.0, 0.0), ..below }));
    }
}
