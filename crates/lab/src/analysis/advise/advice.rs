//! Advice: the result of all trials.

use super::question::{AdviceQuestion, EndOfErrors, SAME_COST};
use super::reasons::{Rejected, nearest, why_not};
use super::trial::Trial;
use super::work::NotTried;
use serde::Serialize;

/// Summary of a search for settings.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// Cheapest settings that achieve the goal with the margin; null if no trial does. Among
    /// equally cheap settings, those with the fewest force evaluations and sweeps.
    pub best: Option<Trial>,
    /// Trial that comes nearest to the goal, and the reason why it fails; null if a trial achieves
    /// the goal.
    pub nearest: Option<Rejected>,
    /// Pareto front of cost and error (or stretch): the complete trials for which no cheaper trial
    /// has a smaller error (or stretch), the cheapest first.
    pub front: Vec<Trial>,
    /// All trials that can be recommended: `best` first, the others by rising cost. Unlike `front`,
    /// the list includes settings even if cheaper ones have a smaller error or stretch.
    pub recommended: Vec<Trial>,
    /// Commonly used settings that were not chosen, with the reasons.
    pub rejected: Vec<Rejected>,
    /// Number of tried settings.
    pub tried: usize,
    /// Sentence that warns if the solver of `best` replaces the stiffness of the material; null if
    /// it does not.
    pub caution: Option<String>,
    /// Families of settings that were not tried, or were tried only with too few substeps.
    pub not_tried: Vec<NotTried>,
    /// Time in seconds up to which errors are meaningful; null if they stay meaningful to the end.
    pub predictable_for: Option<f64>,
    /// Reason why errors are not meaningful until the end; null if they are.
    pub end_of_errors: Option<EndOfErrors>,
    /// Distance in metres that counts as an error of 1: the largest displacement of a particle in
    /// the precise run (a reference run with tiny steps), but at most the size of the moving bodies
    /// at the start.
    pub error_size: Option<f64>,
    /// Uncertainty of the precise run, divided by `error_size`: twice the error that its distance
    /// from a coarser run implies. Null if it is negligible.
    pub uncertainty: Option<f64>,
    /// Sentence that says why the precise run keeps elastic links at their rest lengths; null if it
    /// does not.
    pub rigid_reference: Option<String>,
}

/// Returns the trials that can be recommended: the best one first, the others by rising cost.
pub(super) fn recommended(trials: &[Trial], question: &AdviceQuestion) -> Vec<Trial> {
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

/// Returns the smallest cost of a trial that can be recommended, in seconds per simulated second;
/// infinite if there is none.
pub(super) fn least_cost(trials: &[Trial], question: &AdviceQuestion) -> f64 {
    let good = trials.iter().filter(|trial| trial.is_recommended(question));
    good.map(|trial| trial.cost_per_second).fold(f64::INFINITY, f64::min)
}

impl Advice {
    /// Summarises trials. After an interrupted search, `trials` are those that had been sent.
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
        let nearest = if best.is_none() { nearest(question, trials) } else { None };
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

    /// Returns the reason why a trial is not recommended; `None` if it is recommended.
    pub fn objection(question: &AdviceQuestion, trial: &Trial) -> Option<String> {
        (!trial.is_recommended(question)).then(|| why_not(question, trial, None))
    }

    /// Lists the commonly used settings that were not chosen, with the reasons.
    pub(super) fn reject(
        &mut self,
        question: &AdviceQuestion,
        common_settings: Vec<(String, Trial)>,
    ) {
        let left = common_settings
            .into_iter()
            .filter(|(_, trial)| self.best.is_none_or(|best| best.settings != trial.settings));
        self.rejected = left
            .map(|(name, trial)| {
                let why = why_not(question, &trial, self.best.as_ref());
                Rejected { name, trial, why }
            })
            .collect();
    }
}
