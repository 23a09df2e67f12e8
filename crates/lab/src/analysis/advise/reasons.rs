//! Reasons for not recommending settings, and the advice in words.

use super::question::{AdviceQuestion, EndOfErrors, FRAMES_A_SECOND, Goal, MARGIN};
use super::trial::Trial;
use super::work::NotTried;
use super::{Advice, SAME_COST};
use crate::analysis::in_words::{
    factor, loss_in_words, metres_in_words, percent, seconds_in_words, settings_in_words,
};
use serde::Serialize;

/// Settings that are not recommended, with the reason.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rejected {
    /// Common name of the settings, or settings in words.
    pub name: String,
    /// Result of the trial.
    #[serde(flatten)]
    pub trial: Trial,
    /// Reason against them.
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
        return format!("{unstable}{name} {measure}{when}, asked for {most}");
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
                format!("the scheme removes {} of the amplitude a second", loss_in_words(taken))
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
        None => "does it".to_owned(),
    }
}

/// Returns the trial nearest to the goal. First choice is the cheapest trial that meets the goal
/// and misses as few other requirements as possible. If no trial meets the goal, the trial with the
/// smallest error or stretch is returned, even if it was stopped early.
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

/// Advice in words: which settings to use, and their results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AdviceInWords {
    /// Recommendation, or that no settings meet the goal.
    pub headline: String,
    /// Measured numbers in words.
    pub details: String,
}

impl EndOfErrors {
    /// Returns a sentence that says from when on errors are meaningless, and why. Begins with a
    /// space.
    pub fn in_words(self, seconds: f64) -> String {
        let since = seconds_in_words(seconds);
        match (self, seconds == 0.0) {
            (Self::ReferenceExplodes, true) => {
                " No error can be measured: the precise run explodes in the first frame.".to_owned()
            }
            (Self::ReferenceExplodes, false) => format!(
                " From {since} on no error can be measured, because the precise run explodes. Errors \
                 were compared until then."
            ),
            (Self::Chaos, true) => {
                " No error that small can be measured: two precise runs that start a thousandth of \
                 it apart differ by more in the first frame."
                    .to_owned()
            }
            (Self::Chaos, false) => format!(
                " From {since} on errors mean nothing, because the motion is chaotic: two precise \
                 runs that start a thousandth of the permitted error apart differ by all of it. \
                 Errors were compared until then."
            ),
            (Self::ReferenceUncertain, true) => {
                " No error that small can be measured: the uncertainty of the precise run exceeds \
                 half of it in the first frame."
                    .to_owned()
            }
            (Self::ReferenceUncertain, false) => format!(
                " From {since} on no error that small can be measured, because the uncertainty of \
                 the precise run exceeds half of it. Errors were compared until then."
            ),
            (Self::WorkSpent, true) => {
                " No error can be measured: a precise run of the first frame needs more work than \
                 the search may do."
                    .to_owned()
            }
            (Self::WorkSpent, false) => format!(
                " Errors were compared for the first {since}, because a longer precise run needs \
                 more work than the search may do."
            ),
        }
    }
}

impl Advice {
    /// Returns the advice as a headline and details.
    pub fn in_words(&self, question: &AdviceQuestion) -> AdviceInWords {
        let notes = self.describe_rigid_reference()
            + &self.describe_uncertainty(question)
            + &self.describe_end_of_errors();
        let omissions = self.describe_omissions();
        match (&self.best, &self.nearest) {
            (Some(best), _) => AdviceInWords {
                headline: format!("Use {}.", settings_in_words(&best.settings)),
                details: self.describe_result(question, best) + &notes + &omissions,
            },
            (None, Some(Rejected { name, why, .. })) => AdviceInWords {
                headline: format!(
                    "None of the {} settings tried meets the goal with a margin of {MARGIN}.",
                    self.tried
                ),
                details: format!("Nearest is {name}: {why}.{}{notes}{omissions}", self.scale()),
            },
            (None, None) if self.tried == 0 => AdviceInWords {
                headline: "No settings were tried.".to_owned(),
                details: omissions.trim_start().to_owned(),
            },
            (None, None) => AdviceInWords {
                headline: format!("All {} settings tried explode before the end.", self.tried),
                details: (notes + &omissions).trim_start().to_owned(),
            },
        }
    }
}

impl Advice {
    /// Returns a sentence that says why the precise run keeps elastic links at their rest lengths.
    /// Empty if it does not.
    fn describe_rigid_reference(&self) -> String {
        self.rigid_reference.as_ref().map_or_else(String::new, |sentence| format!(" {sentence}"))
    }

    /// Returns a sentence with the time from which errors are meaningless, and the reason. Empty if
    /// errors are meaningful to the end.
    fn describe_end_of_errors(&self) -> String {
        let end = self.predictable_for.zip(self.end_of_errors);
        end.map_or_else(String::new, |(seconds, end)| end.in_words(seconds))
    }

    /// Returns a sentence with the uncertainty of the precise run. Empty if it is below a hundredth
    /// of the permitted error.
    fn describe_uncertainty(&self, question: &AdviceQuestion) -> String {
        let matters = |uncertainty: &f64| *uncertainty > 0.01 * question.goal.most();
        self.uncertainty.filter(matters).map_or_else(String::new, |uncertainty| {
            format!(
                " The precise run itself is uncertain by {}, which is added to every error.",
                percent(uncertainty)
            )
        })
    }

    /// Returns a sentence with the settings that were not tried, and the reasons. Empty if there
    /// are none.
    fn describe_omissions(&self) -> String {
        let omission = |NotTried { names, why }: &NotTried| match names.as_slice() {
            [] => String::new(),
            [one] => format!(" Not tried: {one}, because {why}."),
            [first, others @ ..] => {
                format!(" Not tried: {first} and {} others, because {why}.", others.len())
            }
        };
        self.not_tried.iter().map(omission).collect()
    }

    /// Returns a sentence with the length by which errors are divided. Empty for other goals.
    fn scale(&self) -> String {
        self.error_size.map_or_else(String::new, |size| {
            format!(" Errors are fractions of {}, the size of the motion.", metres_in_words(size))
        })
    }

    /// Returns sentences with the result of the recommended settings.
    fn describe_result(&self, question: &AdviceQuestion, best: &Trial) -> String {
        let [mean, most_expensive] = [best.cost_per_second / FRAMES_A_SECOND, best.worst_frame];
        let taken = best.swing_taken.filter(|taken| *taken > 5e-4);
        let taken = taken.map_or_else(String::new, |taken| {
            format!("; the scheme removes {} of the amplitude a second", loss_in_words(taken))
        });
        let measured = best.measure_in_words(question.goal);
        let result = match (question.goal, self.error_size) {
            (Goal::Error(_), Some(size)) => {
                format!("error {measured} of {}, the size of the motion", metres_in_words(size))
            }
            (goal, _) => format!("{} {measured}", goal.name()),
        };
        let caution = self.caution.as_ref().map_or_else(String::new, |it| format!(" {it}"));
        format!(
            "Run for {}: {result}; a frame of 1/60 s takes {} to compute, at most {}{taken}. Stable \
             with {} times the step and the stiffness.{caution}",
            seconds_in_words(best.duration),
            seconds_in_words(mean),
            seconds_in_words(most_expensive),
            best.margin.unwrap_or(1.0),
        )
    }
}
