//! Balls: collisions in order of time, balls at rest, balls in contact with ropes and cloths.

pub mod ball_features;
pub mod events;
pub mod resting;
