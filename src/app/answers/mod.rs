//! Answers about the lanes (simulations of the scene that run side by side), computed in the
//! background: longest stable steps, and causes of explosions.

mod card;
mod code;
mod lane_answers;
mod lane_limit;
mod limits;
mod mode;
mod remedies;
pub mod settings_difference;
pub mod softness;

pub use card::explanation_ui;
pub use code::{CodeWindow, code_button};
pub use lane_answers::Answers;
pub use lane_limit::LaneLimit;
pub use limits::{limit_ui, longest_steps_ui};
pub use mode::draw_modes;
pub use softness::SolverError;
