//! State of a simulation that changes while it runs, and its snapshots.

use super::Simulation;
use super::hand_state::Hand;
use super::settings::Settings;
use super::timing::clock::Clock;
use super::timing::frame::FrameUnderWay;
use super::timing::stepper::{Plan, Stepper};
use crate::contact::{self, ColliderShift};
use crate::force::Grab;
use crate::measure::{
    Drift, Explosion, LaneRecord, Overstretch, Stretch, TooCompliant, Unconverged,
};
use crate::model::{Blow, Energy, Model, PinnedParticle, Thrown};
use crate::numerics::state::{State, Workspace};
use glam::DVec3;

/// Placeholder for a start energy that the next step computes. Several cuts in a frame thus cost
/// only one pass over all links.
pub(super) const NOT_TAKEN: f64 = f64::INFINITY;

/// State that steps, frames and the hand change, except pins, cuts and thrown balls, which belong
/// to the model. Everything else follows from the settings and the model, or is meaningless between
/// two steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RunState {
    pub state: State,
    /// State one step before `state`, for pictures between the two.
    pub previous: State,
    /// Memory of the integrator.
    pub work: Workspace,
    /// Accelerations in m/s² by constraints and contacts in the last substep, see `reaction`. Empty
    /// before the first substep, and in lanes that do not keep them.
    pub reaction: Vec<DVec3>,
    /// Part of `reaction` that contacts gave at position level. Empty if `reaction` is empty or
    /// there were no contacts.
    pub pressed: Vec<DVec3>,
    /// Forces of links in newtons with which the solver starts; empty without a warm start.
    pub link_forces: Vec<f64>,
    /// Late share s: the integrator's velocities lag behind those of the motion by s h times the
    /// reaction.
    pub late_share: f64,
    pub clock: Clock,
    pub stepper: Stepper,
    pub plan: Plan,
    pub frame: Option<FrameUnderWay>,
    pub hand: Option<Hand>,
    /// Displacements of colliders by the hand; empty until the hand holds the first one.
    pub shifts: Vec<ColliderShift>,
    /// Released colliders that have not arrived yet, with the positions in metres to which they
    /// move.
    pub arriving: Vec<(u32, DVec3)>,
    pub blow: Option<Blow>,
    pub failure: Option<Failure>,
    pub overstretch: Option<Overstretch>,
    pub compliance: Compliance,
    pub unconverged: Unconverged,
    /// Total energy in joules at the start of the lane, or after its last change by the hand.
    pub start_energy: f64,
    /// Number of sweeps of the last projection.
    pub sweeps: u32,
    pub stretch_armed: bool,
    pub drift: Drift,
    pub last_sample: LastSample,
    /// Spins of balls, and the state and counts of contact.
    pub touch: contact::ContactMemory,
    /// Number of balls that the scene itself has thrown.
    pub scheduled_throws: u32,
    /// Links that tear before the next step.
    pub overloaded: Vec<u32>,
    /// Number of links that have torn.
    pub torn: u64,
    /// Number of restarts so far.
    pub starts: u32,
}

/// An explosion and the settings under which it happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Failure {
    pub explosion: Explosion,
    pub settings: Settings,
}

/// Time during which links were too long for their material.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Compliance {
    /// Sum of simulated seconds.
    pub seconds: f64,
    /// Number of the step from which on the next check may be made.
    pub next: u64,
    /// The worst link when `seconds` reached the limit; `None` before.
    pub found: Option<TooCompliant>,
}

/// Results of the samples of frames, which decide the next measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct LastSample {
    /// Number of samples so far.
    pub samples: u64,
    pub energy: Energy,
    pub stretch: Stretch,
}

impl RunState {
    /// Creates the run state of a lane that starts from `state`.
    pub fn start(state: State, geometry: &contact::Geometry) -> Self {
        let touch = contact::ContactMemory::new(geometry);
        Self { previous: state.clone(), state, stretch_armed: true, touch, ..Self::default() }
    }

    /// Copies `other` into existing buffers, except for data that are meaningless between steps.
    fn copy_from(&mut self, other: &Self) {
        let Self {
            state,
            previous,
            work,
            reaction,
            pressed,
            link_forces,
            late_share,
            clock,
            stepper,
            plan,
            frame,
            hand,
            shifts,
            arriving,
            blow,
            failure,
            overstretch,
            compliance,
            unconverged,
            start_energy,
            sweeps,
            stretch_armed,
            drift,
            last_sample,
            touch,
            scheduled_throws,
            overloaded,
            torn,
            starts,
        } = other;
        self.state.copy_from(state);
        self.previous.copy_from(previous);
        self.work.copy_memory(work);
        self.reaction.clone_from(reaction);
        self.pressed.clone_from(pressed);
        self.link_forces.clone_from(link_forces);
        self.late_share = *late_share;
        self.clock = *clock;
        self.stepper.clone_from(stepper);
        self.plan = *plan;
        self.frame = *frame;
        self.hand = *hand;
        self.shifts.clone_from(shifts);
        self.arriving.clone_from(arriving);
        self.blow = *blow;
        self.failure = *failure;
        self.overstretch = *overstretch;
        self.compliance = *compliance;
        self.unconverged = *unconverged;
        self.start_energy = *start_energy;
        self.sweeps = *sweeps;
        self.stretch_armed = *stretch_armed;
        self.drift = *drift;
        self.last_sample = *last_sample;
        self.touch.copy_from(touch);
        self.scheduled_throws = *scheduled_throws;
        self.overloaded.clone_from(overloaded);
        self.torn = *torn;
        self.starts = *starts;
    }
}

/// State that [`Simulation::snapshot`] keeps. Lists of solvers are left out, because they can be
/// built again.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    settings: Settings,
    pub(super) pins: Vec<PinnedParticle>,
    /// Numbers of cut links, ascending.
    pub(super) cut: Vec<u32>,
    pub(super) thrown: Thrown,
    pub(super) grab: Option<Grab>,
    run: RunState,
}

impl Snapshot {
    /// Returns the settings in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the memory that the snapshot takes in bytes, without the waypoints of pins.
    pub fn bytes(&self) -> usize {
        let Self { pins, cut, thrown, run, .. } = self;
        let columns = run.state.len() * 2
            + run.previous.len() * 2
            + run.work.history_len()
            + run.reaction.len()
            + run.pressed.len()
            + run.touch.spin.len();
        size_of::<Self>()
            + columns * size_of::<glam::DVec3>()
            + size_of_val(&pins[..])
            + size_of_val(&cut[..])
            + size_of_val(&thrown.balls[..])
            + size_of_val(&run.touch.pressures[..])
            + size_of_val(&run.link_forces[..])
            + size_of_val(&run.shifts[..])
            + size_of_val(&run.arriving[..])
    }
}

impl Snapshot {
    /// Yields positions in metres, velocities in m/s, reactions of constraints and contacts in
    /// m/s², the contacts' part of the reactions, then the columns of the integrator's history.
    /// Columns that the lane does not keep are empty.
    pub fn columns(&self) -> impl Iterator<Item = &[DVec3]> {
        let RunState { state, work, reaction, pressed, .. } = &self.run;
        [&state.x[..], &state.v[..], reaction, pressed].into_iter().chain(work.memory())
    }

    /// Like [`Snapshot::columns`], but mutable.
    pub fn columns_mut(&mut self) -> impl Iterator<Item = &mut [DVec3]> {
        let RunState { state, work, reaction, pressed, .. } = &mut self.run;
        [&mut state.x[..], &mut state.v[..], reaction, pressed].into_iter().chain(work.memory_mut())
    }
}

impl Simulation {
    /// Returns a snapshot of everything that changes. Restoring it and stepping on gives the same
    /// bits as stepping on at once.
    pub fn snapshot(&self) -> Snapshot {
        let Self { settings, model, run, .. } = self;
        let mut kept = RunState::default();
        kept.copy_from(run);
        Snapshot {
            settings: *settings,
            pins: model.pins().to_vec(),
            cut: cut_links(model),
            thrown: model.thrown().clone(),
            grab: model.grab,
            run: kept,
        }
    }

    /// Returns to the start of the scene, in existing buffers. The hand lets go and thrown balls
    /// disappear; pins and cuts stay.
    pub fn rewind(&mut self) {
        self.release();
        self.model.set_thrown(&Thrown::default());
        self.model.blow = None;
        let Self { model, run, .. } = self;
        let (parts, work) = (model.parts().clone(), &mut run.work);
        work.restart();
        let work = std::mem::take(work);
        let mut touch = std::mem::take(&mut run.touch);
        touch.restart(&parts.contact);
        let [mut state, mut previous] = [&mut run.state, &mut run.previous].map(std::mem::take);
        state.t = 0.0;
        state.x.clone_from(&parts.mesh.positions);
        state.v.clear();
        state.v.extend(parts.start_velocities());
        previous.copy_from(&state);
        *run =
            RunState { state, previous, work, stretch_armed: true, touch, ..RunState::default() };
        self.blow_up_detector = Default::default();
        self.record = LaneRecord::default();
        let energy = self.energy();
        self.run.drift.observe(&energy);
        self.take_energy_as_start();
        self.reopen_books();
    }

    /// Goes to a snapshot of this scene, back or forward in time, with the record for plots. The
    /// lists of solvers are built again if other links are cut or the solver is another one.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        let Snapshot { settings, pins, cut, thrown, grab, run } = snapshot;
        let old = std::mem::replace(&mut self.settings, *settings);
        // Constraints are built for as many particles as there are.
        if cut_links(&self.model) != *cut {
            self.build_model();
            self.model.set_thrown(thrown);
            self.cut_model(cut);
        } else {
            self.model.set_thrown(thrown);
            if !old.solves_as(settings) {
                self.choose_links();
            }
        }
        self.model.set_pins(pins);
        self.renew_bends();
        self.model.grab = *grab;
        self.model.blow = run.blow;
        self.model.let_colliders_push(settings.contact.penalty());
        self.model.shift_colliders(&run.shifts);
        self.run.copy_from(run);
        self.blow_up_detector = Default::default();
        self.record.go_to(self.run.starts, self.run.stepper.ledger().wall);
        let now = self.run.state.t;
        self.trails.iter_mut().for_each(|trail| trail.jump_to(now));
        self.reopen_books();
    }
}

pub(super) fn cut_links(model: &Model) -> Vec<u32> {
    let mut cut = model.topology().cut_links().to_vec();
    cut.sort_unstable();
    cut
}
