//! One step: the stages before and after its substeps.

use crate::contact::ContactMethod;
use crate::simulation::hand_state::pin_targets;
use crate::simulation::reaction::{self, FirstStep};
use crate::simulation::run_state::{ENERGY_NOT_COMPUTED, RunState};
use crate::simulation::running_scene::Simulation;
use crate::simulation::timing::substeps::Substeps;
use glam::DVec3;
use ropelab_mechanics::constraint::{Constraints, Particles};
use ropelab_mechanics::numerics::displacement::DisplacementBounds;
use ropelab_mechanics::numerics::state::{SolveReport, State, StateRef};

impl Simulation {
    /// Takes one step of `dt` seconds: throws the balls that are due, cuts the links that were
    /// overloaded after the last step, moves the particles, and finds the links that are overloaded
    /// now. An exploded simulation keeps its last valid state.
    pub fn step(&mut self, dt: f64) {
        self.throw_scheduled(dt);
        self.tear();
        self.advance_particles(dt);
        self.find_overloaded();
    }

    /// Moves all particles by one step of `dt` seconds. No link tears in this step.
    ///
    /// Takes the substeps one by one or, if [`Self::can_fuse`], in one pass over memory with the
    /// same bits.
    pub(in crate::simulation) fn advance_particles(&mut self, dt: f64) {
        self.run.clock.tick(dt);
        self.scratch.contacts.start_step();
        if self.run.start_energy == ENERGY_NOT_COMPUTED {
            self.take_energy_as_start();
        }
        let (start, end) = (self.run.state.t, self.run.clock.now());
        let count = self.settings.substeps;
        let substeps = Substeps { start, end, dt, count };
        self.place_hand(&substeps);
        self.start_meter();
        self.find_first_reaction(&substeps);
        self.use_integrator_velocities(substeps.h());
        self.update_limits();
        if self.scratch.pin_meter.runs || !(self.can_fuse() && self.fused_step(substeps)) {
            let mut solve = SolveReport::default();
            for k in 0..count {
                if self.interrupt.is_set() {
                    return;
                }
                let can_continue = self.substep(substeps, k);
                solve.add(&self.run.work.solve);
                if !can_continue {
                    break;
                }
                if k + 1 < count {
                    let RunState { state: State { x, v, .. }, work, .. } = &mut self.run;
                    work.path.record(StateRef { t: substeps.at(k + 1), x, v });
                }
            }
            self.run.work.solve = solve;
            let RunState { previous, state, .. } = &self.run;
            let bounds = DisplacementBounds::measure(&previous.x, &state.x, &state.v);
            self.scratch.bounds.clear();
            self.scratch.bounds.push((0..state.len(), bounds));
        }
        self.run.state.t = end;
        self.restore_motion_velocities(&substeps);
        self.end_meter();
        self.judge_step();
    }

    /// Computes the reaction of constraints for the first step, if that step needs it.
    fn find_first_reaction(&mut self, substeps: &Substeps) {
        let laws_include_reactions = self.laws_include_reactions();
        let Self { settings, model, constraints, run, scratch, .. } = self;
        let RunState { state, reaction, work, hand, .. } = run;
        if !reaction.is_empty() {
            // The number of balls may have changed by throws, or by a return to an earlier state.
            reaction.resize(state.len(), DVec3::ZERO);
            return;
        }
        let integrator = settings.integrator.as_integrator();
        let omitted_fraction = integrator.rules().displacement(work.age).omitted_fraction;
        if constraints.is_empty() || !(omitted_fraction != 0.0 || laws_include_reactions) {
            return;
        }
        let (solver, w, h) = (settings.solver(), model.inverse_masses(), substeps.h());
        let ends: Vec<_> = pin_targets(model, hand, substeps.at(1)).collect();
        let mut project = |start: &[DVec3], x: &mut [DVec3]| {
            ends.iter().for_each(|&(i, end)| x[i as usize] = end);
            let free = x.to_vec();
            let project = |c: &mut Constraints, w: &[f64], x: &mut [DVec3]| {
                solver.project(c, &mut Particles::new(w, start, x, h))
            };
            scratch.pin_meter.measure_first_reaction(x, 2.0 * omitted_fraction / h, project);
            project(constraints, w, x);
            x.iter_mut().zip(free).for_each(|(x, free)| *x -= free);
        };
        let first = FirstStep { model, integrator, omitted_fraction, laws_include_reactions, h };
        first.find_reaction(state, reaction, &mut scratch.in_motion, &mut project);
    }

    /// Replaces the motion velocities V in the state by the integrator velocities v = V − s h r
    /// (see `reaction.rs`).
    fn use_integrator_velocities(&mut self, h: f64) {
        let has_no_reactions = self.has_no_constrained_links() && !self.has_contact();
        let probes = usize::from(self.laws_include_reactions());
        let RunState { state, reaction, contact_reaction, omitted_fraction, work, .. } =
            &mut self.run;
        let rules = self.settings.integrator.as_integrator().rules();
        *omitted_fraction = rules.displacement(work.age).omitted_fraction;
        // Reserves an entry for the probe of `reaction.rs`, because this column becomes the
        // velocities of the previous state.
        let motion_v = &mut self.scratch.motion_v;
        motion_v.clear();
        if has_no_reactions {
            // Contact may have been switched off since the last step.
            contact_reaction.clear();
        }
        if *omitted_fraction == 0.0 || has_no_reactions {
            return;
        }
        motion_v.reserve(state.len() + probes);
        motion_v.extend_from_slice(&state.v);
        reaction::add_kick(&mut state.v, -*omitted_fraction * h, reaction);
    }

    /// Replaces the integrator velocities v at the start and at the end of the step by the motion
    /// velocities V = v + s h r (see `reaction.rs`).
    fn restore_motion_velocities(&mut self, substeps: &Substeps) {
        let RunState { state, previous, reaction, omitted_fraction, .. } = &mut self.run;
        let motion_v = &mut self.scratch.motion_v;
        if !motion_v.is_empty() {
            std::mem::swap(&mut previous.v, motion_v);
        }
        if *omitted_fraction != 0.0 {
            reaction::add_kick(&mut state.v, *omitted_fraction * substeps.h(), reaction);
        }
    }

    /// True if force laws depend on velocities and the reaction changes these velocities within a
    /// substep.
    pub(in crate::simulation) fn laws_include_reactions(&self) -> bool {
        let integrator = self.settings.integrator.as_integrator();
        (integrator.rules().later.omitted_fraction != 0.0 || integrator.info().implicit)
            && self.model.has_velocity_dependent_laws()
    }

    /// True if neither a constraint solver nor a length limit acts on links.
    pub(in crate::simulation) fn has_no_constrained_links(&self) -> bool {
        self.constraints.is_empty() && self.settings.limits().is_empty()
    }

    /// Recomputes the paths of the length limits after changes of pins and cuts.
    fn update_limits(&mut self) {
        if self.settings.limits().is_empty() {
            self.scratch.limits.clear_forces();
        } else {
            self.scratch.limits.update(&self.model);
        }
    }

    /// Moves particles so that they satisfy new length limits. Velocities do not change. If contact
    /// is possible, the next step does this instead.
    pub(in crate::simulation) fn enforce_limits(&mut self) {
        self.update_limits();
        if self.settings.limits().is_empty() || self.has_contact() || self.run.failure.is_some() {
            return;
        }
        let Self { settings, model, run, scratch, .. } = self;
        if scratch.limits.enforce(settings.limits(), model, &mut run.state.x, 1.0) {
            run.work.restart();
            run.reaction.clear();
        }
        scratch.limits.clear_forces();
    }

    /// True if contact is switched on and the scene has bodies that can touch.
    pub fn has_contact(&self) -> bool {
        let is_off = self.settings.contact == ContactMethod::Off;
        !is_off && !self.model.geometry().is_empty()
    }
}
