//! Work of forces in an energy account. The work is the sum of force times velocity at each
//! instant, times the weight of the instant in seconds.

use super::{BLOW, COLLIDERS, CONTACT, EnergyAccount, HAND, LINK_DAMPING, PINS, WorkingLink};
use crate::measure::accounted_simulation::AccountedSimulation;
use crate::model::{Model, Role};
use glam::DVec3;
use ropelab_mechanics::mesh::Link;
use ropelab_mechanics::numerics::state::State;
use ropelab_mechanics::numerics::system::System;

/// Largest product of the step length and a damper's rate −f·v/(m v²) at which Simpson's rule
/// measures the heat of the damper. Above 2 the velocity grows. Above 1.25, under explicit Euler,
/// the rule would find more heat than twice the energy of a particle that only slows down.
const LARGEST_RESOLVED_RATE: f64 = 1.0;

impl EnergyAccount {
    /// True if any force may add or remove energy. Otherwise the account skips the instants
    /// of Simpson's rule.
    pub(super) fn has_work_to_enter(&self, model: &Model, state: &State) -> bool {
        let has_hand = model.grab.is_some() || model.blow.is_some();
        let has_forces = model.penalty_force().is_some() || model.bends_as_forces().is_some();
        let mut laws = model.laws_without_potential(state);
        has_hand || has_forces || !self.working_links.is_empty() || laws.next().is_some()
    }

    /// Enters the work of each force during `seconds` of a step of length `h`, from its power in
    /// `state`.
    pub(super) fn enter_powers(
        &mut self,
        simulation: AccountedSimulation,
        state: &State,
        [seconds, h]: [f64; 2],
    ) {
        let AccountedSimulation { model, .. } = simulation;
        let State { x, v, .. } = state;
        let masses = model.masses();
        let Self { f, taken_out, put_in, step_heat, is_stiff, .. } = self;
        for (law, role, at) in model.laws_without_potential(state) {
            f.clear();
            f.resize(x.len(), DVec3::ZERO);
            law.add(&at, f);
            let free = || (0..x.len()).filter(|&i| masses[i] > 0.0);
            let work = seconds * free().map(|i| f[i].dot(v[i])).sum::<f64>();
            match role {
                Role::Damper => {
                    let stops = |i: usize| {
                        -f[i].dot(v[i]) * h
                            > LARGEST_RESOLVED_RATE * masses[i] * v[i].length_squared()
                    };
                    *is_stiff |= free().any(stops);
                    match step_heat.iter_mut().find(|(name, _)| *name == law.name()) {
                        Some((_, heat)) => *heat -= work,
                        None => step_heat.push((law.name(), -work)),
                    }
                }
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
            let at = model.penalty_state(state.view());
            let [heat, drive] = force.powers(at, seconds, &mut self.friction);
            *taken_out.entry(CONTACT).or_default() += seconds * heat;
            if drive != 0.0 {
                *put_in.entry(COLLIDERS).or_default() += seconds * drive;
            }
        }
        self.enter_links(state, seconds);
        self.enter_bends(simulation, state, seconds);
    }

    /// Lists the links that may take out energy by damping or transmit the work of a pin. Most
    /// scenes have few such links. Asking the solver about every link at every instant took a
    /// quarter of the time of `advise` on a rope.
    pub(super) fn list_working_links(&mut self, simulation: AccountedSimulation) {
        let AccountedSimulation { model, solver, h, .. } = simulation;
        let w = model.inverse_masses();
        self.working_links.clear();
        for link in model.topology().links().iter().filter(|link| !link.is_cut()) {
            if solver.damps_by_itself(&link) {
                continue;
            }
            let ends = [link.a as usize, link.b as usize];
            let is_spring = !solver.constrains(&link);
            let pinned = ends.map(|i| is_spring && w[i] == 0.0);
            let Some(link) = solver.as_spring(&link, w[ends[0]] + w[ends[1]], h) else { continue };
            if link.damping != 0.0 || pinned != [false; 2] {
                self.working_links.push(WorkingLink { link, pinned });
            }
        }
    }

    /// Enters the energy that the dampers of links take out and that moving pins put in through
    /// springs.
    fn enter_links(&mut self, State { x, v, .. }: &State, seconds: f64) {
        // Sums are entered once, because one map entry per link took longer than computing its
        // tension.
        let (mut damped_away, mut by_pins) = (0.0, 0.0);
        for WorkingLink { link, pinned } in &self.working_links {
            let (a, b) = (link.a as usize, link.b as usize);
            let moves = [pinned[0] && v[a] != DVec3::ZERO, pinned[1] && v[b] != DVec3::ZERO];
            if link.damping == 0.0 && moves == [false; 2] {
                continue;
            }
            let Some(Tension { n, pull, damped }) = tension(link, x, v) else { continue };
            damped_away += damped * (v[b] - v[a]).dot(n);
            // A link with tension T pulls end a by T n and end b by −T n. The supporting force of a
            // pin has the opposite sign.
            if moves[0] {
                by_pins -= pull * n.dot(v[a]);
            }
            if moves[1] {
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

    /// Enters the work of moving pins on bends that act as forces.
    fn enter_bends(
        &mut self,
        AccountedSimulation { model, .. }: AccountedSimulation,
        state: &State,
        seconds: f64,
    ) {
        let State { x, v, .. } = state;
        let pins = model.pins().iter().map(|pin| pin.particle as usize);
        let mut moving = pins.filter(|i| v[*i] != DVec3::ZERO).peekable();
        let Some(bends) = model.bends_as_forces().filter(|_| moving.peek().is_some()) else {
            return;
        };
        let Self { f, put_in, .. } = self;
        f.clear();
        f.resize(x.len(), DVec3::ZERO);
        bends.add_forces(x, f);
        // The supporting force of a pin is opposite to the force of the bends.
        let power = moving.map(|i| -f[i].dot(v[i])).sum::<f64>();
        *put_in.entry(PINS).or_default() += seconds * power;
    }
}

struct Tension {
    /// Unit vector from the first to the second end.
    n: DVec3,
    /// Tension in newtons.
    pull: f64,
    /// Part of the tension due to the link's damper, in newtons.
    damped: f64,
}

/// Returns the tension of a link; `None` for a slack one-sided link and for a link of length 0.
fn tension(link: &Link, x: &[DVec3], v: &[DVec3]) -> Option<Tension> {
    let (a, b) = (link.a as usize, link.b as usize);
    let d = x[b] - x[a];
    let l = d.length();
    let n = d.try_normalize()?;
    let damped = link.damping * (v[b] - v[a]).dot(n);
    let slack = link.one_sided && l < link.rest;
    let pull = link.stiffness * (l - link.rest) + damped;
    (!slack).then_some(Tension { n, pull, damped })
}
