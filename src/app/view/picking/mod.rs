//! Particles, links and colliders under the mouse or under a stroke of it.

pub mod cross;
pub mod pick;
pub mod pick_obstacle;
