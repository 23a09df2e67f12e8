//! Longest stable step: predicted at the start, predicted from samples of a run, and measured.

pub(super) mod course;
pub(super) mod energy_run;
pub mod growth;
mod limit;
mod linear_run;
pub(super) mod longest_step;
pub(super) mod measured_limit;
mod trial_run;
mod uneven_steps;

pub use crate::analysis::vibration::fastest_mode::FastestMode;
pub use course::{Course, FOLLOWED_SECONDS, GrowthUnder, follow, limit_of, predict};
pub use limit::Limit;
pub use measured_limit::measure;
pub use trial_run::TrialRun;
pub use uneven_steps::MOST_STEPS;
