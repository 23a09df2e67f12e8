//! Division of time: frames, steps, substeps, and time that is owed to later frames.

pub(super) mod clock;
pub mod frame_source;
pub(super) mod frame_under_way;
pub(super) mod interrupt;
pub mod stepper;
pub(super) mod substeps;
