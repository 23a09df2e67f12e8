//! Work of contact on the energy of a step, measured while an energy account is kept.
//!
//! Contact acts in sweeps that alternate with sweeps over links, and at the end of a substep. It
//! gives a particle of mass m the impulse J = m Δv, without the effect of links. All velocities
//! here are motion velocities V = v + s h r, with the reaction r and the omitted fraction s (see
//! `reaction.rs`); Δv contains only the part of s h r due to contacts.
//!
//! - The part of J that changes the velocity works along the mean velocity (V + V')/2. This is
//!   exact for an instantaneous action such as an impact.
//! - The part of J that links and gravity balance works along (x' − x)/h, the velocity by which the
//!   energies of links and gravity change. For a light particle that chatters between a link and a
//!   heavy ball, (x' − x)/h differs from the mean velocity. With the mean velocity alone, the
//!   contact of a mat with a ball of 30 kg seemed to make −15 J of heat in half a second under
//!   velocity Verlet, and 21 J were missing in the energy account.
//! - The impulse of a collision of a ball works along the mean of the velocities before and after
//!   the collision, which the event loop knows. Under symplectic Euler the velocities at the start
//!   and end of a substep lag behind by half a step. With the mean of these, a ball with a
//!   restitution of 0.8 seemed to make 4 J of heat instead of 9.8 J at steps of 1/60 s. A collision
//!   that mostly repeats the previous substep counts as a steady force instead.
//! - The impulse of an impact on a collider at position level works along the mean of the
//!   velocities before and after the impact. The velocity before is that of free motion, (x_free −
//!   x)/h; links respond to the impact with impulses that do no work along these means. The work is
//!   multiplied by the square of u/u_mean, with the speed u at the moment of contact and the mean
//!   speed u_mean of free motion, so that it is (e² − 1) u²/2 per kilogram. The part of J that
//!   corrects the difference between (x_free − x)/h and the velocity of the integrator is no
//!   impact. An impact that mostly repeats the previous substep counts as a steady force. With the
//!   velocities at the start and end of the substep, a particle with a restitution of 0.8 made 7.2
//!   J of heat instead of 9.8 J under symplectic Euler at steps of 1/60 s.
//! - The steady force of a moving surface acts at the start of a substep, like the force of
//!   constraints on pins (see `pin_work.rs`). Its impulse therefore works along the velocity of the
//!   surface at this instant: the mean of its velocities in the substeps before and after. With the
//!   velocity in the substep instead, a swinging floor put in too much power, by ½ h F·a with the
//!   force F and the acceleration a of the floor: 5 J in 300 s for a ball of 2 kg.
//! - The heat is the work along velocities relative to the surface. A body carried by an
//!   accelerating surface therefore makes no heat. The speeds u and u_mean of an impact are
//!   relative to the surface, too.
//!
//! An integrator that remembers velocities repeats a fraction of the last change of velocity in the
//! next substep. BDF2 repeats a third: two thirds of steady friction act in its own substep and one
//! third in the following ones. Repeated changes by contact count as work of contact.
//!
//! After a single collision, the integrator velocity v of a body is its motion velocity. A body
//! that collides in every substep, such as a light body between a spring and a heavy ball, is under
//! a steady force that r does not contain. For such a body V = v + s Δv, where Δv is the part of
//! the change by collisions that repeats the previous substep.

use crate::contact::{Collider, Contacts};
use crate::measure::StepWork;
use glam::DVec3;
use itertools::izip;

/// Difference V − v between motion velocities V and integrator velocities v, see `reaction.rs`.
#[derive(Clone, Copy)]
pub(in crate::simulation) struct MotionLag<'a> {
    /// Reactions r in m/s², and the part of r due to contacts; each may be empty.
    pub reactions: [&'a [DVec3]; 2],
    /// Fraction s of the term a h² that the integrator omits under a constant acceleration a:
    /// without projection, x' = x + v h + (1 − s) a h².
    pub omitted_fraction: f64,
    /// Length h of the substep in seconds.
    pub h: f64,
}

impl MotionLag<'_> {
    /// Returns V − v of a particle in m/s: the whole difference, and the part due to contacts.
    fn of(&self, i: usize) -> [DVec3; 2] {
        let kick = self.omitted_fraction * self.h;
        self.reactions.map(|column| column.get(i).map_or(DVec3::ZERO, |r| *r * kick))
    }
}

/// Smallest fraction of a collision's velocity change that the next substep must repeat for the
/// collision to count as a steady force.
const STEADY: f64 = 0.5;

/// Returns the projection of `other` onto `change` as a fraction of `change`, limited to the range
/// from 0 to 1.
fn shared_fraction(other: DVec3, change: DVec3) -> f64 {
    let fraction = other.dot(change) / change.length_squared();
    if fraction > 0.0 { fraction.min(1.0) } else { 0.0 }
}

/// Returns the projection of `other` onto `change`, limited to the range from 0 to `change`.
fn shared_part(other: DVec3, change: DVec3) -> DVec3 {
    match shared_fraction(other, change) {
        0.0 => DVec3::ZERO,
        fraction => change * fraction,
    }
}

/// Returns the speed at the moment of contact along the velocity change of an impact, as a fraction
/// of the mean speed of free motion. `met` is the mean velocity of free motion, `by_forces` its
/// change in the substep, and `to_contact` the displacement up to the contact divided by h. All are
/// in m/s and relative to the surface.
fn speed_at_contact([met, by_forces, to_contact]: [DVec3; 3], impact: DVec3) -> f64 {
    let [met, by_forces, to_contact] = [met, by_forces, to_contact].map(|it| it.dot(impact));
    if by_forces.abs() >= met.abs() {
        return 1.0;
    }
    let part = (to_contact / met).clamp(0.0, 1.0);
    1.0 + (part - 0.5) * by_forces / met
}

/// Motion of all particles in a substep.
#[derive(Clone, Copy)]
pub(in crate::simulation) struct SubstepMotion<'a> {
    /// Masses in kg.
    pub masses: &'a [f64],
    /// Positions at the start in metres.
    pub x_start: &'a [DVec3],
    /// Positions after free motion in metres.
    pub free: &'a [DVec3],
    /// Positions at the end in metres.
    pub x: &'a [DVec3],
    /// Integrator velocities at the end in m/s.
    pub v: &'a [DVec3],
    pub lag: MotionLag<'a>,
    /// Fraction of the last velocity change that the integrator has repeated in this substep.
    pub repeated: f64,
}

impl SubstepMotion<'_> {
    /// Returns 1/h in 1/s.
    fn rate(&self) -> f64 {
        1.0 / self.lag.h
    }
}

/// Velocity change of a particle by contact in a substep, in m/s.
struct ChangeByContact {
    /// Change by all contacts, including the fraction of earlier changes that the integrator has
    /// repeated.
    whole: DVec3,
    /// Part due to collisions of balls and to stops, which come last in a substep.
    by_collision: DVec3,
    /// Fraction of `by_collision` that repeats the previous substep.
    repeats: f64,
    /// Part due to an impact on a collider at position level.
    by_impact: DVec3,
    /// True if `by_impact` does not repeat the previous substep.
    is_new_impact: bool,
    /// Integrator velocity after all sweeps.
    v_swept: DVec3,
}

/// Motion of the surface of a collider at a particle in contact, in a substep.
#[derive(Clone, Copy, Default)]
struct SurfaceMotion {
    /// Mean velocity in the substep, in m/s.
    mean: DVec3,
    /// Change of the mean velocity since the previous substep, in m/s.
    gained: DVec3,
}

impl SurfaceMotion {
    /// Returns the velocity at the start of the substep in m/s.
    fn at_start(&self) -> DVec3 {
        self.mean - self.gained * 0.5
    }
}

/// Velocity changes in m/s in the last substep that a [`ContactMeter`] needs in the next one. Each
/// column has one entry per particle, and is empty without contact.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::simulation) struct ContactMeterMemory {
    /// Changes of v by contact that the integrator's memory contains.
    remembered: Vec<DVec3>,
    /// Changes by collisions of balls.
    collisions: Vec<DVec3>,
    /// Changes by impacts at position level.
    impacts: Vec<DVec3>,
    /// Velocities of moving surfaces at particles in contact with them.
    surfaces: Vec<Option<DVec3>>,
}

impl ContactMeterMemory {
    /// Returns the memory of all columns in bytes.
    pub fn bytes(&self) -> usize {
        let Self { remembered, collisions, impacts, surfaces } = self;
        size_of_val(&remembered[..])
            + size_of_val(&collisions[..])
            + size_of_val(&impacts[..])
            + size_of_val(&surfaces[..])
    }

    fn resize(&mut self, count: usize) {
        let Self { remembered, collisions, impacts, surfaces: _ } = self;
        for column in [remembered, collisions, impacts] {
            column.resize(count, DVec3::ZERO);
        }
    }

    /// Clears all columns, because the integrator's memory restarts or an energy account starts.
    pub fn clear(&mut self) {
        self.remembered.clear();
        self.collisions.clear();
        self.impacts.clear();
        self.surfaces.clear();
    }
}

/// Meter of the work that contact does in a step.
#[derive(Clone, Debug, Default)]
pub(in crate::simulation) struct ContactMeter {
    /// True if an energy account is kept and contact can act. Without contact the meter would find
    /// a work of 0, at a tenth of the cost of a short rope's step.
    pub runs: bool,
    /// Work so far in the newest step.
    pub work: StepWork,
    /// Sum in metres of the displacements by sweeps over contacts in this substep.
    swept: Vec<DVec3>,
    /// Buffer: positions before a sweep, in metres.
    before: Vec<DVec3>,
    /// Motion velocities V at the start of the substep, in m/s.
    start: Vec<DVec3>,
    /// Part in m/s of V − v due to contacts (see [`MotionLag`]) at the start of the substep.
    contact_lag: Vec<DVec3>,
    /// Velocities in m/s at the end of the substep without the effect of contact.
    v_without_contact: Vec<DVec3>,
    /// Changes of velocity in the last substep.
    pub memory: ContactMeterMemory,
    /// Velocities before collisions of balls, in m/s.
    before_collisions: Vec<DVec3>,
    /// Displacements from the start of the substep to the positions after all sweeps, divided by h;
    /// in m/s.
    to_contact: Vec<DVec3>,
    /// Buffer: true for each particle that hit a collider at position level.
    is_struck: Vec<bool>,
    /// Buffer: work of the collisions of each ball that collided in the substep, in joules.
    collision_work: Vec<Option<f64>>,
    /// Mean velocity in m/s of the collider's surface in this substep, for each particle in
    /// contact; empty if no surface moves.
    surface_velocities: Vec<Option<DVec3>>,
}

impl ContactMeter {
    /// Begins a step. `rotational` is the rotational energy of balls at its start, in joules.
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
            self.contact_lag.clear();
            self.contact_lag.extend((0..v.len()).map(|i| lag.of(i)[1]));
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

    /// Stores the velocities `v` in a substep of `h` seconds from `x_start` to `x`, before contact
    /// changes them at its end. `v` includes the displacements by sweeps over contacts. These are
    /// subtracted, so the stored velocities contain no effect of contact.
    pub fn record_velocities(&mut self, [x_start, x, v]: [&[DVec3]; 3], h: f64) {
        if self.runs {
            let rate = 1.0 / h;
            self.v_without_contact.clear();
            let columns = izip!(v, &self.swept, &self.contact_lag);
            self.v_without_contact.extend(columns.map(|(v, swept, lag)| *v - *swept * rate + *lag));
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

    /// Adds the work of a substep.
    pub fn end_substep(
        &mut self,
        motion: SubstepMotion,
        contacts: &Contacts,
        colliders: &[Collider],
    ) {
        if !self.runs {
            return;
        }
        self.collect_contacts(contacts, colliders, motion.masses.len());
        for i in 0..motion.masses.len() {
            let change = self.change_by_contact(i, &motion);
            let surface = self.surface_motion(i);
            let [by_surface, on_body] = match change.is_new_impact {
                true => {
                    let impulse = (change.by_impact + change.by_collision) * motion.masses[i];
                    let is_shortened = contacts.has_shortened_impacts();
                    let on_body =
                        self.work_of_impact(i, &change, &motion, surface.mean, is_shortened);
                    [impulse.dot(surface.mean), on_body]
                }
                false => self.work_without_impact(i, &change, &motion, surface),
            };
            self.work.by_colliders += by_surface;
            self.work.on_bodies += on_body;
        }
        self.memory.surfaces.clone_from(&self.surface_velocities);
        // The integrator's memory of particles that hit a body restarts, so their remembered
        // changes become 0.
        let restarted =
            contacts.bounced_particles().chain(contacts.collided_balls().map(|(i, _)| i));
        restarted.for_each(|i| self.memory.remembered[i] = DVec3::ZERO);
    }

    /// Stores which of `count` particles hit a collider, the work of collisions of balls, and the
    /// velocities of the surfaces that carry particles.
    fn collect_contacts(&mut self, contacts: &Contacts, colliders: &[Collider], count: usize) {
        let Self { memory, is_struck, collision_work, surface_velocities, .. } = self;
        memory.resize(count);
        is_struck.clear();
        is_struck.resize(count, false);
        contacts.particles_struck_by_colliders().for_each(|i| is_struck[i] = true);
        collision_work.clear();
        for (i, joules) in contacts.collision_work() {
            collision_work.resize(count, None);
            collision_work[i] = Some(joules);
        }
        surface_velocities.clear();
        contacts.for_each_moving_surface(colliders, |particle, velocity| {
            surface_velocities.resize(count, None);
            surface_velocities[particle as usize] = Some(velocity);
        });
    }

    /// Returns the change of a particle's velocity by contact, and remembers it for the next
    /// substep.
    fn change_by_contact(&mut self, i: usize, motion: &SubstepMotion) -> ChangeByContact {
        let [_, of_contacts] = motion.lag.of(i);
        let change = motion.v[i] + of_contacts - self.v_without_contact[i];
        let again = self.memory.remembered[i] * motion.repeated;
        self.memory.remembered[i] = again + (change - (of_contacts - self.contact_lag[i]));
        let whole = change + again;
        let by_collision = motion.v[i] - self.before_collisions[i];
        let repeats = shared_fraction(self.memory.collisions[i], by_collision);
        self.memory.collisions[i] = by_collision;
        let v_swept =
            self.v_without_contact[i] - self.contact_lag[i] + self.swept[i] * motion.rate();
        let by_impact = match self.is_struck[i] {
            true => whole - by_collision - (self.to_contact[i] - v_swept),
            false => DVec3::ZERO,
        };
        let is_new_impact =
            self.is_struck[i] && shared_fraction(self.memory.impacts[i], by_impact) < STEADY;
        self.memory.impacts[i] = by_impact;
        ChangeByContact { whole, by_collision, repeats, by_impact, is_new_impact, v_swept }
    }

    /// Returns the work in joules of an impact on a collider and of the collisions after it.
    /// `surface` is the velocity of the collider's surface in m/s. `is_shortened` is true if the
    /// energy limit has removed energy that the impacts had created.
    fn work_of_impact(
        &self,
        i: usize,
        change: &ChangeByContact,
        motion: &SubstepMotion,
        surface: DVec3,
        is_shortened: bool,
    ) -> f64 {
        let ChangeByContact { by_impact, by_collision, v_swept, .. } = *change;
        let (mass, to_contact) = (motion.masses[i], self.to_contact[i]);
        let before = (motion.free[i] - motion.x_start[i]) * motion.rate();
        let after = self.before_collisions[i] + motion.lag.of(i)[1];
        let by_forces = v_swept - (to_contact - before) - self.start[i];
        let relative = [before - surface, by_forces, to_contact - surface];
        let speed = speed_at_contact(relative, by_impact);
        let heat_velocity = (relative[0] + after - surface) * (speed * speed);
        let of_stop = || match is_shortened {
            true => 0.0,
            false => by_collision.dot(self.before_collisions[i] + motion.v[i]) * (0.5 * mass),
        };
        by_impact.dot(heat_velocity + surface * 2.0) * (0.5 * mass)
            + self.collision_work_of(i).unwrap_or_else(of_stop)
    }

    /// Returns the motion of the surface that carries a particle; 0 if no moving surface does.
    fn surface_motion(&self, i: usize) -> SurfaceMotion {
        let Some(mean) = self.surface_velocities.get(i).copied().flatten() else {
            return SurfaceMotion::default();
        };
        let last = self.memory.surfaces.get(i).copied().flatten();
        SurfaceMotion { mean, gained: last.map_or(DVec3::ZERO, |last| mean - last) }
    }

    /// Returns the work of steady contact and of ball collisions in joules: work by a moving
    /// surface, and work on the particle.
    fn work_without_impact(
        &self,
        i: usize,
        change: &ChangeByContact,
        motion: &SubstepMotion,
        surface: SurfaceMotion,
    ) -> [f64; 2] {
        let ChangeByContact { whole, by_collision, repeats, .. } = *change;
        let (mass, lag) = (motion.masses[i], &motion.lag);
        let v = motion.v[i] + lag.of(i)[0];
        let mean = (self.start[i] + v) * 0.5 + by_collision * (repeats * lag.omitted_fraction);
        let moved = (motion.x[i] - motion.x_start[i]) * motion.rate() - surface.mean;
        let (mut steady, mut gained) = (whole * mass, (v - self.start[i]) * mass);
        let mut works = [0.0; 2];
        if let Some(of_collision) = self.collision_work_of(i).filter(|_| repeats < STEADY) {
            works = [(by_collision * mass).dot(surface.mean), of_collision];
            steady -= by_collision * mass;
            gained -= by_collision * mass;
        }
        let by_surface = steady.dot(surface.at_start());
        let with_velocity = shared_part(steady, gained - surface.gained * mass);
        let relative = mean - surface.at_start() - moved;
        let on_body = works[1] + by_surface + steady.dot(moved) + with_velocity.dot(relative);
        [works[0] + by_surface, on_body]
    }

    /// Returns the work of a ball's collisions in joules; `None` if it did not collide.
    fn collision_work_of(&self, i: usize) -> Option<f64> {
        self.collision_work.get(i).copied().flatten()
    }

    /// Ends the step. `rotational` is the rotational energy of balls at its end, in joules.
    pub fn end_step(&mut self, rotational: f64) {
        let work = &mut self.work;
        work.on_bodies += rotational - work.rotational[0];
        work.rotational[1] = rotational;
    }
}
