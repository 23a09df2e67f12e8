//! Tried remedies with the results of their trials.

use super::scene_change::NewNumber;
use super::symptoms::SymptomKind;
use crate::analysis::in_words::{factor, loss_in_words, percent, seconds_in_words, share_of};
use crate::scene::settings_to_ron;
use crate::simulation::settings::Settings;
use serde::Serialize;

/// Change of a lane (one simulation of the scene), with the result of its trial.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Remedy {
    /// Description of the change.
    pub change: String,
    /// Settings with the change.
    pub settings: Settings,
    /// Changed values of the scene file.
    pub scene: Vec<NewNumber>,
    /// Result of the trial.
    pub outcome: Outcome,
    /// True if the remedy cures the lane.
    pub holds: bool,
    /// Computing time per frame of 1/60 s in seconds.
    pub cost_per_frame: f64,
    /// Computing time divided by that of the unchanged lane before its explosion.
    pub cost_ratio: f64,
    /// Largest distance of a particle from its position in the precise run (a reference run with
    /// tiny steps), divided by `error_size`; null without a precise run.
    pub error: f64,
    /// Distance in metres that counts as an error of 1: the largest displacement of a particle in
    /// the precise run, but at most the size of the moving bodies at the start.
    pub error_size: Option<f64>,
}

impl Remedy {
    /// Returns the text that the user pastes into the scene file: settings, or values with their
    /// paths.
    pub fn to_paste(&self) -> String {
        if self.scene.is_empty() {
            return settings_to_ron(&self.settings);
        }
        let line = |NewNumber { path, value }: &NewNumber| match path.rsplit_once('.') {
            Some((element, field)) => format!("{field}: {value}, // {element}"),
            None => format!("{path}: {value},"),
        };
        self.scene.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

/// Result of trying a remedy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The lane is stable from the unchanged and from the perturbed start, and its symptoms have
    /// disappeared.
    Cures {
        /// Duration of each run, in simulated seconds.
        seconds: f64,
    },
    /// The lane is stable, but a symptom remains, or simulated time is lost.
    StillSick {
        /// Remaining symptom. A lane that loses simulated time has [`SymptomKind::SlowMotion`].
        symptom: SymptomKind,
        /// Value of the symptom, in the unit of [`Symptom::value`](super::Symptom::value).
        value: f64,
    },
    /// The lane explodes.
    Explodes {
        /// Time of the explosion, in seconds.
        t: f64,
        /// True if the run from the perturbed start exploded; false if the run from the unchanged
        /// start did.
        pushed: bool,
    },
    /// The integrator adds too much energy.
    GainsEnergy {
        /// Time in seconds at which the gain begins.
        t: f64,
        /// True if the run from the perturbed start gained energy.
        pushed: bool,
    },
    /// The integrator has added only little energy so far, but adds it faster and faster.
    GainsSlowly {
        /// Added energy as a fraction of the greatest kinetic + elastic energy of the motion.
        share: f64,
        /// True if the run from the perturbed start gained energy.
        pushed: bool,
    },
    /// The work budget ended before the run was complete.
    Unfinished {
        /// Simulated time in seconds for which the run was stable.
        seconds: f64,
    },
    /// The work budget ended before the first run.
    NotTried,
}

impl Outcome {
    /// True if the work budget ended the trial before it proved anything.
    pub fn is_open(&self) -> bool {
        matches!(self, Self::Unfinished { .. } | Self::NotTried)
    }

    /// Returns the outcome as text: `stable, 20 s twice`.
    pub fn in_words(&self) -> String {
        let start = |pushed: bool| if pushed { " after a push" } else { "" };
        match *self {
            Self::Cures { seconds } => format!("stable, {} twice", seconds_in_words(seconds)),
            Self::StillSick { symptom: SymptomKind::Rubbery | SymptomKind::TurningFar, value } => {
                format!("links still {} too long", percent(value))
            }
            Self::StillSick { symptom: SymptomKind::Soft, .. } => "soft".to_owned(),
            Self::StillSick { symptom: SymptomKind::Restless, value } => {
                format!("still jitters, {} m/s", factor(value))
            }
            Self::StillSick { symptom: SymptomKind::SlowMotion, value } if value > 0.0 => {
                format!("drops {:.0} % of the time", 100.0 * value)
            }
            Self::StillSick { symptom: SymptomKind::SlowMotion, value } => {
                format!("time passes {} times as fast", factor(1.0 - value))
            }
            Self::StillSick { symptom: SymptomKind::Jittering, .. } => {
                "each step is still as long as a frame".to_owned()
            }
            Self::StillSick { symptom: SymptomKind::LosingSwing, value } => {
                format!("loses {} of the amplitude per second", loss_in_words(-value))
            }
            Self::StillSick { symptom: SymptomKind::GainingSwing, value } => {
                format!("adds {} a second", share_of(&percent(value), "to", "the amplitude"))
            }
            Self::StillSick { symptom: SymptomKind::Unconverged, value } => {
                format!("{} of the steps do not converge", percent(value))
            }
            Self::StillSick { .. } => "no better".to_owned(),
            Self::Explodes { t, pushed } => {
                format!("explodes at {}{}", seconds_in_words(t), start(pushed))
            }
            Self::GainsEnergy { t, pushed } => {
                format!("gains energy at {}{}", seconds_in_words(t), start(pushed))
            }
            Self::GainsSlowly { share, pushed } => {
                format!("gains energy slowly{}, {} so far", start(pushed), percent(share))
            }
            Self::Unfinished { seconds } => {
                format!("stable for {}, not tried further", seconds_in_words(seconds))
            }
            Self::NotTried => "not tried: the work budget was spent".to_owned(),
        }
    }
}
