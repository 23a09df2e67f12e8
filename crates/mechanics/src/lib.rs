//! Links, forces and constraint solvers, with their SIMD kernels. The kernels take long to compile.
//! A separate crate keeps changes elsewhere from recompiling them.
//!
//! Dependencies of the modules: `quantity ← names, numerics ← mesh ← force, constraint`. The other
//! crates re-export each module under its own name, e.g. `ropelab::force`.
//!
//! All values are in SI units (metres, kilograms, seconds, radians) unless a comment says
//! otherwise.

pub mod constraint;
pub mod force;
pub mod mesh;
pub mod names;
pub mod numerics;
pub mod quantity;
