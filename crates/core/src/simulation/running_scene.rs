use super::blow_up::BlowUpDetector;
use super::run_state::RunState;
use super::scratch::Scratch;
use super::settings::Settings;
use super::timing::interrupt::Interrupt;
use super::timing::stepper::{Blend, Plan, TimeAccount};
use crate::contact;
use crate::measure::{EnergyAccount, MotionRecord, SampleRecord};
use crate::model::{Model, Parts};
use glam::DVec3;
use ropelab_mechanics::constraint::Constraints;
use ropelab_mechanics::mesh::Link;
use ropelab_mechanics::numerics::columns::axpy;
use ropelab_mechanics::numerics::simd::Isa;
use ropelab_mechanics::numerics::state::{SolveReport, State};
use std::sync::Arc;

/// A scene that runs under one set of settings: the settings, the model that follows from them, and
/// all mutable state.
#[derive(Clone, Debug)]
pub struct Simulation {
    pub(super) settings: Settings,
    pub(super) model: Model,
    pub(super) constraints: Constraints,
    pub(super) run: RunState,
    pub(super) scratch: Scratch,
    pub(super) blow_up_detector: BlowUpDetector,
    pub(super) record: SampleRecord,
    pub(super) energy_account: Option<EnergyAccount>,
    pub(super) motion: Option<MotionRecord>,
    pub(super) trails: Vec<MotionRecord>,
    pub(super) interrupt: Interrupt,
}

impl Simulation {
    /// Creates a simulation at the start of a scene. `settings` must have passed
    /// [`Settings::check`].
    pub fn new(parts: Arc<Parts>, settings: Settings) -> Self {
        let model = model_of(parts.clone(), &settings);
        let constraints = constraints_of(&model, &settings);
        let x = parts.mesh.positions.clone();
        let v = parts.start_velocities().collect();
        let mut simulation = Self {
            settings,
            model,
            constraints,
            run: RunState::at_start(State { t: 0.0, x, v }, &parts.contact),
            scratch: Scratch::default(),
            blow_up_detector: BlowUpDetector::default(),
            record: SampleRecord::default(),
            energy_account: None,
            motion: None,
            trails: Vec::new(),
            interrupt: Interrupt::default(),
        };
        let energy = simulation.energy();
        simulation.run.drift.observe(&energy);
        simulation.take_energy_as_start();
        simulation
    }

    /// Restarts the scene with the same settings.
    pub fn reset(&mut self) {
        let keeps_energy_account = self.energy_account.is_some();
        let watched = self.motion.as_ref().map(MotionRecord::particle);
        let trails = std::mem::take(&mut self.trails);
        let (starts, record) = (self.run.starts + 1, std::mem::take(&mut self.record));
        *self = Self::new(self.parts().clone(), self.settings);
        (self.run.starts, self.record) = (starts, record);
        self.record.go_to(starts, 0.0);
        self.watch(watched);
        self.restart_trails(&trails);
        if keeps_energy_account {
            self.start_energy_account();
        }
    }

    /// Returns a copy for stepping on another thread. This simulation does not change meanwhile and
    /// can be drawn. The large lists of the contact search move to the copy instead of being
    /// cloned.
    pub fn stepping_copy(&mut self) -> Self {
        let lists = self.scratch.contacts.take_lists();
        let mut copy = self.clone();
        copy.scratch.contacts.put_lists(lists);
        copy
    }

    /// Sets the flag that lets another thread interrupt steps. The state after an interrupted step
    /// is meaningless.
    pub fn set_interrupt(&mut self, interrupt: Interrupt) {
        self.interrupt = interrupt;
    }

    /// Returns the settings in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Changes the settings between two steps. State and time continue. The integrator's history
    /// restarts if the integrator, the length of a step, the penalty force or the solver of links
    /// has changed.
    pub fn configure(&mut self, settings: Settings) {
        let old = std::mem::replace(&mut self.settings, settings);
        self.model.set_penalty(settings.contact.penalty());
        let same_grid = old.dt == settings.dt && old.substeps == settings.substeps;
        let same_force = old.contact.penalty() == settings.contact.penalty();
        if old.integrator != settings.integrator || !same_grid || !same_force {
            self.run.work.restart();
        }
        let stiffness_follows_step = settings.solver().has_own_stiffness() && !same_grid;
        if !old.solves_as(&settings) || stiffness_follows_step {
            self.choose_links();
            // The integrator's history was recorded with the previous forces.
            self.run.work.restart();
            self.run.reaction.clear();
            self.run.contact_reaction.clear();
            if !old.solves_as(&settings) {
                self.run.link_forces.clear();
            }
            self.blow_up_detector = BlowUpDetector::default();
            self.take_energy_as_start();
        }
        if old.limits() != settings.limits() {
            self.enforce_limits();
            self.take_energy_as_start();
        }
        if old.longest_link != settings.longest_link {
            self.blow_up_detector = BlowUpDetector::default();
        }
        let same_scheme = old.integrator == settings.integrator && old.solves_as(&settings);
        if !(same_scheme && same_grid && same_force) {
            // Effects of the previous settings must not count as effects of the new ones.
            self.run.compliance = Default::default();
            self.restart_energy_account();
        }
    }

    /// Chooses again, from the settings, which links and bends act as forces and which as
    /// constraints.
    pub(super) fn choose_links(&mut self) {
        let solver = self.settings.solver();
        self.model.damp_links(self.settings.stiffness_damping);
        self.model.choose_springs(|link| !solver.constrains(link));
        self.model.set_bends_are_forces(!solver.constrains_bends());
        self.constraints = constraints_of(&self.model, &self.settings);
    }

    /// Writes the positions to draw to `out`, blended as the plan of the frame requires, and
    /// returns the time of these positions in seconds. An exploded simulation shows its last valid
    /// state. Needs `&mut` because the scheme `RenderTick` takes a step and then restores the
    /// state.
    pub fn picture(&mut self, out: &mut Vec<DVec3>) -> f64 {
        out.clone_from(&self.run.state.x);
        let t = self.run.state.t;
        if self.run.failure.is_some() {
            return t;
        }
        match self.run.plan.blend {
            Blend::Current => t,
            Blend::Between(blend) => {
                for (x, before) in out.iter_mut().zip(&self.run.previous.x) {
                    *x = before.lerp(*x, blend);
                }
                let before = self.run.previous.t;
                before + (t - before) * blend
            }
            Blend::Ahead(seconds) => {
                axpy(seconds, &self.run.state.v, out);
                t + seconds
            }
            Blend::Tick(seconds) if seconds > 0.0 => {
                let (now, grab) = (self.run.clone(), self.model.grab);
                let blow_up_detector = self.blow_up_detector.clone();
                self.advance_particles(seconds);
                self.record_trails();
                out.clone_from(&self.run.state.x);
                (self.run, self.model.grab, self.blow_up_detector) = (now, grab, blow_up_detector);
                t + seconds
            }
            Blend::Tick(_) => t,
        }
    }

    /// Returns the state one step before the newest state. The drawn state is a blend of these two.
    pub fn previous(&self) -> &State {
        &self.run.previous
    }

    /// Returns the parts of the scene from which the model was built.
    pub fn parts(&self) -> &Arc<Parts> {
        self.model.parts()
    }

    /// Returns the model: masses, pins and forces.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Returns the widest instruction set that the fast paths have used, or will use.
    pub fn isa(&self) -> Isa {
        self.constraints.isa()
    }

    /// Returns the newest state.
    pub fn state(&self) -> &State {
        &self.run.state
    }

    /// Returns the number of steps since the start of the scene.
    pub fn steps(&self) -> u64 {
        self.run.clock.steps
    }

    /// Returns the plan of the last frame: its steps and its drawn state.
    pub fn plan(&self) -> Plan {
        self.run.plan
    }

    /// Returns the time account: wall-clock, simulated, owed and dropped time.
    pub fn time_account(&self) -> TimeAccount {
        self.run.stepper.time_account()
    }

    /// Returns the settings under which the simulation exploded, unaffected by later changes;
    /// `None` without an explosion.
    pub fn failed_under(&self) -> Option<&Settings> {
        self.run.failure.as_ref().map(|failure| &failure.settings)
    }

    /// Returns the report of the last implicit solve.
    pub fn solve(&self) -> SolveReport {
        self.run.work.solve
    }

    /// Returns the counts of contact since the start of the scene.
    pub fn contact(&self) -> contact::ContactReport {
        self.run.contact_memory.report
    }

    /// Returns one digest per group of particles, for comparing simulations. Particles are divided
    /// into at most `most` groups of equal size. A digest is 16 bits of the hash of the group's
    /// positions and velocities.
    pub fn digests(&self, most: usize) -> Vec<u16> {
        let State { x, v, .. } = &self.run.state;
        let size = x.len().div_ceil(most.max(1)).max(1);
        let groups = x.chunks(size).zip(v.chunks(size));
        let hash = |(x, v): (&[DVec3], &[DVec3])| fnv(x.iter().chain(v).flat_map(|p| p.to_array()));
        groups.map(hash).map(|hash| (hash ^ hash >> 16 ^ hash >> 32 ^ hash >> 48) as u16).collect()
    }

    /// Returns the FNV-1a hash of the bits of time, positions, velocities and spins.
    pub fn hash(&self) -> u64 {
        let State { t, x, v } = &self.run.state;
        let numbers =
            x.iter().chain(v).chain(&self.run.contact_memory.spin).flat_map(|p| p.to_array());
        fnv(std::iter::once(*t).chain(numbers))
    }
}

/// Returns the FNV-1a hash of the bits of some values.
fn fnv(numbers: impl Iterator<Item = f64>) -> u64 {
    numbers.flat_map(|n| n.to_bits().to_le_bytes()).fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Builds the model at the start of a scene. `settings` determine which links and bends act as
/// forces.
pub(super) fn model_of(parts: Arc<Parts>, settings: &Settings) -> Model {
    let solver = settings.solver();
    let mut model = Model::new(parts, |link| !solver.constrains(link));
    if settings.stiffness_damping != 0.0 {
        model.damp_links(settings.stiffness_damping);
        model.choose_springs(|link| !solver.constrains(link));
    }
    model.set_bends_are_forces(!solver.constrains_bends());
    model.set_penalty(settings.contact.penalty());
    model
}

/// Collects the links and bends that are constraints under `settings`.
pub(super) fn constraints_of(model: &Model, settings: &Settings) -> Constraints {
    let (solver, all) = (settings.solver(), model.topology().links());
    let h = settings.dt / f64::from(settings.substeps);
    // A solver may replace the compliance or damping of the material by its own. Energies and
    // forces must belong to the links that the solver sweeps.
    let replaces = |link: &Link| {
        let spring = solver.as_spring(link, 0.0, h);
        solver.constrains(link) && !link.is_cut() && spring.is_some_and(|spring| spring != *link)
    };
    let held = if solver.has_own_stiffness() || !all.all(|link| !replaces(link)) {
        let w = model.inverse_masses();
        let constrained = all.iter().filter(|link| solver.constrains(link));
        let sum = |link: &Link| w[link.a as usize] + w[link.b as usize];
        constrained.map(|link| solver.as_spring(&link, sum(&link), h).unwrap_or(link)).collect()
    } else if all.iter().all(|link| solver.constrains(&link)) {
        all.clone()
    } else {
        all.iter().filter(|link| solver.constrains(link)).collect()
    };
    // Thrown balls are not counted, because solvers must not depend on whether a ball was thrown
    // before or after their lists were built.
    let particles = model.parts().mesh.masses.len();
    let bends = model.bending().bends();
    if !solver.constrains_bends() || bends.is_empty() {
        let mut constraints = Constraints::new(held, particles);
        solver.prepare(&mut constraints);
        return constraints;
    }
    // Scalar kernels are used here, because kernels that run several sweeps in one pass cannot
    // alternate sweeps over bends and links.
    let mut constraints = match solver.iterations() {
        Some(1) => Constraints::new(held, particles),
        _ => Constraints::with_isa(Isa::Scalar, held, particles),
    };
    constraints.set_bends(bends);
    solver.prepare(&mut constraints);
    constraints
}
