//! Implicit integrators, which solve an equation for the state at the end of the step.

pub(super) mod bdf2;
pub(super) mod generalized_alpha;
pub(super) mod implicit_euler;
pub(super) mod implicit_midpoint;
mod inner_steps;
mod newton;
pub(super) mod trapezoid;
