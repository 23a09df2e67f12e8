//! Whether a step went wrong, and how: it exploded, gave way, or did not converge.

use super::Simulation;
use super::run_state::Failure;
use crate::constraint::{ConstraintSolver, Rattle, Shake};
use crate::measure::{
    EnergyBooks, Explosion, GaveWay, LongLink, Softness, StopCause, Unconverged, Verdict,
    first_non_finite,
};
use crate::mesh::Links;
use crate::model::Energy;
use crate::numerics::state::State;

/// A lane with a link beyond the limit has exploded when more than this share of its kinetic and
/// elastic energy came from nothing.
const SHARE_FROM_NOTHING: f64 = 0.5;

/// No hand stretches a link to more rest lengths than this: a lane with such a link has exploded.
const LONGEST_BY_HAND: f64 = 1e6;

/// A lane that has given way is looked at in every so many steps, whether it explodes yet, and one
/// of XPBD or VBD, whether its sweeps suffice: a look at all links takes as long as a sweep.
const STEPS_BETWEEN: u64 = 16;

/// Stands for an energy at the start that the next step has to find: several cuts in a frame need it
/// once, and it costs a look at every link.
pub(super) const NOT_TAKEN: f64 = f64::INFINITY;

impl Simulation {
    /// Looks at the newest step. An exploded lane goes back to the last good state.
    pub(super) fn judge(&mut self) {
        let Self { model, run, scratch, blow_up_detector, constraints, settings, .. } = self;
        let (links, State { x, v, .. }) = (model.topology().links(), &run.state);
        let bounds = &scratch.bounds;
        let are_finite = bounds.iter().all(|(_, bounds)| bounds.are_finite());
        let broken = if are_finite { None } else { first_non_finite(x, v) };
        let limit = settings.longest_link;
        let is_long = blow_up_detector.is_overstretched(limit, links, constraints, x, bounds);
        // A hand may pull a rope as far as it likes: that is not the scheme's fault.
        let by_hand = self.run.hand.is_some() || self.run.blow.is_some();
        let pulled = by_hand || !self.run.stretch_armed;
        self.run.stretch_armed = !(pulled && is_long);
        let (t, step) = (self.run.state.t, self.run.clock.steps);
        let again = self.run.gave_way.is_some();
        let is_due = is_long && !pulled && (!again || step.is_multiple_of(STEPS_BETWEEN));
        if let Some(particle) = broken {
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
        } else if let Some((particle, link)) = self.beyond_any_hand(is_long && pulled) {
            let (link, cause) = (Some(link), StopCause::EnergyGrowth);
            self.explode(Explosion { t, step, particle, link, energy: 0.0, cause });
        } else if let Some((particle, link)) = is_due.then(|| self.longest_link()).flatten() {
            let energy = self.energy_to_judge();
            let from_nothing = energy.total() - self.run.start_energy;
            if from_nothing > SHARE_FROM_NOTHING * (energy.kinetic + energy.elastic) {
                let (link, cause) = (Some(link), StopCause::EnergyGrowth);
                self.explode(Explosion { t, step, particle, link, energy: 0.0, cause });
            } else {
                self.run.gave_way.get_or_insert(GaveWay { t, step, particle, link });
            }
        }
        if self.run.failure.is_none() {
            let missed = self.run.work.solve.failed || self.projection_missed();
            self.run.unconverged.count(t, u64::from(missed).max(self.steps_too_soft()));
        }
    }

    /// Keeps the last good state, whose energy it notes.
    fn explode(&mut self, explosion: Explosion) {
        self.run.state.copy_from(&self.run.previous);
        let energy = self.energy().total();
        let explosion = Explosion { energy, ..explosion };
        self.run.failure = Some(Failure { explosion, settings: self.settings });
    }

    /// The link that is longest in rest lengths, and the end of it that is free and faster.
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

    /// The longest link and its end, if a hand has pulled and it is too long for that.
    fn beyond_any_hand(&self, is_pulled: bool) -> Option<(u32, LongLink)> {
        let longest = is_pulled.then(|| self.longest_link()).flatten();
        longest.filter(|(_, link)| link.length > LONGEST_BY_HAND)
    }

    /// Steps since the last look at what XPBD or VBD leaves, if it leaves too much now.
    /// A look takes as long as a sweep, so it stands for the steps before it.
    fn steps_too_soft(&self) -> u64 {
        let is_due = self.run.clock.steps.is_multiple_of(STEPS_BETWEEN);
        let softens = self.settings.solver().softens_by_residual();
        let is_soft = || self.projection().residual > self.settings.largest_residual;
        if is_due && softens && is_soft() { STEPS_BETWEEN } else { 0 }
    }

    /// Whether the projection of the last step has a tolerance and missed it. A look costs as much
    /// as a sweep, so only one that has used all its sweeps is looked at.
    fn projection_missed(&self) -> bool {
        match self.settings.solver() {
            ConstraintSolver::Shake(Shake { max_iterations, .. })
            | ConstraintSolver::Rattle(Rattle { max_iterations, .. }) => {
                self.run.sweeps >= max_iterations && !self.projection().converged
            }
            _ => false,
        }
    }

    /// Energy from here on is compared with what there is now: a hand, a cut or other links have
    /// changed it.
    pub(super) fn take_energy_as_start(&mut self) {
        self.run.start_energy = self.energy_to_judge().total();
    }

    /// Energy without that of links that a constraint solver holds: relaxation and SHAKE know no
    /// compliance, so it would come from nothing as soon as such a link is too long.
    fn energy_to_judge(&self) -> Energy {
        self.model.energy(&self.run.state, &Links::default())
    }

    /// How the lane fares. Gains of energy, and what sweeps leave, are seen while books are kept, from when they were opened.
    pub fn verdict(&self) -> Verdict {
        if let Some(explosion) = self.explosion() {
            Verdict::Exploded(explosion)
        } else if let Some(gain) = self.books().and_then(EnergyBooks::gained) {
            Verdict::GainedEnergy(gain)
        } else if let Some(gave_way) = self.gave_way() {
            Verdict::Soft(Softness::LongLink(gave_way))
        } else if let Some(left) = self.books().and_then(EnergyBooks::left_by_sweeps) {
            Verdict::Soft(Softness::LeftBySweeps(left))
        } else {
            Verdict::Stable
        }
    }

    /// When and where it exploded, if it did.
    pub fn explosion(&self) -> Option<Explosion> {
        self.run.failure.map(|failure| failure.explosion)
    }

    /// When and where a link first became too long without an explosion, if one did.
    pub fn gave_way(&self) -> Option<GaveWay> {
        self.run.gave_way
    }

    /// Steps that did not converge.
    pub fn unconverged(&self) -> Unconverged {
        self.run.unconverged
    }
}
