//! The area of the window that shows the scene: layout of the lanes (simulations of the scene that
//! run side by side), their drawn states and overlays.

pub mod accumulator_bars;
pub mod arrows;
mod ball_rotations;
pub mod forces;
pub mod legend;
pub mod microscope;
pub mod pen;
pub mod pictures;
pub mod room;
pub mod sight;
pub mod stage;
pub mod target;
mod trails;
mod weights;
