//! Effects of contacts on velocities at the end of a substep, after the sweeps have moved
//! positions.
//!
//! Sweeps see only the displacement (1 − s) a h² of a particle that begins to touch; the rest of
//! the effect of a force in the substep is in its velocity. The impulse of a contact therefore has
//! two parts: its multiplier over h, and the part that is still missing for the speed at which the
//! two sides separate. Friction is bounded by μ times their sum.

use super::position_level::{Contact, PositionContacts};
use crate::contact::report::ContactReport;
use glam::DVec3;
use itertools::izip;

/// Lag of a scheme's own velocities behind those of the motion.
#[derive(Clone, Copy, Debug)]
pub struct Lag {
    /// Length of the substep in seconds.
    pub h: f64,
    /// Share s of a constant acceleration that the displacement lacks, in the substep before this
    /// one and in this one.
    pub shares: [f64; 2],
    /// Share of a h² that a projection undoes.
    pub undone: f64,
}

/// Velocities at the end of a substep: those of the motion are V = v + s h r with the reaction r in
/// m/s², see `simulation/reaction.rs`.
#[derive(Debug)]
pub struct Velocities<'a> {
    /// Velocities v in m/s, from which the scheme continues.
    pub own: &'a mut [DVec3],
    /// Reactions r in m/s²; empty where they are not kept.
    pub reaction: &'a mut [DVec3],
    /// Part of r that contacts give, in m/s²; empty if r is, and if there are no contacts.
    pub pressed: &'a mut Vec<DVec3>,
    /// Lag of v behind V.
    pub lag: Lag,
    /// The free motion of the substep.
    pub free: FreeMotion<'a>,
}

/// Motion of particles in a substep before constraints and contacts.
#[derive(Clone, Copy, Debug)]
pub struct FreeMotion<'a> {
    /// Velocities in m/s: the scheme's at the start, and those that agree with the positions at the
    /// end.
    pub v: [&'a [DVec3]; 2],
    /// Positions in metres: after free motion, and at the end.
    pub x: [&'a [DVec3]; 2],
}

impl FreeMotion<'_> {
    /// Change of a particle's velocity by `h` seconds of free motion, in m/s.
    fn gain(&self, i: usize, h: f64) -> DVec3 {
        let [[start, agreeing], [free, x]] = [self.v, self.x];
        agreeing[i] - (x[i] - free[i]) / h - start[i]
    }
}

impl Velocities<'_> {
    fn kick(&self) -> f64 {
        self.lag.shares[1] * self.lag.h
    }

    /// Returns V of a particle in m/s.
    pub fn of(&self, i: usize) -> DVec3 {
        match self.reaction.get(i) {
            Some(r) => self.own[i] + self.kick() * *r,
            None => self.own[i],
        }
    }

    /// Changes V of a particle by `by` m/s, for an impulse that lasts: it becomes part of the
    /// reaction.
    fn change(&mut self, i: usize, by: DVec3) {
        self.own[i] += by;
        if i < self.reaction.len() {
            let r = by / (self.lag.h * self.lag.undone);
            self.reaction[i] += r;
            self.pressed[i] += r;
            self.own[i] -= self.kick() * r;
        }
    }

    /// Excess in m/s of a contact's approach speed by the scheme's own velocities over that by the
    /// velocities of the motion.
    fn closing_by_lag(&self, contact: &Contact) -> f64 {
        let of_sides = contact.sides().filter_map(|(i, share)| Some(*self.pressed.get(i)? * share));
        self.lag.shares[0] * self.lag.h * contact.normal.dot(of_sides.sum())
    }

    /// Makes the reaction of a particle in contact balance the effect of free motion on it: in all
    /// directions, or along `normal`. The parts that links and contacts give on their own vary with
    /// the sweeps.
    fn balance(&mut self, i: usize, normal: Option<DVec3>) {
        let Some(r) = self.reaction.get(i) else { return };
        let Lag { h, undone, .. } = self.lag;
        let missing = -self.free.gain(i, h) / (h * undone) - *r;
        let missing = normal.map_or(missing, |normal| normal * normal.dot(missing));
        self.reaction[i] += missing;
        self.pressed[i] += missing;
        self.own[i] -= self.kick() * missing;
    }

    /// Replaces the contact reactions of the substep before by those of this one, so that V keeps
    /// the impulses that it got.
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

    /// Resets a particle's reaction after an impact, which does not last. V loses the response of
    /// the links to the impact.
    fn forget(&mut self, i: usize) {
        if i < self.reaction.len() {
            self.own[i] += self.kick() * self.pressed[i];
            (self.reaction[i], self.pressed[i]) = (DVec3::ZERO, DVec3::ZERO);
        }
    }

    /// Like [`Velocities::forget`], but V stays the same.
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
    /// Corrects velocities after they were made consistent with the positions: a contact separates
    /// with its restitution, a sticking one takes on the velocity of the surface, and a sliding one
    /// loses as much along the surface as friction takes of its whole impulse. Approach speeds up
    /// to `resting` m/s do not bounce.
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
        // Impulses that layers pass on to each other end at the body below them.
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

    /// Yields the particles whose impact ended their motion in the substep.
    pub fn struck(&self, resting: f64) -> impl Iterator<Item = usize> {
        let impacts = self.contacts.iter();
        let impacts =
            impacts.filter(move |contact| contact.push > 0.0 && contact.approach > resting);
        impacts.flat_map(|contact| contact.sides().map(|(i, _)| i))
    }
}

impl Contact {
    /// Gives both sides the speed at which they separate, and applies the friction that this
    /// allows.
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
        // But where sweeps and links move layers, contacts must not separate.
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
