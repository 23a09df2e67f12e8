//! One lane: a scene under one set of settings.

mod clock;
mod hand;
mod look;
mod step;

use crate::columns::axpy;
use crate::constraint::{ConstraintSolver, Constraints};
use crate::diagnostics::{Drift, Explosion, Record};
use crate::model::Model;
use crate::scene::Scene;
use crate::settings::Settings;
use crate::simd::Isa;
use crate::state::{SolveReport, State, Workspace};
use crate::stepper::{Blend, Frame, Ledger, Plan, Stepper};
use crate::stretch_watch::StretchWatch;
use clock::Clock;
use glam::DVec3;
use hand::Hand;
use std::sync::Arc;
use step::Scratch;

/// A scene in motion under one set of settings.
#[derive(Clone, Debug)]
pub struct Simulation {
    settings: Settings,
    model: Model,
    constraints: Constraints,
    state: State,
    previous: State,
    work: Workspace,
    scratch: Scratch,
    clock: Clock,
    stepper: Stepper,
    plan: Plan,
    hand: Option<Hand>,
    explosion: Option<Explosion>,
    sweeps: u32,
    stretch_armed: bool,
    stretch_watch: StretchWatch,
    drift: Drift,
    record: Record,
}

/// What [`Simulation::snapshot`] keeps.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    state: State,
    previous: State,
    work: Workspace,
    clock: Clock,
    explosion: Option<Explosion>,
    sweeps: u32,
    stretch_armed: bool,
}

impl Simulation {
    /// A scene at its start. `settings` must have passed [`Settings::check`].
    pub fn new(scene: Arc<Scene>, settings: Settings) -> Self {
        let solver = settings.solver();
        let model = Model::new(scene.clone(), |link| !solver.takes(link));
        let constraints = constraints_of(&model, &solver);
        let x = scene.mesh.positions.clone();
        let v = (0..x.len()).map(|i| scene.velocity(i)).collect();
        let state = State { t: 0.0, x, v };
        let mut simulation = Self {
            settings,
            model,
            constraints,
            previous: state.clone(),
            state,
            work: Workspace::default(),
            scratch: Scratch::default(),
            clock: Clock::default(),
            stepper: Stepper::default(),
            plan: Plan::default(),
            hand: None,
            explosion: None,
            sweeps: 0,
            stretch_watch: StretchWatch::default(),
            stretch_armed: true,
            drift: Drift::default(),
            record: Record::default(),
        };
        let energy = simulation.energy();
        simulation.drift.observe(&energy);
        simulation
    }

    /// Starts the scene anew under the same settings.
    pub fn reset(&mut self) {
        *self = Self::new(self.scene().clone(), self.settings);
    }

    /// Goes back to the start of the scene, as [`Self::restore`] would with a snapshot taken there.
    pub fn rewind(&mut self) {
        let Self { state, previous, work, model, .. } = self;
        let scene = model.scene();
        state.t = 0.0;
        state.x.clone_from(&scene.mesh.positions);
        (0..state.v.len()).for_each(|i| state.v[i] = scene.velocity(i));
        previous.copy_from(state);
        work.restart();
        self.clock = Clock::default();
        self.explosion = None;
        self.sweeps = 0;
        self.stretch_watch = StretchWatch::default();
        self.stretch_armed = true;
    }

    /// The settings in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Changes the settings between steps. State and time go on; a scheme's history starts anew
    /// when the integrator or the length of a step changed.
    pub fn configure(&mut self, settings: Settings) {
        let old = std::mem::replace(&mut self.settings, settings);
        let same_grid = old.dt == settings.dt && old.substeps == settings.substeps;
        if old.integrator != settings.integrator || !same_grid {
            self.work.restart();
        }
        if old.links != settings.links || old.constraints != settings.constraints {
            let solver = settings.solver();
            self.model.choose_springs(|link| !solver.takes(link));
            self.constraints = constraints_of(&self.model, &solver);
            self.stretch_watch = StretchWatch::default();
        }
    }

    /// Feeds one frame: plans steps, takes them, notes a sample. Returns the plan.
    pub fn advance(&mut self, frame: Frame) -> Plan {
        self.advance_watched(frame, &mut |_| {})
    }

    /// As [`Simulation::advance`], showing the state after every step that did not explode.
    pub fn advance_watched(&mut self, frame: Frame, watch: &mut dyn FnMut(&Self)) -> Plan {
        if self.explosion.is_some() {
            return Plan::default();
        }
        self.plan = self.stepper.plan(
            self.settings.stepping,
            &self.settings.guards,
            self.settings.dt,
            frame,
        );
        let hand_from = self.hand.map(|hand| hand.at);
        for k in 0..self.plan.steps {
            if let (Some(hand), Some(from)) = (&mut self.hand, hand_from) {
                let fraction = f64::from(k + 1) / f64::from(self.plan.steps);
                hand.at = from.lerp(hand.goal, fraction);
            }
            self.step(self.plan.dt);
            if self.explosion.is_some() {
                break;
            }
            watch(self);
        }
        let (energy, stretch) = self.look_if_due();
        self.note(frame.seconds, energy, stretch);
        self.plan
    }

    /// Takes one step outside the flow of time, for the single-step key.
    pub fn single_step(&mut self) {
        if self.explosion.is_none() {
            let dt = self.settings.dt;
            self.stepper.single_step(dt);
            if let Some(hand) = &mut self.hand {
                hand.at = hand.goal;
            }
            self.step(dt);
            self.plan = Plan { steps: 1, dt, ..Plan::default() };
            self.note(0.0, self.energy(), self.stretch());
        }
    }

    /// Writes the positions to draw: the blend that the plan asks for. An exploded simulation
    /// shows its last good state. A render tick steps ahead and comes back, so it needs `&mut`.
    pub fn picture(&mut self, out: &mut Vec<DVec3>) {
        out.clone_from(&self.state.x);
        if self.explosion.is_some() {
            return;
        }
        match self.plan.blend {
            Blend::Current => {}
            Blend::Between(blend) => {
                for (x, before) in out.iter_mut().zip(&self.previous.x) {
                    *x = before.lerp(*x, blend);
                }
            }
            Blend::Ahead(seconds) => axpy(seconds, &self.state.v, out),
            Blend::Tick(seconds) if seconds > 0.0 => {
                let now = self.snapshot();
                self.step(seconds);
                out.clone_from(&self.state.x);
                self.restore(now);
            }
            Blend::Tick(_) => {}
        }
    }

    /// Everything that steps change, to come back to. Restoring and stepping on gives the same
    /// bits as never having left.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            state: self.state.clone(),
            previous: self.previous.clone(),
            work: self.work.clone(),
            clock: self.clock,
            explosion: self.explosion,
            sweeps: self.sweeps,
            stretch_armed: self.stretch_armed,
        }
    }

    /// Goes back to a snapshot. Settings, pins, cuts, the hand and the books of time stay as they
    /// are.
    pub fn restore(&mut self, snapshot: Snapshot) {
        let Snapshot { state, previous, work, clock, explosion, sweeps, stretch_armed } = snapshot;
        self.state = state;
        self.previous = previous;
        self.work = work;
        self.clock = clock;
        self.explosion = explosion;
        self.sweeps = sweeps;
        self.stretch_watch = StretchWatch::default();
        self.stretch_armed = stretch_armed;
    }

    /// The scene.
    pub fn scene(&self) -> &Arc<Scene> {
        self.model.scene()
    }

    /// Masses, pins and forces.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The widest instruction set that the fast paths have used, or will use.
    pub fn isa(&self) -> Isa {
        self.constraints.isa()
    }

    /// The newest state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Steps taken since the start.
    pub fn steps(&self) -> u64 {
        self.clock.steps
    }

    /// The plan of the last frame.
    pub fn plan(&self) -> Plan {
        self.plan
    }

    /// The books of time.
    pub fn ledger(&self) -> Ledger {
        self.stepper.ledger()
    }

    /// When and where it exploded, if it did.
    pub fn explosion(&self) -> Option<Explosion> {
        self.explosion
    }

    /// What the last implicit solve reported.
    pub fn solve(&self) -> SolveReport {
        self.work.solve
    }

    /// FNV-1a hash of the bits of time, positions and velocities.
    pub fn hash(&self) -> u64 {
        let State { t, x, v } = &self.state;
        let numbers = x.iter().chain(v).flat_map(|p| p.to_array());
        std::iter::once(*t)
            .chain(numbers)
            .flat_map(|n| n.to_bits().to_le_bytes())
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            })
    }
}

/// The links that hold as constraints.
fn constraints_of(model: &Model, solver: &ConstraintSolver) -> Constraints {
    let all = model.fabric().links();
    let held = if all.iter().all(|link| solver.takes(&link)) {
        all.clone()
    } else {
        all.iter().filter(|link| solver.takes(link)).collect()
    };
    let mut constraints = Constraints::new(held, model.inverse_masses().len());
    solver.prepare(&mut constraints);
    constraints
}
