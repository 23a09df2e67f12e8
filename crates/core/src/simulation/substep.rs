//! One substep, stage by stage: pins, free motion, constraints, velocities, contact.

use super::Simulation;
use super::hand_state::{Hand, pin_targets};
use super::observation::contact_work::{ContactMeter, MotionLag};
use super::observation::pin_work::{PinMeter, PinSubstep};
use super::reaction::{self, InMotionScratch};
use super::settings::Settings;
use super::timing::substeps::Substeps;
use crate::constraint::{Constraints, Particles};
use crate::contact::{
    self, ColliderShift, ContactMemory, ContactMethod, Contacts, FreeMotion, Instant, Lag,
    Velocities,
};
use crate::integrate::{Collided, Integrator, Kicked};
use crate::limit::Limits;
use crate::mesh::Links;
use crate::model::Model;
use crate::numerics::displacement::DisplacementBounds;
use crate::numerics::state::{Next, Now, State, Workspace};
use crate::numerics::system::System;
use glam::DVec3;
use itertools::izip;

impl Simulation {
    /// Takes substep `k`, over whole columns. Returns true if the step can continue; false if free
    /// motion has exploded or contact is crowded.
    pub(super) fn substep(&mut self, substeps: Substeps, k: u32) -> bool {
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
            substep.follow_positions();
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

/// Substep under way: inputs and outputs of its stages.
struct Substep<'a> {
    settings: &'a Settings,
    model: &'a Model,
    constraints: &'a mut Constraints,
    /// Contact method in force; `Off` if nothing can touch.
    method: ContactMethod,
    /// Start of the substep in seconds.
    t: f64,
    /// End of the substep in seconds.
    t_end: f64,
    /// Length h of the substep in seconds.
    h: f64,
    /// True in the first substep of the integrator.
    is_first: bool,
    /// Late shares of the integrator, see [`reaction`], at the start and at the end of the substep.
    shares: [f64; 2],
    /// Share of a h² that a projection takes back, see [`Integrator::undone_share`].
    undone: f64,
    /// True if laws depend on velocities that reactions change within the substep.
    feels_reactions: bool,
    start: &'a mut State,
    state: &'a mut State,
    /// Memory of the integrator.
    work: &'a mut Workspace,
    /// Accelerations in m/s² by constraints and contacts.
    reaction: &'a mut Vec<DVec3>,
    /// Part of `reaction` that contacts give.
    pressed: &'a mut Vec<DVec3>,
    link_forces: &'a mut Vec<f64>,
    /// Number of sweeps of the last projection.
    sweeps: &'a mut u32,
    hand: &'a Option<Hand>,
    shifts: &'a [ColliderShift],
    touch: &'a mut ContactMemory,
    /// Pinned particles and their positions at the end in metres.
    pins: &'a mut Vec<(u32, DVec3)>,
    /// Positions after free motion.
    free: &'a mut Vec<DVec3>,
    /// Velocities that agree with the positions.
    agreeing: &'a mut Vec<DVec3>,
    in_motion: &'a mut InMotionScratch,
    contacts: &'a mut Contacts,
    limits: &'a mut Limits,
    meter: &'a mut ContactMeter,
    pin_meter: &'a mut PinMeter,
}

impl<'a> Substep<'a> {
    /// Begins substep `k`. The present state is swapped into its start, not copied.
    fn begin(simulation: &'a mut Simulation, substeps: Substeps, k: u32) -> Self {
        let touches = simulation.touches();
        let feels_reactions = simulation.feels_reactions();
        let Simulation { settings, model, constraints, run, scratch, .. } = simulation;
        let start = if k == 0 { &mut run.previous } else { &mut scratch.before };
        start.resize(run.state.len());
        std::mem::swap(&mut run.state, start);
        let (scheme, is_first) = (settings.integrator.scheme(), run.work.age == 0);
        let share = reaction::late_share(scheme, &run.work);
        Self {
            method: if touches { settings.contact } else { ContactMethod::Off },
            settings,
            model,
            constraints,
            t: substeps.at(k),
            t_end: substeps.at(k + 1),
            h: substeps.h(),
            is_first,
            shares: [std::mem::replace(&mut run.late_share, share), share],
            undone: if is_first { 1.0 } else { scheme.undone_share() },
            feels_reactions,
            start,
            state: &mut run.state,
            work: &mut run.work,
            reaction: &mut run.reaction,
            pressed: &mut run.pressed,
            link_forces: &mut run.link_forces,
            sweeps: &mut run.sweeps,
            hand: &run.hand,
            shifts: &run.shifts,
            touch: &mut run.touch,
            pins: &mut scratch.pins,
            free: &mut scratch.free,
            agreeing: &mut scratch.agreeing,
            in_motion: &mut scratch.in_motion,
            contacts: &mut scratch.contacts,
            limits: &mut scratch.limits,
            meter: &mut scratch.meter,
            pin_meter: &mut scratch.pin_meter,
        }
    }

    /// Gives each pinned particle, also one that the hand holds hard, the velocity that leads
    /// straight to its position at the end.
    fn place_pins(&mut self) {
        let Self { model, hand, pins, start, t_end, h, .. } = self;
        pins.clear();
        pins.extend(pin_targets(model, hand, *t_end));
        pins.iter().for_each(|&(i, end)| {
            start.v[i as usize] = (end - start.x[i as usize]) / *h;
        });
    }

    /// Moves particles from `start` to `state` by the integrator, without constraints.
    fn move_freely(&mut self) {
        let Self { settings, model, start, state, work, reaction, in_motion, h, .. } = self;
        let (scheme, h) = (settings.integrator.scheme(), *h);
        let mut step = |system: &dyn System, now: Now, next: Next| {
            scheme.step(system, Now { t: self.t, ..now }, next, h, work);
        };
        if self.feels_reactions && !reaction.is_empty() {
            let kick = self.shares[0] * h;
            reaction::move_freely((*model, reaction, kick), in_motion, start, state, step);
        } else {
            step(*model, start.as_now(), state.as_next());
        }
        self.pins.iter().for_each(|&(i, end)| state.x[i as usize] = end);
    }

    fn is_finite(&self) -> bool {
        DisplacementBounds::measure(&self.start.x, &self.state.x, &self.state.v).are_finite()
    }

    /// Finds contacts between the positions at the start and those after free motion, and starts
    /// the meters of work.
    fn find_contacts(&mut self) {
        let bodies = self.model.bodies(self.shifts);
        let Self { model, method, start, state, h, undone, .. } = self;
        let instant = Instant { t: self.t, h: *h, g: model.gravity().length(), undone: *undone };
        self.contacts.find(method, &bodies, [&start.x, &start.v, &state.x], instant, self.touch);
        self.pin_meter.warm(self.link_forces);
        self.constraints.load_warm_start(self.link_forces);
        let reactions = [&self.reaction[..], &self.pressed[..]];
        let lag = MotionLag { reactions, share: self.shares[0], h: *h };
        self.meter.start_substep(&start.v, lag);
    }

    /// True if constraints, limits or contacts have to be projected. If contacts alone are
    /// projected, also sets the limit of the energy after impacts.
    fn has_projection(&mut self) -> bool {
        let bodies = self.model.bodies(self.shifts);
        let Self { model, contacts, start, state, t_end, .. } = self;
        if !(self.constraints.is_empty() && self.settings.limits().is_empty()) {
            return true;
        }
        if contacts.need_sweeps() {
            let energy = |x: &[DVec3], v: &[DVec3]| {
                model.energy_at(Now { t: *t_end, x, v }, &Links::default()).total()
            };
            contacts.expect_impacts(&bodies, [&start.x, &start.v], [&state.x, &state.v], &energy);
        }
        contacts.need_sweeps()
    }

    /// Projects positions onto the constraints, with contacts in the same sweeps, and then brings
    /// them within the limits of length.
    fn project_positions(&mut self) {
        let w = self.model.inverse_masses();
        self.free.clone_from(&self.state.x);
        *self.sweeps = self.sweep();
        let Self { model, contacts, limits, meter, pin_meter, start, state, .. } = self;
        let (in_force, h) = (self.settings.limits(), self.h * self.undone.sqrt());
        if !in_force.is_empty() && limits.apply(in_force, model, &mut state.x, h) {
            pin_meter.note_limits(limits);
            if contacts.need_sweeps() {
                meter.watch(&mut state.x, |x| contacts.sweep(&start.x, x, w));
            }
        }
    }

    /// Sweeps over links and contacts. Returns the number of sweeps over the links.
    ///
    /// A solver that takes turns alternates with contacts; otherwise contacts follow its
    /// projection. Solvers expect that a force f moves a particle by f h²/m.
    fn sweep(&mut self) -> u32 {
        let Self { model, constraints, contacts, meter, pin_meter, .. } = self;
        let (start, x, w) = (&self.start.x[..], &mut self.state.x[..], model.inverse_masses());
        let (solver, h) = (self.settings.solver(), self.h * self.undone.sqrt());
        let project = |c: &mut Constraints, w: &[f64], x: &mut [DVec3]| {
            solver.project(c, &mut Particles::new(w, start, x, h))
        };
        if !contacts.need_sweeps() {
            pin_meter.watch(x, project);
            return project(constraints, w, x);
        }
        if constraints.is_empty() {
            meter.watch(x, |x| contacts.sweep_until_converged(start, x, w));
            return 0;
        }
        if !solver.takes_turns(constraints) {
            pin_meter.watch(x, project);
            let sweeps = project(constraints, w, x);
            meter.watch(x, |x| contacts.sweep(start, x, w));
            return sweeps;
        }
        let iterations = solver.iterations().unwrap_or(1);
        for turn in 0..iterations {
            let take_turn = |c: &mut Constraints, w: &[f64], x: &mut [DVec3]| {
                solver.take_turn(turn, c, &mut Particles::new(w, start, x, h));
            };
            pin_meter.watch(x, take_turn);
            take_turn(constraints, w, x);
            meter.watch(x, |x| contacts.sweep(start, x, w));
        }
        iterations
    }

    /// Makes velocities agree with the projected positions, and finds the reaction that the next
    /// substep needs.
    fn follow_positions(&mut self) {
        let Self { settings, model, start, state, work, reaction, free, h, undone, .. } = self;
        let (scheme, h, share) = (settings.integrator.scheme(), *h, self.shares[1]);
        let State { x, v, .. } = &mut **state;
        update_velocities(free, x, v, h);
        if let Some(column) = scheme.old_velocities() {
            update_velocities(free, x, work.history(column + 1, x.len())[column], h);
        }
        let motion = reaction::Motion { start: start.as_now(), free, x, v, h };
        match (share != 0.0, model.has_inner_forces()) {
            (false, _) if !self.feels_reactions => reaction.clear(),
            (true, true) if *undone == 1.0 => motion.reaction_beside_forces(share, reaction),
            _ => motion.reaction(*undone, reaction),
        }
    }

    /// Projects the velocities of the motion, if the solver has a velocity stage. Contacts come
    /// after this stage.
    fn project_velocities(&mut self) {
        let solver = self.settings.solver();
        if !solver.has_velocity_stage() {
            return;
        }
        let Self { settings, model, constraints, state, work, reaction, pin_meter, .. } = self;
        let (h, share) = (self.h, self.shares[1]);
        let State { x, v, .. } = &mut **state;
        self.agreeing.clone_from(v);
        reaction::add_kick(v, share * h, reaction);
        pin_meter.watch_velocities((&solver, x, v, h));
        solver.project_velocities(constraints, model.inverse_masses(), x, v, h);
        reaction::add_kick(v, -share * h, reaction);
        let kicks = Kicks { start: &self.start.x, x, agreeing: self.agreeing, v };
        kicks.tell_changes((settings.integrator.scheme(), work), h);
    }

    /// Applies friction and restitution of contacts to velocities.
    fn finish_velocities(&mut self) {
        let Self { settings, model, contacts, start, state, work, pressed, agreeing, h, .. } = self;
        let State { x, v, .. } = &mut **state;
        self.constraints.store_warm_start(self.link_forces);
        self.meter.note_velocities(v, *h);
        let may_kick = contacts.need_sweeps() || !pressed.is_empty();
        if may_kick {
            agreeing.clone_from(v);
        }
        let lag = Lag { h: *h, shares: self.shares, undone: self.undone };
        let free = FreeMotion { v: [&start.v, agreeing], x: [self.free, x] };
        let velocities = Velocities { own: v, reaction: self.reaction, pressed, lag, free };
        contacts.finish(&self.method, velocities, model.inverse_masses(), self.touch);
        if may_kick {
            let kicks = Kicks { start: &start.x, x, agreeing, v };
            kicks.tell(contacts, (settings.integrator.scheme(), work), *h);
        }
    }

    /// Resolves the remaining contacts, so that nothing passes through, and the impacts of balls.
    /// `swept` is true if sweeps have moved anything since contacts were found.
    fn resolve_contacts(&mut self, swept: bool) {
        let bodies = self.model.bodies(self.shifts);
        let Self { model, constraints, contacts, start, state, t_end, .. } = self;
        let State { x, v, .. } = &mut **state;
        let columns = contact::Columns { start: &start.x, v_start: &start.v, x, v, swept };
        let energy = |x: &[DVec3], v: &[DVec3]| {
            model.energy_at(Now { t: *t_end, x, v }, constraints.links()).total()
        };
        self.meter.note_collisions(columns.v);
        contacts.resolve(&self.method, &bodies, columns, &energy, self.touch);
    }

    /// Ends the measurement of work, and prepares balls that collided for the next substep.
    fn end(&mut self) {
        let Self { model, contacts, start, state, reaction, pressed, h, shares, .. } = self;
        let (h, shares) = (*h, *shares);
        let touched = (&**contacts, &model.geometry().colliders[..]);
        let lag = MotionLag { reactions: [reaction, pressed], share: shares[1], h };
        let lag_and_share = (lag, 1.0 - self.undone);
        let columns = [&start.x[..], &state.x, &state.v];
        self.meter.end_substep(model.masses(), columns, lag_and_share, touched);
        let (undone, is_first, pins) = (self.undone, self.is_first, &self.pins[..]);
        let start = &start.x[..];
        self.pin_meter.end_substep(PinSubstep { h, shares, undone, is_first, pins, start });
        if let Some(force) = model.penalty_force() {
            let State { x, v, .. } = &**state;
            let at = contact::Motion { t: self.t_end, x, v, w: model.inverse_masses() };
            contacts.note_pushed(&force, at, &mut self.touch.report);
        }
        let scheme = (self.settings.integrator.scheme(), &mut *self.work);
        take_over(contacts, [reaction, pressed], scheme, state, h);
    }
}

/// Changes of velocities by contact, or by a velocity stage, at the end of a substep.
struct Kicks<'a> {
    /// Positions at the start of the substep, in metres.
    start: &'a [DVec3],
    /// Positions at the end of the substep, in metres.
    x: &'a [DVec3],
    /// Velocities that agree with the positions, in m/s.
    agreeing: &'a [DVec3],
    /// Velocities after the change, in m/s.
    v: &'a [DVec3],
}

impl Kicks<'_> {
    /// Tells the integrator's memory how much the velocities of particles differ from their motion.
    fn tell_changes(&self, (scheme, work): (&dyn Integrator, &mut Workspace), h: f64) {
        let n = self.x.len();
        for (i, (v, agreeing)) in izip!(self.v, self.agreeing).enumerate() {
            let change = *v - *agreeing;
            if change != DVec3::ZERO {
                scheme.kicked(work, Kicked { particle: (i, n), change }, h);
            }
        }
    }

    /// Tells the integrator's memory of all changes. Its memory of struck particles restarts.
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

/// Clears the reactions of balls that collided in the substep of `h` seconds, because their
/// velocities already are those of the motion. Restarts the integrator's memory of these balls.
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

/// Makes velocities consistent after constraints moved particles from `free` to `x`, in a (sub)step
/// of `h` seconds: v ← v + (x − free)/h.
///
/// For constant forces this turns every integrator of the list into Verlet with projection: see
/// "Why one velocity update for all integrators?" in docs/design/integration.md.
pub fn update_velocities(free: &[DVec3], x: &[DVec3], v: &mut [DVec3], h: f64) {
    let rate = 1.0 / h;
    for (v, x, free) in izip!(v, x, free) {
        *v += (*x - *free) * rate;
    }
}
