//! Physical system of one simulation: its parts, which all simulations of a scene share, and its
//! masses, springs, bends, forces, pins and the hand.

mod blow;
mod energy;
mod parts;
mod physics;
mod pin_jumps;
mod pins;
mod thrown;

pub use blow::Blow;
pub use energy::Energy;
pub use parts::{Parts, Pin, Strength, TargetedForce};
pub use physics::{Model, Role};
pub use pin_jumps::PinJumps;
pub use pins::PinnedParticle;
pub use thrown::{MOST_THROWN, ScheduledThrow, Throw, Thrown, ThrownBall, ThrownBy, thrown_ball};
