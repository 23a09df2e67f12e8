//! One substep, stage by stage: pins, free motion, constraints, velocities, contact.

use crate::contact;
use crate::contact::{
    ColliderShift, ContactMemory, ContactMethod, Contacts, FreeMotion, Instant, Lag, Velocities,
};
use crate::integrate::Displacement;
use crate::limit::Limits;
use crate::model::Model;
use crate::simulation::hand_state::{Hand, pin_targets, pin_velocities};
use crate::simulation::memory_reports::{IntegratorMemory, VelocityChanges};
use crate::simulation::meters::contact_work::{ContactMeter, MotionLag, SubstepMotion};
use crate::simulation::meters::pin_work::{PinMeter, PinSubstep};
use crate::simulation::reaction::{self, InMotionScratch};
use crate::simulation::running_scene::Simulation;
use crate::simulation::settings::Settings;
use crate::simulation::timing::substeps::Substeps;
use glam::DVec3;
use itertools::izip;
use ropelab_mechanics::constraint::{Constraints, Particles, Times};
use ropelab_mechanics::mesh::Links;
use ropelab_mechanics::numerics::displacement::DisplacementBounds;
use ropelab_mechanics::numerics::state::{State, StateMut, StateRef};
use ropelab_mechanics::numerics::system::System;

impl Simulation {
    /// Takes substep `k` for all particles. Returns false if the step cannot continue: the free
    /// motion has exploded, or contact finds too many pairs.
    pub(in crate::simulation) fn substep(&mut self, substeps: Substeps, k: u32) -> bool {
        let mut substep = Substep::begin(self, substeps, k);
        substep.place_pins();
        substep.move_freely();
        if substep.method != ContactMethod::Off && !substep.is_finite() {
            return false;
        }
        substep.find_contacts();
        let moves = substep.has_projection();
        if moves {
            substep.project_positions();
            substep.update_velocities_and_reactions();
            substep.project_velocities();
        } else {
            substep.reaction.clear();
        }
        substep.finish_velocities();
        substep.resolve_contacts(moves);
        substep.end();
        !substep.contacts.is_crowded()
    }
}

/// A substep in progress: inputs and outputs of its stages.
struct Substep<'a> {
    settings: &'a Settings,
    model: &'a Model,
    constraints: &'a mut Constraints,
    /// Contact method in use; `Off` if nothing can touch.
    method: ContactMethod,
    /// Start of the substep in seconds.
    t: f64,
    /// End of the substep in seconds.
    t_end: f64,
    /// Length h of the substep in seconds.
    h: f64,
    /// Fractions s of a constant acceleration that the integrator omits (see [`reaction`]), in the
    /// previous substep and in this one.
    omitted_fractions: [f64; 2],
    /// Rule of the integrator's displacement in this substep.
    rule: Displacement,
    /// True if force laws depend on velocities that the reaction changes within the substep.
    laws_include_reactions: bool,
    start: &'a mut State,
    state: &'a mut State,
    memory: IntegratorMemory<'a>,
    /// Reaction of each particle: its acceleration in m/s² due to constraints and contacts.
    reaction: &'a mut Vec<DVec3>,
    /// Part of `reaction` due to contacts.
    contact_reaction: &'a mut Vec<DVec3>,
    link_forces: &'a mut Vec<f64>,
    /// Number of sweeps of the last projection.
    sweeps: &'a mut u32,
    hand: &'a Option<Hand>,
    shifts: &'a [ColliderShift],
    contact_memory: &'a mut ContactMemory,
    /// Pinned particles and their positions at the end of the substep, in metres.
    pins: &'a mut Vec<(u32, DVec3)>,
    /// Positions after free motion, in metres.
    free: &'a mut Vec<DVec3>,
    /// Velocities after their update by the projection, v + (x − free)/h, in m/s.
    consistent_v: &'a mut Vec<DVec3>,
    in_motion: &'a mut InMotionScratch,
    contacts: &'a mut Contacts,
    limits: &'a mut Limits,
    meter: &'a mut ContactMeter,
    pin_meter: &'a mut PinMeter,
}

impl<'a> Substep<'a> {
    /// Begins substep `k`. Swaps the present state into `start` instead of copying it.
    fn begin(simulation: &'a mut Simulation, substeps: Substeps, k: u32) -> Self {
        let has_contact = simulation.has_contact();
        let laws_include_reactions = simulation.laws_include_reactions();
        let Simulation { settings, model, constraints, run, scratch, .. } = simulation;
        let start = if k == 0 { &mut run.previous } else { &mut scratch.before };
        start.resize(run.state.len());
        std::mem::swap(&mut run.state, start);
        let rules = settings.integrator.as_integrator().rules();
        let rule = rules.displacement(run.work.age);
        Self {
            method: if has_contact { settings.contact } else { ContactMethod::Off },
            settings,
            model,
            constraints,
            t: substeps.at(k),
            t_end: substeps.at(k + 1),
            h: substeps.h(),
            omitted_fractions: [
                std::mem::replace(&mut run.omitted_fraction, rule.omitted_fraction),
                rule.omitted_fraction,
            ],
            rule,
            laws_include_reactions,
            start,
            state: &mut run.state,
            memory: IntegratorMemory {
                columns: rules.memory,
                work: &mut run.work,
                h: substeps.h(),
            },
            reaction: &mut run.reaction,
            contact_reaction: &mut run.contact_reaction,
            link_forces: &mut run.link_forces,
            sweeps: &mut run.sweeps,
            hand: &run.hand,
            shifts: &run.shifts,
            contact_memory: &mut run.contact_memory,
            pins: &mut scratch.pins,
            free: &mut scratch.free,
            consistent_v: &mut scratch.consistent_v,
            in_motion: &mut scratch.in_motion,
            contacts: &mut scratch.contacts,
            limits: &mut scratch.limits,
            meter: &mut scratch.meter,
            pin_meter: &mut scratch.pin_meter,
        }
    }

    /// Gives each pinned particle the velocity that leads straight to its position at the end of
    /// the substep. A particle in a hard grip of the hand counts as pinned.
    fn place_pins(&mut self) {
        let Self { model, hand, pins, start, t_end, h, .. } = self;
        pins.clear();
        pins.extend(pin_targets(model, hand, *t_end));
        pins.iter().for_each(|&(i, end)| {
            start.v[i as usize] = (end - start.x[i as usize]) / *h;
        });
    }

    /// Integrates the particles from `start` to `state`, without constraints.
    fn move_freely(&mut self) {
        let Self { settings, model, start, state, memory, reaction, in_motion, h, .. } = self;
        let (integrator, h) = (settings.integrator.as_integrator(), *h);
        let mut step = |system: &dyn System, now: StateRef, next: StateMut| {
            integrator.step(system, StateRef { t: self.t, ..now }, next, h, memory.work);
        };
        if self.laws_include_reactions && !reaction.is_empty() {
            let kick = self.omitted_fractions[0] * h;
            reaction::move_freely(model, reaction, kick, in_motion, start, state, step);
        } else {
            step(*model, start.view(), state.view_mut());
        }
        self.pins.iter().for_each(|&(i, end)| state.x[i as usize] = end);
    }

    fn is_finite(&self) -> bool {
        DisplacementBounds::measure(&self.start.x, &self.state.x, &self.state.v).are_finite()
    }

    /// Finds contacts along the paths of free motion, and starts the measurements of work.
    fn find_contacts(&mut self) {
        let bodies = self.model.bodies(self.shifts);
        let Self { model, method, start, state, h, rule, .. } = self;
        let instant = Instant {
            t: self.t,
            h: *h,
            g: model.gravity().length(),
            projected_fraction: rule.projected_fraction,
        };
        self.contacts.find_contacts(
            method,
            &bodies,
            [&start.x, &start.v, &state.x],
            instant,
            self.contact_memory,
        );
        self.pin_meter.set_warm_start(self.link_forces);
        self.constraints.load_warm_start(self.link_forces);
        let reactions = [&self.reaction[..], &self.contact_reaction[..]];
        let lag = MotionLag { reactions, omitted_fraction: self.omitted_fractions[0], h: *h };
        self.meter.start_substep(&start.v, lag);
    }

    /// True if constraints, limits or contacts require a projection. If only contacts do, also sets
    /// the energy limit after impacts.
    fn has_projection(&mut self) -> bool {
        let bodies = self.model.bodies(self.shifts);
        let Self { model, contacts, start, state, t_end, .. } = self;
        if !(self.constraints.is_empty() && self.settings.limits().is_empty()) {
            return true;
        }
        if contacts.need_sweeps() {
            let energy = |x: &[DVec3], v: &[DVec3]| {
                model.energy_at(StateRef { t: *t_end, x, v }, &Links::default()).total()
            };
            contacts.expect_impacts(&bodies, [&start.x, &start.v], [&state.x, &state.v], &energy);
        }
        contacts.need_sweeps()
    }

    /// Projects positions onto the constraints, with contacts in the same sweeps, and then enforces
    /// the length limits.
    fn project_positions(&mut self) {
        let w = self.model.inverse_masses();
        self.free.clone_from(&self.state.x);
        *self.sweeps = self.sweep_links_and_contacts();
        let Self { model, contacts, limits, meter, pin_meter, start, state, .. } = self;
        let (in_force, h) = (self.settings.limits(), self.h * self.rule.projected_fraction.sqrt());
        if !in_force.is_empty() && limits.enforce(in_force, model, &mut state.x, h) {
            pin_meter.add_limits(limits);
            if contacts.need_sweeps() {
                meter.measure_sweep(&mut state.x, |x| contacts.sweep(&start.x, x, w));
            }
        }
    }

    /// Sweeps over links and contacts. Returns the number of sweeps over links.
    ///
    /// If the solver can run its sweeps one by one, they alternate with sweeps over contacts.
    /// Otherwise contacts follow the whole projection. Solvers assume that a force f moves a
    /// particle by f h²/m.
    fn sweep_links_and_contacts(&mut self) -> u32 {
        let Self { model, constraints, contacts, meter, pin_meter, .. } = self;
        let (start, x, w) = (&self.start.x[..], &mut self.state.x[..], model.inverse_masses());
        let h = self.h * self.rule.projected_fraction.sqrt();
        let (solver, times) = (self.settings.solver(), Times { h, substep: self.h });
        let project = |c: &mut Constraints, w: &[f64], x: &mut [DVec3]| {
            solver.project(c, &mut Particles::new(w, start, x, times))
        };
        if !contacts.need_sweeps() {
            pin_meter.measure_projection(x, project);
            return project(constraints, w, x);
        }
        if constraints.is_empty() {
            meter.measure_sweep(x, |x| contacts.sweep_until_converged(start, x, w));
            return 0;
        }
        if !solver.can_interleave_contacts(constraints) {
            pin_meter.measure_projection(x, project);
            let sweeps = project(constraints, w, x);
            meter.measure_sweep(x, |x| contacts.sweep(start, x, w));
            return sweeps;
        }
        let iterations = solver.iterations().unwrap_or(1);
        for number in 0..iterations {
            let sweep_links = |c: &mut Constraints, w: &[f64], x: &mut [DVec3]| {
                solver.sweep_links_once(number, c, &mut Particles::new(w, start, x, times));
            };
            pin_meter.measure_projection(x, sweep_links);
            sweep_links(constraints, w, x);
            meter.measure_sweep(x, |x| contacts.sweep(start, x, w));
        }
        iterations
    }

    /// Updates velocities by the displacements of the projection, and computes the reaction for the
    /// next substep.
    fn update_velocities_and_reactions(&mut self) {
        let Self { model, start, state, memory, reaction, free, rule, .. } = self;
        let h = self.h;
        let Displacement { omitted_fraction, projected_fraction, .. } = *rule;
        let State { x, v, .. } = &mut **state;
        update_velocities(free, x, v, h);
        if let Some(column) = memory.columns.old_velocities() {
            update_velocities(free, x, memory.work.history(column + 1, x.len())[column], h);
        }
        let result = reaction::SubstepResult { start: start.view(), free, x, v, h };
        match (omitted_fraction != 0.0, model.has_inner_forces()) {
            (false, _) if !self.laws_include_reactions => reaction.clear(),
            (true, true) if projected_fraction == 1.0 => {
                result.compute_reaction_with_varying_forces(omitted_fraction, reaction)
            }
            _ => result.compute_reaction(projected_fraction, reaction),
        }
    }

    /// Projects the motion velocities V (see [`reaction`]), if the solver has a velocity stage.
    /// Pins get their velocities at the end of the substep. With their mean velocities in the
    /// substep, V would only be accurate to first order. Contacts follow after this stage.
    fn project_velocities(&mut self) {
        let solver = self.settings.solver();
        if !solver.has_velocity_stage() {
            return;
        }
        let Self { model, constraints, state, memory, reaction, pin_meter, .. } = self;
        let (h, omitted_fraction) = (self.h, self.rule.omitted_fraction);
        let State { x, v, .. } = &mut **state;
        pin_velocities(model, self.hand, self.t_end).for_each(|(i, pin_v)| v[i as usize] = pin_v);
        self.consistent_v.clone_from(v);
        reaction::add_kick(v, omitted_fraction * h, reaction);
        pin_meter.measure_velocity_projection(&solver, x, v, h);
        solver.project_velocities(constraints, model.inverse_masses(), x, v, h);
        reaction::add_kick(v, -omitted_fraction * h, reaction);
        let changes =
            VelocityChanges { start: &self.start.x, x, consistent_v: self.consistent_v, v };
        changes.report_changes(memory);
    }

    /// Changes velocities by the friction and restitution of contacts at position level.
    fn finish_velocities(&mut self) {
        let Self {
            model, contacts, start, state, memory, contact_reaction, consistent_v, h, ..
        } = self;
        let State { x, v, .. } = &mut **state;
        self.constraints.store_warm_start(self.link_forces);
        self.meter.record_velocities([&start.x, x, v], *h);
        let may_kick = contacts.need_sweeps() || !contact_reaction.is_empty();
        if may_kick {
            consistent_v.clone_from(v);
        }
        let lag = Lag {
            h: *h,
            omitted_fractions: self.omitted_fractions,
            projected_fraction: self.rule.projected_fraction,
        };
        let free = FreeMotion { v: [&start.v, consistent_v], x: [self.free, x] };
        let velocities =
            Velocities { integrator_v: v, reaction: self.reaction, contact_reaction, lag, free };
        contacts.finish_velocities(
            &self.method,
            velocities,
            model.inverse_masses(),
            self.contact_memory,
        );
        if may_kick {
            let changes = VelocityChanges { start: &start.x, x, consistent_v, v };
            changes.report_with_impacts(contacts, self.constraints.links(), memory);
        }
    }

    /// Resolves collisions of balls, and stops all motion that would pass through a body. `swept`
    /// is true if sweeps have moved particles since contacts were found.
    fn resolve_contacts(&mut self, swept: bool) {
        let bodies = self.model.bodies(self.shifts);
        let Self { model, constraints, contacts, start, state, t_end, memory, .. } = self;
        let State { x, v, .. } = &mut **state;
        let columns = contact::Columns { start: &start.x, v_start: &start.v, x, v, swept };
        let energy = |x: &[DVec3], v: &[DVec3]| {
            model.energy_at(StateRef { t: *t_end, x, v }, constraints.links()).total()
        };
        self.meter.record_velocities_before_collisions(columns.v);
        contacts.resolve_collisions(&self.method, &bodies, columns, &energy, self.contact_memory);
        if let Some(whole) = contacts.motion_before_shortening() {
            memory.report_shortened_motion(whole, [x, v]);
        }
    }

    /// Ends the measurements of work, and prepares balls that collided for the next substep.
    fn end(&mut self) {
        let Self {
            model,
            contacts,
            start,
            state,
            reaction,
            contact_reaction,
            h,
            omitted_fractions,
            ..
        } = self;
        let (h, omitted_fractions) = (*h, *omitted_fractions);
        let lag = MotionLag {
            reactions: [reaction, contact_reaction],
            omitted_fraction: omitted_fractions[1],
            h,
        };
        let motion = SubstepMotion {
            masses: model.masses(),
            x_start: &start.x,
            free: self.free,
            x: &state.x,
            v: &state.v,
            lag,
            repeated: 1.0 - self.rule.projected_fraction,
        };
        self.meter.end_substep(motion, contacts, &model.geometry().colliders);
        self.pin_meter.end_substep(PinSubstep {
            h,
            rule: self.rule,
            pins: self.pins,
            start: &start.x,
        });
        if let Some(force) = model.penalty_force() {
            let State { x, v, .. } = &**state;
            let at = contact::PenaltyState { t: self.t_end, x, v, w: model.inverse_masses() };
            contacts.record_penalty_contacts(&force, at, &mut self.contact_memory.report);
        }
        self.memory.reset_collided_balls(contacts, [reaction, contact_reaction], state);
    }
}

/// Updates velocities after constraints moved particles from `free` to `x`, in a substep of `h`
/// seconds: v ← v + (x − free)/h.
///
/// For constant forces this update turns every integrator of the list into Verlet with projection:
/// see "Why one velocity update for all integrators?" in docs/design/integration.md.
pub fn update_velocities(free: &[DVec3], x: &[DVec3], v: &mut [DVec3], h: f64) {
    let rate = 1.0 / h;
    for (v, x, free) in izip!(v, x, free) {
        *v += (*x - *free) * rate;
    }
}
