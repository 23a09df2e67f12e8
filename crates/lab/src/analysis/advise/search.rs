//! Search for the cheapest settings. It tries each family from the smallest number of substeps
//! upwards, and the cheapest family first.

use super::advice::{least_cost, recommended};
use super::family::{Family, MOST_SUBSTEPS};
use super::question::{FRAMES_A_SECOND, MARGIN, SAME_COST};
use super::trial::{Tester, Trial};
use super::work::{MOST_FAMILY_WORK, NotTried, add_not_tried, work_of_run};
use crate::analysis::in_words::{integrator_and_solver_in_words, seconds_in_words};
use crate::analysis::job::Cancelled;
use rayon::prelude::*;

/// Largest ratio between the smallest successful and the largest failed number of substeps at which
/// the search in a family ends.
const COUNT_RATIO: f64 = 1.07;
/// Largest ratio of the errors (or stretches) after and before the substeps of a family double. If
/// the ratio is larger, the family is dropped, because it hardly improves.
const STALLED_FRACTION: f64 = 0.95;
/// Number of runs for a trial that meets the goal: the trial, a run with an energy account (which
/// separates the energy that the integrator adds), a run with the step multiplied by the margin,
/// and a run with the stiffness multiplied by the margin.
const RUNS_OF_A_GOOD_TRIAL: f64 = 4.0;
/// Factors by which the sweeps of the best family are multiplied in the second part of the search.
const SWEEP_FACTORS: [f64; 4] = [0.5, 0.7, 1.4, 2.0];

/// State of the search within one family, from its smallest number of substeps upwards. A count is
/// a number of substeps per frame.
#[derive(Clone, Debug)]
struct FamilySearch {
    family: Family,
    /// Measured computing time per substep, in seconds.
    substep_cost: f64,
    /// Largest number of substeps that failed; 0 if none did.
    failed: u32,
    /// Smallest number of substeps that achieved the goal.
    good: Option<u32>,
    /// Error or stretch (the quantity that the goal limits) of the last trial that ran to the end.
    last: Option<f64>,
    /// Next number of substeps to try; `None` when the search in this family has ended.
    next: Option<u32>,
    /// Work of a run over the whole duration, per substep of a frame.
    work_per_substep: f64,
    spent: f64,
    /// Reason why the next number of substeps was not tried; `None` if the search ended for other
    /// reasons.
    not_tried: Option<Omission>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Omission {
    /// The settings need more substeps per frame than the search tries.
    Substeps,
    /// The trials need more work than is permitted.
    Work,
}

impl Omission {
    /// Returns the reason as a clause.
    pub fn in_words(self, duration: f64) -> String {
        match self {
            Self::Substeps => {
                format!("stability would need more than {MOST_SUBSTEPS} substeps per frame")
            }
            Self::Work => format!(
                "runs of {} need more work than the search permits, {:.0} billion force \
                 evaluations of a particle; a shorter duration needs less",
                seconds_in_words(duration),
                MOST_FAMILY_WORK / 1e9,
            ),
        }
    }
}

impl FamilySearch {
    /// Starts the search at the smallest count that is stable in theory, with the margin. A family
    /// with a fixed number of sweeps starts at 1.
    fn of(family: Family, tester: &Tester) -> Result<Self, Cancelled> {
        let limit = tester.samples.map(|samples| samples.limit(&family.with(1)).longest());
        let stable = limit.unwrap_or(f64::INFINITY);
        let least = match family.sweeps() {
            None => MARGIN / FRAMES_A_SECOND / stable,
            Some(_) => 1.0,
        };
        let least = least.ceil().max(1.0) as u32;
        let next = Some(least).filter(|next| *next <= MOST_SUBSTEPS);
        let not_tried = next.is_none().then_some(Omission::Substeps);
        let count = next.unwrap_or(1);
        let substep_cost = tester.measure_step_cost(&family.with(count))? / f64::from(count);
        let duration = tester.question.duration;
        let mut search = Self {
            family,
            substep_cost,
            failed: least - 1,
            good: None,
            last: None,
            next,
            work_per_substep: work_of_run(tester.parts, &family.with(1), duration),
            spent: 0.0,
            not_tried,
        };
        search.drop_unaffordable_count();
        Ok(search)
    }

    /// Drops the next number of substeps if its trial would exceed the work limit of a family.
    fn drop_unaffordable_count(&mut self) {
        let work = |next: u32| self.work_per_substep * f64::from(next);
        if self.next.is_some_and(|next| self.spent + work(next) > MOST_FAMILY_WORK) {
            self.next = None;
            self.not_tried = Some(Omission::Work);
        }
    }

    /// Returns the computing time per frame with the next number of substeps, in seconds; infinite
    /// if there is no next number.
    fn cost(&self) -> f64 {
        self.next.map_or(f64::INFINITY, |next| self.substep_cost * f64::from(next))
    }

    /// Records the trial with the next number of substeps, and chooses the number after it.
    fn record_trial(&mut self, trial: &Trial, tester: &Tester, is_better: bool) {
        let Some(tried) = self.next else { return };
        let question = tester.question;
        self.substep_cost = trial.cost_per_second / FRAMES_A_SECOND / f64::from(tried);
        let measure = trial.measure(question.goal);
        if trial.is_recommended(question) {
            self.good = Some(tried);
        } else {
            self.failed = self.failed.max(tried);
        }
        let is_whole = trial.is_whole(question);
        let misses = is_whole && !trial.meets_goal(question);
        let stalls = misses && self.last.is_some_and(|last| measure > STALLED_FRACTION * last);
        self.last = if is_whole { Some(measure) } else { self.last };
        self.next = match self.good {
            Some(good) if is_better || self.failed > 0 => count_between(self.failed, good),
            Some(_) => None,
            None if stalls || !trial.is_affordable(question) => None,
            None => Some(2 * tried).filter(|next| *next <= MOST_SUBSTEPS),
        };
        let runs = if trial.meets_goal(question) { RUNS_OF_A_GOOD_TRIAL } else { 1.0 };
        let fraction = (trial.duration / question.duration).min(1.0);
        self.spent += runs * fraction * self.work_per_substep * f64::from(tried);
        self.drop_unaffordable_count();
    }
}

/// Returns the geometric mean of a failed and a good number of substeps; `None` if they are close.
fn count_between(failed: u32, good: u32) -> Option<u32> {
    let is_close = good <= failed + 1 || f64::from(good) <= COUNT_RATIO * f64::from(failed);
    let middle = (f64::from(good) * f64::from(failed.max(1))).sqrt().round() as u32;
    (!is_close).then(|| middle.clamp(failed + 1, good - 1))
}

/// Tries families until no untried settings could be cheaper than the best. `trials` contains the
/// earlier trials, and new trials are appended. Returns the families that were not tried, with the
/// reasons.
pub(super) fn search_families(
    families: Vec<Family>,
    tester: &Tester,
    trials: &mut Vec<Trial>,
) -> Result<Vec<NotTried>, Cancelled> {
    let searches = families.into_iter().map(|family| FamilySearch::of(family, tester));
    let mut searches = searches.collect::<Result<Vec<_>, _>>()?;
    try_next_counts(&mut searches, tester, trials)?;
    let not_tried = families_not_tried(&searches, tester.question.duration);
    let best = recommended(trials, tester.question).first().copied();
    let Some(best) = best else { return Ok(not_tried) };
    let family = Family::of(&best.settings);
    let Some(own) = family.sweeps() else { return Ok(not_tried) };
    let sweep_counts =
        SWEEP_FACTORS.map(|factor| (f64::from(own) * factor).round().max(1.0) as u32);
    let mut searches = Vec::new();
    for sweeps in sweep_counts.into_iter().filter(|other| *other != own) {
        let mut search = FamilySearch::of(family.with_sweeps(sweeps), tester)?;
        // The new number of substeps preserves the product of substeps and sweeps.
        let work = f64::from(best.settings.substeps) * f64::from(own);
        let substeps = (work / f64::from(sweeps)).round().max(1.0) as u32;
        search.next = Some(substeps.min(MOST_SUBSTEPS));
        search.drop_unaffordable_count();
        searches.push(search);
    }
    try_next_counts(&mut searches, tester, trials)?;
    Ok(not_tried)
}

/// Returns the families that have no successful trial and whose next count was not tried, with the
/// reasons.
fn families_not_tried(searches: &[FamilySearch], duration: f64) -> Vec<NotTried> {
    let mut list = Vec::new();
    for search in searches.iter().filter(|search| search.good.is_none()) {
        if let Some(omission) = search.not_tried {
            let name = integrator_and_solver_in_words(&search.family.with(1));
            add_not_tried(&mut list, name, omission.in_words(duration));
        }
    }
    list
}

/// Tries the next numbers of substeps of the cheapest families, several at a time. Ends when every
/// next number costs more than [`SAME_COST`] × the cheapest recommended trial.
fn try_next_counts(
    searches: &mut [FamilySearch],
    tester: &Tester,
    trials: &mut Vec<Trial>,
) -> Result<(), Cancelled> {
    let at_a_time = rayon::current_num_threads().max(1);
    loop {
        let best = SAME_COST * least_cost(trials, tester.question) / FRAMES_A_SECOND;
        let is_open = |search: &&mut FamilySearch| search.next.is_some() && search.cost() < best;
        let mut open: Vec<&mut FamilySearch> = searches.iter_mut().filter(is_open).collect();
        open.sort_by(|a, b| a.cost().total_cmp(&b.cost()));
        forecast(&open, tester, best);
        open.truncate(at_a_time);
        if open.is_empty() {
            return Ok(());
        }
        let judge = |search: &mut &mut FamilySearch| {
            let settings = search.family.with(search.next.unwrap_or(1));
            let trial = tester.judge(&settings)?;
            tester.work.send(trial);
            search.record_trial(&trial, tester, trial.cost_per_second / FRAMES_A_SECOND <= best);
            Ok(trial)
        };
        let found = open.par_iter_mut().map(judge).collect::<Result<Vec<_>, _>>()?;
        trials.extend(found);
    }
}

/// Estimates and reports the remaining computing time. The estimate counts how often the substeps
/// of each family can double before the family costs more than the best trial.
fn forecast(open: &[&mut FamilySearch], tester: &Tester, best: f64) {
    let frames = tester.question.duration * FRAMES_A_SECOND;
    let cheapest = open.first().map_or(0.0, |search| search.cost());
    let bound = if best.is_finite() { best } else { 2.0 * cheapest };
    let left = |search: &&mut FamilySearch| {
        let doublings = (bound / search.cost()).log2().max(0.0) + 1.0;
        doublings.min(10.0) * search.cost().min(bound) * frames
    };
    let seconds: f64 = open.iter().map(left).sum();
    let threads = rayon::current_num_threads().max(1) as f64;
    tester.work.report_remaining((tester.clock)() - tester.started, seconds / threads);
}
