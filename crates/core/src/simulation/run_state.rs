//! Mutable state of a simulation, and its snapshots.

use super::hand_state::Hand;
use super::observation::energy_account::AccountSnapshot;
use super::settings::Settings;
use super::timing::clock::Clock;
use super::timing::frame::FrameUnderWay;
use super::timing::stepper::{Plan, Stepper};
use super::{Simulation, constraints_of, model_of};
use crate::contact::{self, ColliderShift};
use crate::force::Grab;
use crate::measure::{
    Drift, Explosion, Overstretch, SampleRecord, Stretch, TooCompliant, Unconverged,
};
use crate::model::{Blow, Energy, Model, PinnedParticle, Thrown};
use crate::numerics::state::{State, Workspace};
use glam::DVec3;

/// Value of `start_energy` by which the next step knows that it must compute the energy. Several
/// cuts in one frame then cost only one pass over all links.
pub(super) const NOT_TAKEN: f64 = f64::INFINITY;

/// State that changes by steps, frames and the hand. Pins, cuts and thrown balls belong to the
/// model. All other data of a simulation follow from settings and model, or have no meaning between
/// two steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RunState {
    pub state: State,
    /// State one step before `state`. Pictures are blended between these two states.
    pub previous: State,
    /// Memory of the integrator: earlier steps, proposed length of the next step, report of the
    /// last one.
    pub work: Workspace,
    /// Reaction r of each particle: acceleration in m/s² by constraints and contacts in the last
    /// substep, see `reaction.rs`. Empty before the first substep, and if the settings need no
    /// reactions.
    pub reaction: Vec<DVec3>,
    /// Part of `reaction` that contacts gave at position level. Empty if `reaction` is empty or
    /// there were no contacts.
    pub contact_reaction: Vec<DVec3>,
    /// Forces of links in newtons for the warm start of the solver; empty without a warm start.
    pub link_forces: Vec<f64>,
    /// Omitted fraction s of the last substep (see `reaction.rs`): motion velocity V = integrator
    /// velocity v + s h `reaction`.
    pub omitted_fraction: f64,
    pub clock: Clock,
    pub stepper: Stepper,
    pub plan: Plan,
    pub frame: Option<FrameUnderWay>,
    pub hand: Option<Hand>,
    /// Displacements of colliders by the hand; empty until the hand takes a collider for the first
    /// time.
    pub shifts: Vec<ColliderShift>,
    /// Released colliders that have not reached the place of their release yet: number, and this
    /// place in metres.
    pub arriving: Vec<(u32, DVec3)>,
    pub blow: Option<Blow>,
    pub failure: Option<Failure>,
    pub overstretch: Option<Overstretch>,
    pub compliance: Compliance,
    pub unconverged: Unconverged,
    /// Reference for energy growth: total energy in joules at the start, or after the last change
    /// by the hand.
    pub start_energy: f64,
    /// Number of sweeps of the last projection.
    pub sweeps: u32,
    pub stretch_armed: bool,
    pub drift: Drift,
    pub last_sample: LastSample,
    /// Spins of balls, forces of lasting contacts, and counts of contact.
    pub contact_memory: contact::ContactMemory,
    /// Number of balls that were thrown because the scene schedules them.
    pub scheduled_throws: u32,
    /// Links that tear at the start of the next step.
    pub overloaded: Vec<u32>,
    /// Number of links that have torn since the start of the scene.
    pub torn: u64,
    /// Number of restarts so far.
    pub starts: u32,
}

/// An explosion, and the settings under which it happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Failure {
    pub explosion: Explosion,
    pub settings: Settings,
}

/// Time during which links were longer than their stiffness allows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Compliance {
    /// Simulated time with overlong links in total, in seconds.
    pub seconds: f64,
    /// Number of the first step at which the next check may be made.
    pub next: u64,
    /// Worst link at the time when `seconds` reached the limit; `None` before.
    pub found: Option<TooCompliant>,
}

/// Last measured energy and stretch. In large scenes a frame measures only one of them, or neither.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct LastSample {
    /// Number of samples so far.
    pub samples: u64,
    pub energy: Energy,
    pub stretch: Stretch,
}

impl RunState {
    pub fn at_start(state: State, geometry: &contact::Geometry) -> Self {
        let contact_memory = contact::ContactMemory::new(geometry);
        Self {
            previous: state.clone(),
            state,
            stretch_armed: true,
            contact_memory,
            ..Self::default()
        }
    }

    /// Makes the next step compute the reference for energy growth, after a change from outside.
    pub fn request_start_energy(&mut self) {
        self.start_energy = NOT_TAKEN;
    }

    /// Copies `other` into existing buffers, except for data without a meaning between steps.
    fn copy_from(&mut self, other: &Self) {
        let mut copy = std::mem::take(self);
        copy.state.copy_from(&other.state);
        copy.previous.copy_from(&other.previous);
        copy.work.copy_memory(&other.work);
        copy.reaction.clone_from(&other.reaction);
        copy.contact_reaction.clone_from(&other.contact_reaction);
        copy.link_forces.clone_from(&other.link_forces);
        copy.shifts.clone_from(&other.shifts);
        copy.arriving.clone_from(&other.arriving);
        copy.contact_memory.copy_from(&other.contact_memory);
        copy.overloaded.clone_from(&other.overloaded);
        *self = Self {
            state: copy.state,
            previous: copy.previous,
            work: copy.work,
            reaction: copy.reaction,
            contact_reaction: copy.contact_reaction,
            link_forces: copy.link_forces,
            shifts: copy.shifts,
            arriving: copy.arriving,
            contact_memory: copy.contact_memory,
            overloaded: copy.overloaded,
            ..*other
        };
    }
}

/// All mutable state of a simulation at one time. Lists that solvers can rebuild are left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    settings: Settings,
    pub(super) pins: Vec<PinnedParticle>,
    /// Numbers of the cut links, ascending.
    pub(super) cut: Vec<u32>,
    pub(super) thrown: Thrown,
    pub(super) grab: Option<Grab>,
    /// Energy account up to this time; `None` if none was kept.
    energy_account: Option<Box<AccountSnapshot>>,
    run: RunState,
}

impl Snapshot {
    /// Returns the settings in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the memory that the snapshot occupies in bytes, without the waypoints of pins.
    pub fn bytes(&self) -> usize {
        let Self { pins, cut, thrown, energy_account, run, .. } = self;
        let columns = run.state.len() * 2
            + run.previous.len() * 2
            + run.work.history_len()
            + run.reaction.len()
            + run.contact_reaction.len()
            + run.contact_memory.spin.len();
        size_of::<Self>()
            + columns * size_of::<glam::DVec3>()
            + size_of_val(&pins[..])
            + size_of_val(&cut[..])
            + size_of_val(&thrown.balls[..])
            + size_of_val(&run.contact_memory.resting_forces[..])
            + size_of_val(&run.link_forces[..])
            + size_of_val(&run.shifts[..])
            + size_of_val(&run.arriving[..])
            + energy_account.as_ref().map_or(0, |account| account.bytes())
    }
}

impl Snapshot {
    /// Yields the columns of the snapshot: positions in metres, velocities in m/s, reactions in
    /// m/s², the part of the reactions by contacts, then the columns of the integrator's history.
    /// Columns that the settings do not need are empty.
    pub fn columns(&self) -> impl Iterator<Item = &[DVec3]> {
        let RunState { state, work, reaction, contact_reaction, .. } = &self.run;
        [&state.x[..], &state.v[..], reaction, contact_reaction].into_iter().chain(work.memory())
    }

    /// Like [`Snapshot::columns`], with mutable columns.
    pub fn columns_mut(&mut self) -> impl Iterator<Item = &mut [DVec3]> {
        let RunState { state, work, reaction, contact_reaction, .. } = &mut self.run;
        [&mut state.x[..], &mut state.v[..], reaction, contact_reaction]
            .into_iter()
            .chain(work.memory_mut())
    }
}

impl Simulation {
    /// Returns a snapshot of all mutable state. Restoring it and stepping gives the same bits as
    /// stepping without it.
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
            energy_account: self.account_snapshot(),
            run: kept,
        }
    }

    /// Returns to the start of the scene and reuses all buffers. The hand lets go, thrown balls
    /// disappear, and links that were cut or have torn are whole again; pins stay.
    pub fn rewind(&mut self) {
        self.release();
        self.model.set_thrown(&Thrown::default());
        if !self.model.topology().cut_links().is_empty() {
            let pins = self.model.pins().to_vec();
            self.model = model_of(self.parts().clone(), &self.settings);
            self.constraints = constraints_of(&self.model, &self.settings);
            self.model.set_pins(&pins);
            self.renew_bends();
        }
        self.model.blow = None;
        let Self { model, run, .. } = self;
        let (parts, work) = (model.parts().clone(), &mut run.work);
        work.restart();
        let work = std::mem::take(work);
        let mut contact_memory = std::mem::take(&mut run.contact_memory);
        contact_memory.restart(&parts.contact);
        let [mut state, mut previous] = [&mut run.state, &mut run.previous].map(std::mem::take);
        state.t = 0.0;
        state.x.clone_from(&parts.mesh.positions);
        state.v.clear();
        state.v.extend(parts.start_velocities());
        previous.copy_from(&state);
        *run = RunState {
            state,
            previous,
            work,
            stretch_armed: true,
            contact_memory,
            ..RunState::default()
        };
        self.blow_up_detector = Default::default();
        self.record = SampleRecord::default();
        let energy = self.energy();
        self.run.drift.observe(&energy);
        self.take_energy_as_start();
        self.restart_energy_account();
    }

    /// Restores a snapshot of this scene, earlier or later in time, and moves the record of samples
    /// to this time. Lists of solvers are rebuilt if the cut links or the solver differ.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        let Snapshot { settings, pins, cut, thrown, grab, energy_account, run } = snapshot;
        let old = std::mem::replace(&mut self.settings, *settings);
        if cut_links(&self.model) != *cut {
            self.model = model_of(self.parts().clone(), settings);
            self.constraints = constraints_of(&self.model, settings);
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
        self.model.set_penalty(settings.contact.penalty());
        self.model.shift_colliders(&run.shifts);
        self.run.copy_from(run);
        self.blow_up_detector = Default::default();
        self.record.go_to(self.run.starts, self.run.stepper.time_account().wall);
        let now = self.run.state.t;
        self.trails.iter_mut().for_each(|trail| trail.jump_to(now));
        self.continue_energy_account(energy_account.as_deref());
    }
}

pub(super) fn cut_links(model: &Model) -> Vec<u32> {
    let mut cut = model.topology().cut_links().to_vec();
    cut.sort_unstable();
    cut
}
