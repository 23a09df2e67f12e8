use super::observation::energy_account::AccountSnapshot;
use super::run_state::RunState;
use super::running_scene::{Simulation, constraints_of, model_of};
use super::settings::Settings;
use crate::measure::SampleRecord;
use crate::model::{Model, PinnedParticle, Thrown};
use glam::DVec3;
use ropelab_mechanics::force::Grab;

/// All mutable state of a simulation at one time. Lists that solvers can rebuild are left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    settings: Settings,
    pub(super) pins: Vec<PinnedParticle>,
    /// Indices of the cut links, in ascending order.
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

    /// Returns the memory of the snapshot in bytes, without the waypoints of pins.
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
    /// m/s², the part of the reactions due to contacts, then the columns of the integrator's
    /// history. Columns that the settings do not need are empty.
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
    /// Returns a snapshot of all mutable state. After [`Self::restore`], steps give the same bits
    /// as if the simulation had simply continued.
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

    /// Returns to the start of the scene and reuses all buffers. The hand releases its body, thrown
    /// balls disappear, and links that were cut or have torn are whole again. Pins remain as they
    /// are.
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

    /// Restores a snapshot of this scene from an earlier or later time, and moves the record of
    /// samples to this time. Rebuilds the lists of solvers if the cut links or the solver differ.
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
