//! Frames, steps and the time that is still to be simulated.

pub(super) mod clock;
pub(super) mod frame;
pub mod frame_source;
pub(super) mod interrupt;
pub mod stepper;
pub(super) mod substeps;
