//! Reasons for not recommending settings.

use super::question::{AdviceQuestion, MARGIN, SAME_COST};
use super::trial::Trial;
use crate::analysis::in_words::{
    factor, loss_in_words, percent, seconds_in_words, settings_in_words,
};
use serde::Serialize;

/// Settings that are not recommended, with the reason.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rejected {
    /// Common name of the settings, or the settings as text.
    pub name: String,
    /// Result of the trial.
    #[serde(flatten)]
    pub trial: Trial,
    /// Reason for not recommending the settings.
    pub why: String,
}

/// Returns the reason why a trial is not recommended, e.g. `explodes at 1.2 s`.
pub(super) fn why_not(question: &AdviceQuestion, trial: &Trial, best: Option<&Trial>) -> String {
    if let Some(t) = trial.exploded_at {
        return format!("explodes at {}", seconds_in_words(t));
    }
    let name = question.goal.name();
    if !trial.meets_goal(question) {
        let when = match trial.is_whole(question) {
            true => String::new(),
            false => format!(" within {}", seconds_in_words(trial.duration)),
        };
        let unstable = match trial.margin {
            Some(0.0) => "unstable at every step: ".to_owned(),
            Some(margin) if margin < 1.0 => {
                format!(
                    "unstable, its step is {} times the longest stable one: ",
                    factor(1.0 / margin)
                )
            }
            _ => String::new(),
        };
        let measure = trial.measure_in_words(question.goal);
        let most = percent(question.goal.most());
        return format!("{unstable}{name} {measure}{when}, the goal is {most}");
    }
    if let Some(margin) = trial.margin.filter(|margin| *margin < MARGIN) {
        return match margin {
            0.0 => "unstable at every step".to_owned(),
            1.0 => {
                format!("unstable with {MARGIN} times its step or with as many times the stiffness")
            }
            margin => format!(
                "{} times its step is the longest stable one; {MARGIN} is the margin",
                factor(margin)
            ),
        };
    }
    if let Some(budget) = question.budget.filter(|budget| trial.worst_frame > *budget) {
        let [frame, budget] = [trial.worst_frame, budget].map(seconds_in_words);
        return format!("its most expensive frame takes {frame}, the budget is {budget}");
    }
    if !trial.keeps_motion(question) {
        return match (trial.swing_taken, trial.made) {
            (Some(taken), _) if taken > question.most_amplitude_loss() => {
                format!("the scheme removes {} of the amplitude per second", loss_in_words(taken))
            }
            (_, Some(made)) if made.is_infinite() => {
                "the scheme adds energy where there is no motion".to_owned()
            }
            (_, Some(made)) => {
                format!(
                    "the scheme adds energy, {} times the greatest kinetic + elastic energy of the \
                     motion",
                    factor(made)
                )
            }
            _ => "the scheme changes the motion".to_owned(),
        };
    }
    match best {
        Some(best) => {
            let ratio = trial.cost_per_second / best.cost_per_second;
            match ratio > SAME_COST {
                true => format!("meets the goal, at {} times the cost", factor(ratio)),
                false if trial.work > best.work => {
                    let ratio = factor(trial.work / best.work);
                    format!("meets the goal at about the same cost, with {ratio} times the work")
                }
                false => "meets the goal at about the same cost and work".to_owned(),
            }
        }
        None => "achieves the goal".to_owned(),
    }
}

/// Returns the trial that comes nearest to the goal: among the trials that meet it, the one that
/// misses the fewest other requirements, and the cheapest of these. If no trial meets the goal, the
/// trial with the smallest error or stretch is returned, even if it was stopped early.
pub(super) fn nearest(question: &AdviceQuestion, trials: &[Trial]) -> Option<Rejected> {
    let by_cost = |a: &&Trial, b: &&Trial| a.worst_frame.total_cmp(&b.worst_frame);
    let meets = trials.iter().filter(|trial| trial.meets_goal(question));
    let keeps = meets.clone().filter(|trial| trial.keeps_motion(question));
    let whole = trials.iter().filter(|trial| trial.is_whole(question));
    let by_measure =
        |a: &&Trial, b: &&Trial| a.measure(question.goal).total_cmp(&b.measure(question.goal));
    let steady = keeps.clone().filter(|trial| trial.margin.is_none_or(|margin| margin >= MARGIN));
    let found = steady.min_by(by_cost).or(keeps.min_by(by_cost)).or(meets.min_by(by_cost));
    let alive = trials.iter().filter(|trial| trial.exploded_at.is_none());
    let trial = *found.or(whole.min_by(by_measure)).or(alive.min_by(by_measure))?;
    let name = settings_in_words(&trial.settings);
    Some(Rejected { name, trial, why: why_not(question, &trial, None) })
}
