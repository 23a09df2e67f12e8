//! Work of moving pins on constraints, measured while an energy account is kept.
//!
//! Solvers do not record their impulses on pins. Their sweeps therefore run a second time, on a
//! copy in which pins can move, but are heavier than their neighbours by the factor
//! [`PIN_MASS_RATIO`]. In this copy the displacement of a pin times its mass divided by h is the
//! impulse of the constraints on the pin, for every solver. The copy has no links between two pins,
//! because such links move no other particle.
//!
//! Projections turn every integrator into Verlet (see "Why one velocity update for all
//! integrators?" in docs/design/integration.md): the displacement D of a substep and the impulse of
//! the velocity stage before it act at the start of the substep, as (x' − 2x + x*)/h² shows. Their
//! force F is therefore multiplied by the velocity of the pin at this instant, the mean of its
//! velocities in the substeps before and after. With the velocity in the substep instead, the error
//! would have the power ½ h F·a at a pin with the acceleration a and would grow without bound.
//!
//! The motion velocities V = v + s h r of the particles (see `reaction.rs`) contain the past
//! impulses and, in advance, the impulse s h F of the next substep. The work of this impulse is
//! *provisional*: it counts until the next substep replaces it.

use crate::integrate::Displacement;
use crate::limit::Limits;
use crate::model::Model;
use glam::DVec3;
use ropelab_mechanics::constraint::{ConstraintSolver, Constraints};

/// Mass of a pin in the copy of the constraints (see the top of the file), divided by the mass of
/// the lightest particle linked to the pin. The pin then moves by less than a millionth of a
/// correction, and rounding errors are a million times smaller than its displacement.
const PIN_MASS_RATIO: f64 = 1e6;

/// Meter of the work that moving pins do on constraints.
#[derive(Clone, Debug, Default)]
pub(in crate::simulation) struct PinMeter {
    /// True if an energy account is kept and pins move under a constraint solver or limits.
    pub runs: bool,
    /// Work on the solver's links and bends in this step so far, in joules.
    pub work: f64,
    /// Copy of the solver's links and bends, without links between two pins.
    constraints: Option<Constraints>,
    /// Inverse masses in 1/kg with heavy instead of immovable pins.
    w: Vec<f64>,
    /// Buffer: positions in metres, or velocities in m/s, changed by sweeps with heavy instead of
    /// immovable pins.
    moved: Vec<DVec3>,
    /// Moving pins, with their velocities, impulses and provisional work in the last substep.
    pub pins: Vec<MeteredPin>,
}

/// One moving pin: displacement and impulses by the constraints.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::simulation) struct MeteredPin {
    particle: u32,
    /// Mass of the pin (heavy instead of infinite) times its displacement by the sweeps of this
    /// substep, in kg·m.
    mass_times_displacement: DVec3,
    /// Impulse on the pin by the solver's velocity stage at the end of this substep, in N·s.
    velocity_impulse: DVec3,
    /// Impulse on the pin by the velocity stage at the start of this substep, in N·s.
    start_impulse: DVec3,
    /// Provisional work after the last substep in joules; `None` before the first substep.
    provisional_work: Option<f64>,
    /// Mean velocity of the pin in the last substep, in m/s.
    velocity: DVec3,
}

pub(in crate::simulation) struct PinSubstep<'a> {
    /// Length of the substep in seconds.
    pub h: f64,
    /// Rule of the integrator's displacement in the substep.
    pub rule: Displacement,
    /// Pins and their positions at the end of the substep in metres, in the order of the model.
    pub pins: &'a [(u32, DVec3)],
    /// Positions of all particles at the start of the substep, in metres.
    pub start: &'a [DVec3],
}

impl PinMeter {
    /// Begins a step. `v` are the velocities in m/s, `constraints` the links and bends of the
    /// solver.
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
                MeteredPin { particle, velocity, ..MeteredPin::default() }
            };
            self.pins.clear();
            self.pins.extend(model.pins().iter().map(|it| pin(it.particle)));
        }
        self.compute_inverse_masses(model);
        self.copy_constraints(model, constraints);
    }

    /// Computes inverse masses with heavy instead of immovable pins.
    fn compute_inverse_masses(&mut self, model: &Model) {
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
                    w[pin] = w[pin].max(w_other / PIN_MASS_RATIO);
                }
            }
        }
        for pin in pins.iter().map(|pin| pin.particle as usize) {
            if w[pin] == 0.0 {
                w[pin] = lightest / PIN_MASS_RATIO;
            }
        }
    }

    /// Copies the constraints for sweeps with heavy instead of immovable pins, without the links
    /// between two pins. One copy per step suffices for all substeps, except for a warm start.
    fn copy_constraints(&mut self, model: &Model, constraints: &Constraints) {
        let mut copy = constraints.clone();
        for i in 0..copy.links().len() {
            let link = copy.links().at(i);
            if !link.is_cut() && model.is_pinned(link.a) && model.is_pinned(link.b) {
                copy.cut(i);
            }
        }
        self.constraints = Some(copy);
    }

    /// Gives the copied constraints the link forces of the solver's warm start.
    pub fn set_warm_start(&mut self, forces: &[f64]) {
        if let Some(copy) = self.constraints.as_mut().filter(|_| self.runs) {
            copy.load_warm_start(&mut forces.to_vec());
        }
    }

    /// Applies the solver's next projection, `sweep`, to a copy of the positions `x`, and records
    /// the displacements of pins.
    pub fn measure_projection<R>(
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
                pin.mass_times_displacement += (moved[i] - x[i]) / w[i];
            }
        }
    }

    /// Adds the displacements by the length limits, which record their load on pins themselves.
    pub fn add_limits(&mut self, limits: &Limits) {
        for pin in &mut self.pins {
            pin.mass_times_displacement += limits.weighted_displacement(pin.particle);
        }
    }

    /// Applies the solver's next velocity stage to a copy of the velocities `v`, and records the
    /// impulses on pins. `x` are positions in metres, `h` is the length of the substep in seconds.
    pub fn measure_velocity_projection(
        &mut self,
        solver: &ConstraintSolver,
        x: &[DVec3],
        v: &[DVec3],
        h: f64,
    ) {
        let Self { constraints, w, moved, pins, .. } = self;
        if let Some(copy) = constraints.as_mut().filter(|_| self.runs) {
            moved.clear();
            moved.extend_from_slice(v);
            solver.project_velocities(copy, w, x, moved, h);
            for pin in pins {
                let i = pin.particle as usize;
                pin.velocity_impulse += (moved[i] - v[i]) / w[i];
            }
        }
    }

    /// Adds the work of a finished substep.
    pub fn end_substep(&mut self, substep: PinSubstep) {
        if !self.runs {
            return;
        }
        let PinSubstep { h, rule, pins, start } = substep;
        let Displacement { projected_fraction: c, projection_instant, .. } = rule;
        // Fraction of the impulse that counts provisionally, because V already contains it.
        let coming = rule.omitted_fraction - projection_instant;
        for (pin, (i, end)) in self.pins.iter_mut().zip(pins) {
            let v = (*end - start[*i as usize]) / h;
            let gained = v - pin.velocity;
            let impulse = (pin.mass_times_displacement / h + pin.start_impulse) / c;
            // The support of the pin (mouse or path) gives the opposite impulse.
            let work_at = |velocity: DVec3| -impulse.dot(velocity);
            let work = work_at(v + gained * (projection_instant - 0.5));
            let provisional = coming * work_at(v + gained * (projection_instant + coming * 0.5));
            self.work += work + provisional - pin.provisional_work.unwrap_or(coming * work);
            *pin = MeteredPin {
                particle: *i,
                start_impulse: pin.velocity_impulse,
                provisional_work: Some(provisional),
                velocity: v,
                ..MeteredPin::default()
            };
        }
    }
}
