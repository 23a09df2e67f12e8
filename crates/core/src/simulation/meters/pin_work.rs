//! Work of moving pins on constraints, measured while an energy account is kept.
//!
//! Solvers do not record their impulses on pins. Their sweeps therefore run a second time, on a
//! copy in which pins can move, but are heavier than their neighbours by the factor
//! [`PIN_MASS_RATIO`]. In this copy the displacement of a pin times its mass divided by h is the
//! impulse of the constraints on the pin, for every solver. The copy has no links between two pins,
//! because such links move no other particle.
//!
//! An impulse acts at the start of the substep in which it changes the displacement: particles move
//! with (x' − x)/h before it and with (x'' − x')/h after it. It is therefore multiplied by the
//! velocity of the pin at this instant, the mean of its velocities in the substeps before and
//! after. With the velocity in the substep instead, the error in power would be ½ h F·a, with the
//! force F on a pin and its acceleration a, and the error in work would grow without bound.
//!
//! BDF2 does not apply the whole impulse of a displacement D in one substep: its memory repeats the
//! fraction i = 1 − c of the last change of v and of the last displacement. The meter therefore
//! applies the integrator's formulas to impulses. A substep changes the impulse in v by u, and v is
//! ahead of the displacement by g. With the impulse K of the solver's velocity stage:
//!
//! u' = i u + m D/h + K,   g' = i g + i² u + K,   impulse of the substep = u' − g' + g
//!
//! All other integrators have i = 0.
//!
//! The motion velocities V = v + s h r of the particles (see `reaction.rs`) contain the past
//! impulses and, in advance, the fraction s/c of the impulse of the next substep. The work of this
//! fraction is *provisional*: it counts until the next substep replaces it.

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
    /// Buffer for positions in metres or velocities in m/s, changed by sweeps with heavy instead of
    /// immovable pins.
    moved: Vec<DVec3>,
    /// Moving pins, with their velocities, impulses and provisional work in the last substep.
    pub pins: Vec<MeteredPin>,
}

/// One moving pin: displacement and impulses by the constraints.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::simulation) struct MeteredPin {
    particle: u32,
    /// Mass of the pin (heavy instead of infinite) times its displacement in kg·m by the sweeps of
    /// this substep.
    mass_times_displacement: DVec3,
    /// Impulse in N·s on the pin by the solver's velocity stage at the end of this substep.
    velocity_impulse: DVec3,
    /// Effects of earlier impulses. `None` if the account starts during a run. The meter then
    /// assumes that constraints have always pulled as in the next substep.
    memory: Option<PinMemory>,
    /// Impulse in N·s of the first reaction of a run, which the substep takes from v in advance.
    first_impulse: DVec3,
    /// Mean velocity of the pin in the last substep, in m/s.
    velocity: DVec3,
}

/// Effects of all impulses on a pin up to the end of a substep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct PinMemory {
    /// Impulses u and g in N·s, see the top of the file.
    u: DVec3,
    g: DVec3,
    /// Provisional work in joules.
    provisional_work: f64,
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
    /// solver. `is_first` is true in the first step of a run.
    pub fn start_step(
        &mut self,
        model: &Model,
        constraints: &Constraints,
        v: &[DVec3],
        is_first: bool,
    ) {
        self.work = 0.0;
        if !self.runs {
            self.pins.clear();
            return;
        }
        let same = self.pins.iter().map(|pin| pin.particle);
        if !same.eq(model.pins().iter().map(|pin| pin.particle)) {
            let pin = |particle: u32| {
                let velocity = v[particle as usize];
                let memory = is_first.then(PinMemory::default);
                MeteredPin { particle, velocity, memory, ..MeteredPin::default() }
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

    /// Measures the projection D, from which the first reaction of a run follows as 2 D/h² (see
    /// `reaction.rs`). The substep takes an impulse from v in advance: m D times `factor` = 2 s/h,
    /// in 1/s.
    pub fn measure_first_reaction<R>(
        &mut self,
        x: &[DVec3],
        factor: f64,
        sweep: impl FnOnce(&mut Constraints, &[f64], &mut [DVec3]) -> R,
    ) {
        self.measure_projection(x, sweep);
        for pin in &mut self.pins {
            pin.first_impulse = std::mem::take(&mut pin.mass_times_displacement) * factor;
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

    /// Adds the displacements by the length limits, which record their own load on pins.
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
        let Displacement { omitted_fraction, projected_fraction } = rule;
        let repeated = 1.0 - projected_fraction;
        // Fraction of the next impulse that V contains in advance.
        let lead = omitted_fraction / projected_fraction;
        for (pin, (i, end)) in self.pins.iter_mut().zip(pins) {
            let v = (*end - start[*i as usize]) / h;
            let gained = v - pin.velocity;
            let at_start = v - gained * 0.5;
            // The support of the pin (hand or path) gives the opposite impulse.
            let work_at = |velocity: DVec3, impulse: DVec3| -impulse.dot(velocity);
            let MeteredPin { mass_times_displacement, velocity_impulse, first_impulse, .. } = *pin;
            let by_projection = mass_times_displacement / h;
            let old = pin.memory.unwrap_or_else(|| {
                let u = by_projection / projected_fraction;
                let g = u * (repeated * repeated / projected_fraction);
                PinMemory { u, g, provisional_work: lead * work_at(at_start, u) }
            });
            let again = (old.u - first_impulse) * repeated;
            let u = again + by_projection + velocity_impulse;
            let g = (old.g - first_impulse + again) * repeated + velocity_impulse;
            let impulse = u - g + old.g;
            let provisional_work = lead * work_at(v + gained * (lead * 0.5), impulse);
            let work = work_at(at_start, impulse - first_impulse);
            self.work += work + provisional_work - old.provisional_work;
            *pin = MeteredPin {
                particle: *i,
                memory: Some(PinMemory { u, g, provisional_work }),
                velocity: v,
                ..MeteredPin::default()
            };
        }
    }
}
