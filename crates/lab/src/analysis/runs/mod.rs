//! Runs to the end of a plan, alone or in parallel, and their costs.

pub(super) mod enough_sweeps;
pub(super) mod evaluations;
pub(super) mod median_cost;
pub(super) mod over_relaxation;
pub(super) mod run;
pub(super) mod run_energy;
pub(super) mod sweeps;
pub(super) mod swing_energy;
pub(super) mod work;
