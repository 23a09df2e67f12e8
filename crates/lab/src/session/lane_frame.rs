//! Record of a frame in one lane, from which it can be repeated.

use serde::{Deserialize, Serialize};

/// Data of a lane in a frame: its assumed cost per step and its number of steps. With both, the
/// frame can be repeated, whatever a step costs then.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LaneFrame {
    /// Computing time per step in seconds that time budget and watchdog assumed; 0 = unknown.
    pub step_cost: f64,
    /// Steps that were taken, in total over the lane's own frames if it had any.
    pub steps: u32,
    /// Steps that were planned and not taken; they are owed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u32,
    /// Frames of the lane's own display, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<Vec<OwnFrame>>,
}

/// Frame of a lane's own display.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnFrame {
    /// Length in seconds.
    pub seconds: f64,
    /// Computing time per step in seconds that time budget and watchdog assumed; 0 = unknown.
    pub step_cost: f64,
    /// Steps that were taken.
    pub steps: u32,
    /// Steps that were planned and not taken; they are owed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u32,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}
