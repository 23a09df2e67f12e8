//! Events of a session.

use super::lane_frame::LaneFrame;
use crate::simulation::settings::Command;
use serde::{Deserialize, Serialize};

/// Event of a session. A recording is a sequence of events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// Command that the user gave. It is boxed, because most events are frames and would otherwise
    /// need the memory of the largest command.
    Command(Box<Command>),
    /// Frame that passed.
    Frame {
        /// Measured length of the frame in seconds.
        seconds: f64,
        /// Record of the frame in each lane.
        lanes: Vec<LaneFrame>,
    },
}
