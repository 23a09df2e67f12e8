//! Effects of contacts on velocities at the end of a substep, after sweeps have moved positions.
//!
//! A constant acceleration a displaces a particle by (1 − s) a h² in a substep. The integrator
//! omits the fraction s (see `simulation/reaction.rs`) from the displacement and adds it only to
//! the velocity, where sweeps cannot correct it. The impulse of a contact therefore has two parts:
//! its multiplier divided by h, and an impulse at velocity level that produces the rest of the
//! separation speed. Friction is bounded by μ times the sum of both parts.

use super::position_level::{Contact, PositionContacts};
use crate::contact::report::ContactReport;
use glam::DVec3;
use itertools::izip;

/// Difference between integrator velocities v and motion velocities V = v + s h r, see
/// `simulation/reaction.rs`.
#[derive(Clone, Copy, Debug)]
pub struct Lag {
    /// Length of the substep in seconds.
    pub h: f64,
    /// Fractions s of a constant acceleration that a substep omits from its displacement: in the
    /// previous substep and in this one.
    pub omitted_fractions: [f64; 2],
    /// Factor c of the displacement c a h² that a projection removes if the particle is held
    /// against an acceleration a.
    pub projected_fraction: f64,
}

/// Velocities at the end of a substep. Motion velocities are V = v + s h r, with the integrator
/// velocity v, the reaction r in m/s² and the omitted fraction s, see `simulation/reaction.rs`.
#[derive(Debug)]
pub struct Velocities<'a> {
    /// Integrator velocities v in m/s.
    pub integrator_v: &'a mut [DVec3],
    /// Reactions r in m/s²; empty if the integrator needs none.
    pub reaction: &'a mut [DVec3],
    /// Part of the reactions r due to contacts, in m/s²; empty if `reaction` is empty or there are
    /// no contacts.
    pub contact_reaction: &'a mut Vec<DVec3>,
    /// Parameters of the difference V − v.
    pub lag: Lag,
    /// Free motion of the substep.
    pub free: FreeMotion<'a>,
}

/// Free motion of particles in a substep, before constraints and contacts.
#[derive(Clone, Copy, Debug)]
pub struct FreeMotion<'a> {
    /// Velocities in m/s: integrator velocities at the start, and velocities at the end after their
    /// update by the projection.
    pub v: [&'a [DVec3]; 2],
    /// Positions in metres: after free motion, and at the end of the substep.
    pub x: [&'a [DVec3]; 2],
}

impl FreeMotion<'_> {
    /// Returns the velocity change in m/s of a particle by free motion in a substep of `h` seconds.
    fn velocity_change(&self, i: usize, h: f64) -> DVec3 {
        let [[start, consistent_v], [free, x]] = [self.v, self.x];
        consistent_v[i] - (x[i] - free[i]) / h - start[i]
    }
}

impl Velocities<'_> {
    fn lag_seconds(&self) -> f64 {
        self.lag.omitted_fractions[1] * self.lag.h
    }

    /// Returns the motion velocity V of a particle in m/s.
    pub(crate) fn of_motion(&self, i: usize) -> DVec3 {
        match self.reaction.get(i) {
            Some(r) => self.integrator_v[i] + self.lag_seconds() * *r,
            None => self.integrator_v[i],
        }
    }

    /// Changes the motion velocity V of a particle by `by` m/s. The impulse is assumed to repeat in
    /// the next substep, so it is added to the reaction.
    fn change_velocity(&mut self, i: usize, by: DVec3) {
        self.integrator_v[i] += by;
        if i < self.reaction.len() {
            let r = by / (self.lag.h * self.lag.projected_fraction);
            self.reaction[i] += r;
            self.contact_reaction[i] += r;
            self.integrator_v[i] -= self.lag_seconds() * r;
        }
    }

    /// Returns the difference between two approach speeds of a contact in m/s: at the integrator
    /// velocities v, minus at the motion velocities V.
    fn approach_by_lag(&self, contact: &Contact) -> f64 {
        let of_sides = contact
            .particles_with_weights()
            .filter_map(|(i, weight)| Some(*self.contact_reaction.get(i)? * weight));
        self.lag.omitted_fractions[0] * self.lag.h * contact.normal.dot(of_sides.sum())
    }

    /// Makes the reaction of a particle in contact balance its free motion, in all directions or
    /// only along `normal`. Otherwise the reaction would depend on the number of sweeps.
    fn balance_free_motion(&mut self, i: usize, normal: Option<DVec3>) {
        let Some(r) = self.reaction.get(i) else { return };
        let Lag { h, projected_fraction, .. } = self.lag;
        let missing = -self.free.velocity_change(i, h) / (h * projected_fraction) - *r;
        let missing = normal.map_or(missing, |normal| normal * normal.dot(missing));
        self.reaction[i] += missing;
        self.contact_reaction[i] += missing;
        self.integrator_v[i] -= self.lag_seconds() * missing;
    }

    /// Replaces the contact reactions of the last substep by those of this substep, so that V
    /// includes the impulses of this substep.
    fn replace_contact_reactions(&mut self, contacts: &[Contact], w: &[f64], now: &mut Vec<DVec3>) {
        if self.contact_reaction.is_empty() && (self.reaction.is_empty() || contacts.is_empty()) {
            return;
        }
        let Lag { h, omitted_fractions: [old_fraction, new_fraction], projected_fraction } =
            self.lag;
        compute_contact_accelerations(contacts, w, 1.0 / (projected_fraction * h * h), now);
        self.contact_reaction.resize(w.len(), DVec3::ZERO);
        for (integrator_v, old, now) in
            izip!(&mut *self.integrator_v, &*self.contact_reaction, &*now)
        {
            *integrator_v += h * (old_fraction * *old - new_fraction * *now);
        }
        std::mem::swap(self.contact_reaction, now);
        if self.reaction.is_empty() || contacts.is_empty() {
            self.contact_reaction.clear();
        }
    }

    /// Resets a particle's reaction after an impact, because an impact does not repeat. If
    /// `keeps_v` is true, V does not change; otherwise V loses the response of the links to the
    /// impact.
    fn reset_reaction(&mut self, i: usize, keeps_v: bool) {
        if i < self.reaction.len() {
            let kept = if keeps_v { self.reaction[i] } else { self.contact_reaction[i] };
            self.integrator_v[i] += self.lag_seconds() * kept;
            (self.reaction[i], self.contact_reaction[i]) = (DVec3::ZERO, DVec3::ZERO);
        }
    }
}

/// Computes the acceleration of each particle by contacts in m/s². `rate` converts multipliers into
/// newtons.
fn compute_contact_accelerations(
    contacts: &[Contact],
    w: &[f64],
    rate: f64,
    columns: &mut Vec<DVec3>,
) {
    columns.clear();
    columns.resize(w.len(), DVec3::ZERO);
    for contact in contacts.iter().filter(|contact| contact.normal_multiplier > 0.0) {
        let force =
            (contact.normal * contact.normal_multiplier + contact.friction_multiplier) * rate;
        for (i, weight) in contact.particles_with_weights() {
            columns[i] += force * (w[i] * weight);
        }
    }
}

impl PositionContacts {
    /// Applies contacts to velocities that the projection has updated. The bodies of a contact
    /// separate with its restitution, but do not bounce if they approach at `resting_speed` m/s or
    /// less. A sticking contact takes on the velocity of the surface. A sliding contact loses
    /// tangential speed by the friction of its whole normal impulse.
    pub fn apply_to_velocities(
        &mut self,
        mut velocities: Velocities,
        w: &[f64],
        resting_speed: f64,
        report: &mut ContactReport,
    ) {
        let Self { contacts, spins, contact_accelerations: now, .. } = self;
        for contact in contacts.iter_mut() {
            contact.approach -= velocities.approach_by_lag(contact);
        }
        velocities.replace_contact_reactions(contacts, w, now);
        let is_impact = |contact: &&Contact| contact.bounces(resting_speed);
        let hit = |contact: &Contact| contact.particles_with_weights().map(|(i, _)| i);
        for contact in contacts.iter().filter(is_impact) {
            report.events += 1;
            hit(contact).for_each(|i| velocities.reset_reaction(i, false));
        }
        // Contacts between ropes and cloths come first. Impulses pass through several layers of
        // cloth, and then end at the collider or ball below the layers.
        for layers in [true, false] {
            let in_contact = |contact: &&mut Contact| {
                (contact.normal_multiplier > 0.0 || contact.is_in_contact)
                    && contact.is_between_meshes() == layers
            };
            for contact in contacts.iter_mut().filter(in_contact) {
                contact.separate_sides(&mut velocities, w, spins, resting_speed);
            }
        }
        for contact in contacts.iter().filter(is_impact) {
            hit(contact).for_each(|i| velocities.reset_reaction(i, true));
        }
    }

    /// Yields the particles of contacts whose approach speed exceeded `resting_speed` m/s in the
    /// substep.
    pub fn struck_particles(&self, resting_speed: f64) -> impl Iterator<Item = usize> {
        self.impacts(resting_speed)
            .flat_map(|contact| contact.particles_with_weights().map(|(i, _)| i))
    }

    /// Yields the particles of all contacts with a bounce: [`Self::struck_particles`], and
    /// particles that touched a body without being moved by a sweep. Without the second group, an
    /// impact created energy if the particle ended the substep just above the floor and BDF2 kept
    /// its memory of it. Dropped from 1 m with a restitution of 0.8, such a particle rose to 1.05
    /// m.
    pub fn bounced_particles(&self, resting_speed: f64) -> impl Iterator<Item = usize> {
        let bounced = self.contacts.iter().filter(move |contact| contact.bounces(resting_speed));
        bounced.flat_map(|contact| contact.particles_with_weights().map(|(i, _)| i))
    }

    /// Yields the particles that an impact on a collider has moved.
    pub fn particles_struck_by_colliders(&self, resting_speed: f64) -> impl Iterator<Item = usize> {
        let at_colliders = self.impacts(resting_speed).filter(|contact| contact.collider.is_some());
        at_colliders.flat_map(|contact| contact.particles_with_weights().map(|(i, _)| i))
    }

    fn impacts(&self, resting_speed: f64) -> impl Iterator<Item = &Contact> {
        self.contacts.iter().filter(move |contact| {
            contact.normal_multiplier > 0.0 && contact.approach > resting_speed
        })
    }
}

impl Contact {
    /// True for an impact, even if no sweep moves the bodies because they only touch at the end of
    /// the substep.
    fn bounces(&self, resting_speed: f64) -> bool {
        (self.normal_multiplier > 0.0 || self.is_in_contact) && self.approach > resting_speed
    }

    /// Changes the velocities of a contact's bodies by an impulse along the normal, so that the
    /// bodies separate with the speed that restitution requires. Then applies the friction impulse,
    /// limited by μ times the normal impulse.
    fn separate_sides(
        &mut self,
        velocities: &mut Velocities,
        w: &[f64],
        spins: &mut [DVec3],
        resting_speed: f64,
    ) {
        let Self {
            normal,
            surface_displacement,
            surface,
            approach,
            slides,
            inverse_mass,
            recovered,
            ..
        } = *self;
        let h = velocities.lag.h;
        let of_sides =
            self.particles_with_weights().map(|(i, weight)| velocities.of_motion(i) * weight);
        let relative = of_sides.sum::<DVec3>() - surface_displacement / h;
        let separation_speed = normal.dot(relative);
        if self.normal_multiplier == 0.0 && separation_speed >= 0.0 {
            return;
        }
        let bounce = if approach > resting_speed { surface.restitution * approach } else { 0.0 };
        // Contacts may share particles, so each adds only the missing part of its separation speed.
        // Contacts between ropes and cloths must not separate, because sweeps and links move their
        // particles.
        let is_whole = self.count == 1 || self.is_between_meshes();
        let missing = if is_whole {
            bounce - separation_speed
        } else {
            (bounce - separation_speed)
                .max(-(separation_speed - bounce).min(recovered / h).max(0.0))
        };
        let push = missing / inverse_mass;
        let along = relative - normal * separation_speed - self.velocity_by_spins(spins);
        let to_stop = along / -self.inverse_mass_along(1.0);
        let sticks = self.normal_multiplier > 0.0 && !slides && surface.static_friction > 0.0;
        let most = surface.friction * push.max(0.0);
        let is_static = sticks && is_whole || to_stop.length() <= surface.static_friction * push;
        let friction = if is_static { to_stop } else { to_stop.clamp_length_max(most) };
        self.velocity_impulse = normal * push + friction;
        for (i, weight) in self.particles_with_weights() {
            velocities.change_velocity(i, self.velocity_impulse * (w[i] * weight));
        }
        self.spin_balls(spins, friction);
        if self.count == 1 {
            velocities
                .balance_free_motion(self.particles[0] as usize, (!is_static).then_some(normal));
        }
    }
}
