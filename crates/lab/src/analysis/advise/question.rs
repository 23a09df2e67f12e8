//! Question that the search for settings answers.

use serde::Serialize;

/// Frames per second. A budget is the computing time of one frame, which consists of a whole number
/// of steps.
pub const FRAMES_A_SECOND: f64 = 60.0;

/// Safety margin. Recommended settings must stay stable if their step or their stiffness, each
/// alone, is multiplied by this factor.
pub const MARGIN: f64 = 1.5;

/// Largest fraction of the amplitude that the integrator may remove per second.
pub const MOST_AMPLITUDE_LOSS: f64 = 0.1;

/// Largest ratio of a measured cost to the smallest one at which the settings count as equally
/// cheap. The number of force evaluations and sweeps then decides, because measured times vary from
/// run to run.
pub(super) const SAME_COST: f64 = 1.1;

/// Goal that settings must achieve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum Goal {
    /// Largest permitted distance from the reference run at the end of any frame, as a fraction of
    /// the size of the motion ([`Advice::error_size`](super::Advice::error_size)).
    Error(f64),
    /// Largest permitted elongation of a link, as a fraction of its rest length.
    Stretch(f64),
}

impl Goal {
    /// Returns the name of the measured quantity: `error` or `stretch`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error(_) => "error",
            Self::Stretch(_) => "stretch",
        }
    }

    /// Returns the largest permitted value.
    pub fn most(self) -> f64 {
        let (Self::Error(most) | Self::Stretch(most)) = self;
        most
    }
}

/// Input of the search for settings: a goal, a budget and a duration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AdviceQuestion {
    /// Goal that settings must achieve.
    pub goal: Goal,
    /// Maximum computing time of the most expensive frame of 1/60 s, in seconds; null = no limit.
    pub budget: Option<f64>,
    /// Simulated duration of every complete trial, in seconds.
    pub duration: f64,
}

impl AdviceQuestion {
    /// Returns the largest fraction of the amplitude that the integrator may remove per second. It
    /// is infinite for an error goal, because the permitted error already limits the loss.
    pub fn most_amplitude_loss(&self) -> f64 {
        match self.goal {
            Goal::Stretch(_) => MOST_AMPLITUDE_LOSS,
            Goal::Error(_) => f64::INFINITY,
        }
    }
}

/// Reason why errors are not meaningful until the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndOfErrors {
    /// Two precise runs (reference runs with tiny steps) that start with slightly different
    /// velocities, by a thousandth of the permitted error per second, end up differing by the
    /// permitted error.
    Chaos,
    /// A precise run explodes.
    ReferenceExplodes,
    /// A precise run ended early, because it had reached its limit of force evaluations and sweeps.
    WorkSpent,
    /// The uncertainty of the precise run exceeds half of the permitted error.
    ReferenceUncertain,
}
