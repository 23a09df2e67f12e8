//! Advice as text.

use super::advice::Advice;
use super::question::{AdviceQuestion, EndOfErrors, FRAMES_A_SECOND, Goal, MARGIN};
use super::reasons::Rejected;
use super::trial::Trial;
use super::work::NotTried;
use crate::analysis::in_words::{
    loss_in_words, metres_in_words, percent, seconds_in_words, settings_in_words,
};
use serde::Serialize;

/// Advice as text: which settings to use, and what they achieve.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AdviceInWords {
    /// Recommendation, or a statement that no settings meet the goal.
    pub headline: String,
    /// Measured values as text.
    pub details: String,
}

impl EndOfErrors {
    /// Returns a sentence that says from when on errors are meaningless, and why. It begins with a
    /// space.
    pub fn in_words(self, seconds: f64) -> String {
        let since = seconds_in_words(seconds);
        match (self, seconds == 0.0) {
            (Self::ReferenceExplodes, true) => {
                " No error can be measured: the precise run explodes in the first frame.".to_owned()
            }
            (Self::ReferenceExplodes, false) => format!(
                " No error can be measured after {since}, because the precise run explodes. Errors \
                 were compared until then."
            ),
            (Self::Chaos, true) => {
                " The permitted error is too small to be measured: two precise runs that start a \
                 thousandth of it apart differ by more than that in the first frame."
                    .to_owned()
            }
            (Self::Chaos, false) => format!(
                " Errors mean nothing after {since}, because the motion is chaotic: two precise \
                 runs that start a thousandth of the permitted error apart differ by the whole \
                 permitted error. Errors were compared until then."
            ),
            (Self::ReferenceUncertain, true) => {
                " The permitted error is too small to be measured: the uncertainty of the precise \
                 run exceeds half of it in the first frame."
                    .to_owned()
            }
            (Self::ReferenceUncertain, false) => format!(
                " After {since}, the permitted error is too small to be measured: the uncertainty \
                 of the precise run exceeds half of it. Errors were compared until then."
            ),
            (Self::WorkSpent, true) => {
                " No error can be measured: a precise run of the first frame needs more work than \
                 the search permits."
                    .to_owned()
            }
            (Self::WorkSpent, false) => format!(
                " Errors were compared for the first {since}, because a longer precise run needs \
                 more work than the search permits."
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
                details: format!("The nearest is {name}: {why}.{}{notes}{omissions}", self.scale()),
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

    /// Returns a sentence that says why the precise run (a reference run with tiny steps) keeps
    /// elastic links at their rest lengths. Empty if it does not.
    fn describe_rigid_reference(&self) -> String {
        self.rigid_reference.as_ref().map_or_else(String::new, |sentence| format!(" {sentence}"))
    }

    /// Returns a sentence that says from when on errors are meaningless, and why. Empty if they are
    /// meaningful until the end.
    fn describe_end_of_errors(&self) -> String {
        let end = self.predictable_for.zip(self.end_of_errors);
        end.map_or_else(String::new, |(seconds, end)| end.in_words(seconds))
    }

    /// Returns a sentence about the uncertainty of the precise run. Empty if the uncertainty is
    /// below a hundredth of the permitted error.
    fn describe_uncertainty(&self, question: &AdviceQuestion) -> String {
        let matters = |uncertainty: &f64| *uncertainty > 0.01 * question.goal.most();
        self.uncertainty.filter(matters).map_or_else(String::new, |uncertainty| {
            format!(
                " The precise run itself is uncertain by {}, which is added to every error.",
                percent(uncertainty)
            )
        })
    }

    /// Returns a sentence about the settings that were not tried, and why. Empty if there are none.
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

    /// Returns a sentence with the length by which errors are divided. Empty if the goal is not an
    /// error.
    fn scale(&self) -> String {
        self.error_size.map_or_else(String::new, |size| {
            format!(" Errors are fractions of {}, the size of the motion.", metres_in_words(size))
        })
    }

    fn describe_result(&self, question: &AdviceQuestion, best: &Trial) -> String {
        let [mean, most_expensive] = [best.cost_per_second / FRAMES_A_SECOND, best.worst_frame];
        let taken = best.swing_taken.filter(|taken| *taken > 5e-4);
        let taken = taken.map_or_else(String::new, |taken| {
            format!("; the scheme removes {} of the amplitude per second", loss_in_words(taken))
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
