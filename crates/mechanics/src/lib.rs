//! Particles, links, forces and constraint solvers: the rooms with vector kernels, in a crate of
//! their own so that a change elsewhere does not compile them again.
//!
//! `names, numerics ← mesh ← force, constraint`. The laboratory re-exports each room under its own
//! name, so a path does not depend on the crate of its room.

pub mod constraint;
pub mod force;
pub mod mesh;
pub mod names;
pub mod numerics;
