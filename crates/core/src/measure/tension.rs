//! Tensions of links, from the state alone.

use super::BookedLane;
use crate::mesh::{Link, Links};
use crate::model::Model;
use crate::numerics::state::State;
use crate::numerics::sums::dot;
use crate::numerics::system::System;
use glam::DVec3;

/// Tolerance of the multipliers: residual divided by right-hand side.
const TOLERANCE: f64 = 1e-11;
/// Ratio of the squared residual to the least one so far at which the iteration counts as
/// diverging.
const RUNS_AWAY: f64 = 1e4;
/// Upper limit of rounds that remove one-sided links that would push.
const MOST_ROUNDS: u32 = 8;
/// Time step in seconds of the finite difference for the acceleration of a pin.
const PIN_SECONDS: f64 = 1e-4;

/// Tensions of all links of a lane. Springs, and links whose compliance a solver knows, pull with k
/// (l − L) + c dl/dt. Links that a solver holds at their length pull with the multipliers λ that
/// keep them there, no matter how well the solver has converged. With the Jacobian J of all
/// lengths, the inverse masses W, the accelerations a₀ by all other forces and, for each link from
/// a to b, the unit vector n, the length l and the relative speed v⊥ across it,
///
/// J W Jᵀ λ = n·(a₀_b − a₀_a) + v⊥²/l,
///
/// Conjugate gradients solve the equations. If links hold each other, λ is not unique and they find
/// the smallest one. A one-sided link does not push.
#[derive(Clone, Debug, Default)]
pub struct Tensions {
    pulls: Vec<f64>,
    a: Vec<DVec3>,
    held: Vec<TautLink>,
    right: Vec<f64>,
    lambda: Vec<f64>,
    best: Vec<f64>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<f64>,
    moved: Vec<DVec3>,
}

/// A link that is held at its length.
#[derive(Clone, Copy, Debug)]
struct TautLink {
    link: u32,
    ends: [usize; 2],
    normal: DVec3,
    one_sided: bool,
}

impl Tensions {
    /// Computes the tensions of a state. `touched` are forces of contact, of limits, and of bends
    /// that a solver holds, in newtons by particle. Returns one number per link in newtons, in the
    /// order of the links: above 0 if the link pulls its ends together, 0 if it is cut or slack.
    pub fn of(
        &mut self,
        lane: BookedLane,
        state: &State,
        touched: impl Iterator<Item = (u32, DVec3)>,
    ) -> &[f64] {
        let State { t, x, v } = state;
        let (model, w) = (lane.model, lane.model.inverse_masses());
        self.pulls.clear();
        self.held.clear();
        for (i, link) in model.topology().links().iter().enumerate() {
            self.pulls.push(0.0);
            let Some((normal, length)) = direction(&link, x) else { continue };
            let slack = link.one_sided && length < link.rest * (1.0 - 1e-9);
            let (a, b) = (link.a as usize, link.b as usize);
            let spring = lane.solver.as_spring(&link, w[a] + w[b], lane.h);
            if let Some(link) = spring.filter(|_| !slack) {
                let rate = (v[b] - v[a]).dot(normal);
                let pull = link.stiffness * (length - link.rest) + link.damping * rate;
                self.pulls[i] = if link.one_sided { pull.max(0.0) } else { pull };
            } else if spring.is_none() && !slack {
                let ends = [a, b];
                self.held.push(TautLink {
                    link: i as u32,
                    ends,
                    normal,
                    one_sided: link.one_sided,
                });
            }
        }
        if !self.held.is_empty() {
            self.accelerate(model, (*t, x, v), touched);
            self.hold(model.inverse_masses(), x, v);
        }
        &self.pulls
    }

    /// Computes the accelerations of all particles without the links that are held.
    fn accelerate(
        &mut self,
        model: &Model,
        (t, x, v): (f64, &[DVec3], &[DVec3]),
        touched: impl Iterator<Item = (u32, DVec3)>,
    ) {
        let (a, w) = (&mut self.a, model.inverse_masses());
        a.clear();
        a.resize(x.len(), DVec3::ZERO);
        model.accelerations(t, x, v, a);
        for (particle, force) in touched {
            a[particle as usize] += force * w[particle as usize];
        }
        for pin in model.pins() {
            let [before, now, after] =
                [-PIN_SECONDS, 0.0, PIN_SECONDS].map(|s| pin.path.offset(t + s));
            a[pin.particle as usize] = (before - 2.0 * now + after) / (PIN_SECONDS * PIN_SECONDS);
        }
    }

    fn hold(&mut self, w: &[f64], x: &[DVec3], v: &[DVec3]) {
        for _ in 0..MOST_ROUNDS {
            self.right.clear();
            self.right.extend(self.held.iter().map(|held| {
                let [a, b] = held.ends;
                let relative = v[b] - v[a];
                let turning = relative - held.normal * held.normal.dot(relative);
                let length = x[a].distance(x[b]);
                held.normal.dot(self.a[b] - self.a[a]) + turning.length_squared() / length
            }));
            self.solve(w);
            let pushes = |(held, lambda): (&TautLink, &f64)| held.one_sided && *lambda < 0.0;
            if !self.held.iter().zip(&self.lambda).any(pushes) {
                break;
            }
            let mut lambda = self.lambda.iter();
            self.held.retain(|held| !lambda.next().is_some_and(|l| pushes((held, l))));
        }
        for (held, lambda) in self.held.iter().zip(&self.lambda) {
            let pull = if held.one_sided { lambda.max(0.0) } else { *lambda };
            self.pulls[held.link as usize] = pull;
        }
    }

    /// Solves for λ by conjugate gradients from 0. If links hold each other at lengths that do not
    /// fit, there is no solution and the iteration diverges; the best approximation so far is kept.
    fn solve(&mut self, w: &[f64]) {
        let n = self.held.len();
        for column in [&mut self.lambda, &mut self.best, &mut self.product] {
            column.clear();
            column.resize(n, 0.0);
        }
        self.residual.clone_from(&self.right);
        self.direction.clone_from(&self.right);
        let mut square = dot(&self.residual, &self.residual);
        let enough = TOLERANCE * TOLERANCE * square;
        let (mut least, mut since) = (square, 0);
        while square > enough && square < RUNS_AWAY * least && since <= n + 20 {
            self.multiply(w);
            let curvature = dot(&self.direction, &self.product);
            if curvature.is_nan() || curvature <= 0.0 {
                break;
            }
            let step = square / curvature;
            for k in 0..n {
                self.lambda[k] += step * self.direction[k];
                self.residual[k] -= step * self.product[k];
            }
            let before = std::mem::replace(&mut square, dot(&self.residual, &self.residual));
            let share = square / before;
            for k in 0..n {
                self.direction[k] = self.residual[k] + share * self.direction[k];
            }
            since += 1;
            if square < least {
                (least, since) = (square, 0);
                self.best.copy_from_slice(&self.lambda);
            }
        }
        self.lambda.copy_from_slice(&self.best);
    }

    /// Computes J W Jᵀ times the direction.
    fn multiply(&mut self, w: &[f64]) {
        self.moved.clear();
        self.moved.resize(w.len(), DVec3::ZERO);
        for (held, pull) in self.held.iter().zip(&self.direction) {
            let [a, b] = held.ends;
            self.moved[a] += held.normal * (w[a] * pull);
            self.moved[b] -= held.normal * (w[b] * pull);
        }
        for (held, product) in self.held.iter().zip(&mut self.product) {
            let [a, b] = held.ends;
            *product = held.normal.dot(self.moved[a] - self.moved[b]);
        }
    }
}

/// Returns the unit vector from first to second end, and the length; `None` for a link that is cut
/// or has no length.
fn direction(link: &Link, x: &[DVec3]) -> Option<(DVec3, f64)> {
    let d = x[link.b as usize] - x[link.a as usize];
    let normal = d.try_normalize().filter(|_| !link.is_cut())?;
    Some((normal, d.length()))
}

/// Returns the forces of links with the tensions `pulls` in newtons on each particle, in newtons.
pub fn forces_of(links: &Links, pulls: &[f64], x: &[DVec3]) -> Vec<DVec3> {
    let mut forces = vec![DVec3::ZERO; x.len()];
    for (link, pull) in links.iter().zip(pulls) {
        if let Some((normal, _)) = direction(&link, x) {
            forces[link.a as usize] += normal * *pull;
            forces[link.b as usize] -= normal * *pull;
        }
    }
    forces
}
