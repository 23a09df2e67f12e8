//! Energy account ([`EnergyAccount`]): the energy that dampers have taken out, that drivers have
//! put in, and that errors of the integrator and of the constraint solver have made. In this file,
//! *made energy* is the energy made by both together.

mod powers;

use super::accounted_simulation::AccountedSimulation;
use super::energy_balance::{Balance, Extreme, negligible_energy};
use super::kept_gain::KeptGain;
use super::verdict::{EnergyGain, LeftBySweeps, MOST_MADE};
use crate::model::Energy;
use glam::DVec3;
use ropelab_mechanics::mesh::Link;
use ropelab_mechanics::numerics::hermite;
use ropelab_mechanics::numerics::state::State;
use std::collections::BTreeMap;

/// Number of instants at which Simpson's rule evaluates a step.
const INSTANTS: usize = 3;
/// Weights of Simpson's rule at the start, middle and end of a step, as fractions of the step.
const WEIGHTS: [f64; INSTANTS] = [1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0];

/// Account of a simulation's energy. The balance is: kinetic + potential + elastic energy = energy
/// at the start − taken out + put in + made by integrator and solver.
///
/// The work of each force without a potential is the integral of force times velocity, by Simpson's
/// rule on the cubic through the positions and velocities at both ends of each step. If neither
/// constraints nor contact act, the rule is applied to each substep and inner step. The error is
/// O(h⁴) for smooth motion. The remainder of the balance is the energy that integrator and solver
/// made (or, if negative, lost).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EnergyAccount {
    /// Time in seconds at which the account started.
    since: f64,
    start: Energy,
    now: Energy,
    taken_out: BTreeMap<&'static str, f64>,
    put_in: BTreeMap<&'static str, f64>,
    gain: Extreme,
    loss: Extreme,
    in_play: f64,
    /// Largest gain in joules that is too small to be visible, see `negligible_energy`.
    negligible: f64,
    /// Gain without the energy stored in constraints. The stored energy is excluded because sweeps
    /// that do not converge leave constraints longer than the force in them explains.
    kept: KeptGain,
    /// Elastic energy in the constraints after the newest step, in joules.
    stored: f64,
    /// Part of `stored` that contact pushed into constraints, in joules. It becomes heat when the
    /// constraints lose it.
    pushed_into_constraints: f64,
    /// Energy that sweeps had left in links before these were cut, in joules.
    left_in_cut_links: f64,
    /// Time in seconds at which the present excess under a constraint solver began: the end of its
    /// first step. `None` without an excess. There is an excess while the largest made energy so
    /// far, including the energy stored in constraints, is above the limit. The limit grows with
    /// the energy of the motion.
    left_at: Option<f64>,
    instants: [State; INSTANTS],
    f: Vec<DVec3>,
    /// Heat of each damping law in the newest step, in joules.
    step_heat: Vec<(&'static str, f64)>,
    /// True if a damping law would stop a particle within the newest step.
    is_stiff: bool,
    /// Friction impulse on each particle in the newest step, in N·s; empty without a penalty force.
    friction: Vec<DVec3>,
    /// Links whose work is entered at each instant of the newest step.
    working_links: Vec<WorkingLink>,
}

/// A link as a spring whose damper or pinned end may do work.
#[derive(Clone, Copy, Debug, PartialEq)]
struct WorkingLink {
    link: Link,
    /// True for each end that is a pin, if the link acts as a force. If a solver constrains the
    /// link, it transmits the work of a pin as an impulse, see [`StepWork::by_pins`].
    pinned: [bool; 2],
}

/// Work of contact and of moving pins in a step, in joules. Work of penalty forces is not included,
/// because these count as force laws.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepWork {
    /// Rotational energy of balls at the start and at the end of the step.
    pub rotational: [f64; 2],
    /// Work of contact on particles and on the rotation of balls.
    pub on_bodies: f64,
    /// Part of `on_bodies` due to colliders that move or whose surfaces move.
    pub by_colliders: f64,
    /// Work of moving pins on links that a solver constrains.
    pub by_pins: f64,
}

/// Key in `put_in` for energy changes between steps: by the hand (the user's mouse), by pins, cuts
/// and settings.
const CHANGES: &str = "changes";
const PINS: &str = "pins";
const HAND: &str = "hand";
const BLOW: &str = "blow";
const CONTACT: &str = "contact";
const COLLIDERS: &str = "colliders";
const LINK_DAMPING: &str = "link-damping";

impl EnergyAccount {
    /// Starts an account at a state. `rotational` is the rotational energy of balls in joules.
    pub fn open(simulation: AccountedSimulation, state: &State, rotational: f64) -> Self {
        let mut start = simulation.model.energy(state, simulation.constraints);
        start.kinetic += rotational;
        let in_play = start.kinetic + start.elastic;
        let negligible = negligible_energy(simulation, state);
        let stored = simulation.model.solver_energy(state, simulation.constraints);
        Self { since: state.t, start, now: start, in_play, negligible, stored, ..Self::default() }
    }

    /// Returns a copy without the buffers of a step, for a snapshot.
    pub(crate) fn without_buffers(&self) -> Self {
        Self {
            since: self.since,
            start: self.start,
            now: self.now,
            taken_out: self.taken_out.clone(),
            put_in: self.put_in.clone(),
            gain: self.gain,
            loss: self.loss,
            in_play: self.in_play,
            negligible: self.negligible,
            kept: self.kept,
            stored: self.stored,
            pushed_into_constraints: self.pushed_into_constraints,
            left_in_cut_links: self.left_in_cut_links,
            left_at: self.left_at,
            instants: Default::default(),
            f: Vec::new(),
            step_heat: Vec::new(),
            is_stiff: false,
            friction: Vec::new(),
            working_links: Vec::new(),
        }
    }

    /// Returns the time in seconds at which the account started: 0, or later if settings or the
    /// scene have changed during the run.
    pub fn since(&self) -> f64 {
        self.since
    }

    /// Enters a step from the first to the second state. `path` contains the states within the
    /// step.
    pub fn enter_step(
        &mut self,
        simulation: AccountedSimulation,
        [from, to]: [&State; 2],
        path: &[State],
        work: StepWork,
    ) {
        let StepWork { rotational, on_bodies, by_colliders, by_pins } = work;
        let made_before = self.energy_made();
        self.enter_changes(simulation, from, rotational[0]);
        self.enter_powers_along(simulation, from, path.iter().chain([to]));
        self.enter_friction(from, to);
        if by_colliders != 0.0 {
            *self.put_in.entry(COLLIDERS).or_default() += by_colliders;
        }
        self.enter_heat(by_colliders - on_bodies);
        if by_pins != 0.0 {
            *self.put_in.entry(PINS).or_default() += by_pins;
        }
        let stored = simulation.model.solver_energy(to, simulation.constraints);
        self.now = simulation.model.energy(to, simulation.constraints);
        self.now.kinetic += rotational[1];
        self.enter_damping();
        let step = [self.energy_made() - made_before, stored - self.stored];
        self.enter_energy_pushed_into_constraints(step, by_colliders - on_bodies);
        let made = self.energy_made();
        self.in_play = self.in_play.max(self.now.kinetic + self.now.elastic - made);
        if made.abs() > self.rounding_error() {
            self.gain.observe(made, to.t);
            self.loss.observe(-made, to.t);
        }
        self.stored = stored;
        self.pushed_into_constraints = self.pushed_into_constraints.min(stored);
        let most = MOST_MADE * self.in_play.max(self.negligible);
        let projects = !simulation.solver.is_none();
        let gain = made - self.stored - self.left_in_cut_links;
        self.kept.observe(gain, most, [self.since, to.t], !projects);
        let has_left = projects && self.gain.joules > most;
        self.left_at = self.left_at.or(Some(to.t)).filter(|_| has_left);
    }

    /// Adds the heat of damping laws in a step. A law that would stop a particle within the step
    /// may reverse its velocity. The integral of the law's power is then larger than the energy
    /// that the motion lost. The heat of such a step is therefore limited to the energy that is
    /// missing in the balance.
    fn enter_damping(&mut self) {
        let heat: f64 = self.step_heat.iter().map(|(_, heat)| heat).sum();
        let missing = (-self.energy_made()).max(0.0);
        let fraction = if self.is_stiff && heat > 0.0 { missing / heat } else { 1.0 };
        for (law, heat) in self.step_heat.drain(..) {
            *self.taken_out.entry(law).or_default() += heat * fraction.min(1.0);
        }
    }

    /// Adds heat of contact in joules. Heat does not turn back into motion, so its sum stays at
    /// least 0. If contact returns more energy than this sum, integrator and solver have made the
    /// difference: their sweeps push bodies that cannot separate.
    fn enter_heat(&mut self, heat: f64) {
        if heat != 0.0 {
            let sum = self.taken_out.entry(CONTACT).or_default();
            *sum = (*sum + heat).max(0.0);
        }
    }

    /// Accounts for energy that contact pushed into constraints. Sweeps distribute the push of a
    /// contact over several substeps, and constraints store its energy in between. The energy
    /// counts as heat once the constraints lose it. In the step, integrator and solver made `made`
    /// joules, constraints gained `gained` joules, and contact took `heat` joules.
    fn enter_energy_pushed_into_constraints(&mut self, [made, gained]: [f64; 2], heat: f64) {
        let into = made.min(gained).min(heat).max(0.0);
        let back = (-made).min(-gained).min(self.pushed_into_constraints).max(0.0);
        if into > 0.0 || back > 0.0 {
            self.pushed_into_constraints += into - back;
            self.enter_heat(back - into);
        }
    }

    /// Enters the energy change between the end of the last step and the state `from`, in which the
    /// next step begins. If links were cut, the energy that sweeps had left in them moves to
    /// `left_in_cut_links`.
    fn enter_changes(&mut self, simulation: AccountedSimulation, from: &State, rotational: f64) {
        let before = simulation.model.energy(from, simulation.constraints).total() + rotational;
        let change = before - self.now.total();
        if change.abs() > self.rounding_error() {
            let stored = simulation.model.solver_energy(from, simulation.constraints);
            let lost = (1.0 - stored / self.stored).clamp(0.0, 1.0);
            if self.stored > 0.0 {
                self.left_in_cut_links += lost * self.left_in_constraints();
            }
            *self.put_in.entry(CHANGES).or_default() += change;
        }
    }

    /// Returns the part of the made energy that constraints store, in joules.
    fn left_in_constraints(&self) -> f64 {
        (self.energy_made() - self.left_in_cut_links).clamp(0.0, self.stored.max(0.0))
    }

    /// Enters the work of all forces along a path of states, by Simpson's rule in each part of the
    /// path. As in the integrators, pins move at constant velocity within a part.
    fn enter_powers_along<'a>(
        &mut self,
        simulation: AccountedSimulation,
        mut from: &'a State,
        ends: impl Iterator<Item = &'a State>,
    ) {
        self.friction.clear();
        self.is_stiff = false;
        self.list_working_links(simulation);
        if !self.has_work_to_enter(simulation.model, from) {
            return;
        }
        let mut instants = std::mem::take(&mut self.instants);
        // Late in a long run, the shortest inner steps begin and end at the same rounded time and
        // are skipped.
        for to in ends.filter(|to| to.t > from.t) {
            let [first, middle, last] = &mut instants;
            first.copy_from(from);
            interpolate_middle(from, to, middle);
            last.copy_from(to);
            let h = to.t - from.t;
            for pin in simulation.model.pins() {
                let i = pin.particle as usize;
                let v = (to.x[i] - from.x[i]) / h;
                middle.x[i] = (from.x[i] + to.x[i]) / 2.0;
                [&mut *first, middle, last].into_iter().for_each(|state| state.v[i] = v);
            }
            for (state, weight) in instants.iter().zip(WEIGHTS) {
                self.enter_powers(simulation, state, [weight * h, h]);
            }
            from = to;
        }
        self.instants = instants;
    }

    /// Enters the heat of friction at colliders that push by penalty forces: the friction impulse
    /// in the step times the mean of the velocities at both ends. The integral of power would be
    /// wrong here. Friction that keeps a particle in place may reverse its velocity in every step,
    /// and this power would count as heat although no motion is lost.
    fn enter_friction(&mut self, from: &State, to: &State) {
        let columns = self.friction.iter().zip(&from.v).zip(&to.v);
        let work: f64 = columns.map(|((j, v), w)| j.dot(*v + *w) * 0.5).sum();
        self.enter_heat(-work);
    }

    /// Returns the energy gain of integrator and solver, or `None` if it is within the limit
    /// [`MOST_MADE`].
    pub fn energy_gain(&self) -> Option<EnergyGain> {
        let KeptGain { since, joules, excess, .. } = self.kept;
        let fraction = joules / self.in_play;
        let fraction = if fraction > MOST_MADE { fraction } else { MOST_MADE * excess };
        Some(EnergyGain { t: since?, joules, fraction })
    }

    /// True if a gain remains in the verdict even if the motion gains energy later.
    pub fn is_gain_final(&self) -> bool {
        self.kept.is_final
    }

    /// Returns the energy that a solver's sweeps leave in constraints, or `None` if it is within
    /// the limit [`MOST_MADE`].
    pub fn left_by_sweeps(&self) -> Option<LeftBySweeps> {
        let t = self.left_at?;
        let joules = self.gain.joules;
        Some(LeftBySweeps { t, joules, fraction: joules / self.in_play })
    }

    /// Returns an upper bound of rounding errors in joules. Smaller energy changes are not entered.
    fn rounding_error(&self) -> f64 {
        1e-12 * (self.in_play + self.negligible + self.now.total().abs())
    }

    /// Returns the energy in joules that integrator and solver have made so far; negative if they
    /// lost energy.
    pub fn energy_made(&self) -> f64 {
        self.now.total() - self.start.total() - self.total_put_in() + self.total_taken_out()
    }

    /// Returns the energy that integrator and solver have made so far as a fraction of the largest
    /// kinetic + elastic energy (see [`Extreme::fraction`]); negative if they lost energy.
    pub fn energy_made_fraction(&self) -> f64 {
        self.fraction(self.energy_made())
    }

    /// Returns the energy `made` by integrator and solver as a fraction of the largest kinetic +
    /// elastic energy so far. A gain is divided by at least [`Self::negligible`]. A loss has no
    /// such bound, so a small swing that loses all its energy gives −1.
    fn fraction(&self, made: f64) -> f64 {
        made / if made > 0.0 { self.in_play.max(self.negligible) } else { self.in_play }
    }

    /// Returns the energy that all dampers have taken out, in joules.
    pub fn total_taken_out(&self) -> f64 {
        // `0.0 +` because an empty sum is −0.0.
        0.0 + self.taken_out.values().sum::<f64>()
    }

    /// Returns the energy that all drivers have put in, in joules.
    pub fn total_put_in(&self) -> f64 {
        0.0 + self.put_in.values().sum::<f64>()
    }

    /// Returns the balance after the newest entered step.
    pub fn balance(&self) -> Balance {
        let Energy { kinetic, potential, elastic } = self.now;
        let of = |extreme: Extreme, sign: f64| Extreme {
            fraction: match extreme.joules > 0.0 {
                true => self.fraction(sign * extreme.joules).abs(),
                false => 0.0,
            },
            ..extreme
        };
        Balance {
            start: self.start.total(),
            kinetic,
            potential,
            elastic,
            taken_out: self.taken_out.clone(),
            put_in: self.put_in.clone(),
            scheme: self.energy_made(),
            left_by_sweeps: self.left_in_constraints(),
            gain: of(self.gain, 1.0),
            loss: of(self.loss, -1.0),
        }
    }
}

/// Computes the state halfway between two states.
fn interpolate_middle(from: &State, to: &State, middle: &mut State) {
    let h = to.t - from.t;
    middle.resize(from.len());
    middle.t = from.t + h / 2.0;
    for i in 0..from.len() {
        let (x, v) = ([from.x[i], to.x[i]], [from.v[i], to.v[i]]);
        (middle.x[i], middle.v[i]) = hermite::middle(x, v, h);
    }
}
