//! The group "Time and frames": speed, frames, guards (limits on frames), the microscope of the
//! blend, and the list of edits.

pub mod edits;
pub mod frames;
pub mod guards;
pub mod microscope;
pub mod speed;
