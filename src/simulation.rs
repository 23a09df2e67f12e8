//! One lane: a scene under one set of settings.

use crate::columns::axpy;
use crate::constraint::{Constraints, Projection};
use crate::diagnostics::{
    Cause, Drift, Energy, Explosion, Moves, Record, Sample, Stretch, StretchWatch,
    first_non_finite, stretch,
};
use crate::flight::{Columns, Craft, Flight, Leg};
use crate::force::Grab;
use crate::integrate::Integrator;
use crate::model::{Model, PinnedParticle};
use crate::path::Path;
use crate::scene::Scene;
use crate::settings::{GrabMode, Settings};
use crate::simd::Isa;
use crate::state::{SolveReport, State, Workspace};
use crate::stepper::{Blend, Frame, Ledger, Plan, Stepper};
use glam::DVec3;
use std::sync::Arc;

/// Angular frequency of the hand's spring on the particle's mass, in rad/s: fast to the eye.
const HAND_FREQUENCY: f64 = 60.0;
/// Largest ωh of the hand's spring. Critically damped, symplectic Euler stands ωh < 2(√2 − 1) = 0.83;
/// with long steps the hand is softer, so that an explosion is never its fault.
const HAND_LIMIT: f64 = 0.5;

/// Links that a frame's sample may look at, on average: in a cloth of 500 × 500 one frame in eight
/// looks at the energy and one in eight at the stretch, for some 2 ns a link each on the thread
/// that steps.
const LINKS_A_SAMPLE: usize = 125_000;

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

/// What lives within one step.
#[derive(Clone, Debug, Default)]
struct Scratch {
    /// Where the pinned particles end, ascending.
    pins: Vec<(u32, DVec3)>,
    /// Positions at the start of a later substep.
    start: Vec<DVec3>,
    /// One a thread.
    crafts: Vec<Craft>,
}

impl Scratch {
    /// All particles fly together, after the state has been kept in `previous` or, in a later
    /// substep, its positions in `start`.
    fn fly(
        &mut self,
        model: &Model,
        scheme: &dyn Integrator,
        previous: Option<&mut State>,
        state: &mut State,
        h: f64,
        work: &mut Workspace,
    ) {
        match previous {
            Some(previous) => previous.copy_from(state),
            None => self.start.clone_from(&state.x),
        }
        for (i, target) in &self.pins {
            let i = *i as usize;
            state.v[i] = (*target - state.x[i]) / h;
        }
        scheme.step(model, state, h, work);
        for (i, target) in &self.pins {
            state.x[*i as usize] = *target;
        }
    }
}

/// Time as an integer number of steps since dt last changed, so that no rounding piles up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Clock {
    base: f64,
    dt: f64,
    since_base: u64,
    steps: u64,
}

impl Clock {
    fn now(&self) -> f64 {
        self.base + self.since_base as f64 * self.dt
    }

    fn tick(&mut self, dt: f64) {
        if dt != self.dt {
            *self = Self { base: self.now(), dt, since_base: 0, steps: self.steps };
        }
        self.since_base += 1;
        self.steps += 1;
    }
}

/// The hand as one lane feels it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Hand {
    particle: u32,
    mode: GrabMode,
    /// Where the last step found it.
    at: DVec3,
    /// Where it is at the end of this frame.
    goal: DVec3,
    /// The particle was pinned before a hard grab made it follow the hand.
    was_pinned: bool,
}

impl Simulation {
    /// A scene at its start. `settings` must have passed [`Settings::check`].
    pub fn new(scene: Arc<Scene>, settings: Settings) -> Self {
        let (model, constraints) = divide_links(&scene, &settings);
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
            let pins = self.model.pins().to_vec();
            let grab = self.model.grab;
            let scene = self.scene().clone();
            (self.model, self.constraints) = divide_links(&scene, &settings);
            self.restore_pins(&pins);
            self.model.grab = grab;
        }
    }

    fn restore_pins(&mut self, pins: &[PinnedParticle]) {
        let fresh: Vec<u32> = self.model.pins().iter().map(|pin| pin.particle).collect();
        for particle in fresh {
            self.model.unpin(particle);
        }
        for pin in pins {
            self.model.pin(pin.clone());
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

    /// One step of `dt` seconds: free flight, constraints, consistent velocity; then looks
    /// whether the simulation has exploded and, if so, keeps the last good state.
    pub fn step(&mut self, dt: f64) {
        self.clock.tick(dt);
        let end = self.clock.now();
        let substeps = self.settings.substeps;
        let h = dt / f64::from(substeps);
        let mut moves = Moves::default();
        for k in 0..substeps {
            let t = if k + 1 == substeps { end } else { end - dt + f64::from(k + 1) * h };
            moves = self.substep(k, t, h);
        }
        self.state.t = end;
        self.find_explosion(moves.longest());
    }

    /// Answers with the moves since the start of the step.
    fn substep(&mut self, number: u32, t_end: f64, h: f64) -> Moves {
        self.place_hand(t_end, h);
        let Self { settings, model, constraints, state, previous, work, scratch, .. } = self;
        let scheme = settings.integrator.scheme();
        let history = scheme.pointwise().filter(|_| model.is_local() && !constraints.is_empty());
        let (t, n, is_first) = (state.t, state.len(), number == 0);
        match history {
            None => scratch.fly(model, scheme, is_first.then_some(&mut *previous), state, h, work),
            Some(_) if is_first => std::mem::swap(state, previous),
            Some(_) => scratch.start.resize(n, DVec3::ZERO),
        }
        state.t = t_end;
        if constraints.is_empty() {
            return Moves::of(&previous.x, &state.x, &state.v);
        }
        scratch.crafts.resize_with(rayon::current_num_threads(), Craft::default);
        let leg = Leg {
            model,
            scheme,
            history: history.unwrap_or(0),
            work: &work.without_columns(),
            t,
            h,
            pins: &scratch.pins,
            from_kept: is_first,
        };
        let columns = Columns {
            x: &mut state.x,
            v: &mut state.v,
            kept_x: &previous.x,
            kept_v: &previous.v,
            start: if is_first { &mut [] } else { &mut scratch.start },
            history: work.history(leg.history, n),
        };
        let mut flight = match history {
            Some(_) => Flight::new(leg, columns, &mut scratch.crafts),
            None => Flight::landed(leg, columns),
        };
        let solver = settings.solver();
        self.sweeps = solver.sweep(constraints, model.inverse_masses(), &mut flight, h);
        let moves = flight.moves;
        if history.is_some() {
            work.follow(scratch.crafts[0].work());
        }
        moves
    }

    /// Says where the pinned particles belong at the end of a substep, and how the hand pulls.
    fn place_hand(&mut self, t_end: f64, h: f64) {
        let Self { model, scratch, hand, .. } = self;
        model.grab = hand.filter(|hand| hand.mode == GrabMode::Spring).map(|hand| {
            let mass = model.scene().mesh.masses[hand.particle as usize];
            let frequency = HAND_FREQUENCY.min(HAND_LIMIT / h);
            Grab {
                particle: hand.particle,
                position: hand.at,
                velocity: DVec3::ZERO,
                stiffness: mass * frequency * frequency,
                damping: 2.0 * mass * frequency,
            }
        });
        scratch.pins.clear();
        scratch
            .pins
            .extend(model.pins().iter().map(|pin| (pin.particle, pin_target(pin, hand, t_end))));
        scratch.pins.sort_unstable_by_key(|(particle, _)| *particle);
    }

    fn find_explosion(&mut self, longest_move: Option<f64>) {
        let links = &self.model.scene().mesh.links;
        let State { x, v, .. } = &self.state;
        let broken = match longest_move {
            Some(_) => None,
            None => first_non_finite(x, v).map(|particle| (Cause::NonFinite, particle)),
        };
        // A hand may pull a rope as far as it likes: that is not the scheme's fault.
        let overstretched =
            self.stretch_watch.first_overstretched(links, &mut self.constraints, x, longest_move);
        let pulled = self.hand.is_some() || !self.stretch_armed;
        self.stretch_armed = !(pulled && overstretched.is_some());
        let found = broken
            .or(overstretched.filter(|_| !pulled).map(|particle| (Cause::Overstretched, particle)));
        if let Some((cause, particle)) = found {
            let (t, step) = (self.state.t, self.clock.steps);
            self.state.copy_from(&self.previous);
            let energy = self.energy().total();
            self.explosion = Some(Explosion { t, step, particle, energy, cause });
        }
    }

    /// Energy and stretch of the newest state, or in a large scene of a few frames ago. They take
    /// turns, so that no frame pays for both.
    fn look_if_due(&self) -> (Energy, Stretch) {
        let Some(last) = self.record.last() else { return (self.energy(), self.stretch()) };
        let every = self.scene().mesh.links.len().div_ceil(LINKS_A_SAMPLE).max(1) as u64;
        let turn = self.record.taken() % every;
        let energy = if turn == 0 { self.energy() } else { last.energy };
        let stretch = if turn == every / 2 { self.stretch() } else { last.stretch };
        (energy, stretch)
    }

    fn note(&mut self, frame: f64, energy: Energy, stretch: Stretch) {
        self.drift.observe(&energy);
        let ledger = self.stepper.ledger();
        self.record.push(Sample {
            wall: ledger.wall,
            t: self.state.t,
            frame,
            steps: self.plan.steps,
            blend: match self.plan.blend {
                Blend::Between(blend) => blend,
                _ => 1.0,
            },
            owed: ledger.owed,
            dropped: ledger.dropped,
            energy,
            drift: self.drift.fraction(),
            stretch,
        });
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

    /// Goes back to a snapshot. Settings, pins, the hand and the books of time stay as they are.
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

    /// The hand takes a particle.
    pub fn grab(&mut self, particle: u32, mode: GrabMode, at: DVec3) {
        self.release();
        let was_pinned = self.model.is_pinned(particle);
        if mode == GrabMode::Hard && !was_pinned {
            self.model.pin(PinnedParticle { particle, origin: at, path: Path::Still });
        }
        self.hand = Some(Hand { particle, mode, at, goal: at, was_pinned });
    }

    /// The hand moves: the steps of the next frame lead there.
    pub fn move_hand(&mut self, to: DVec3) {
        if let Some(hand) = &mut self.hand {
            hand.goal = to;
        }
    }

    /// The hand lets go.
    pub fn release(&mut self) {
        self.model.grab = None;
        if let Some(Hand { particle, mode: GrabMode::Hard, was_pinned, at, .. }) = self.hand.take()
        {
            self.model.unpin(particle);
            if was_pinned {
                self.model.pin(PinnedParticle { particle, origin: at, path: Path::Still });
            }
        }
    }

    /// Pins a free particle where it is, or frees a pinned one at rest.
    pub fn toggle_pin(&mut self, particle: u32) {
        if self.hand.is_some_and(|hand| hand.particle == particle && hand.mode == GrabMode::Hard) {
            return;
        }
        let origin = self.state.x[particle as usize];
        if self.model.is_pinned(particle) {
            self.model.unpin(particle);
        } else {
            self.model.pin(PinnedParticle { particle, origin, path: Path::Still });
        }
        self.state.v[particle as usize] = DVec3::ZERO;
        self.work.restart();
    }

    /// The scene.
    pub fn scene(&self) -> &Arc<Scene> {
        self.model.scene()
    }

    /// Masses, pins and forces.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The instruction set that the fast paths use.
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

    /// What the last projection did and what it has left, looked at now: it costs as much as one
    /// of its sweeps.
    pub fn projection(&self) -> Projection {
        let Self { settings, constraints, model, scratch, previous, state, sweeps, .. } = self;
        let w = model.inverse_masses();
        let start = if settings.substeps > 1 { &scratch.start } else { &previous.x };
        settings.solver().look(constraints, w, start, &state.x, *sweeps)
    }

    /// Samples of the last minute.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Energies of the newest state in joules.
    pub fn energy(&self) -> Energy {
        self.model.energy(&self.state, self.constraints.links())
    }

    /// Energy drift as a fraction, see [`Drift`].
    pub fn drift(&self) -> f64 {
        self.drift.fraction()
    }

    /// Stretch of the newest state.
    pub fn stretch(&self) -> Stretch {
        stretch(&self.model.scene().mesh.links, &self.state.x)
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

/// Where a pinned particle belongs at time `t`: in the hand that holds it hard, or on its path.
fn pin_target(pin: &PinnedParticle, hand: &Option<Hand>, t: f64) -> DVec3 {
    match hand {
        Some(hand) if hand.mode == GrabMode::Hard && hand.particle == pin.particle => hand.at,
        _ => pin.origin + pin.path.offset(t),
    }
}

/// Which links push as springs and which hold as constraints.
fn divide_links(scene: &Arc<Scene>, settings: &Settings) -> (Model, Constraints) {
    let solver = settings.solver();
    let model = Model::new(scene.clone(), |link| !solver.takes(link));
    let all = &scene.mesh.links;
    let held = if all.iter().all(|link| solver.takes(&link)) {
        all.clone()
    } else {
        all.iter().filter(|link| solver.takes(link)).collect()
    };
    let mut constraints = Constraints::new(held, scene.mesh.positions.len());
    solver.prepare(&mut constraints);
    (model, constraints)
}
