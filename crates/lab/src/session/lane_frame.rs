//! Record of a frame in one lane, from which it can be repeated.

use serde::{Deserialize, Serialize};

/// Record of a lane's frame: its assumed cost per step and its number of steps. With these, the
/// frame can be repeated exactly, whatever the cost of a step is then.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LaneFrame {
    /// Computing time per step in seconds that time budget and watchdog assumed; 0 = unknown.
    pub step_cost: f64,
    /// Number of steps that were taken, summed over the lane's own frames if it has any.
    pub steps: u32,
    /// Number of planned steps that were not taken. Their time remains in the accumulator.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u32,
    /// Frames of the lane's own display; `None` if it has no own display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<Vec<OwnFrame>>,
}

/// Frame of a lane's own display.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnFrame {
    /// Length of the frame in seconds.
    pub seconds: f64,
    /// Computing time per step in seconds that time budget and watchdog assumed; 0 = unknown.
    pub step_cost: f64,
    /// Number of steps that were taken.
    pub steps: u32,
    /// Number of planned steps that were not taken. Their time remains in the accumulator.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u32,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}
