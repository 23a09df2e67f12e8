//! The frame loop's surroundings: opening the window, the clock, keys, what they ask for, messages,
//! and the state of the window as a report.

mod act;
pub mod actions;
pub mod clock;
pub mod display;
#[cfg(target_os = "linux")]
mod driver;
pub mod input;
pub mod interface;
pub mod job_pools;
pub mod messages;
pub mod opening;
pub mod overhead;
pub mod overload_warnings;
pub mod report;
mod scenes;
mod undoing;
