//! Questions that are answered by running simulations to their end, without a display.
//!
//! An analysis is a function from a scene and settings to values. It reads no clock and no disk:
//! who wants to know what a step costs hands in a clock. Runs are independent of each other, so
//! they are parallel, and results come in the order of the questions.

pub mod advise;
mod closed_form;
mod compare;
mod converge;
mod course;
pub mod damping;
mod energy_run;
mod equilibrium;
mod evaluations;
pub mod explain;
mod fastest_mode;
pub mod growth;
pub mod in_words;
pub mod job;
mod lanczos;
pub mod limit;
mod longest_step;
pub mod map;
mod mass_product;
mod matrix;
mod measured_limit;
mod median_cost;
mod modal_damping;
mod modes;
mod reduced_scene;
mod run;
mod run_energy;
mod settle;
mod spectrum;
pub mod step_matrix;
mod sweeps;
mod symmetric;
mod truth;

pub use closed_form::ExactMotions;
pub use compare::compare;
pub use converge::{Convergence, ConvergenceCurve, ConvergencePoint, converge};
pub use energy_run::gains_energy;
pub use modal_damping::{
    MEASURING_ERROR, ModalDissipation, ModalScene, ModeCounts, SchemeDissipation,
};
pub use modes::natural_frequencies;
pub use run::{Feed, MOST_STEPS, Outcome, Passed, RunPlan, RunPlanError, run};
pub use spectrum::{Signal, Spectrum, SpectrumAnalyzer};
pub use sweeps::SweepConvergence;
pub use truth::{Truth, extent};
