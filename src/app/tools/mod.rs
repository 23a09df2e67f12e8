//! Use of the mouse in the scene: hand, scissors, building, measuring, throwing and blowing.

pub mod blower;
pub mod builder;
pub mod hand;
pub mod hand_context;
mod held_pointer;
pub mod ruler;
pub mod scissors;
pub mod thrower;
