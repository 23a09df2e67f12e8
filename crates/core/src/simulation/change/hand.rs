//! The *hand*, i.e. the user's mouse, in one simulation. It drags a particle or a collider, and it
//! pins, cuts, blows and throws.

use crate::integrate::AddedParticle;
use crate::model::{Blow, PinnedParticle, ScheduledThrow, Throw, ThrownBall, ThrownBy};
use crate::simulation::hand_state::{Hand, Held};
use crate::simulation::run_state::RunState;
use crate::simulation::running_scene::Simulation;
use crate::simulation::settings::{Command, GrabMode};
use crate::simulation::timing::substeps::Substeps;
use glam::DVec3;
use ropelab_mechanics::force::Grab;
use ropelab_mechanics::numerics::state::ParticleIndex;
use ropelab_mechanics::numerics::system::System;
use ropelab_mechanics::numerics::trajectory::Trajectory;

/// Rounding error of a simulated time, as a fraction of a step: 70 steps of 0.01 s end at
/// 0.7000000000000004 s.
const ROUNDED_STEP: f64 = 1e-6;

/// Angular frequency in rad/s of the hand's spring with the mass of the gripped particle. At 60
/// rad/s the particle seems to follow at once.
const HAND_FREQUENCY: f64 = 60.0;
/// Largest ωh of the hand's spring (ω: its angular frequency, h: the substep). With critical
/// damping, symplectic Euler is stable for ωh < 2(√2 − 1) = 0.83. In long substeps the spring is
/// softer, so ωh stays below this limit and the spring never causes an explosion.
const HAND_LIMIT: f64 = 0.5;

impl Simulation {
    /// Makes the hand grab a particle. `at` is the position of the hand in metres. Has no effect if
    /// the simulation has exploded or the particle does not exist.
    pub fn grab(&mut self, particle: u32, mode: GrabMode, at: DVec3) {
        self.release();
        if self.run.failure.is_some() || particle as usize >= self.run.state.len() {
            return;
        }
        let was_pinned = self.model.is_pinned(particle);
        if mode == GrabMode::Hard && !was_pinned {
            self.model.pin(PinnedParticle { particle, origin: at, path: Trajectory::Still });
            self.renew_bends();
        }
        let (t, velocity) = (self.run.state.t, DVec3::ZERO);
        let held_body = Held::Particle { particle, mode, was_pinned };
        self.run.hand = Some(Hand { held_body, at, velocity, t, goal: at });
    }

    /// Sets the position in metres that the hand reaches at the end of the next frame.
    pub fn move_hand(&mut self, to: DVec3) {
        if let Some(hand) = &mut self.run.hand {
            hand.goal = to;
        }
    }

    /// Returns the position of the hand in metres, or `None` if it holds no body.
    pub fn hand_place(&self) -> Option<DVec3> {
        self.run.hand.map(|hand| hand.at)
    }

    /// Takes a step of `dt` seconds. If the hand holds a body, the hand moves to `to` (in metres)
    /// in this step.
    pub fn step_with_hand(&mut self, dt: f64, to: DVec3) {
        if let Some(hand) = &mut self.run.hand {
            hand.velocity = (to - hand.at) / dt;
            (hand.at, hand.goal) = (to, to);
        }
        self.step(dt);
    }

    /// Applies a command that acts on bodies. Commands about time, settings or the session have no
    /// effect.
    pub fn apply_command(&mut self, command: &Command) {
        match command {
            Command::Grab { particle, mode, at } => self.grab(*particle, *mode, *at),
            Command::GrabCollider { collider, at } => self.grab_collider(*collider, *at),
            Command::MoveHand(to) => self.move_hand(*to),
            Command::Release => self.release(),
            Command::TogglePin(particle) => self.toggle_pin(*particle),
            Command::Blow(blow) => self.blow(*blow),
            Command::Throw(throw) => self.throw(*throw),
            Command::Cut(links) => self.cut(links),
            Command::Reset
            | Command::Pause(_)
            | Command::SingleStep
            | Command::Speed(_)
            | Command::Configure { .. }
            | Command::AddLane { .. }
            | Command::DuplicateLane(_)
            | Command::RemoveLane(_)
            | Command::NameLane { .. }
            | Command::ChangeScene(_)
            | Command::EditScene(_) => {}
        }
    }

    /// Releases the body that the hand holds.
    pub fn release(&mut self) {
        self.model.grab = None;
        let Some(Hand { held_body, at, goal, .. }) = self.run.hand.take() else { return };
        if let Held::Collider { collider, grip } = held_body {
            self.run.arriving.push((collider, goal + grip));
        }
        if let Held::Particle { particle, mode: GrabMode::Hard, was_pinned } = held_body {
            self.model.unpin(particle);
            if was_pinned {
                self.model.pin(PinnedParticle { particle, origin: at, path: Trajectory::Still });
            }
            self.renew_bends();
        }
        self.take_energy_as_start();
    }

    /// Updates the solver after a change of pins or cuts: the bends that are constraints and, for
    /// solvers with a stiffness of their own, the mass-dependent stiffness of links.
    pub(in crate::simulation) fn renew_bends(&mut self) {
        if self.settings.solver().has_own_stiffness() {
            self.choose_links();
        }
        if self.settings.solver().constrains_bends() {
            self.constraints.set_bends(self.model.bending().bends());
        }
    }

    /// Starts or stops the wind of the mouse.
    pub fn blow(&mut self, blow: Option<Blow>) {
        if self.run.blow.is_some() && blow.is_none() {
            self.run.request_start_energy();
        }
        self.run.blow = blow;
        self.model.blow = blow;
    }

    /// Throws a ball on the user's command. The integrator keeps its memory of all other particles.
    pub fn throw(&mut self, throw: Throw) {
        self.throw_now(throw, ThrownBy::Person);
    }

    /// Throws the balls that the scene schedules within the next `dt` seconds. A ball scheduled for
    /// the end of this time is thrown in the next step.
    pub(in crate::simulation) fn throw_scheduled(&mut self, dt: f64) {
        let end = self.run.state.t + (1.0 - ROUNDED_STEP) * dt;
        while let Some(&ScheduledThrow { t, throw }) =
            self.model.parts().throws.get(self.run.scheduled_throws as usize)
            && t < end
        {
            self.run.scheduled_throws += 1;
            self.throw_now(throw, ThrownBy::Scene);
        }
    }

    fn throw_now(&mut self, throw: Throw, by: ThrownBy) {
        let t = self.run.state.t;
        let particle = self.model.throw(ThrownBall { throw, t, by });
        let is_held = |hand: Hand| {
            hand.grabs(particle, GrabMode::Spring) || hand.grabs(particle, GrabMode::Hard)
        };
        if self.run.hand.is_some_and(is_held) {
            self.release();
        }
        let Self { settings, model, run, .. } = self;
        let RunState { state, previous, work, reaction, contact_reaction, contact_memory, .. } =
            run;
        let (i, parts) = (particle as usize, model.parts());
        let n = state.len().max(i + 1);
        if i == state.len() {
            work.insert(i);
        }
        for state in [&mut *state, previous] {
            state.resize(n);
            (state.x[i], state.v[i]) = (throw.at, throw.velocity);
        }
        contact_memory.spin.resize(model.geometry().balls.len(), DVec3::ZERO);
        contact_memory.spin[parts.contact.balls.len() + i - parts.mesh.masses.len()] = DVec3::ZERO;
        for column in [reaction, contact_reaction] {
            column.get_mut(i).into_iter().for_each(|r| *r = DVec3::ZERO);
        }
        if work.age > 0 {
            let mut a = vec![DVec3::ZERO; n];
            model.accelerations(state.t, &state.x, &state.v, &mut a);
            let Throw { at: x, velocity: v, .. } = throw;
            let added =
                AddedParticle { particle: ParticleIndex { index: i, count: n }, x, v, a: a[i] };
            let memory = settings.integrator.as_integrator().rules().memory;
            memory.start_particle(work, added, work.last_dt);
        }
        self.run.request_start_energy();
    }

    /// Replaces the thrown balls by those of another simulation of the scene, in their states
    /// there. A particle index then means the same ball in all simulations of a session.
    pub fn copy_thrown_balls(&mut self, other: &Self) {
        self.model.set_thrown(other.model.thrown());
        let parts = self.model.parts();
        let [scene, balls] = [parts.mesh.masses.len(), parts.contact.balls.len()];
        let RunState { state, previous, contact_memory, .. } = &mut self.run;
        for state in [state, previous] {
            state.x.truncate(scene);
            state.v.truncate(scene);
            state.x.extend(&other.run.state.x[scene..]);
            state.v.extend(&other.run.state.v[scene..]);
        }
        contact_memory.spin.truncate(balls);
        contact_memory.spin.extend(&other.run.contact_memory.spin[balls..]);
        self.run.scheduled_throws = other.run.scheduled_throws;
        self.run.request_start_energy();
    }

    /// Pins a free particle at its position, or frees a pinned one. The freed particle starts at
    /// rest.
    pub fn toggle_pin(&mut self, particle: u32) {
        if particle as usize >= self.run.state.len() {
            return;
        }
        if self.run.hand.is_some_and(|hand| hand.grabs(particle, GrabMode::Hard)) {
            return;
        }
        let origin = self.run.state.x[particle as usize];
        if self.model.is_pinned(particle) {
            self.model.unpin(particle);
        } else {
            self.model.pin(PinnedParticle { particle, origin, path: Trajectory::Still });
        }
        self.renew_bends();
        self.run.state.v[particle as usize] = DVec3::ZERO;
        for column in [&mut self.run.reaction, &mut self.run.contact_reaction] {
            column.get_mut(particle as usize).into_iter().for_each(|r| *r = DVec3::ZERO);
        }
        self.run.work.restart();
        self.take_energy_as_start();
    }

    /// Cuts links, given by their indices in the scene. Ignores links that are already cut or do
    /// not exist. Solvers keep their grids and chains and leave gaps in them, because dividing the
    /// links again would take longer than a frame.
    pub fn cut(&mut self, links: &[u32]) {
        if self.cut_model(links) {
            self.run.work.restart();
            self.renew_bends();
            self.run.request_start_energy();
        }
    }

    /// Cuts links in the model and in the solver's lists. Returns true if any of them was still
    /// whole.
    pub(in crate::simulation) fn cut_model(&mut self, links: &[u32]) -> bool {
        let Self { settings, model, constraints, .. } = self;
        let solver = settings.solver();
        model.cut(links, |link| !solver.constrains(link), |link| constraints.cut(link))
    }

    /// Sets the hand's spring and moves the collider in the hand, for the step that ends at
    /// `substeps.end`.
    pub(in crate::simulation) fn place_hand(&mut self, substeps: &Substeps) {
        self.move_held_colliders(substeps);
        let Self { model, run, .. } = self;
        let t = substeps.end;
        if let Some(hand) = &mut run.hand {
            hand.t = t;
        }
        model.grab = run.hand.and_then(|Hand { held_body, at, velocity, .. }| {
            let Held::Particle { particle, mode: GrabMode::Spring, .. } = held_body else {
                return None;
            };
            let mass = model.own_mass(particle);
            let frequency = HAND_FREQUENCY.min(HAND_LIMIT / substeps.h());
            Some(Grab {
                particle,
                position: at,
                velocity,
                t,
                stiffness: mass * frequency * frequency,
                damping: 2.0 * mass * frequency,
            })
        });
    }
}
