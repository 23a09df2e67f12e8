//! Vibrations of a scene about its rest position, and their growth under integrators.

pub(super) mod come_to_rest;
pub mod damping;
pub(super) mod equilibrium;
pub(super) mod fastest_mode;
pub(super) mod modal_damping;
pub(super) mod modes;
pub(super) mod reduced_scene;
pub mod step_matrix;
mod stiffness_matrix;
