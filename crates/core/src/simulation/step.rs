//! One step: the work before its substeps and after them.

use super::Simulation;
use super::hand_state::pin_targets;
use super::reaction::{self, FirstStep};
use super::run_state::{NOT_TAKEN, RunState};
use super::timing::substeps::Substeps;
use crate::constraint::Particles;
use crate::contact::ContactMethod;
use crate::numerics::displacement::DisplacementBounds;
use crate::numerics::state::SolveReport;
use glam::DVec3;

impl Simulation {
    /// Takes one step of `dt` seconds: throws the balls that are due, tears overloaded links, moves
    /// the particles and finds the links that are overloaded after the motion. If the simulation
    /// has exploded, it keeps the last good state.
    pub fn step(&mut self, dt: f64) {
        self.throw_scheduled(dt);
        self.tear();
        self.move_on(dt);
        self.find_overloaded();
    }

    /// Takes a step in which no link tears.
    ///
    /// Takes the substeps one by one, or all in one pass over memory if `fused` applies; both give
    /// the same bits.
    pub(super) fn move_on(&mut self, dt: f64) {
        self.run.clock.tick(dt);
        self.scratch.contacts.start_step();
        if self.run.start_energy == NOT_TAKEN {
            self.take_energy_as_start();
        }
        let (start, end) = (self.run.state.t, self.run.clock.now());
        let count = self.settings.substeps;
        let substeps = Substeps { start, end, dt, count };
        self.place_hand(&substeps);
        self.find_first_reaction(&substeps);
        self.take_own_velocities(substeps.h());
        self.follow_limits();
        self.start_meter();
        if self.scratch.pin_meter.runs || !(self.can_fuse() && self.fused_step(substeps)) {
            let mut solve = SolveReport::default();
            for k in 0..count {
                if self.interrupt.is_set() {
                    return;
                }
                let went_on = self.substep(substeps, k);
                solve.add(&self.run.work.solve);
                if !went_on {
                    break;
                }
            }
            self.run.work.solve = solve;
            let RunState { previous, state, .. } = &self.run;
            let bounds = DisplacementBounds::measure(&previous.x, &state.x, &state.v);
            self.scratch.bounds.clear();
            self.scratch.bounds.push((0..state.len(), bounds));
        }
        self.run.state.t = end;
        self.show_velocities(&substeps);
        self.end_meter();
        self.judge();
    }

    /// Finds the reaction of constraints before the first step, if that step needs it.
    fn find_first_reaction(&mut self, substeps: &Substeps) {
        let feels = self.feels_reactions();
        let Self { settings, model, constraints, run, scratch, .. } = self;
        let RunState { state, reaction, work, hand, .. } = run;
        if !reaction.is_empty() {
            // Balls may have been thrown, or taken back.
            reaction.resize(state.len(), DVec3::ZERO);
            return;
        }
        let scheme = settings.integrator.scheme();
        let share = reaction::late_share(scheme, work);
        if constraints.is_empty() || !(share != 0.0 || feels) {
            return;
        }
        let (solver, w, h) = (settings.solver(), model.inverse_masses(), substeps.h());
        let ends: Vec<_> = pin_targets(model, hand, substeps.at(1)).collect();
        let mut project = |start: &[DVec3], x: &mut [DVec3]| {
            ends.iter().for_each(|&(i, end)| x[i as usize] = end);
            let free = x.to_vec();
            solver.project(constraints, &mut Particles::new(w, start, x, h));
            x.iter_mut().zip(free).for_each(|(x, free)| *x -= free);
        };
        let first = FirstStep { model, scheme, share, feels, h };
        first.find_reaction(state, reaction, &mut scratch.in_motion, &mut project);
    }

    /// Replaces the velocities of the motion by those from which the integrator continues.
    fn take_own_velocities(&mut self, h: f64) {
        let nothing_holds = self.holds_no_link() && !self.touches();
        let probes = usize::from(self.feels_reactions());
        let RunState { state, reaction, pressed, late_share, work, .. } = &mut self.run;
        *late_share = reaction::late_share(self.settings.integrator.scheme(), work);
        // Reserves room for the probe, because this column becomes the velocities of the previous
        // state.
        let shown = &mut self.scratch.shown;
        shown.clear();
        if nothing_holds {
            // Contact may have been switched off.
            pressed.clear();
        }
        if *late_share == 0.0 || nothing_holds {
            return;
        }
        shown.reserve(state.len() + probes);
        shown.extend_from_slice(&state.v);
        reaction::add_kick(&mut state.v, -*late_share * h, reaction);
    }

    /// Replaces the velocities that the integrator steps by those of the particles, at the start and
    /// at the end of the step.
    fn show_velocities(&mut self, substeps: &Substeps) {
        let RunState { state, previous, reaction, late_share, .. } = &mut self.run;
        let shown = &mut self.scratch.shown;
        if !shown.is_empty() {
            std::mem::swap(&mut previous.v, shown);
        }
        if *late_share != 0.0 {
            reaction::add_kick(&mut state.v, *late_share * substeps.h(), reaction);
        }
    }

    /// True if laws depend on velocities that reactions change within a substep.
    pub(super) fn feels_reactions(&self) -> bool {
        let scheme = self.settings.integrator.scheme();
        (scheme.late_share() != 0.0 || scheme.info().implicit) && self.model.resists()
    }

    /// True if neither a solver nor a limit holds any link.
    pub(super) fn holds_no_link(&self) -> bool {
        self.constraints.is_empty() && self.settings.limits().is_empty()
    }

    /// Updates the limits of length after changes of pins and cuts.
    fn follow_limits(&mut self) {
        if self.settings.limits().is_empty() {
            self.scratch.limits.forget();
        } else {
            self.scratch.limits.follow(&self.model);
        }
    }

    /// Shortens links and tethers that exceed new limits, without giving them speed. If something
    /// may be in contact, leaves this to the next step.
    pub(super) fn come_within_limits(&mut self) {
        self.follow_limits();
        if self.settings.limits().is_empty() || self.touches() || self.run.failure.is_some() {
            return;
        }
        let Self { settings, model, run, scratch, .. } = self;
        if scratch.limits.apply(settings.limits(), model, &mut run.state.x, 1.0) {
            run.work.restart();
            run.reaction.clear();
        }
        scratch.limits.forget();
    }

    /// True if contact is on and something can touch.
    pub(super) fn touches(&self) -> bool {
        let is_off = self.settings.contact == ContactMethod::Off;
        !is_off && !self.model.geometry().is_empty()
    }
}
