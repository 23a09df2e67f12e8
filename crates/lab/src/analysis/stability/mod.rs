//! Longest stable step: predicted at the start, predicted from samples of a run, or measured.

pub(super) mod energy_run;
pub mod growth;
mod limit;
mod linear_run;
pub(super) mod longest_step;
pub(super) mod measured_limit;
pub(super) mod scene_samples;
mod trial_run;
mod uneven_steps;

pub use crate::analysis::vibration::fastest_mode::FastestMode;
pub use limit::Limit;
pub use measured_limit::{measure_doubling, measure_limit};
pub use scene_samples::{
    GrowthUnder, SAMPLED_SECONDS, SceneSamples, find_limit, predict_limit, sample_scene,
};
pub use trial_run::TrialRun;
pub(super) use trial_run::{sweeps_of_substep, work_of_a_step, work_with_sweeps};
pub use uneven_steps::MOST_STEPS;
