//! Effects of contacts on velocities at the end of a substep, after the sweeps have moved
//! positions.
//!
//! A constant acceleration a displaces a particle by (1 − s) a h² in a substep. The late share s of
//! its effect is in the velocity alone (see `simulation/reaction.rs`), so sweeps do not see it. The
//! impulse of a contact therefore has two parts: its multiplier over h, and the part that is still
//! missing for the speed at which both sides separate. Friction is bounded by μ times their sum.

use super::position_level::{Contact, PositionContacts};
use crate::contact::report::ContactReport;
use glam::DVec3;
use itertools::izip;

/// Difference between the velocities v of an integrator and the velocities V of the motion.
#[derive(Clone, Copy, Debug)]
pub struct Lag {
    /// Length of the substep in seconds.
    pub h: f64,
    /// Late shares s of the substep before and of this substep: the share of a constant
    /// acceleration that a substep leaves out of its displacement.
    pub shares: [f64; 2],
    /// Share c of a h² that a projection takes back, for a particle held against an acceleration a.
    pub undone: f64,
}

/// Velocities at the end of a substep. The velocities of the motion are V = v + s h r, with the
/// reaction r in m/s² and the late share s, see `simulation/reaction.rs`.
#[derive(Debug)]
pub struct Velocities<'a> {
    /// Velocities v in m/s, from which the integrator continues.
    pub own: &'a mut [DVec3],
    /// Reactions r in m/s²; empty if the lane does not keep them.
    pub reaction: &'a mut [DVec3],
    /// Part of r that contacts give, in m/s²; empty if `reaction` is empty or there are no
    /// contacts.
    pub pressed: &'a mut Vec<DVec3>,
    /// Lag of v behind V.
    pub lag: Lag,
    /// The free motion of the substep.
    pub free: FreeMotion<'a>,
}

/// Motion of particles in a substep before constraints and contacts.
#[derive(Clone, Copy, Debug)]
pub struct FreeMotion<'a> {
    /// Velocities in m/s: those of the integrator at the start, and those that agree with the
    /// positions at the end.
    pub v: [&'a [DVec3]; 2],
    /// Positions in metres: after free motion, and at the end.
    pub x: [&'a [DVec3]; 2],
}

impl FreeMotion<'_> {
    /// Returns the change of a particle's velocity by `h` seconds of free motion, in m/s.
    fn gain(&self, i: usize, h: f64) -> DVec3 {
        let [[start, agreeing], [free, x]] = [self.v, self.x];
        agreeing[i] - (x[i] - free[i]) / h - start[i]
    }
}

impl Velocities<'_> {
    fn kick(&self) -> f64 {
        self.lag.shares[1] * self.lag.h
    }

    /// Returns the velocity V of a particle in m/s.
    pub fn of(&self, i: usize) -> DVec3 {
        match self.reaction.get(i) {
            Some(r) => self.own[i] + self.kick() * *r,
            None => self.own[i],
        }
    }

    /// Changes the velocity V of a particle by `by` m/s. The impulse lasts, so it becomes part of
    /// the reaction.
    fn change(&mut self, i: usize, by: DVec3) {
        self.own[i] += by;
        if i < self.reaction.len() {
            let r = by / (self.lag.h * self.lag.undone);
            self.reaction[i] += r;
            self.pressed[i] += r;
            self.own[i] -= self.kick() * r;
        }
    }

    /// Returns the excess of a contact's approach speed by the velocities v over that by the
    /// velocities V, in m/s.
    fn closing_by_lag(&self, contact: &Contact) -> f64 {
        let of_sides = contact.sides().filter_map(|(i, share)| Some(*self.pressed.get(i)? * share));
        self.lag.shares[0] * self.lag.h * contact.normal.dot(of_sides.sum())
    }

    /// Makes the reaction of a particle in contact balance its free motion: in all directions, or
    /// along `normal` only. Without this the reaction would vary with the sweeps.
    fn balance(&mut self, i: usize, normal: Option<DVec3>) {
        let Some(r) = self.reaction.get(i) else { return };
        let Lag { h, undone, .. } = self.lag;
        let missing = -self.free.gain(i, h) / (h * undone) - *r;
        let missing = normal.map_or(missing, |normal| normal * normal.dot(missing));
        self.reaction[i] += missing;
        self.pressed[i] += missing;
        self.own[i] -= self.kick() * missing;
    }

    /// Replaces the contact reactions of the last substep by those of this one, so that V keeps the
    /// impulses of this substep.
    fn renew(&mut self, contacts: &[Contact], w: &[f64], now: &mut Vec<DVec3>) {
        if self.pressed.is_empty() && (self.reaction.is_empty() || contacts.is_empty()) {
            return;
        }
        let Lag { h, shares: [before, share], undone } = self.lag;
        reactions(contacts, w, 1.0 / (undone * h * h), now);
        self.pressed.resize(w.len(), DVec3::ZERO);
        for (own, old, now) in izip!(&mut *self.own, &*self.pressed, &*now) {
            *own += h * (before * *old - share * *now);
        }
        std::mem::swap(self.pressed, now);
        if self.reaction.is_empty() || contacts.is_empty() {
            self.pressed.clear();
        }
    }

    /// Resets a particle's reaction after an impact, because an impact does not last. V loses the
    /// response of the links to the impact.
    fn forget(&mut self, i: usize) {
        if i < self.reaction.len() {
            self.own[i] += self.kick() * self.pressed[i];
            (self.reaction[i], self.pressed[i]) = (DVec3::ZERO, DVec3::ZERO);
        }
    }

    /// Resets a particle's reaction after an impact, without changing V.
    fn forget_after(&mut self, i: usize) {
        if i < self.reaction.len() {
            self.own[i] += self.kick() * self.reaction[i];
            (self.reaction[i], self.pressed[i]) = (DVec3::ZERO, DVec3::ZERO);
        }
    }
}

/// Computes the accelerations that contacts give each particle, in m/s². `rate` converts
/// multipliers into newtons.
fn reactions(contacts: &[Contact], w: &[f64], rate: f64, columns: &mut Vec<DVec3>) {
    columns.clear();
    columns.resize(w.len(), DVec3::ZERO);
    for contact in contacts.iter().filter(|contact| contact.push > 0.0) {
        let force = (contact.normal * contact.push + contact.rub) * rate;
        for (i, share) in contact.sides() {
            columns[i] += force * (w[i] * share);
        }
    }
}

impl PositionContacts {
    /// Corrects velocities after they were made consistent with the positions. A contact separates
    /// with its restitution, and approach speeds up to `resting` m/s do not bounce. A sticking
    /// contact takes on the velocity of the surface; a sliding contact loses as much speed along
    /// the surface as friction takes of its whole impulse.
    pub fn finish(
        &mut self,
        mut velocities: Velocities,
        w: &[f64],
        resting: f64,
        report: &mut ContactReport,
    ) {
        let Self { contacts, spins, reactions: now, .. } = self;
        for contact in contacts.iter_mut() {
            contact.approach -= velocities.closing_by_lag(contact);
        }
        velocities.renew(contacts, w, now);
        let is_impact = |contact: &&Contact| contact.push > 0.0 && contact.approach > resting;
        let hit = |contact: &Contact| contact.sides().map(|(i, _)| i);
        for contact in contacts.iter().filter(is_impact) {
            report.events += 1;
            hit(contact).for_each(|i| velocities.forget(i));
        }
        // Layers come first: impulses that they pass on to each other end at the body below.
        for layers in [true, false] {
            let in_contact = |contact: &&mut Contact| {
                (contact.push > 0.0 || contact.lies) && contact.is_layer() == layers
            };
            for contact in contacts.iter_mut().filter(in_contact) {
                contact.part(&mut velocities, w, spins, resting);
            }
        }
        for contact in contacts.iter().filter(is_impact) {
            hit(contact).for_each(|i| velocities.forget_after(i));
        }
    }

    /// Yields the particles of contacts that approached faster than `resting` m/s in the substep.
    pub fn struck(&self, resting: f64) -> impl Iterator<Item = usize> {
        let impacts = self.contacts.iter();
        let impacts =
            impacts.filter(move |contact| contact.push > 0.0 && contact.approach > resting);
        impacts.flat_map(|contact| contact.sides().map(|(i, _)| i))
    }
}

impl Contact {
    /// Gives both sides the speed at which they separate, and applies the friction that belongs to
    /// this impulse.
    fn part(&mut self, velocities: &mut Velocities, w: &[f64], spins: &mut [DVec3], resting: f64) {
        let Self { normal, carried, surface, approach, slides, weight, recovered, .. } = *self;
        let h = velocities.lag.h;
        let of_sides = self.sides().map(|(i, share)| velocities.of(i) * share);
        let relative = of_sides.sum::<DVec3>() - carried / h;
        let leaving = normal.dot(relative);
        if self.push == 0.0 && leaving >= 0.0 {
            return;
        }
        let bounce = if approach > resting { surface.restitution * approach } else { 0.0 };
        // Several contacts may share particles, so each adds only the missing part of its bounce.
        // In layers, however, sweeps and links move particles, and contacts must not separate.
        let is_whole = self.count == 1 || self.is_layer();
        let missing = if is_whole {
            bounce - leaving
        } else {
            (bounce - leaving).max(-(leaving - bounce).min(recovered / h).max(0.0))
        };
        let push = missing / weight;
        let along = relative - normal * leaving - self.turning(spins);
        let to_stop = along / -self.weight_along(1.0);
        let sticks = self.push > 0.0 && !slides && surface.static_friction > 0.0;
        let most = surface.friction * push.max(0.0);
        let holds = sticks && is_whole || to_stop.length() <= surface.static_friction * push;
        let rub = if holds { to_stop } else { to_stop.clamp_length_max(most) };
        self.extra = normal * push + rub;
        for (i, share) in self.sides() {
            velocities.change(i, self.extra * (w[i] * share));
        }
        self.turn(spins, rub);
        if self.count == 1 {
            velocities.balance(self.particles[0] as usize, (!holds).then_some(normal));
        }
    }
}
