//! Particles, links, forces and constraint solvers: the rooms that hold the vector kernels, in a
//! crate of their own so that a change elsewhere does not compile them again.
//!
//! `names, numerics ← mesh ← force, constraint`. The laboratory re-exports each room under its own
//! name, so that a path does not say in which crate a room is.

pub mod constraint;
pub mod force;
pub mod mesh;
pub mod names;
pub mod numerics;
