//! Tensions of links, computed from the state after a step.

use super::accounted_simulation::AccountedSimulation;
use crate::model::Model;
use glam::DVec3;
use ropelab_mechanics::mesh::{Link, Links};
use ropelab_mechanics::numerics::conjugate_gradients::{ConjugateGradients, DefiniteSystem};
use ropelab_mechanics::numerics::state::State;
use ropelab_mechanics::numerics::sums::dot;
use ropelab_mechanics::numerics::system::System;

/// Convergence tolerance of the multipliers: norm of the residual divided by the norm of the
/// right-hand side.
const TOLERANCE: f64 = 1e-11;
/// Ratio of the squared residual to the smallest one so far at which the iteration counts as
/// diverging.
const DIVERGED_RATIO: f64 = 1e4;
/// Largest number of rounds. Each round removes the one-sided links that would push.
const MOST_ROUNDS: u32 = 8;
/// Largest fraction of the links' load that the tensions may leave unexplained. Above this, the
/// missing force is reported.
const LARGEST_MISSING: f64 = 0.05;
/// Time step in seconds of the finite difference for the acceleration of a pin.
const PIN_SECONDS: f64 = 1e-4;

/// Tensions of all links of a simulation. Springs pull with k (l − L) + c dl/dt, compliant links
/// with the multiplier of their solver. Links that a solver keeps at their length pull with the
/// multipliers λ that keep this length exactly, whether or not the solver has converged. With the
/// acceleration a₀ due to all other forces, the unit vectors n from end a to end b, and the
/// relative speed v⊥ of the ends across the link,
///
/// J W Jᵀ λ = n·(a₀_b − a₀_a) + v⊥²/l.
///
/// For some compliant links k (l − L) + c dl/dt does not fit the motion: a solver that stores no
/// multipliers may leave them too long, and the relax pass of Soft Step changes their velocities.
/// Such a link pulls with the λ nearest to k (l − L) + c dl/dt that reproduces the acceleration a
/// of the last step,
///
/// J W Jᵀ λ = n·(a₀_b − a_b − a₀_a + a_a).
///
/// The same equation applies to springs and compliant links while the strain limit acts. The limit
/// pulls along links and shortens them, so springs pull harder within a step than at its end. The
/// equation also applies to springs while tethers act, whose forces are known. The multipliers of
/// rigid links then also reproduce the last step.
///
/// Conjugate gradients solve these equations. If links support each other, the solution is not
/// unique; conjugate gradients then find the smallest λ, or the smallest change of k (l − L). A
/// one-sided link does not push.
#[derive(Clone, Debug, Default)]
pub struct Tensions {
    pulls: Vec<f64>,
    a: Vec<DVec3>,
    /// Links of a solver whose tension in `pulls` is already known. The forces of all other links
    /// in `pulls` are forces of the model.
    known: Vec<u32>,
    held: Vec<TautLink>,
    right: Vec<f64>,
    lambda: Vec<f64>,
    best: Vec<f64>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<f64>,
    moved: Vec<DVec3>,
    /// Force in newtons that particles lack, see [`Self::missing_force`].
    missing: Option<f64>,
}

/// A link whose multiplier λ is an unknown of the equations.
#[derive(Clone, Copy, Debug)]
struct TautLink {
    link: u32,
    ends: [usize; 2],
    normal: DVec3,
    one_sided: bool,
    /// True if λ keeps the link at its length; false if λ must reproduce the motion of the last
    /// step. If it is false for one link, the multipliers of all links reproduce that motion.
    rigid: bool,
}

/// Data about the last step of a simulation, in addition to the state at its end.
#[derive(Clone, Copy)]
pub struct LastStep<'a> {
    /// Velocities at the start of the step, in m/s.
    pub v: &'a [DVec3],
    /// Length of the step in seconds; 0 before the first step.
    pub seconds: f64,
    /// Function that returns the pull of constraint k in the last projection in newtons; `None` if
    /// the solver does not store it.
    pub pull: &'a dyn Fn(usize) -> Option<f64>,
    /// True if the strain limit acted in the last substep.
    pub is_limited: bool,
    /// True if tethers acted in the last substep.
    pub is_tethered: bool,
}

impl Tensions {
    /// Computes the tensions of a state. `other_forces` are the forces of contacts, of tethers, and
    /// of bends held by a solver: particle and force in newtons. Returns the tension of each link
    /// in newtons: above 0 if the link pulls its ends together, 0 if it is cut or slack.
    pub fn compute(
        &mut self,
        simulation: AccountedSimulation,
        state: &State,
        last: LastStep,
        other_forces: impl Iterator<Item = (u32, DVec3)>,
    ) -> &[f64] {
        self.read_links(simulation, state, last);
        self.missing = None;
        if !self.held.is_empty() {
            self.compute_accelerations(simulation.model, state, last, other_forces);
            let links = simulation.model.topology().links();
            let forces = |pulls: &[f64]| link_forces(links, pulls, &state.x);
            let before = self.explains_motion().then(|| forces(&self.pulls));
            self.solve_multipliers(simulation.model.inverse_masses(), &state.x, &state.v);
            self.missing = before
                .and_then(|before| self.missing(simulation.model, [before, forces(&self.pulls)]));
        }
        &self.pulls
    }

    /// Returns the sum of the forces that particles lack for the motion of the last step, in
    /// newtons. `None` if it is at most 5 % of the load of all links. A solver that creates
    /// momentum before it converges leaves motion unexplained. The tensions and the forces on pins
    /// are then wrong by up to this force.
    pub fn missing_force(&self) -> Option<f64> {
        self.missing
    }

    /// True if some multipliers must reproduce the motion of the last step.
    fn explains_motion(&self) -> bool {
        self.held.iter().any(|held| !held.rigid)
    }

    /// Returns the sum of the forces that the free particles lack for their motion, |m a − f −
    /// (forces of links)|, in newtons. Here f is the force of everything but links. `None` if the
    /// sum is below [`LARGEST_MISSING`] of the links' load Σ |m a − f|. `before` contains the
    /// forces of links that `self.a` includes, `after` those of the tensions.
    fn missing(&self, model: &Model, [before, after]: [Vec<DVec3>; 2]) -> Option<f64> {
        let (mut load, mut missing) = (0.0, 0.0);
        for (i, mass) in model.masses().iter().enumerate() {
            let without = self.a[i] * *mass - before[i];
            if *mass > 0.0 {
                load += without.length();
                missing += (without + after[i]).length();
            }
        }
        (missing > LARGEST_MISSING * load).then_some(missing)
    }

    /// Computes the tensions that follow from lengths or from stored multipliers, and collects the
    /// links with unknown multipliers in `held`.
    fn read_links(
        &mut self,
        simulation: AccountedSimulation,
        State { x, v, .. }: &State,
        last: LastStep,
    ) {
        let w = simulation.model.inverse_masses();
        let explains_motion = last.seconds > 0.0;
        self.pulls.clear();
        self.known.clear();
        self.held.clear();
        let mut constraints = 0;
        for (i, link) in simulation.model.topology().links().iter().enumerate() {
            self.pulls.push(0.0);
            let is_taken = simulation.solver.constrains(&link);
            let number = constraints;
            constraints += usize::from(is_taken);
            let Some((normal, length)) = direction(&link, x) else { continue };
            let slack = link.one_sided && length < link.rest * (1.0 - 1e-9);
            let ends @ [a, b] = [link.a as usize, link.b as usize];
            let spring = simulation.solver.as_spring(&link, w[a] + w[b], simulation.h);
            let own = if is_taken && spring.is_some() { (last.pull)(number) } else { None };
            let one_sided = link.one_sided;
            if slack && own.is_none() {
                continue;
            }
            let by_length = |link: Link| {
                let rate = (v[b] - v[a]).dot(normal);
                link.stiffness * (length - link.rest) + link.damping * rate
            };
            if let Some(pull) = own.or(spring.map(by_length)) {
                self.pulls[i] = if one_sided { pull.max(0.0) } else { pull };
            }
            let rigid = spring.is_none();
            if is_taken && !rigid {
                self.known.push(i as u32);
            }
            let is_unknown =
                last.is_limited || if is_taken { own.is_none() } else { last.is_tethered };
            if rigid || is_unknown && explains_motion && !slack {
                self.held.push(TautLink { link: i as u32, ends, normal, one_sided, rigid });
            }
        }
    }

    /// Computes the accelerations of all particles by all forces except the unknown multipliers. If
    /// multipliers must reproduce the last step, subtracts the accelerations in that step.
    fn compute_accelerations(
        &mut self,
        model: &Model,
        State { t, x, v }: &State,
        last: LastStep,
        other_forces: impl Iterator<Item = (u32, DVec3)>,
    ) {
        let (a, w) = (&mut self.a, model.inverse_masses());
        a.clear();
        a.resize(x.len(), DVec3::ZERO);
        model.accelerations(*t, x, v, a);
        for (particle, force) in other_forces {
            a[particle as usize] += force * w[particle as usize];
        }
        for &number in &self.known {
            let link = model.topology().links().at(number as usize);
            if let Some((normal, _)) = direction(&link, x) {
                let pull = normal * self.pulls[number as usize];
                a[link.a as usize] += pull * w[link.a as usize];
                a[link.b as usize] -= pull * w[link.b as usize];
            }
        }
        for pin in model.pins() {
            let [before, now, after] =
                [-PIN_SECONDS, 0.0, PIN_SECONDS].map(|s| pin.path.offset(t + s));
            a[pin.particle as usize] = (before - 2.0 * now + after) / (PIN_SECONDS * PIN_SECONDS);
        }
        if self.explains_motion() {
            for (i, a) in self.a.iter_mut().enumerate() {
                // Balls that were thrown after the step have no velocity at its start.
                let before = last.v.get(i).copied().unwrap_or(v[i]);
                *a = if w[i] > 0.0 { *a - (v[i] - before) / last.seconds } else { DVec3::ZERO };
            }
        }
    }

    fn solve_multipliers(&mut self, w: &[f64], x: &[DVec3], v: &[DVec3]) {
        let explains_motion = self.explains_motion();
        for _ in 0..MOST_ROUNDS {
            self.right.clear();
            self.right.extend(self.held.iter().map(|held| {
                let [a, b] = held.ends;
                let missing = held.normal.dot(self.a[b] - self.a[a]);
                if explains_motion {
                    return missing;
                }
                let relative = v[b] - v[a];
                let turning = relative - held.normal * held.normal.dot(relative);
                missing + turning.length_squared() / x[a].distance(x[b])
            }));
            self.solve(w);
            let pulls = &self.pulls;
            let pushes = |(held, lambda): (&TautLink, &f64)| {
                held.one_sided && pulls[held.link as usize] + lambda < 0.0
            };
            if !self.held.iter().zip(&self.lambda).any(pushes) {
                break;
            }
            let mut lambda = self.lambda.iter();
            self.held.retain(|held| !lambda.next().is_some_and(|l| pushes((held, l))));
        }
        for (held, lambda) in self.held.iter().zip(&self.lambda) {
            let pull = self.pulls[held.link as usize] + lambda;
            self.pulls[held.link as usize] = if held.one_sided { pull.max(0.0) } else { pull };
        }
    }

    /// Solves for λ by conjugate gradients, starting at 0. If rigid links have lengths that
    /// contradict each other, there is no solution and the iteration diverges. The best
    /// approximation is then kept.
    fn solve(&mut self, w: &[f64]) {
        let n = self.held.len();
        for column in [&mut self.best, &mut self.lambda, &mut self.direction, &mut self.product] {
            column.clear();
            column.resize(n, 0.0);
        }
        self.residual.clone_from(&self.right);
        self.moved.clear();
        self.moved.resize(w.len(), DVec3::ZERO);
        let lengths = Lengths { held: &self.held, w, moved: &mut self.moved };
        let columns =
            [&mut self.lambda, &mut self.residual, &mut self.direction, &mut self.product];
        let mut solve = ConjugateGradients::start(lengths, columns.map(Vec::as_mut_slice));
        let enough = TOLERANCE * TOLERANCE * solve.square;
        let (mut least, mut stalled) = (solve.square, 0);
        while solve.square > enough
            && solve.square < DIVERGED_RATIO * least
            && stalled <= n + 20
            && solve.iterate().is_some()
        {
            stalled += 1;
            if solve.square < least {
                (least, stalled) = (solve.square, 0);
                self.best.copy_from_slice(solve.y);
            }
        }
        self.lambda.copy_from_slice(&self.best);
    }
}

/// Matrix J W Jᵀ of the links with unknown multipliers (J: link directions, W: inverse masses).
struct Lengths<'a> {
    held: &'a [TautLink],
    w: &'a [f64],
    moved: &'a mut [DVec3],
}

impl DefiniteSystem for Lengths<'_> {
    type Element = f64;

    fn multiply(&mut self, pulls: &[f64], product: &mut [f64]) {
        self.moved.fill(DVec3::ZERO);
        for (held, pull) in self.held.iter().zip(pulls) {
            let [a, b] = held.ends;
            self.moved[a] += held.normal * (self.w[a] * pull);
            self.moved[b] -= held.normal * (self.w[b] * pull);
        }
        for (held, product) in self.held.iter().zip(product) {
            let [a, b] = held.ends;
            *product = held.normal.dot(self.moved[a] - self.moved[b]);
        }
    }

    fn dot(&self, a: &[f64], b: &[f64]) -> f64 {
        dot(a, b)
    }
}

/// Returns the unit vector from the first to the second end, and the length in metres. `None` for a
/// link that is cut or has length 0.
fn direction(link: &Link, x: &[DVec3]) -> Option<(DVec3, f64)> {
    let d = x[link.b as usize] - x[link.a as usize];
    let normal = d.try_normalize().filter(|_| !link.is_cut())?;
    Some((normal, d.length()))
}

/// Returns the force of all links on each particle in newtons, from the tensions `pulls` in
/// newtons.
pub fn link_forces(links: &Links, pulls: &[f64], x: &[DVec3]) -> Vec<DVec3> {
    let mut forces = vec![DVec3::ZERO; x.len()];
    for (link, pull) in links.iter().zip(pulls) {
        add_pull(&link, *pull, x, &mut forces);
    }
    forces
}

fn add_pull(link: &Link, pull: f64, x: &[DVec3], forces: &mut [DVec3]) {
    if let Some((normal, _)) = direction(link, x) {
        forces[link.a as usize] += normal * pull;
        forces[link.b as usize] -= normal * pull;
    }
}
