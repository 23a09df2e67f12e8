//! Balls: their collisions in order of time, balls at rest, balls on ropes and cloths.

pub mod draped;
pub mod events;
pub mod resting;
