//! Energy, forces and paths of a simulation, measured after a step.

pub(super) mod energy_account;
pub(super) mod forces;
pub(super) mod motion_records;
pub(super) mod samples;
