//! Session: several simulations of one scene, side by side. Each of them is called a lane. All
//! lanes receive the same frame times and the same commands.

mod display;
pub mod edit_replay;
mod event;
mod history;
mod inputs;
mod lane;
mod lane_frame;
mod lane_name;
mod moments;
pub mod recording;
mod scene_change;
mod side_by_side;
mod snapshot;
mod step_cost;
mod stepping_copy;
mod watched;

pub use display::Display;
pub use event::Event;
pub use history::{History, ListedBranch, Mark, MarkKind, UndoneEvents};
pub use inputs::{InputReplay, Inputs};
pub use lane::{Lane, ReadClock};
pub use lane_frame::{LaneFrame, OwnFrame};
pub use moments::SessionMoment;
pub use side_by_side::{FrameBudget, Session};
pub use snapshot::SessionSnapshot;
pub use step_cost::StepCost;
