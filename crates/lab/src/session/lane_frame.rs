//! Record of a frame in one lane (one simulation of the scene). It suffices to repeat the frame.

use serde::{Deserialize, Serialize};

/// Record of a frame in one lane: the assumed cost of a step, and the number of steps. With it, a
/// replay repeats the frame bit for bit, whatever the computing time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LaneFrame {
    /// Computing time per step in seconds that the time budget and the watchdog assume; 0 =
    /// unknown.
    pub step_cost: f64,
    /// Number of steps that were taken. If the lane has its own display, the sum over its own
    /// frames.
    pub steps: u32,
    /// Number of planned steps that were not taken. Their time is owed to the next frame.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u32,
    /// Frames of the lane's own display; `None` for the real display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<Vec<OwnFrame>>,
}

/// Frame of a lane's own display.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnFrame {
    /// Length of the frame in seconds.
    pub seconds: f64,
    /// Computing time per step in seconds that the time budget and the watchdog assume; 0 =
    /// unknown.
    pub step_cost: f64,
    /// Number of steps that were taken.
    pub steps: u32,
    /// Number of planned steps that were not taken. Their time is owed to the next frame.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u32,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}
