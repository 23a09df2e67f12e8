//! Stops of motion that would pass through another body, and removal of the energy that stops and
//! impacts create.

use super::Contacts;
use crate::contact::bodies::collider::Collider;
use crate::contact::bodies::geometry::Geometry;
use crate::contact::cloth::energy_limit::{EnergyOf, GroupLinks, LimitedSubstep};
use crate::contact::colliders::at_colliders;
use crate::contact::resolve::position_level::Contact;
use crate::contact::search::crowd::TooManyPairs;
use crate::contact::substep::{Bodies, Instant, SubstepMotion};
use glam::DVec3;
use itertools::izip;
use ropelab_mechanics::mesh::topology::Topology;

/// Largest number of searches for particles that overtake a stopped one.
const SEARCHES: u32 = 4;

impl Contacts {
    /// Stops particles that would pass through another body, and removes the energy that this
    /// creates. Returns the number of stopped particles.
    pub(in crate::contact) fn stop_penetrations(
        &mut self,
        bodies: &Bodies,
        start: [&[DVec3]; 2],
        [x, v]: [&mut [DVec3]; 2],
        energy: EnergyOf,
    ) -> u64 {
        let Self {
            self_contact,
            truncation,
            pairs,
            energy_limit,
            instant: Instant { h, .. },
            margin,
            ..
        } = self;
        let is_active = self_contact.is_active();
        if is_active {
            energy_limit.store_motion(x, v);
        }
        let returned = self_contact.return_to_margins(x, v, *h);
        let mut count = returned + truncation.truncate(pairs, start[0], x, v, *h, *margin);
        if !is_active || count == 0 {
            return count;
        }
        for _ in 0..SEARCHES {
            count += self.stop_overtaking(bodies, start[0], [x, v]);
            let Self { self_contact, pairs, energy_limit, .. } = self;
            let most = energy_limit.most_without_stops(start, energy);
            energy_limit.mark_stopped(x);
            let links = GroupLinks::Listed(self_contact.links());
            let substep = LimitedSubstep { start, energy, most, links, pairs };
            if !energy_limit.limit_energy(&substep, x, v) {
                return count;
            }
        }
        count + self.stop_overtaking(bodies, start[0], [x, v])
    }

    /// Stops particles that would overtake stopped ones. Returns their number.
    fn stop_overtaking(
        &mut self,
        bodies: &Bodies,
        start: &[DVec3],
        [x, v]: [&mut [DVec3]; 2],
    ) -> u64 {
        let Self { self_contact, truncation, pairs, instant: Instant { h, .. }, margin, .. } = self;
        let mut count = 0;
        for _ in 0..SEARCHES {
            let motion =
                SubstepMotion { start, x, w: bodies.w, h: *h, margin: 0.0, discrete: false };
            match self_contact.find_overtaking(bodies, &motion, pairs) {
                Ok(true) => count += truncation.truncate(pairs, start, x, v, *h, *margin),
                Ok(false) => return count,
                Err(TooManyPairs) => {
                    self.is_crowded = true;
                    return count;
                }
            }
        }
        count
    }

    /// Sets the largest energy permitted after an impact on colliders at rest: the larger of the
    /// energies at the start of the substep and after free motion to `x` with the velocities `v`.
    /// Must be called before any sweep. Scenes with balls have no limit, because balls collide on
    /// their whole displacements. Scenes with moving colliders or pins have no limit, because these
    /// must reach their prescribed positions.
    pub(crate) fn expect_impacts(
        &mut self,
        Bodies { geometry, w, .. }: &Bodies,
        start: [&[DVec3]; 2],
        [x, v]: [&[DVec3]; 2],
        energy: EnergyOf,
    ) {
        let Self { position_contacts, placed, energy_limit, resting_speed, .. } = self;
        let at_colliders = |contact: &&Contact| contact.collider.is_some();
        let mut contacts = position_contacts.contacts.iter().filter(at_colliders).peekable();
        let rest = || {
            let (colliders, placed) = (&geometry.colliders, &*placed);
            colliders.iter().all(Collider::has_still_surface)
                && placed.iter().all(|placed| placed.displacement == DVec3::ZERO)
                && izip!(*w, x, start[0]).all(|(w, x, start)| *w != 0.0 || x == start)
        };
        if !geometry.balls.is_empty() || contacts.peek().is_none() || !rest() {
            return;
        }
        energy_limit.reserve(x.len());
        if contacts.any(|contact| contact.approach > *resting_speed) {
            energy_limit.impact_limit = Some(energy(start[0], start[1]).max(energy(x, v)));
        }
    }

    /// Shortens the motion if an impact on colliders has created energy. Returns true if it
    /// shortened the motion.
    pub(in crate::contact) fn limit_impact_energy(
        &mut self,
        topology: &Topology,
        start: [&[DVec3]; 2],
        [x, v]: [&mut [DVec3]; 2],
        energy: EnergyOf,
    ) -> bool {
        let Self { self_contact, pairs, position_contacts, energy_limit, resting_speed, .. } = self;
        let Some(most) = energy_limit.impact_limit.take() else { return false };
        energy_limit.store_motion(x, v);
        energy_limit.stopped.clear();
        energy_limit.stopped.resize(x.len(), false);
        for i in position_contacts.struck_particles(*resting_speed) {
            energy_limit.stopped[i] = true;
        }
        // All particles with self-contact count as stopped, so that all of them move through the
        // same fraction and none overtakes another.
        let guarded = if self_contact.is_active() { self_contact.points() } else { &[] };
        guarded.iter().for_each(|i| energy_limit.stopped[*i as usize] = true);
        let links = GroupLinks::All(topology.links());
        energy_limit.limit_energy(&LimitedSubstep { start, energy, most, links, pairs }, x, v)
    }

    /// Moves links and triangles, then particles, out of the colliders that they have entered.
    pub(in crate::contact) fn clear_colliders(
        &mut self,
        geometry: &Geometry,
        start: &[DVec3],
        x: &mut [DVec3],
        w: &[f64],
    ) {
        let obstacles = geometry.obstacles(&self.placed);
        self.link_contacts.remove_overlaps(start, x, w, self.instant.h, obstacles);
        at_colliders::stop_at_colliders(&geometry.points, start, x, w, obstacles);
    }
}
