//! Advance of a simulation: frames, steps, substeps, and the tearing of links between steps.

pub mod frame;
pub mod step;
pub mod substep;
pub mod tear;
