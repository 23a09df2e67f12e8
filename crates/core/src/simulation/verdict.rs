//! Judgement after each step: exploded, overstretched, or not converged.

use super::run_state::{Compliance, Failure};
use super::running_scene::Simulation;
use crate::measure::{
    EnergyAccount, Explosion, LongLink, Overstretch, Softness, StopCause, TooCompliant,
    Unconverged, Verdict, first_non_finite,
};
use crate::model::Energy;
use ropelab_mechanics::mesh::{Link, Links};
use ropelab_mechanics::numerics::state::State;

/// Largest growth of the total energy since the start, as a fraction of the kinetic and elastic
/// energy. If the energy grows more and a link is overlong, the simulation counts as exploded.
const FRACTION_FROM_NOTHING: f64 = 0.5;

/// Number of steps between two checks of all links. The checks find out whether an overstretched
/// simulation explodes, and whether the sweeps of XPBD or VBD suffice. A check costs as much as a
/// sweep.
const STEPS_BETWEEN: u64 = 16;
/// Number of steps from a check that finds no overlong link to the next check. It is larger than
/// `STEPS_BETWEEN`, because an elastic cloth may stay stretched for the whole simulation.
const STEPS_AFTER_GOOD: u64 = 64;

/// Largest permitted excess length of a link, as a fraction of its rest length, for solvers with a
/// stiffness of their own. The frequency limit of these solvers makes links softer.
const TOO_LONG_BY_FREQUENCY: f64 = 0.05;
/// Largest permitted excess length of a link, as a fraction of its rest length, for solvers whose
/// sweeps may not converge. In the scene library, flags and cloths that look right exceed 5 % in
/// gusts, and ropes that visibly stretch exceed 10 %.
const TOO_LONG_BY_SWEEPS: f64 = 0.1;
/// Total simulated time in seconds for which links must be too long before the verdict. A jerk is
/// shorter. The times of all swings are added, because a swinging rope bears its full load only at
/// the bottom of each swing.
const LEAST_SECONDS_TOO_LONG: f64 = 0.5;

/// Length of a link that the mouse cannot cause, as a multiple of `longest_link`: 500 m for a link
/// of 5 cm. Before this limit existed, a simulation pulled by the mouse reached 10³² m before it
/// counted as exploded.
const FARTHEST_PULL: f64 = 1000.0;

impl Simulation {
    /// Judges the newest step. An exploded simulation returns to its last valid state.
    pub(super) fn judge_step(&mut self) {
        let Self { model, run, scratch, blow_up_detector, constraints, settings, .. } = self;
        let (links, State { x, v, .. }) = (model.topology().links(), &run.state);
        let bounds = &scratch.bounds;
        let are_finite = bounds.iter().all(|(_, bounds)| bounds.are_finite());
        let non_finite = if are_finite { None } else { first_non_finite(x, v) };
        let limit = settings.longest_link;
        let is_long = blow_up_detector.is_overstretched(limit, links, constraints, x, bounds);
        // The hand (the user's mouse) may stretch links up to [`FARTHEST_PULL`] without an
        // explosion, because the integrator does not cause this stretch.
        let by_hand = self.run.hand.is_some() || self.run.blow.is_some();
        let is_stretched_by_hand = by_hand || !self.run.stretch_armed;
        self.run.stretch_armed = !(is_stretched_by_hand && is_long);
        let (t, step) = (self.run.state.t, self.run.clock.steps);
        let again = is_stretched_by_hand || self.run.overstretch.is_some();
        let is_due = is_long && (!again || step.is_multiple_of(STEPS_BETWEEN));
        let is_blamed =
            |link: &LongLink| !is_stretched_by_hand || link.length > FARTHEST_PULL * limit;
        if let Some(particle) = non_finite {
            self.explode(Explosion {
                t,
                step,
                particle,
                link: None,
                energy: 0.0,
                cause: StopCause::NonFinite,
            });
        } else if self.scratch.contacts.is_crowded() {
            let (particle, link, cause) = (0, None, StopCause::Crowded);
            self.explode(Explosion { t, step, particle, link, energy: 0.0, cause });
        } else if let Some((particle, link)) =
            is_due.then(|| self.longest_link()).flatten().filter(|(_, link)| is_blamed(link))
        {
            let energy = self.energy_to_judge();
            let from_nothing = energy.total() - self.run.start_energy;
            if from_nothing > FRACTION_FROM_NOTHING * (energy.kinetic + energy.elastic) {
                let (link, cause) = (Some(link), StopCause::EnergyGrowth);
                self.explode(Explosion { t, step, particle, link, energy: 0.0, cause });
            } else {
                self.run.overstretch.get_or_insert(Overstretch { t, step, particle, link });
            }
        }
        if self.run.failure.is_none() {
            let missed = self.run.work.solve.failed || self.projection_missed();
            self.run.unconverged.count(t, u64::from(missed).max(self.steps_too_soft()));
            if !by_hand {
                self.record_compliance();
            }
        }
    }

    /// Adds up the time during which the solver leaves links longer than their stiffness allows. A
    /// check costs as much as a sweep, so one check represents all steps since the previous check.
    fn record_compliance(&mut self) {
        let Compliance { next, found, .. } = self.run.compliance;
        let steps = self.run.clock.steps;
        let is_due = steps.is_multiple_of(STEPS_BETWEEN) && steps >= next;
        if !is_due || found.is_some() || self.settings.solver().is_none() {
            return;
        }
        let Some((share, link)) = self.most_overlong_link() else {
            // A swinging rope bears its full load only briefly, so solvers with a stiffness of
            // their own are checked every `STEPS_BETWEEN` steps.
            let waits = !self.settings.solver().has_own_stiffness();
            self.run.compliance.next = steps + if waits { STEPS_AFTER_GOOD } else { 0 };
            return;
        };
        let step = self.run.state.t - self.run.previous.t;
        let compliance = &mut self.run.compliance;
        compliance.seconds += STEPS_BETWEEN as f64 * step;
        if compliance.seconds >= LEAST_SECONDS_TOO_LONG {
            compliance.found = Some(TooCompliant { t: self.run.state.t, link, share });
        }
    }

    /// Returns the link that exceeds the length allowed by its stiffness the most, and the excess
    /// as a fraction of its rest length. `None` if no excess is above the limit. Computes excesses
    /// only if some link exceeds its rest length by more than the limit.
    fn most_overlong_link(&self) -> Option<(f64, LongLink)> {
        let by_frequency = self.settings.solver().has_own_stiffness();
        let too_long = if by_frequency { TOO_LONG_BY_FREQUENCY } else { TOO_LONG_BY_SWEEPS };
        let x = &self.run.state.x;
        let is_long = |link: Link| {
            let longest = (1.0 + too_long) * link.rest;
            x[link.a as usize].distance_squared(x[link.b as usize]) > longest * longest
        };
        let any = self.model.topology().links().iter().any(is_long);
        let worst = any.then(|| self.most_compliant(is_long)).flatten();
        worst.filter(|(share, _)| *share > too_long)
    }

    /// Returns the link with the largest excess length among those that `is_considered` accepts,
    /// and the excess as a fraction of its rest length L. The excess is (l − L − (T − c l̇)/k)/L
    /// for a link of length l, stiffness k and damping c under the tension T, and (l − L)/L for a
    /// rigid link.
    fn most_compliant(&self, is_considered: impl Fn(Link) -> bool) -> Option<(f64, LongLink)> {
        let State { x, v, .. } = &self.run.state;
        let (solver, w) = (self.settings.solver(), self.model.inverse_masses());
        // Links in the order of the constraints, so that `i` is the index of the constraint.
        let links = self.model.topology().links().iter().filter(|link| solver.constrains(link));
        let all = links.enumerate().filter_map(|(i, link)| {
            let (a, b) = (link.a as usize, link.b as usize);
            if !is_considered(link) || link.is_cut() || w[a] + w[b] == 0.0 {
                return None;
            }
            let d = x[b] - x[a];
            let l = d.length();
            let material_excess = match self.spring_and_pull(i, &link) {
                None => 0.0,
                // A tension of exactly 0 means that the solver has no multipliers and the tension
                // is unknown.
                Some((_, 0.0)) => return None,
                Some((spring, pull)) => {
                    (pull - spring.damping * (v[b] - v[a]).dot(d) / l) / spring.stiffness
                }
            };
            let share = (l - link.rest - material_excess) / link.rest;
            Some((share, LongLink { ends: [link.a, link.b], length: l / link.rest }))
        });
        all.max_by(|(one, _), (other, _)| one.total_cmp(other))
    }

    /// Returns a link as the spring that its material prescribes, and the tension of the link in
    /// newtons in the last substep. The link is constraint `i`. `None` if the link must be rigid.
    fn spring_and_pull(&self, i: usize, link: &Link) -> Option<(Link, f64)> {
        let solver = self.settings.solver();
        if solver.has_own_stiffness() {
            // In the forces of a warm start, tension is negative.
            let force = self.run.link_forces.get(i).copied().unwrap_or_default();
            return (!link.rigid).then_some((*link, -force));
        }
        let w = self.model.inverse_masses();
        let step = self.run.state.t - self.run.previous.t;
        let h = step / f64::from(self.settings.substeps);
        let spring = solver.equivalent_spring(link, w[link.a as usize] + w[link.b as usize], h)?;
        Some((spring, self.constraints.tension(i, self.multiplier_time(h))))
    }

    /// Returns to the last valid state, and stores its energy with the explosion.
    fn explode(&mut self, explosion: Explosion) {
        self.run.state.copy_from(&self.run.previous);
        let energy = self.energy().total();
        let explosion = Explosion { energy, ..explosion };
        self.run.failure = Some(Failure { explosion, settings: self.settings });
    }

    /// Returns the link with the largest ratio of length to rest length, with the faster of its
    /// free ends.
    fn longest_link(&self) -> Option<(u32, LongLink)> {
        let State { x, v, .. } = &self.run.state;
        let links = self.model.topology().links().iter().filter(|link| !link.is_cut());
        let length = |a: u32, b: u32| x[a as usize].distance(x[b as usize]);
        let all = links.map(|link| LongLink {
            ends: [link.a, link.b],
            length: length(link.a, link.b) / link.rest,
        });
        let longest = all.max_by(|one, other| one.length.total_cmp(&other.length))?;
        let [a, b] = longest.ends;
        let speed = |i: u32| {
            if self.model.is_pinned(i) { -1.0 } else { v[i as usize].length_squared() }
        };
        Some((if speed(a) > speed(b) { a } else { b }, longest))
    }

    /// Returns `STEPS_BETWEEN` if a check is due and the solver's residual is too large, otherwise
    /// 0. A check costs as much as a sweep, so one check represents all steps since the previous
    /// check.
    fn steps_too_soft(&self) -> u64 {
        let is_due = self.run.clock.steps.is_multiple_of(STEPS_BETWEEN);
        let softens = self.settings.solver().softens_by_residual();
        let is_soft = || self.projection().residual > self.settings.largest_residual;
        if is_due && softens && is_soft() { STEPS_BETWEEN } else { 0 }
    }

    /// True if the solver has a tolerance and the projection of the last step missed it. The check
    /// costs as much as a sweep, so it runs only if the projection took the largest permitted
    /// number of sweeps.
    fn projection_missed(&self) -> bool {
        let solver = self.settings.solver();
        let most = solver.iterations().filter(|_| solver.has_tolerance());
        most.is_some_and(|most| self.run.sweeps >= most && !self.projection().converged)
    }

    /// Stores the present energy as the reference for energy growth. The hand, a cut or a new
    /// choice of springs has changed the energy.
    pub(super) fn take_energy_as_start(&mut self) {
        self.run.start_energy = self.energy_to_judge().total();
    }

    /// Returns the energy without that of constraints. Relaxation and SHAKE have no compliance. If
    /// the energy of the links that they leave too long were included, the simulation would seem to
    /// gain energy.
    fn energy_to_judge(&self) -> Energy {
        self.model.energy(&self.run.state, &Links::default())
    }

    /// Returns the verdict on the simulation. Gained energy, and energy left by sweeps, are
    /// detected only while the simulation keeps an energy account.
    pub fn verdict(&self) -> Verdict {
        if let Some(explosion) = self.explosion() {
            Verdict::Exploded(explosion)
        } else if let Some(gain) = self.energy_account().and_then(EnergyAccount::energy_gain) {
            Verdict::GainedEnergy(gain)
        } else if let Some(overstretch) = self.overstretch() {
            Verdict::Soft(Softness::LongLink(overstretch))
        } else if let Some(compliant) = self.run.compliance.found {
            Verdict::Soft(Softness::TooCompliant(compliant))
        } else if let Some(left) = self.energy_account().and_then(EnergyAccount::left_by_sweeps) {
            Verdict::Soft(Softness::LeftBySweeps(left))
        } else {
            Verdict::Stable
        }
    }

    /// Returns time and place of the explosion, or `None` if the simulation has not exploded.
    pub fn explosion(&self) -> Option<Explosion> {
        self.run.failure.map(|failure| failure.explosion)
    }

    /// Returns time and place of the first overlong link; `None` if there is none, or an explosion.
    pub fn overstretch(&self) -> Option<Overstretch> {
        self.run.overstretch
    }

    /// Returns the count of steps that did not converge.
    pub fn unconverged(&self) -> Unconverged {
        self.run.unconverged
    }
}
