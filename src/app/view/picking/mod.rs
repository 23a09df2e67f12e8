//! Search for particles, links and colliders under the mouse or under a mouse stroke.

pub mod cross;
pub mod pick;
pub mod pick_obstacle;
