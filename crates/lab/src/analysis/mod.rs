//! Analyses: simulations that run to their end without a display, to answer one question, e.g.
//! which step is the longest stable one.
//!
//! An analysis is a function from a scene and settings to values. It uses neither a clock nor a
//! disk. If it measures costs, the caller passes a clock. Runs are independent of each other, so
//! they run in parallel. Results are in the order of the inputs.

mod accuracy;
pub mod advise;
pub mod explain;
pub mod in_words;
pub mod job;
mod linear;
pub mod map;
mod runs;
pub mod stability;
pub mod vibration;

pub use accuracy::closed_form::ExactMotions;
pub use accuracy::converge::{Convergence, ConvergenceCurve, ConvergencePoint, converge};
pub use accuracy::elastic_links::describe_rigid_reference;
pub use accuracy::reference::{ReferenceKind, scene_size};
pub use accuracy::spectrum::{FEWEST_MOMENTS, Signal, Spectrum, SpectrumAnalyzer};
pub use runs::enough_sweeps::{EnoughSweeps, VISIBLE_ERROR, enough_sweeps};
pub use runs::over_relaxation::best_omega;
pub use runs::run::{
    MOST_STEPS, Outcome, PlannedRun, RunEvent, RunPlan, RunPlanError, TimeSource, compare, run,
};
pub use runs::sweeps::SweepConvergence;
pub use stability::energy_run::gains_energy;
pub use vibration::modal_damping::{
    IntegratorDissipation, MEASURING_ERROR, ModalDissipation, ModalScene, ModeCounts,
};
pub use vibration::modes::natural_frequencies;
