//! Books of energy: account of the energy that dampers take out, that drivers put in, and that
//! integrator and solver make. In this file *scheme* means integrator and constraint solver
//! together.

use super::kept_gain::KeptGain;
use super::{EnergyGain, LeftBySweeps, MOST_MADE};
use crate::constraint::ConstraintSolver;
use crate::mesh::{Link, Links};
use crate::model::{Energy, Model, Role};
use crate::numerics::state::State;
use crate::numerics::system::System;
use glam::DVec3;
use serde::Serialize;
use std::collections::BTreeMap;

/// Number of instants of a step at which Simpson's rule evaluates power.
const INSTANTS: usize = 3;
/// Weights of Simpson's rule at these instants, as fractions of the step.
const WEIGHTS: [f64; INSTANTS] = [1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0];

/// Largest height by which a lifted scene looks unchanged, as a fraction of a link's length.
const UNSEEN: f64 = 0.01;

/// Kinetic + potential + elastic energy = energy at the start − taken out + put in + made by the
/// scheme.
///
/// The work of each force without a potential is integrated over every step, force times velocity,
/// by Simpson's rule on the cubic through the positions and velocities at its ends. The error is
/// O(h⁴) for smooth motion. The remainder was made or lost by the scheme.
#[derive(Clone, Debug, Default)]
pub struct EnergyBooks {
    start: Energy,
    now: Energy,
    taken_out: BTreeMap<&'static str, f64>,
    put_in: BTreeMap<&'static str, f64>,
    gain: Extreme,
    loss: Extreme,
    in_play: f64,
    /// Gain in joules that is too small to be visible, see `negligible`.
    negligible: f64,
    /// Energy that the scheme made and kept besides the energy stored in a solver's constraints:
    /// sweeps that do not converge leave them longer than their pull accounts for.
    kept: KeptGain,
    /// Energy that constraints store now, in joules.
    stored: f64,
    /// Part of `stored` that contact took from the motion, in joules. It is no heat yet.
    pushed_into: f64,
    /// Energy that sweeps left in constraints that were cut since, in joules.
    cut_away: f64,
    /// End of the first step since which the scheme has made too much energy under a solver, in
    /// seconds. Energy stored in constraints counts here.
    left_at: Option<f64>,
    instants: [State; INSTANTS],
    f: Vec<DVec3>,
    /// Impulses of friction in the newest step, in N·s; empty if colliders do not push.
    friction: Vec<DVec3>,
}

/// Work of contact and moving pins in a step, in joules. Penalty forces are laws and do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepWork {
    /// Rotational energy of balls at the start and at the end of the step.
    pub rotational: [f64; 2],
    /// Work of contact on particles and on the rotation of balls.
    pub on_bodies: f64,
    /// Part of `on_bodies` by colliders that move or whose surfaces move.
    pub by_colliders: f64,
    /// Work of moving pins on links that a constraint solver holds.
    pub by_pins: f64,
}

/// Largest energy that a scheme made or lost, and the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Extreme {
    /// Energy in joules, at least 0.
    pub joules: f64,
    /// `joules` divided by the largest kinetic + elastic energy that the books account for: start +
    /// put in − taken out − potential.
    pub fraction: f64,
    /// Time in seconds.
    pub t: f64,
}

/// Balance of the books at present, in joules.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Balance {
    /// Kinetic + potential + elastic energy when the books were opened.
    pub start: f64,
    /// Kinetic energy now, with the rotation of balls.
    pub kinetic: f64,
    /// Potential energy now.
    pub potential: f64,
    /// Elastic energy now.
    pub elastic: f64,
    /// Energy that each damper took out, and heat of friction and impact as `contact`, at least 0.
    pub taken_out: BTreeMap<&'static str, f64>,
    /// Energy that each driver put in; negative if the driver took out more than it put in.
    pub put_in: BTreeMap<&'static str, f64>,
    /// Energy that integrator and solver made; negative if they lost energy.
    pub scheme: f64,
    /// Part of `scheme` that links and bends store because sweeps did not converge.
    pub left_by_sweeps: f64,
    /// Largest energy that integrator and solver have made.
    pub gain: Extreme,
    /// Largest energy that integrator and solver have lost.
    pub loss: Extreme,
}

/// Model, solver and constraints of a lane while a step is entered.
#[derive(Clone, Copy)]
pub struct BookedLane<'a> {
    /// Masses, springs, forces and pins as they were in the step.
    pub model: &'a Model,
    /// The solver in force.
    pub solver: ConstraintSolver,
    /// Length of the substep in seconds.
    pub h: f64,
    /// Links that the solver holds.
    pub constraints: &'a Links,
}

/// Name of the changes of energy between steps, by hand, pins, cuts and settings.
const CHANGES: &str = "changes";
const PINS: &str = "pins";
const HAND: &str = "hand";
const BLOW: &str = "blow";
const CONTACT: &str = "contact";
const COLLIDERS: &str = "colliders";
const LINK_DAMPING: &str = "link-damping";

impl EnergyBooks {
    /// Opens books at a state in which balls have `rotational` joules of rotational energy.
    pub fn open(lane: BookedLane, state: &State, rotational: f64) -> Self {
        let mut start = lane.model.energy(state, lane.constraints);
        start.kinetic += rotational;
        let in_play = start.kinetic + start.elastic;
        let negligible = negligible(lane.model);
        let stored = lane.model.stored_in_constraints(state, lane.constraints);
        Self { start, now: start, in_play, negligible, stored, ..Self::default() }
    }

    /// Enters a step that led from one state to another.
    pub fn enter(&mut self, lane: BookedLane, [from, to]: [&State; 2], work: StepWork) {
        let StepWork { rotational, on_bodies, by_colliders, by_pins } = work;
        let made_before = self.scheme();
        self.enter_changes(lane, from, rotational[0]);
        self.enter_powers_along(lane, [from, to]);
        if by_colliders != 0.0 {
            *self.put_in.entry(COLLIDERS).or_default() += by_colliders;
        }
        self.enter_heat(by_colliders - on_bodies);
        if by_pins != 0.0 {
            *self.put_in.entry(PINS).or_default() += by_pins;
        }
        let stored = lane.model.stored_in_constraints(to, lane.constraints);
        self.now = lane.model.energy(to, lane.constraints);
        self.now.kinetic += rotational[1];
        let step = [self.scheme() - made_before, stored - self.stored];
        self.enter_pushed(step, by_colliders - on_bodies);
        let made = self.scheme();
        self.in_play = self.in_play.max(self.now.kinetic + self.now.elastic - made);
        if made.abs() > self.rounding() {
            self.gain.observe(made, to.t);
            self.loss.observe(-made, to.t);
        }
        self.stored = stored;
        self.pushed_into = self.pushed_into.min(stored);
        let most = MOST_MADE * self.in_play.max(self.negligible);
        let projects = !lane.solver.is_none();
        self.kept.observe(made - self.stored - self.cut_away, most, to.t, !projects);
        self.left_at = self.left_at.or(Some(to.t)).filter(|_| projects && made > most);
    }

    /// Enters heat of contact in joules. Heat does not turn into motion, so its sum stays at least
    /// 0: energy that contact gives beyond the heat so far was made by the scheme, whose sweeps
    /// push bodies that cannot part.
    fn enter_heat(&mut self, heat: f64) {
        if heat != 0.0 {
            let sum = self.taken_out.entry(CONTACT).or_default();
            *sum = (*sum + heat).max(0.0);
        }
    }

    /// Enters energy that contact took from the motion and that constraints store, because sweeps
    /// redistribute a push by contact only in the next substeps. It counts as heat once constraints
    /// lose it. In the step, the scheme made `made`, constraints gained `gained`, and contact gave
    /// `heat`, in joules.
    fn enter_pushed(&mut self, [made, gained]: [f64; 2], heat: f64) {
        let into = made.min(gained).min(heat).max(0.0);
        let back = (-made).min(-gained).min(self.pushed_into).max(0.0);
        if into > 0.0 || back > 0.0 {
            self.pushed_into += into - back;
            self.enter_heat(back - into);
        }
    }

    /// Enters the change of energy between the last step and the state `from` at which the next one
    /// begins. Cut links remove their share of the energy that sweeps left in constraints.
    fn enter_changes(&mut self, lane: BookedLane, from: &State, rotational: f64) {
        let before = lane.model.energy(from, lane.constraints).total() + rotational;
        let change = before - self.now.total();
        if change.abs() > self.rounding() {
            let stored = lane.model.stored_in_constraints(from, lane.constraints);
            let lost = (1.0 - stored / self.stored).clamp(0.0, 1.0);
            if self.stored > 0.0 {
                self.cut_away += lost * self.left_in_constraints();
            }
            *self.put_in.entry(CHANGES).or_default() += change;
        }
    }

    /// Returns the part of the scheme's energy that constraints store, in joules.
    fn left_in_constraints(&self) -> f64 {
        (self.scheme() - self.cut_away).clamp(0.0, self.stored.max(0.0))
    }

    /// Enters the work of forces along a step, by Simpson's rule. Pins move straight from start to
    /// end, as integrators see them.
    fn enter_powers_along(&mut self, lane: BookedLane, [from, to]: [&State; 2]) {
        let mut instants = std::mem::take(&mut self.instants);
        let [first, middle, last] = &mut instants;
        first.copy_from(from);
        halfway(from, to, middle);
        last.copy_from(to);
        let h = to.t - from.t;
        for pin in lane.model.pins() {
            let i = pin.particle as usize;
            let v = (to.x[i] - from.x[i]) / h;
            middle.x[i] = (from.x[i] + to.x[i]) / 2.0;
            [&mut *first, middle, last].into_iter().for_each(|state| state.v[i] = v);
        }
        self.friction.clear();
        for (state, weight) in instants.iter().zip(WEIGHTS) {
            self.enter_powers(lane, state, weight * h);
        }
        self.instants = instants;
        self.enter_friction(from, to);
    }

    /// Enters the heat of friction with colliders that push: its impulse in the step times the mean
    /// of the velocities at both ends. Friction that holds a particle may reverse the velocity in
    /// every step; the integral of its power would be heat that no motion lost.
    fn enter_friction(&mut self, from: &State, to: &State) {
        let columns = self.friction.iter().zip(&from.v).zip(&to.v);
        let work: f64 = columns.map(|((j, v), w)| j.dot(*v + *w) * 0.5).sum();
        self.enter_heat(-work);
    }

    /// Returns the energy from nothing, or `None` if it is within the permitted gain.
    pub fn gained(&self) -> Option<EnergyGain> {
        let KeptGain { since, joules, .. } = self.kept;
        Some(EnergyGain { t: since?, joules, fraction: joules / self.in_play })
    }

    /// Returns the energy that a solver's sweeps leave in constraints beyond the books, or `None`
    /// if it is within the permitted gain.
    pub fn left_by_sweeps(&self) -> Option<LeftBySweeps> {
        let t = self.left_at?;
        let joules = self.gain.joules;
        Some(LeftBySweeps { t, joules, fraction: joules / self.in_play })
    }

    /// Returns a bound of rounding errors in joules. Smaller changes are not entered.
    fn rounding(&self) -> f64 {
        1e-12 * (self.in_play + self.now.total().abs())
    }

    /// Returns the energy that the scheme made so far in joules; negative if it lost energy.
    pub fn scheme(&self) -> f64 {
        self.now.total() - self.start.total() - self.total_put_in() + self.total_taken_out()
    }

    /// Returns the energy that the scheme made so far, divided by the largest kinetic + elastic
    /// energy that the books account for (see [`Extreme::fraction`]); negative if the scheme lost
    /// energy.
    pub fn scheme_share(&self) -> f64 {
        self.scheme() / self.in_play
    }

    /// Returns the energy that all dampers took out, in joules.
    pub fn total_taken_out(&self) -> f64 {
        // The sum of nothing is −0.0.
        0.0 + self.taken_out.values().sum::<f64>()
    }

    /// Returns the energy that all drivers put in, in joules.
    pub fn total_put_in(&self) -> f64 {
        0.0 + self.put_in.values().sum::<f64>()
    }

    /// Returns the present balance of the books.
    pub fn balance(&self) -> Balance {
        let Energy { kinetic, potential, elastic } = self.now;
        let of = |extreme: Extreme| Extreme {
            fraction: if extreme.joules > 0.0 { extreme.joules / self.in_play } else { 0.0 },
            ..extreme
        };
        Balance {
            start: self.start.total(),
            kinetic,
            potential,
            elastic,
            taken_out: self.taken_out.clone(),
            put_in: self.put_in.clone(),
            scheme: self.scheme(),
            left_by_sweeps: self.left_in_constraints(),
            gain: of(self.gain),
            loss: of(self.loss),
        }
    }

    /// Enters the work of each force in `seconds` seconds, with its power at one instant.
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
            self.friction.resize(x.len(), DVec3::ZERO);
            let motion = model.motion(state.as_now());
            let [heat, drive] = force.powers(motion, seconds, &mut self.friction);
            *taken_out.entry(CONTACT).or_default() += seconds * heat;
            if drive != 0.0 {
                *put_in.entry(COLLIDERS).or_default() += seconds * drive;
            }
        }
        self.enter_links(lane, state, seconds);
        self.enter_bends(lane, state, seconds);
    }

    /// Enters the energy that the dampers of links take out and that moving pins put in.
    fn enter_links(&mut self, lane: BookedLane, State { x, v, .. }: &State, seconds: f64) {
        let BookedLane { model, solver, h, .. } = lane;
        let w = model.inverse_masses();
        // Summed up and entered once: one entry per link took longer than computing its tension.
        let (mut damped_away, mut by_pins) = (0.0, 0.0);
        for link in model.topology().links().iter().filter(|link| !link.is_cut()) {
            let (a, b) = (link.a as usize, link.b as usize);
            let is_spring = !solver.constrains(&link);
            let pinned = [a, b].map(|i| is_spring && w[i] == 0.0 && v[i] != DVec3::ZERO);
            if solver.damps_by_itself(&link) {
                continue;
            }
            let Some(link) = solver.as_spring(&link, w[a] + w[b], h) else { continue };
            if link.damping == 0.0 && pinned == [false; 2] {
                continue;
            }
            let Some((n, pull, damped)) = tension(&link, x, v) else { continue };
            damped_away += damped * (v[b] - v[a]).dot(n);
            // The link pulls a with +pull n and b with −pull n; the support of a pin pulls back.
            if pinned[0] {
                by_pins -= pull * n.dot(v[a]);
            }
            if pinned[1] {
                by_pins += pull * n.dot(v[b]);
            }
        }
        if damped_away != 0.0 {
            *self.taken_out.entry(LINK_DAMPING).or_default() += seconds * damped_away;
        }
        if by_pins != 0.0 {
            *self.put_in.entry(PINS).or_default() += seconds * by_pins;
        }
    }
}

impl EnergyBooks {
    /// Enters the work of moving pins on bends that act as forces.
    fn enter_bends(&mut self, BookedLane { model, .. }: BookedLane, state: &State, seconds: f64) {
        let State { x, v, .. } = state;
        let pins = model.pins().iter().map(|pin| pin.particle as usize);
        let mut moving = pins.filter(|i| v[*i] != DVec3::ZERO).peekable();
        let Some(bends) = model.pushing_bends().filter(|_| moving.peek().is_some()) else { return };
        let Self { f, put_in, .. } = self;
        f.clear();
        f.resize(x.len(), DVec3::ZERO);
        bends.add_forces(x, f);
        // The support of the pin pushes back.
        let power = moving.map(|i| -f[i].dot(v[i])).sum::<f64>();
        *put_in.entry(PINS).or_default() += seconds * power;
    }
}

impl Extreme {
    fn observe(&mut self, joules: f64, t: f64) {
        if joules > self.joules {
            (self.joules, self.t) = (joules, t);
        }
    }
}

/// Returns the energy in joules that lifts everything by [`UNSEEN`] of a link's length, or of a
/// ball's radius if there are no links. In a scene at rest, rounding and sweeps make more energy
/// than the kinetic and elastic energy in play, so a gain below this bound does not count.
fn negligible(model: &Model) -> f64 {
    let links = model.topology().links();
    let rests = links.iter().map(|link| link.rest).filter(|rest| rest.is_finite());
    let radii = model.geometry().balls.iter().map(|ball| ball.properties.radius);
    let (sum, count) = rests.fold((0.0, 0), |(sum, count), rest| (sum + rest, count + 1));
    let size = if count > 0 { sum / f64::from(count) } else { radii.fold(0.0, f64::max) };
    UNSEEN * size * model.gravity().length() * model.masses().iter().sum::<f64>()
}

/// Returns the unit vector from first to second end, the whole tension and the damper's part of the
/// tension in newtons; `None` for a link that does not act.
fn tension(link: &Link, x: &[DVec3], v: &[DVec3]) -> Option<(DVec3, f64, f64)> {
    let (a, b) = (link.a as usize, link.b as usize);
    let d = x[b] - x[a];
    let l = d.length();
    let n = d.try_normalize()?;
    let damped = link.damping * (v[b] - v[a]).dot(n);
    let slack = link.one_sided && l < link.rest;
    (!slack).then_some((n, link.stiffness * (l - link.rest) + damped, damped))
}

/// Computes the middle of the cubic through the positions and velocities at both ends.
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
