//! The section "Time and frames": speed, frames, guards against long frames, the microscope of the
//! blend, and the list of edits.

pub mod edits;
pub mod frames;
pub mod guards;
pub mod microscope;
pub mod speed;
