//! Commands that run lanes, and their output.

pub(super) mod bench;
pub(super) mod chosen;
pub(super) mod compare;
pub(super) mod frame_times;
pub(super) mod outputs;
pub(super) mod replay;
pub(super) mod report;
pub(super) mod run;
pub(super) mod series;
pub(super) mod set;
pub(super) mod torture;
