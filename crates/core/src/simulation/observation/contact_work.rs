//! Work of contact on the energy of a step, measured while an energy account is kept.
//!
//! Contact acts in sweeps that alternate with sweeps over links, and at the end of a substep. It
//! gives a particle of mass m the impulse J = m Δv, without the effect of links. All velocities
//! here are motion velocities V = v + s h r, with the reaction r and the omitted fraction s (see
//! `reaction.rs`); Δv contains only the part of s h r by contacts.
//!
//! - The part of J that changes the velocity works along the mean velocity (V + V')/2. This is exact
//!   for an instantaneous action such as an impact.
//! - The part of J that links and gravity balance works along (x' − x)/h, as the energies of links
//!   and gravity do. For a light particle that chatters between a link and a heavy ball, the two
//!   velocities differ. With the mean velocity alone, a mat under a ball of 30 kg seemed to cool
//!   the ball by 15 J in half a second under velocity Verlet, and 21 J were missing in the energy
//!   account.
//! - The impulse of a collision of a ball works along the mean of the velocities before and after
//!   the collision, which the event loop knows. Under symplectic Euler the velocities at the start
//!   and end of a substep lag behind by half a step: with their mean, a ball with a restitution of
//!   0.8 seemed to make 4 J of heat instead of 9.8 J at steps of 1/60 s. This does not apply to a
//!   collision that mostly repeats the substep before, which is a steady force.
//! - The impulse of an impact on a collider at position level works along the mean of the velocities before and
//!   after the impact. The velocity before is (x_free − x)/h, that of free motion; links respond to
//!   the impact with impulses that do no work along these means. The work is multiplied by the
//!   square of u/u_mean, with the speed u at the moment of contact and the mean speed u_mean of free
//!   motion, so that it is (e² − 1) u²/2 per kilogram. The part of J that corrects the difference
//!   between (x_free − x)/h and the velocity of the integrator is no impact. An impact that mostly
//!   repeats the substep before is a steady force. With the velocities at the start and end of the
//!   substep, a particle with a restitution of 0.8 made 7.2 J of heat instead of 9.8 J under
//!   symplectic Euler at steps of 1/60 s.
//!
//! An integrator that remembers velocities repeats a fraction of the last change of velocity in the
//! next substep: BDF2 repeats a third, so that two thirds of steady friction act in its own substep
//! and one third in the following ones. Repeated changes by contact count as work of contact.
//!
//! After a single collision, the integrator velocity v of a body is its motion velocity. A body
//! that collides in every substep, such as a light body between a spring and a heavy ball, is under
//! a steady force that r does not contain. Then V = v + s Δv with the change Δv by collisions, as
//! far as these repeat the collisions of the substep before.

use crate::contact::{Collider, Contacts};
use crate::measure::StepWork;
use glam::DVec3;
use itertools::izip;

/// Difference V − v between motion velocities V and integrator velocities v, see `reaction.rs`.
#[derive(Clone, Copy)]
pub(in crate::simulation) struct MotionLag<'a> {
    /// Reactions r in m/s², and the part of r by contacts; each may be empty.
    pub reactions: [&'a [DVec3]; 2],
    /// Fraction s of a constant acceleration that the integrator omits from the displacement.
    pub omitted_fraction: f64,
    /// Length h of the substep in seconds.
    pub h: f64,
}

impl MotionLag<'_> {
    /// Returns V − v of a particle in m/s: the whole difference, and the part by contacts.
    fn of(&self, i: usize) -> [DVec3; 2] {
        let kick = self.omitted_fraction * self.h;
        self.reactions.map(|column| column.get(i).map_or(DVec3::ZERO, |r| *r * kick))
    }
}

/// Fraction of a collision from which on a repetition in the next substep counts as a steady force.
const STEADY: f64 = 0.5;

/// Returns the projection of `other` onto `change` as a fraction of `change`, limited to the range
/// from 0 to 1.
fn shared_fraction(other: DVec3, change: DVec3) -> f64 {
    let share = other.dot(change) / change.length_squared();
    if share > 0.0 { share.min(1.0) } else { 0.0 }
}

/// Returns the projection of `other` onto `change`, limited to the range from 0 to `change`.
fn shared_part(other: DVec3, change: DVec3) -> DVec3 {
    match shared_fraction(other, change) {
        0.0 => DVec3::ZERO,
        share => change * share,
    }
}

/// Returns the speed at the moment of contact along the change of velocity by an impact, as a
/// fraction of the mean speed of free motion. `met` is the mean velocity of free motion, `by_forces`
/// its change in the substep, and `to_contact` the displacement up to the contact divided by h, all
/// in m/s.
fn speed_at_contact([met, by_forces, to_contact]: [DVec3; 3], impact: DVec3) -> f64 {
    let [met, by_forces, to_contact] = [met, by_forces, to_contact].map(|it| it.dot(impact));
    if by_forces.abs() >= met.abs() {
        return 1.0;
    }
    let part = (to_contact / met).clamp(0.0, 1.0);
    1.0 + (part - 0.5) * by_forces / met
}

/// Meter of the work that contact does in a step.
#[derive(Clone, Debug, Default)]
pub(in crate::simulation) struct ContactMeter {
    /// True if an energy account is kept.
    pub runs: bool,
    /// Work in the newest step so far.
    pub work: StepWork,
    /// Sum of the displacements by sweeps over contacts in this substep, in metres.
    swept: Vec<DVec3>,
    /// Buffer: positions before a sweep, in metres.
    before: Vec<DVec3>,
    /// Motion velocities V at the start of the substep, in m/s.
    start: Vec<DVec3>,
    /// Part of V − v by contacts at the start of the substep, in m/s.
    lag: Vec<DVec3>,
    /// Velocities at the end of the substep without the effect of contact, in m/s.
    without: Vec<DVec3>,
    /// Changes of v by contact that the integrator's memory contains, in m/s.
    remembered: Vec<DVec3>,
    /// Velocities before collisions of balls, in m/s.
    before_collisions: Vec<DVec3>,
    /// Changes of velocity by collisions of balls in the last substep, in m/s.
    collisions: Vec<DVec3>,
    /// Displacements from the start of the substep to the positions after all sweeps, divided by h,
    /// in m/s.
    to_contact: Vec<DVec3>,
    /// Changes of velocity by impacts at position level in the last substep, in m/s.
    impacts: Vec<DVec3>,
    /// Buffer: true for each particle that hit a collider at position level.
    is_struck: Vec<bool>,
    /// Buffer: work of the collisions of each ball that collided in the substep, in joules.
    collision_work: Vec<Option<f64>>,
    /// Velocity of the collider's surface at each particle in contact, in m/s; empty if no surface
    /// moves.
    carried: Vec<DVec3>,
}

impl ContactMeter {
    /// Begins a step at which balls have `rotational` joules of rotational energy.
    pub fn start_step(&mut self, rotational: f64) {
        self.work = StepWork { rotational: [rotational; 2], ..StepWork::default() };
    }

    /// Begins a substep with the integrator velocities `v` in m/s.
    pub fn start_substep(&mut self, v: &[DVec3], lag: MotionLag) {
        if self.runs {
            self.swept.clear();
            self.swept.resize(v.len(), DVec3::ZERO);
            self.start.clear();
            self.start.extend(v.iter().enumerate().map(|(i, v)| *v + lag.of(i)[0]));
            self.lag.clear();
            self.lag.extend((0..v.len()).map(|i| lag.of(i)[1]));
        }
    }

    /// Calls `push`, which lets contacts move positions, and records the displacements.
    pub fn measure_sweep(&mut self, x: &mut [DVec3], push: impl FnOnce(&mut [DVec3])) {
        if !self.runs {
            return push(x);
        }
        self.before.clear();
        self.before.extend_from_slice(x);
        push(x);
        izip!(&mut self.swept, x, &self.before)
            .for_each(|(swept, x, before)| *swept += *x - *before);
    }

    /// Stores the velocities `v` without the effect of contact, before contact changes velocities
    /// at the end of a substep of `h` seconds from `x_start` to `x`. `v` contains the displacements
    /// by sweeps over contacts, so these are subtracted.
    pub fn record_velocities(&mut self, [x_start, x, v]: [&[DVec3]; 3], h: f64) {
        if self.runs {
            let rate = 1.0 / h;
            self.without.clear();
            let columns = izip!(v, &self.swept, &self.lag);
            self.without.extend(columns.map(|(v, swept, lag)| *v - *swept * rate + *lag));
            self.to_contact.clear();
            self.to_contact.extend(izip!(x_start, x).map(|(start, x)| (*x - *start) * rate));
        }
    }

    /// Stores the velocities before collisions of balls, which come last in a substep.
    pub fn record_velocities_before_collisions(&mut self, v: &[DVec3]) {
        if self.runs {
            self.before_collisions.clear();
            self.before_collisions.extend_from_slice(v);
        }
    }

    /// Adds the work of the substep. `free` are the positions after free motion in metres, and `v`
    /// the velocities at the end in m/s. `repeated` is the fraction of the last change of velocity
    /// that the integrator has repeated in this substep.
    pub fn end_substep(
        &mut self,
        masses: &[f64],
        [x_start, free, x, v]: [&[DVec3]; 4],
        (lag, repeated): (MotionLag, f64),
        contacts: (&Contacts, &[Collider]),
    ) {
        if !self.runs {
            return;
        }
        let rate = 1.0 / lag.h;
        let Self {
            work, start, without, carried, remembered, collision_work, lag: lag_before, ..
        } = self;
        let (before_collisions, collisions) = (&self.before_collisions, &mut self.collisions);
        let (to_contact, swept) = (&self.to_contact, &self.swept);
        let (impacts, is_struck) = (&mut self.impacts, &mut self.is_struck);
        for column in [&mut *remembered, collisions, impacts] {
            column.resize(v.len(), DVec3::ZERO);
        }
        carried.clear();
        collision_work.clear();
        let (contacts, colliders) = contacts;
        is_struck.clear();
        is_struck.resize(v.len(), false);
        contacts.particles_struck_by_colliders().for_each(|i| is_struck[i] = true);
        for (i, joules) in contacts.collision_work() {
            collision_work.resize(masses.len(), None);
            collision_work[i] = Some(joules);
        }
        contacts.for_each_moving_surface(colliders, |particle, velocity| {
            carried.resize(masses.len(), DVec3::ZERO);
            carried[particle as usize] = velocity;
        });
        let columns = izip!(masses, v, &*start, &*without, &mut *remembered, &*lag_before);
        for (i, (mass, v, start, without, remembered, before)) in columns.enumerate() {
            let [all, of_contacts] = lag.of(i);
            let change = *v + of_contacts - *without;
            let again = *remembered * repeated;
            let mut impulse = (change + again) * *mass;
            *remembered = again + (change - (of_contacts - *before));
            let collision = *v - before_collisions[i];
            // Integrator velocity after all sweeps.
            let v_swept = *without - *before + swept[i] * rate;
            let impact = match is_struck[i] {
                true => change + again - collision - (to_contact[i] - v_swept),
                false => DVec3::ZERO,
            };
            let is_new_impact = is_struck[i] && shared_fraction(impacts[i], impact) < STEADY;
            impacts[i] = impact;
            let repeats = shared_fraction(collisions[i], collision);
            collisions[i] = collision;
            let collision_joules = collision_work.get(i).copied().flatten();
            if is_new_impact {
                let met = (free[i] - x_start[i]) * rate;
                let after = before_collisions[i] + of_contacts;
                let by_forces = v_swept - (to_contact[i] - met) - *start;
                let speed = speed_at_contact([met, by_forces, to_contact[i]], impact);
                let of_stops = || match contacts.has_shortened_impacts() {
                    true => 0.0,
                    false => collision.dot(before_collisions[i] + *v) * (0.5 * *mass),
                };
                work.on_bodies += impact.dot(met + after) * (0.5 * *mass * speed * speed)
                    + collision_joules.unwrap_or_else(of_stops);
                impulse = (impact + collision) * *mass;
            } else {
                let mean = (*start + *v + all) * 0.5 + collision * (repeats * lag.omitted_fraction);
                let moved = (x[i] - x_start[i]) * rate;
                let gained = (*v + all - *start) * *mass;
                let (mut steady, mut steady_gain) = (impulse, gained);
                if let Some(joules) = collision_joules
                    && repeats < STEADY
                {
                    let new = collision * *mass;
                    work.on_bodies += joules;
                    (steady, steady_gain) = (impulse - new, gained - new);
                }
                work.on_bodies +=
                    steady.dot(moved) + shared_part(steady, steady_gain).dot(mean - moved);
            }
            if let Some(carried) = carried.get(i) {
                work.by_colliders += impulse.dot(*carried);
            }
        }
        // The integrator's memory of particles that hit something restarts.
        let restarted =
            contacts.struck_particles().chain(contacts.collided_balls().map(|(i, _)| i));
        restarted.for_each(|i| remembered[i] = DVec3::ZERO);
    }

    /// Clears the remembered changes of velocity, because the integrator's memory restarts or an
    /// energy account starts.
    pub fn clear_remembered(&mut self) {
        self.remembered.clear();
        self.collisions.clear();
        self.impacts.clear();
    }

    /// Ends the step. `rotational` is the rotational energy of balls at its end, in joules.
    pub fn end_step(&mut self, rotational: f64) {
        let work = &mut self.work;
        work.on_bodies += rotational - work.rotational[0];
        work.rotational[1] = rotational;
    }
}
