//! One step: free motion, constraints, consistent velocities.

use super::Simulation;
use super::hand_state::pin_targets;
use super::observation::contact_work::{ContactMeter, MotionLag};
use super::observation::pin_work::{PinMeter, PinSubstep};
use super::reaction::{self, FirstStep};
use super::run_state::{NOT_TAKEN, RunState};
use super::scratch::Scratch;
use super::timing::substeps::Substeps;
use crate::constraint::{ConstraintSolver, Constraints};
use crate::contact::{self, Bodies, ContactMethod, Contacts, FreeMotion, Instant, Lag, Velocities};
use crate::integrate::{Collided, Integrator, Kicked};
use crate::mesh::Links;
use crate::numerics::displacement::DisplacementBounds;
use crate::numerics::state::{Next, Now, SolveReport, State, Workspace};
use crate::numerics::system::System;
use glam::DVec3;
use itertools::izip;

impl Simulation {
    /// Takes one step of `dt` seconds: throws the balls that are due, tears overloaded links, moves
    /// on and finds the links that are overloaded then. If the simulation has exploded, it keeps
    /// the last good state.
    pub fn step(&mut self, dt: f64) {
        self.throw_scheduled(dt);
        self.tear();
        self.move_on(dt);
        self.find_overloaded();
    }

    /// Takes a step in which no link tears.
    ///
    /// Its substeps are those of `substep`. Where `fused` applies, it gives the same bits in one
    /// pass over memory.
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
            let bounds = DisplacementBounds::of(&previous.x, &state.x, &state.v);
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
        let share = late_share(scheme, work);
        if constraints.is_empty() || !(share != 0.0 || feels) {
            return;
        }
        let (solver, w, h) = (settings.solver(), model.inverse_masses(), substeps.h());
        let ends: Vec<_> = pin_targets(model, hand, substeps.at(1)).collect();
        let mut project = |start: &[DVec3], x: &mut [DVec3]| {
            ends.iter().for_each(|&(i, end)| x[i as usize] = end);
            let free = x.to_vec();
            solver.project(constraints, w, start, x, h);
            x.iter_mut().zip(free).for_each(|(x, free)| *x -= free);
        };
        let first = FirstStep { model, scheme, share, feels, h };
        first.find_reaction(state, reaction, &mut scratch.in_motion, &mut project);
    }

    /// Puts the velocities from which the scheme goes on in place of those of the motion.
    fn take_own_velocities(&mut self, h: f64) {
        let nothing_holds = self.holds_no_link() && !self.touches();
        let probes = usize::from(self.feels_reactions());
        let RunState { state, reaction, pressed, late_share, work, .. } = &mut self.run;
        *late_share = self::late_share(self.settings.integrator.scheme(), work);
        // Has room for the probe, because it becomes the velocities of the state before.
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

    /// Restores the velocities of the motion, at the start and at the end of the step.
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

    /// Takes substep `k`, over whole columns: `start` → `state`. True if the step can go on; false
    /// if free motion has exploded or contact is crowded.
    fn substep(&mut self, substeps: Substeps, k: u32) -> bool {
        let touches = self.touches();
        let feels_reactions = self.feels_reactions();
        let Self { settings, model, constraints, run, scratch, .. } = self;
        let RunState { state, previous, work, reaction, pressed, late_share, hand, .. } = run;
        let (shifts, sweeps, touch) = (&mut run.shifts, &mut run.sweeps, &mut run.touch);
        let Scratch { before, free, agreeing, pins, contacts, meter, pin_meter, in_motion, .. } =
            scratch;
        let (limits, in_force) = (&mut scratch.limits, settings.limits());
        let (t, t_end, h) = (substeps.at(k), substeps.at(k + 1), substeps.h());
        // The state before is swapped, not copied.
        let start = if k == 0 { previous } else { before };
        start.resize(state.len());
        std::mem::swap(state, start);

        // Pins and hand: a pinned particle goes straight to its position at the end.
        pins.clear();
        pins.extend(pin_targets(model, hand, t_end));
        pins.iter().for_each(|&(i, end)| {
            start.v[i as usize] = (end - start.x[i as usize]) / h;
        });

        // Free motion.
        let scheme = settings.integrator.scheme();
        let s = self::late_share(scheme, work);
        let is_first = work.age == 0;
        let undone = if is_first { 1.0 } else { scheme.undone_share() };
        let mut step = |system: &dyn System, now: Now, next: Next| {
            scheme.step(system, Now { t, ..now }, next, h, work);
        };
        if feels_reactions && !reaction.is_empty() {
            let kick = *late_share * h;
            reaction::move_freely((model, reaction, kick), in_motion, start, state, step);
        } else {
            step(model, start.as_now(), state.as_next());
        }
        let State { x, v, .. } = state;
        let shares = [std::mem::replace(late_share, s), s];
        pins.iter().for_each(|&(i, end)| x[i as usize] = end);

        // Constraints: links, and contacts between `start.x` and `x` in the same sweeps. Then
        // contact guarantees that nothing passes through, and ends with restitution on `v`.
        if touches && !DisplacementBounds::of(&start.x, x, v).are_finite() {
            return false;
        }
        let w = model.inverse_masses();
        let (solver, geometry) = (settings.solver(), model.geometry());
        let method = if touches { settings.contact } else { ContactMethod::Off };
        let (mesh, topology) = (&model.parts().mesh, model.topology());
        let bodies = Bodies { geometry, mesh, topology, w, shifts };
        let instant = Instant { t, h, g: model.gravity().length(), undone };
        contacts.find(&method, &bodies, [&start.x, &start.v, x], instant, touch);
        pin_meter.warm(&run.link_forces);
        constraints.take_warm_start(&mut run.link_forces);
        let lag = MotionLag { reactions: [reaction, pressed], kick: shares[0] * h };
        meter.start_substep(&start.v, lag);
        let holds_no_link = constraints.is_empty() && in_force.is_empty();
        if holds_no_link && contacts.need_sweeps() {
            let energy = |x: &[DVec3], v: &[DVec3]| {
                model.energy_at(t_end, [x, v], &Links::default()).total()
            };
            contacts.expect_impacts((geometry, w), [&start.x, &start.v], [x, v], &energy);
        }
        let swept = !holds_no_link || contacts.need_sweeps();
        if swept {
            free.clone_from(x);
            // Solvers expect that a force f moves a particle by f h²/m.
            let held = (&mut *contacts, &mut *meter, &mut *pin_meter);
            *sweeps = project(&solver, constraints, held, w, &start.x, x, h * undone.sqrt());
            if !in_force.is_empty() && limits.apply(in_force, model, x, h * undone.sqrt()) {
                pin_meter.note_limits(limits);
                if contacts.need_sweeps() {
                    meter.watch(x, |x| contacts.sweep(&start.x, x, w));
                }
            }
            update_velocities(free, x, v, h);
            if let Some(column) = scheme.old_velocities() {
                update_velocities(free, x, work.history(column + 1, x.len())[column], h);
            }
            let motion = reaction::Motion { start: start.as_now(), free, x, v, h };
            match (s != 0.0, model.has_inner_forces()) {
                (false, _) if !feels_reactions => reaction.clear(),
                (true, true) if undone == 1.0 => motion.reaction_beside_forces(s, reaction),
                _ => motion.reaction(undone, reaction),
            }
        } else {
            reaction.clear();
        }
        if swept && solver.has_velocity_stage() {
            // Without contacts, which come after it.
            agreeing.clone_from(v);
            reaction::add_kick(v, s * h, reaction);
            pin_meter.watch_velocities((&solver, x, v, h));
            solver.project_velocities(constraints, w, x, v, h);
            reaction::add_kick(v, -s * h, reaction);
            Kicks { start: &start.x, x, agreeing, v }.tell_changes((scheme, work), h);
        }
        constraints.give_warm_start(&mut run.link_forces);
        meter.note_velocities(v, h);
        let may_kick = contacts.need_sweeps() || !pressed.is_empty();
        if may_kick {
            agreeing.clone_from(v);
        }
        let lag = Lag { h, shares, undone };
        let free = FreeMotion { v: [&start.v, agreeing], x: [free, x] };
        let velocities = Velocities { own: v, reaction, pressed, lag, free };
        contacts.finish(&method, velocities, w, touch);
        if may_kick {
            let kicks = Kicks { start: &start.x, x, agreeing, v };
            kicks.tell(contacts, (scheme, work), h);
        }
        let columns = contact::Columns { start: &start.x, v_start: &start.v, x, v, w, swept };
        let energy =
            |x: &[DVec3], v: &[DVec3]| model.energy_at(t_end, [x, v], constraints.links()).total();
        contacts.resolve(&method, (geometry, topology, mesh), columns, &energy, touch);
        let touched = (&*contacts, &geometry.colliders[..]);
        let lag = MotionLag { reactions: [reaction, pressed], kick: shares[1] * h };
        meter.end_substep(model.masses(), v, lag, touched);
        let shares = [shares[0], s];
        let start = &start.x;
        pin_meter.end_substep(PinSubstep { h, shares, undone, is_first, pins, start });
        if let Some(force) = model.penalty_force() {
            let at = contact::Motion { t: t_end, x, v, w };
            contacts.note_pushed(&force, at, &mut touch.report);
        }
        take_over(contacts, [reaction, pressed], (scheme, work), state, h);
        !contacts.is_crowded()
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

    /// Shortens links and tethers that exceed new limits, without giving them speed. Where
    /// something may be in contact, the next step has to do this.
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

/// Projects links and contacts together. Returns the number of sweeps over the links.
///
/// A solver that takes turns alternates with contacts; otherwise contacts come after its
/// projection.
fn project(
    solver: &ConstraintSolver,
    constraints: &mut Constraints,
    (contacts, meter, pin_meter): (&mut Contacts, &mut ContactMeter, &mut PinMeter),
    w: &[f64],
    start: &[DVec3],
    x: &mut [DVec3],
    h: f64,
) -> u32 {
    if !contacts.need_sweeps() {
        pin_meter.watch(x, |copy, w, x| {
            solver.project(copy, w, start, x, h);
        });
        return solver.project(constraints, w, start, x, h);
    }
    if constraints.is_empty() {
        meter.watch(x, |x| contacts.sweep_until_converged(start, x, w));
        return 0;
    }
    if !solver.takes_turns(constraints) {
        pin_meter.watch(x, |copy, w, x| {
            solver.project(copy, w, start, x, h);
        });
        let sweeps = solver.project(constraints, w, start, x, h);
        meter.watch(x, |x| contacts.sweep(start, x, w));
        return sweeps;
    }
    let iterations = solver.iterations().unwrap_or(1);
    for turn in 0..iterations {
        pin_meter.watch(x, |copy, w, x| solver.take_turn(turn, copy, w, start, x, h));
        solver.take_turn(turn, constraints, w, start, x, h);
        meter.watch(x, |x| contacts.sweep(start, x, w));
    }
    iterations
}

/// Changes of velocities by contact, or by a velocity stage, at the end of a substep.
struct Kicks<'a> {
    /// Positions at the start and at the end of the substep, in metres.
    start: &'a [DVec3],
    x: &'a [DVec3],
    /// Velocities that agree with the positions, and the velocities after the change, in m/s.
    agreeing: &'a [DVec3],
    v: &'a [DVec3],
}

impl Kicks<'_> {
    /// Tells the scheme's memory how much the velocities of particles differ from their motion.
    fn tell_changes(&self, (scheme, work): (&dyn Integrator, &mut Workspace), h: f64) {
        let n = self.x.len();
        for (i, (v, agreeing)) in izip!(self.v, self.agreeing).enumerate() {
            let change = *v - *agreeing;
            if change != DVec3::ZERO {
                scheme.kicked(work, Kicked { particle: (i, n), change }, h);
            }
        }
    }

    /// Tells the scheme's memory of all changes. Its memory of struck particles restarts.
    fn tell(&self, contacts: &Contacts, (scheme, work): (&dyn Integrator, &mut Workspace), h: f64) {
        let n = self.x.len();
        self.tell_changes((scheme, work), h);
        for i in contacts.struck() {
            let (x, v) = (self.x[i], self.v[i]);
            let way = (x - self.start[i]) + (v - self.agreeing[i]) * h;
            scheme.collided(work, Collided { particle: (i, n), x, v, way }, h);
        }
    }
}

/// Clears the reactions of balls that collided in the substep of `h` seconds, whose velocities are
/// those of the motion, and restarts the scheme's memory of these balls.
fn take_over(
    contacts: &Contacts,
    reactions: [&mut [DVec3]; 2],
    (scheme, work): (&dyn Integrator, &mut Workspace),
    state: &State,
    h: f64,
) {
    for column in reactions.into_iter().filter(|column| !column.is_empty()) {
        contacts.collided().for_each(|(i, _)| column[i] = DVec3::ZERO);
    }
    for (i, way) in contacts.collided() {
        let particle = (i, state.len());
        scheme.collided(work, Collided { particle, x: state.x[i], v: state.v[i], way }, h);
    }
}

/// Returns the late share of the coming step.
fn late_share(scheme: &dyn Integrator, work: &Workspace) -> f64 {
    if work.age == 0 { scheme.first_late_share() } else { scheme.late_share() }
}

/// Makes velocities consistent after constraints moved particles from `free` to `x`, in a (sub)step
/// of `h` seconds: v ← v + (x − free)/h.
///
/// For constant forces this turns every scheme of the list into Verlet with projection: see "Why
/// one velocity update for all integrators?" in docs/design/integration.md.
pub fn update_velocities(free: &[DVec3], x: &[DVec3], v: &mut [DVec3], h: f64) {
    let rate = 1.0 / h;
    for (v, x, free) in izip!(v, x, free) {
        *v += (*x - *free) * rate;
    }
}
