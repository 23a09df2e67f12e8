//! Particles, links, forces and constraint solvers. These modules contain the vector kernels. They
//! are a crate of their own, so that a change elsewhere does not compile them again.
//!
//! `names, numerics ← mesh ← force, constraint`. The laboratory re-exports each module under its
//! own name, so a path does not depend on the crate of the module.

pub mod constraint;
pub mod force;
pub mod mesh;
pub mod names;
pub mod numerics;
