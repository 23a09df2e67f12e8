//! Recommended settings: a search over integrators, solvers, sweeps and substeps.

mod budgets;
mod error_measure;
mod family;
mod material;
mod question;
mod reasons;
mod search;
mod trial;
mod work;

pub use budgets::{BudgetTrial, EqualBudgets, SolverTrials, equal_budgets};
pub use family::in_longest_frame;
pub(super) use family::{can_hold, integrator_of, is_rope_or_tree};
pub use question::{
    AdviceQuestion, EndOfErrors, FRAMES_A_SECOND, Goal, MARGIN, MOST_AMPLITUDE_LOSS,
};
pub use reasons::{AdviceInWords, Rejected};
pub use trial::Trial;
pub use work::NotTried;

use super::job::{Cancelled, Work};
use super::stability::{SAMPLED_SECONDS, SceneSamples, sample_scene};
use crate::model::Parts;
use crate::simulation::Simulation;
use crate::simulation::settings::{LinkMode, Settings};
use error_measure::ErrorMeasure;
use rayon::prelude::*;
use serde::Serialize;
use std::sync::Arc;
use trial::Tester;

/// Ratio to the smallest measured cost up to which settings count as equally cheap. Counted work
/// then decides, because measured times vary from run to run.
pub const SAME_COST: f64 = 1.1;
/// Result of the search for settings.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// Cheapest settings that achieve the goal with the margin, with the least counted work if
    /// several are equally cheap; null if no trial does.
    pub best: Option<Trial>,
    /// Trial that comes nearest to the goal, with the reason why it fails; null if a trial achieves
    /// the goal.
    pub nearest: Option<Rejected>,
    /// Pareto front of cost and error (or stretch): complete trials for which no cheaper trial has
    /// a smaller error (or stretch). The cheapest trial is first.
    pub front: Vec<Trial>,
    /// All trials that can be recommended, `best` first, then the cheapest. Unlike `front`, the
    /// list includes settings that are beaten in cost and in error or stretch.
    pub recommended: Vec<Trial>,
    /// Settings in common use that were not chosen, with the reasons.
    pub rejected: Vec<Rejected>,
    /// Tried settings.
    pub tried: usize,
    /// Sentence that says if the solver of `best` replaces the stiffness of the material; null if
    /// it does not.
    pub caution: Option<String>,
    /// Families of settings that were not tried, or with too few substeps only.
    pub not_tried: Vec<NotTried>,
    /// Time in seconds up to which errors are meaningful; null = to the end.
    pub predictable_for: Option<f64>,
    /// Reason why errors are not meaningful to the end; null if they are.
    pub end_of_errors: Option<EndOfErrors>,
    /// Length in metres of an error of 1: the largest displacement of a particle in the precise
    /// run, at most the size of the moving bodies at the start.
    pub error_size: Option<f64>,
    /// Uncertainty of the precise run, divided by `error_size`: twice the error that its distance
    /// from a coarser run implies. Null if it is negligible.
    pub uncertainty: Option<f64>,
    /// Sentence that says why the precise run holds elastic links at their rest lengths; null if it
    /// does not.
    pub rigid_reference: Option<String>,
}

/// Searches for the cheapest settings that achieve the goal. Sends every trial through `work`.
/// `clock` returns seconds.
pub fn advise(
    parts: &Arc<Parts>,
    lane: &Settings,
    question: &AdviceQuestion,
    clock: &(dyn Fn() -> f64 + Sync),
    work: &Work<Trial>,
) -> Result<Advice, Cancelled> {
    let started = clock();
    let common_settings = family::common_settings(lane);
    let (measure, samples) = rayon::join(
        || {
            let most_work = work::MOST_REFERENCE_WORK;
            ErrorMeasure::of(parts, lane, question, most_work, &|| work.check())
        },
        || {
            if let Goal::Error(_) = question.goal {
                send_previews(&common_settings, parts, clock, work)?;
            }
            sample_springs(parts, lane, work)
        },
    );
    let (measure, samples) = (measure?, samples?);
    let (measure, samples) = (&measure, Some(&samples));
    let tester = Tester { parts, question, measure, samples, clock, started, work };
    let mut not_tried = Vec::new();
    let (common_settings, too_long): (Vec<_>, Vec<_>) =
        common_settings.into_iter().partition(|(_, settings)| {
            work::work_of_run(parts, settings, question.duration) <= work::MOST_FAMILY_WORK
        });
    for (name, _) in too_long {
        let why = search::Omission::Work.in_words(question.duration);
        work::add_not_tried(&mut not_tried, name, why);
    }
    let judge = |(name, settings): &(String, Settings)| {
        let trial = tester.judge(settings)?;
        work.send(trial);
        Ok((name.clone(), trial))
    };
    let common_settings = common_settings.par_iter().map(judge).collect::<Result<Vec<_>, _>>()?;
    let mut trials: Vec<Trial> = common_settings.iter().map(|(_, trial)| *trial).collect();
    let families = family::families(parts, lane);
    for NotTried { names, why } in search::search_families(families, &tester, &mut trials)? {
        names.into_iter().for_each(|name| work::add_not_tried(&mut not_tried, name, why.clone()));
    }
    let mut advice = Advice::of(question, &trials);
    if let Some(best) = &mut advice.best {
        tester.widen_margin(best)?;
        let listed = advice.front.iter_mut().filter(|trial| trial.settings == best.settings);
        listed.for_each(|trial| trial.margin = best.margin);
    }
    advice.predictable_for = measure.predictable_for();
    let caution = |best: &Trial| material::describe_replaced_stiffness(parts, &best.settings);
    advice.caution = advice.best.as_ref().and_then(caution);
    advice.end_of_errors = measure.end();
    advice.error_size = measure.size();
    advice.uncertainty = measure.uncertainty();
    advice.rigid_reference = measure.rigid_reference();
    advice.not_tried = not_tried;
    advice.reject(question, common_settings);
    Ok(advice)
}

/// Sends short trials of well-known settings, as a preview while the reference is computed.
fn send_previews(
    common_settings: &[(String, Settings)],
    parts: &Arc<Parts>,
    clock: &(dyn Fn() -> f64 + Sync),
    work: &Work<Trial>,
) -> Result<(), Cancelled> {
    for (_, settings) in common_settings {
        work.send(Tester::pilot(parts, settings, clock, work)?);
    }
    Ok(())
}

/// Samples the scene's first seconds with all links as springs. The stability limits of all
/// integrators follow from these samples.
fn sample_springs(
    parts: &Arc<Parts>,
    lane: &Settings,
    work: &Work<Trial>,
) -> Result<SceneSamples, Cancelled> {
    let springs = Settings { links: LinkMode::Springs, ..*lane };
    sample_scene(&Simulation::new(parts.clone(), springs), SAMPLED_SECONDS, || work.check())
}

/// Returns the trials that can be recommended: the best one first, then the cheapest.
fn recommended(trials: &[Trial], question: &AdviceQuestion) -> Vec<Trial> {
    let good = trials.iter().filter(|trial| trial.is_recommended(question));
    let mut good: Vec<Trial> = good.copied().collect();
    good.sort_by(|a, b| a.cost_per_second.total_cmp(&b.cost_per_second));
    let least = good.first().map_or(f64::INFINITY, |trial| trial.cost_per_second);
    let tied = good.iter().take_while(|trial| trial.cost_per_second <= SAME_COST * least);
    let best = tied.enumerate().min_by(|(_, a), (_, b)| a.compare_work(b, question.goal));
    if let Some(best) = best.map(|(place, _)| place) {
        good[..=best].rotate_right(1);
    }
    good
}

/// Returns the smallest cost of the trials that can be recommended, in computing seconds per
/// simulated second; infinite without such a trial.
fn least_cost(trials: &[Trial], question: &AdviceQuestion) -> f64 {
    let good = trials.iter().filter(|trial| trial.is_recommended(question));
    good.map(|trial| trial.cost_per_second).fold(f64::INFINITY, f64::min)
}

impl Advice {
    /// Summarises trials. After an interrupted search, `trials` are those that the search has sent.
    pub fn of(question: &AdviceQuestion, trials: &[Trial]) -> Self {
        let by_cost = |a: &&Trial, b: &&Trial| a.cost_per_second.total_cmp(&b.cost_per_second);
        let recommended = recommended(trials, question);
        let best = recommended.first().copied();
        let whole =
            |trial: &&Trial| trial.is_whole(question) && trial.measure(question.goal).is_finite();
        let mut sorted: Vec<&Trial> = trials.iter().filter(whole).collect();
        sorted.sort_by(by_cost);
        let mut least = f64::INFINITY;
        let front = sorted.into_iter().filter(|trial| {
            let measure = trial.measure(question.goal);
            let better = measure < least;
            least = least.min(measure);
            better
        });
        let front = front.copied().collect();
        let nearest = if best.is_none() { reasons::nearest(question, trials) } else { None };
        Self {
            best,
            nearest,
            front,
            recommended,
            rejected: Vec::new(),
            tried: trials.len(),
            caution: None,
            not_tried: Vec::new(),
            predictable_for: None,
            end_of_errors: None,
            error_size: None,
            uncertainty: None,
            rigid_reference: None,
        }
    }

    /// Returns the reason why a trial is not recommended; `None` if it can be.
    pub fn objection(question: &AdviceQuestion, trial: &Trial) -> Option<String> {
        (!trial.is_recommended(question)).then(|| reasons::why_not(question, trial, None))
    }

    fn reject(&mut self, question: &AdviceQuestion, common_settings: Vec<(String, Trial)>) {
        let left = common_settings
            .into_iter()
            .filter(|(_, trial)| self.best.is_none_or(|best| best.settings != trial.settings));
        self.rejected = left
            .map(|(name, trial)| {
                let why = reasons::why_not(question, &trial, self.best.as_ref());
                Rejected { name, trial, why }
            })
            .collect();
    }
}
