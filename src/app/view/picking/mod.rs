//! What of the scene is under the mouse or under a stroke of it.

pub mod cross;
pub mod pick;
pub mod pick_obstacle;
