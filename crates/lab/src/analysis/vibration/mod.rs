//! Vibrations of a scene about its rest, and what schemes make of them.

pub mod damping;
pub(super) mod equilibrium;
pub(super) mod fastest_mode;
pub(super) mod modal_damping;
pub(super) mod modes;
pub(super) mod reduced_scene;
pub(super) mod settle;
pub mod step_matrix;
