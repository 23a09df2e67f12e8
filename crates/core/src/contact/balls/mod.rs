//! Balls: their collisions in order of time, balls at rest, balls on ropes and cloths.

pub mod ball_features;
pub mod events;
pub mod resting;
