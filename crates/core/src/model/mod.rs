//! Physical system of one simulation: masses, springs, bends, forces, pins and the mouse drag. All
//! simulations of a scene share its parts.

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
