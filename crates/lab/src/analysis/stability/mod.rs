//! The longest stable step: predicted at the start, followed over a run, and measured.

pub(super) mod course;
pub(super) mod energy_run;
pub mod growth;
pub mod limit;
mod linear_run;
pub(super) mod longest_step;
pub(super) mod measured_limit;
mod uneven_steps;
