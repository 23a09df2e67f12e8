//! Work of moving pins on constraints, measured while books of energy are kept.
//!
//! Solvers do not record their impulses on pins. Their sweeps therefore run a second time, on a
//! copy in which pins are not immovable but heavier than their neighbours by [`HEAVIER`]. In this
//! copy, the displacement of a pin times its mass divided by h is the impulse of the constraints on
//! the pin, for every solver. Links between two pins are cut in the copy: they would move nothing
//! else.
//!
//! Velocities are those of the motion, V = v + s h r, as for contact: see `contact_work`. For a
//! pin, v is its mean velocity in a substep, and h r the change of v since the substep before.

use crate::constraint::{ConstraintSolver, Constraints};
use crate::limit::Limits;
use crate::model::Model;
use glam::DVec3;

/// Mass of a pin in the copy, divided by that of the lightest particle linked to the pin. The pin
/// then takes less than a millionth of a correction, and rounding errors are a million times
/// smaller than its displacement.
const HEAVIER: f64 = 1e6;

/// Meter of the work of pins.
#[derive(Clone, Debug, Default)]
pub(in crate::simulation) struct PinMeter {
    /// True if books are kept and pins move under a constraint solver.
    pub runs: bool,
    /// Work on the solver's links and bends in this step, in joules.
    pub work: f64,
    /// Links and bends of the lane, apart from links between pins.
    constraints: Option<Constraints>,
    /// Inverse masses in 1/kg.
    w: Vec<f64>,
    /// Positions in metres, or velocities in m/s, that the copy's sweeps change.
    moved: Vec<DVec3>,
    pins: Vec<MeteredPin>,
}

/// Displacement, impulse and force that constraints give one pin.
#[derive(Clone, Copy, Debug, Default)]
struct MeteredPin {
    particle: u32,
    /// Displacement by the sweeps of this substep times the mass in the copy, in kg·m.
    pushed: DVec3,
    /// Impulse of the velocity stage in N·s.
    kicked: DVec3,
    /// Force of the constraints in the last substep in newtons; `None` before the first substep.
    force: Option<DVec3>,
    /// Velocity in the last substep, in m/s.
    velocity: DVec3,
    /// Velocity of the motion at the end of the last substep, in m/s.
    of_motion: DVec3,
}

/// Data of a substep at its end.
pub(in crate::simulation) struct PinSubstep<'a> {
    /// Length in seconds.
    pub h: f64,
    /// Late shares s of the integrator (see `reaction.rs`) at the substep's start and end.
    pub shares: [f64; 2],
    /// Share of a h² that a projection takes back.
    pub undone: f64,
    /// True in the first substep of the integrator.
    pub is_first: bool,
    /// Pins and their positions at the end in metres, in the order of the model.
    pub pins: &'a [(u32, DVec3)],
    /// Positions at the start, in metres.
    pub start: &'a [DVec3],
}

impl PinMeter {
    /// Forgets the pins, because there may be others now.
    pub fn forget(&mut self) {
        self.pins.clear();
    }

    /// Begins a step, with the velocities `v` in m/s, of a lane whose solver holds `constraints`.
    pub fn start_step(&mut self, model: &Model, constraints: &Constraints, v: &[DVec3]) {
        self.work = 0.0;
        if !self.runs {
            self.pins.clear();
            return;
        }
        let same = self.pins.iter().map(|pin| pin.particle);
        if !same.eq(model.pins().iter().map(|pin| pin.particle)) {
            let pin = |particle: u32| {
                let velocity = v[particle as usize];
                let of_motion = velocity;
                MeteredPin { particle, velocity, of_motion, ..MeteredPin::default() }
            };
            self.pins.clear();
            self.pins.extend(model.pins().iter().map(|it| pin(it.particle)));
        }
        self.weigh(model);
        self.copy(model, constraints);
    }

    /// Computes the inverse masses of the copy.
    fn weigh(&mut self, model: &Model) {
        let Self { w, pins, .. } = self;
        w.clear();
        w.extend_from_slice(model.inverse_masses());
        let lightest = w.iter().fold(0.0, |most: f64, w| most.max(*w));
        pins.iter().for_each(|pin| w[pin.particle as usize] = 0.0);
        for link in model.topology().links().iter().filter(|link| !link.is_cut()) {
            let ends = [(link.a, link.b), (link.b, link.a)];
            for (pin, other) in ends.map(|(a, b)| (a as usize, b as usize)) {
                let w_other = model.inverse_masses()[other];
                if model.is_pinned(pin as u32) && w_other > 0.0 {
                    w[pin] = w[pin].max(w_other / HEAVIER);
                }
            }
        }
        for pin in pins.iter().map(|pin| pin.particle as usize) {
            if w[pin] == 0.0 {
                w[pin] = lightest / HEAVIER;
            }
        }
    }

    /// Copies the constraints. A copy per step is as good as one per substep, except for a warm
    /// start.
    fn copy(&mut self, model: &Model, constraints: &Constraints) {
        let mut copy = constraints.clone();
        for i in 0..copy.links().len() {
            let link = copy.links().at(i);
            if !link.is_cut() && model.is_pinned(link.a) && model.is_pinned(link.b) {
                copy.cut(i);
            }
        }
        self.constraints = Some(copy);
    }

    /// Gives the copy the forces of links with which a solver starts warm.
    pub fn warm(&mut self, forces: &[f64]) {
        if let Some(copy) = self.constraints.as_mut().filter(|_| self.runs) {
            copy.load_warm_start(&mut forces.to_vec());
        }
    }

    /// Applies the coming projection of the solver to a copy of the positions `x`.
    pub fn watch<R>(
        &mut self,
        x: &[DVec3],
        sweep: impl FnOnce(&mut Constraints, &[f64], &mut [DVec3]) -> R,
    ) {
        let Self { constraints, w, moved, pins, .. } = self;
        if let Some(copy) = constraints.as_mut().filter(|_| self.runs) {
            moved.clear();
            moved.extend_from_slice(x);
            sweep(copy, w, moved);
            for pin in pins {
                let i = pin.particle as usize;
                pin.pushed += (moved[i] - x[i]) / w[i];
            }
        }
    }

    /// Adds the displacements by limits of length, which record their own pull on pins.
    pub fn note_limits(&mut self, limits: &Limits) {
        for pin in &mut self.pins {
            pin.pushed += limits.pushed(pin.particle);
        }
    }

    /// Applies the coming projection of the solver to a copy of the velocities `v`.
    pub fn watch_velocities(
        &mut self,
        (solver, x, v, h): (&ConstraintSolver, &[DVec3], &[DVec3], f64),
    ) {
        let Self { constraints, w, moved, pins, .. } = self;
        if let Some(copy) = constraints.as_mut().filter(|_| self.runs) {
            moved.clear();
            moved.extend_from_slice(v);
            solver.project_velocities(copy, w, x, moved, h);
            for pin in pins {
                let i = pin.particle as usize;
                pin.kicked += (moved[i] - v[i]) / w[i];
            }
        }
    }

    /// Adds the work of a substep.
    pub fn end_substep(&mut self, substep: PinSubstep) {
        if !self.runs {
            return;
        }
        let PinSubstep { h, shares: [s, s_end], undone, is_first, pins, start } = substep;
        for (pin, (i, end)) in self.pins.iter_mut().zip(pins) {
            let v = (*end - start[*i as usize]) / h;
            // Before the first substep the pin had the velocity of the motion.
            let gained = (v - pin.velocity) * if is_first { 2.0 } else { 1.0 };
            let of_motion = v + s_end * gained;
            let force = pin.pushed / (h * h * undone);
            let last = pin.force.unwrap_or(force);
            let impulse = if undone == 1.0 {
                pin.pushed / h + pin.kicked + (force * s_end - last * s) * h
            } else {
                // An integrator such as BDF2 evaluates the force at the end of a substep.
                (force + last) * (0.5 * h) + pin.kicked
            };
            // The support of the pin, hand or path, pushes back.
            self.work -= impulse.dot(pin.of_motion + of_motion) * 0.5;
            let (particle, force, velocity) = (*i, Some(force), v);
            *pin = MeteredPin { particle, force, velocity, of_motion, ..MeteredPin::default() };
        }
    }
}
