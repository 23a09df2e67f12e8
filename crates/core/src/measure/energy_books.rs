//! The books of energy: what was taken out, what was put in, and what the scheme made of nothing.

use super::{EnergyGain, MOST_MADE};
use crate::constraint::ConstraintSolver;
use crate::mesh::{Link, Links};
use crate::model::{Energy, Model, PinnedParticle, Role};
use crate::numerics::state::State;
use crate::numerics::system::System;
use glam::DVec3;
use serde::Serialize;
use std::collections::BTreeMap;

/// Work is integrated over a step by Simpson's rule from so many instants.
const INSTANTS: usize = 3;

/// Kinetic + potential + elastic energy = that at the start − taken out + put in + made by the scheme.
///
/// The work of each force without a potential is integrated over every step, force times velocity,
/// by Simpson's rule on the cubic through the positions and velocities at its ends: an error of
/// O(h⁴) where the motion is smooth. What is left over was made or lost by the scheme, its
/// constraint solver included.
#[derive(Clone, Debug, Default)]
pub struct EnergyBooks {
    start: Energy,
    now: Energy,
    taken_out: BTreeMap<&'static str, f64>,
    put_in: BTreeMap<&'static str, f64>,
    gain: Extreme,
    loss: Extreme,
    in_play: f64,
    /// End of the first step after which the gain was too large for good, in seconds.
    gained_at: Option<f64>,
    pins_unknown: bool,
    middle: State,
    f: Vec<DVec3>,
}

/// Most that a scheme made or lost, and when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Extreme {
    /// Energy in joules, at least 0.
    pub joules: f64,
    /// Energy over the greatest kinetic + elastic energy that the books account for: start + put in
    /// − taken out − potential. That sum excludes what the scheme makes, so an instability cannot
    /// make itself look small.
    pub fraction: f64,
    /// Time in seconds.
    pub t: f64,
}

/// The books as they stand, in joules.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Balance {
    /// Kinetic + potential + elastic energy when the books were opened.
    pub start: f64,
    /// Kinetic energy now.
    pub kinetic: f64,
    /// Potential energy now.
    pub potential: f64,
    /// Elastic energy now.
    pub elastic: f64,
    /// Energy that each damper took out.
    pub taken_out: BTreeMap<&'static str, f64>,
    /// Energy that each driver put in; negative if it took out on balance. Unknown for pins that
    /// move under a constraint solver, whose work is then part of `scheme`.
    pub put_in: BTreeMap<&'static str, Option<f64>>,
    /// Energy that the scheme made; negative if it lost.
    pub scheme: f64,
    /// The most that the scheme has made.
    pub gain: Extreme,
    /// The most that the scheme has lost.
    pub loss: Extreme,
}

/// What a lane is made of while a step is entered.
#[derive(Clone, Copy)]
pub struct BookedLane<'a> {
    /// Masses, springs, forces and pins as they were in the step.
    pub model: &'a Model,
    /// The solver in force.
    pub solver: ConstraintSolver,
    /// The links that it holds.
    pub constraints: &'a Links,
}

/// Changes of energy between steps: hand, pins, cuts, settings.
const CHANGES: &str = "changes";
const PINS: &str = "pins";
const HAND: &str = "hand";
const BLOW: &str = "blow";
const CONTACT: &str = "contact";
const LINK_DAMPING: &str = "link-damping";

impl EnergyBooks {
    /// Books that begin with a state.
    pub fn open(lane: BookedLane, state: &State) -> Self {
        let start = lane.model.energy(state, lane.constraints);
        let in_play = start.kinetic + start.elastic;
        Self { start, now: start, in_play, ..Self::default() }
    }

    /// Enters a step that led from one state to another.
    pub fn enter(&mut self, lane: BookedLane, from: &State, to: &State) {
        let change = lane.model.energy(from, lane.constraints).total() - self.now.total();
        if change.abs() > self.rounding() {
            *self.put_in.entry(CHANGES).or_default() += change;
        }
        let mut middle = std::mem::take(&mut self.middle);
        halfway(from, to, &mut middle);
        let h = to.t - from.t;
        let instants: [_; INSTANTS] = [(from, 1.0), (&middle, 4.0), (to, 1.0)];
        for (state, weight) in instants {
            self.enter_powers(lane, state, weight * h / 6.0);
        }
        self.middle = middle;
        let moves =
            |pin: &PinnedParticle| from.x[pin.particle as usize] != to.x[pin.particle as usize];
        self.pins_unknown |= !lane.constraints.is_empty() && lane.model.pins().iter().any(moves);
        self.now = lane.model.energy(to, lane.constraints);
        let made = self.scheme();
        self.in_play = self.in_play.max(self.now.kinetic + self.now.elastic - made);
        if made.abs() > self.rounding() {
            self.gain.see(made, to.t);
            self.loss.see(-made, to.t);
        }
        if self.gain.joules > MOST_MADE * self.in_play {
            self.gained_at.get_or_insert(to.t);
        } else {
            self.gained_at = None;
        }
    }

    /// More energy from nothing than a scheme may make, if it made so much. Of a lane whose pins
    /// move under a constraint solver it is not known.
    pub fn gained(&self) -> Option<EnergyGain> {
        let t = self.gained_at.filter(|_| !self.pins_unknown)?;
        let joules = self.gain.joules;
        Some(EnergyGain { t, joules, fraction: joules / self.in_play })
    }

    /// What rounding may leave, in joules, which is no entry.
    fn rounding(&self) -> f64 {
        1e-12 * (self.in_play + self.now.total().abs())
    }

    /// Made by the scheme so far in joules; less than 0 if it lost.
    pub fn scheme(&self) -> f64 {
        self.now.total() - self.start.total() - self.total_put_in() + self.total_taken_out()
    }

    /// By all dampers, in joules.
    pub fn total_taken_out(&self) -> f64 {
        // The sum of nothing is −0.0.
        0.0 + self.taken_out.values().sum::<f64>()
    }

    /// By all drivers, in joules.
    pub fn total_put_in(&self) -> f64 {
        0.0 + self.put_in.values().sum::<f64>()
    }

    /// The books as they stand.
    pub fn balance(&self) -> Balance {
        let Energy { kinetic, potential, elastic } = self.now;
        let of = |extreme: Extreme| Extreme {
            fraction: if extreme.joules > 0.0 { extreme.joules / self.in_play } else { 0.0 },
            ..extreme
        };
        let mut put_in: BTreeMap<_, _> =
            self.put_in.iter().map(|(name, joules)| (*name, Some(*joules))).collect();
        if self.pins_unknown {
            put_in.insert(PINS, None);
        }
        Balance {
            start: self.start.total(),
            kinetic,
            potential,
            elastic,
            taken_out: self.taken_out.clone(),
            put_in,
            scheme: self.scheme(),
            gain: of(self.gain),
            loss: of(self.loss),
        }
    }

    /// Enters the power of each force at one instant, for so many seconds.
    fn enter_powers(&mut self, lane: BookedLane, state: &State, seconds: f64) {
        let BookedLane { model, .. } = lane;
        let State { x, v, .. } = state;
        let masses = model.masses();
        let Self { f, taken_out, put_in, .. } = self;
        for (law, role, at) in model.laws_without_potential(state) {
            f.clear();
            f.resize(x.len(), DVec3::ZERO);
            law.add(&at, f);
            let free = (0..x.len()).filter(|&i| masses[i] > 0.0);
            let work = seconds * free.map(|i| f[i].dot(v[i])).sum::<f64>();
            match role {
                Role::Damper => *taken_out.entry(law.name()).or_default() -= work,
                Role::Driver => *put_in.entry(law.name()).or_default() += work,
            }
        }
        if let Some(grab) = model.grab {
            let i = grab.particle as usize;
            let hand = grab.position + grab.velocity * (state.t - grab.t);
            let force = grab.stiffness * (hand - x[i]) + grab.damping * (grab.velocity - v[i]);
            if masses[i] > 0.0 {
                *put_in.entry(HAND).or_default() += seconds * force.dot(v[i]);
            }
        }
        if let Some(blow) = &model.blow {
            let power = |i: usize| masses[i] * blow.acceleration(x[i], v[i]).dot(v[i]);
            let work = seconds * (0..x.len()).map(power).sum::<f64>();
            *put_in.entry(BLOW).or_default() += work;
        }
        if let Some(force) = model.penalty_force() {
            let power = force.dissipation(model.motion(state.t, x, v));
            *taken_out.entry(CONTACT).or_default() += seconds * power;
        }
        self.enter_links(lane, state, seconds);
    }

    /// Enters what the dampers of links take out and what pins that move put in.
    fn enter_links(&mut self, lane: BookedLane, State { x, v, .. }: &State, seconds: f64) {
        let BookedLane { model, solver, .. } = lane;
        for link in model.topology().links().iter().filter(|link| !link.is_cut()) {
            let (a, b) = (link.a as usize, link.b as usize);
            let is_spring = !solver.takes(&link);
            let pinned = [a, b].map(|i| is_spring && model.is_pinned(i as u32));
            if (link.damping == 0.0 || !is_spring && link.rigid) && pinned == [false; 2] {
                continue;
            }
            let Some((n, pull, damped)) = tension(&link, x, v) else { continue };
            let acts = is_spring || solver.has_compliance();
            if damped != 0.0 && acts {
                let power = damped * (v[b] - v[a]).dot(n);
                *self.taken_out.entry(LINK_DAMPING).or_default() += seconds * power;
            }
            // The link pulls a with +pull n and b with −pull n, and who holds them pulls back.
            let held = [(pinned[0], -pull, a), (pinned[1], pull, b)];
            for (_, pull, i) in
                held.into_iter().filter(|(pinned, _, i)| *pinned && v[*i] != DVec3::ZERO)
            {
                *self.put_in.entry(PINS).or_default() += seconds * pull * n.dot(v[i]);
            }
        }
    }
}

impl Extreme {
    fn see(&mut self, joules: f64, t: f64) {
        if joules > self.joules {
            (self.joules, self.t) = (joules, t);
        }
    }
}

/// Unit vector from first to second end, whole tension and the damper's part of it in newtons. None
/// of a link that does not act.
fn tension(link: &Link, x: &[DVec3], v: &[DVec3]) -> Option<(DVec3, f64, f64)> {
    let (a, b) = (link.a as usize, link.b as usize);
    let d = x[b] - x[a];
    let l = d.length();
    let n = d.try_normalize()?;
    let damped = link.damping * (v[b] - v[a]).dot(n);
    let slack = link.one_sided && l < link.rest;
    (!slack).then_some((n, link.stiffness * (l - link.rest) + damped, damped))
}

/// The middle of the cubic through the positions and velocities at both ends.
fn halfway(from: &State, to: &State, middle: &mut State) {
    let h = to.t - from.t;
    middle.resize(from.len());
    middle.t = from.t + h / 2.0;
    for i in 0..from.len() {
        let (x, v) = ([from.x[i], to.x[i]], [from.v[i], to.v[i]]);
        middle.x[i] = (x[0] + x[1]) / 2.0 + (v[0] - v[1]) * (h / 8.0);
        middle.v[i] = (x[1] - x[0]) * (1.5 / h) - (v[0] + v[1]) / 4.0;
    }
}
