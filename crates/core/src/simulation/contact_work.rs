//! What contact did to the energy of a step, measured while books of energy are kept.
//!
//! Contact pushes in sweeps that take turns with those of links, and at the end of a substep. With
//! the velocity change Δv that it gave a particle of mass m, links apart, its work in the substep is
//! m Δv · (v + v')/2: exact where it acts in a moment, as in an impact, and for a steady force.

use crate::contact::{Collider, Contacts};
use crate::measure::ContactWork;
use glam::DVec3;
use itertools::izip;

/// Room to measure the work of contact.
#[derive(Clone, Debug, Default)]
pub(super) struct ContactMeter {
    /// Books are kept.
    pub runs: bool,
    /// Of the newest step.
    pub work: ContactWork,
    /// Displacements by sweeps over contacts in this substep, in metres.
    swept: Vec<DVec3>,
    /// Positions before a sweep, in metres.
    before: Vec<DVec3>,
    /// Velocities that particles would have without contact, in m/s.
    without: Vec<DVec3>,
    /// Velocities of the surfaces that particles touch, in m/s.
    carried: Vec<DVec3>,
}

impl ContactMeter {
    /// Begins a step in which balls have so much rotational energy in joules.
    pub fn start_step(&mut self, rotational: f64) {
        self.work = ContactWork { rotational: [rotational; 2], ..ContactWork::default() };
    }

    /// Begins a substep.
    pub fn start_substep(&mut self, particles: usize) {
        if self.runs {
            self.swept.clear();
            self.swept.resize(particles, DVec3::ZERO);
        }
    }

    /// Lets contacts move positions and notes by how much.
    pub fn watch(&mut self, x: &mut [DVec3], push: impl FnOnce(&mut [DVec3])) {
        if !self.runs {
            return push(x);
        }
        self.before.clear();
        self.before.extend_from_slice(x);
        push(x);
        izip!(&mut self.swept, x, &self.before)
            .for_each(|(swept, x, before)| *swept += *x - *before);
    }

    /// Notes velocities before contact ends a substep of `h` seconds, which have what its sweeps
    /// gave.
    pub fn note_velocities(&mut self, v: &[DVec3], h: f64) {
        if self.runs {
            self.without.clear();
            self.without.extend(izip!(v, &self.swept).map(|(v, swept)| *v - *swept * (1.0 / h)));
        }
    }

    /// Adds the work of the substep, at whose start and end particles have the velocities `v` in
    /// m/s.
    pub fn end_substep(
        &mut self,
        masses: &[f64],
        v: [&[DVec3]; 2],
        contacts: (&Contacts, &[Collider]),
    ) {
        if !self.runs {
            return;
        }
        let Self { work, without, carried, .. } = self;
        carried.clear();
        let (contacts, colliders) = contacts;
        contacts.each_moving_surface(colliders, |particle, velocity| {
            carried.resize(masses.len(), DVec3::ZERO);
            carried[particle as usize] = velocity;
        });
        let impulses = izip!(masses, v[1], &*without).map(|(m, v, without)| (*v - *without) * *m);
        for (i, impulse) in impulses.enumerate() {
            work.on_bodies += impulse.dot(v[0][i] + v[1][i]) * 0.5;
            if let Some(carried) = carried.get(i) {
                work.by_colliders += impulse.dot(*carried);
            }
        }
    }

    /// Ends the step, after which balls have so much rotational energy in joules.
    pub fn end_step(&mut self, rotational: f64) {
        let work = &mut self.work;
        work.on_bodies += rotational - work.rotational[0];
        work.rotational[1] = rotational;
    }
}
