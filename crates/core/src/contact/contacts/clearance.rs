//! Fast test whether all bodies are so far from each other and from colliders that no contact
//! search is needed.

use super::{Contacts, place_colliders};
use crate::contact::bodies::collider::{Collider, ColliderShift};
use crate::contact::bodies::geometry::Geometry;
use crate::contact::memory::ContactMemory;
use crate::contact::method::{BallPath, ContactMethod, SelfContact, Swept};
use crate::contact::search::clearance::{Clearance, SubstepBounds};
use crate::contact::substep::{Bodies, Instant};
use glam::DVec3;
use itertools::izip;

/// Largest number of balls for which the test is used. With more balls, comparing all pairs of
/// boxes would take longer than the search that it saves.
const MOST_BALLS: usize = 16;

/// Reach of the contact search before sweeps, as a multiple of the longest displacement. It
/// consists of three margins, each of two displacements.
const REACH_IN_DISPLACEMENTS: f64 = 6.0;

impl Contacts {
    /// True if the next step may be taken without a contact search: nothing was near contact in the
    /// last substep, and [`Self::are_clear`] can decide after the step.
    pub(crate) fn may_try_fused_step(&mut self, method: &ContactMethod, bodies: &Bodies) -> bool {
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
        self.contact_features.update(mesh, topology, &geometry.balls, &geometry.contact_table);
        self.boxes_can_decide(method, geometry)
    }

    /// True if no body can have been in contact in substeps that begin at `instants`, with the
    /// motion bounded by `motion_bounds`. Contact then does not change their result.
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
            place_colliders(colliders, shifts, instant, &mut self.placed);
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

    /// True if bodies also stay clear of balls and colliders while sweeps move them.
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

    /// True if bounding boxes can decide whether bodies touch: the balls are few, sorted by
    /// particle and not linked, and move on straight lines.
    fn boxes_can_decide(&self, method: &ContactMethod, geometry: &Geometry) -> bool {
        let balls = &geometry.balls;
        let has_parabolas =
            matches!(method, ContactMethod::Swept(Swept { path: BallPath::Parabola, .. }));
        balls.len() <= MOST_BALLS
            && !self.contact_features.has_linked_balls()
            && balls.is_sorted_by_key(|ball| ball.particle)
            && (balls.is_empty() || !has_parabolas)
    }

    fn avoid_colliders(
        &self,
        geometry: &Geometry,
        motion_bounds: &SubstepBounds,
        clearance: Clearance,
    ) -> bool {
        izip!(&geometry.colliders, &self.placed).all(|(collider, placed)| {
            motion_bounds.avoid_collider(geometry, collider, placed, clearance)
        })
    }
}

/// Returns the largest gap at which balls have a resting contact, 2 g h² metres.
fn resting_gap(Instant { h, g, .. }: Instant) -> f64 {
    2.0 * g * h * h
}
