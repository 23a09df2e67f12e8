//! ropelab: a laboratory of time stepping for rope and cloth.
//!
//! ```text
//! scene file ─► Scene ─► Session ─ lanes ─► Simulation ─ frame ─► Stepper::plan ─► steps
//!                                             each step: integrate ─► constraints ─► contact ─► blow-up?
//! ```
//!
//! Arrows between crates point one way: `ropelab-mechanics ← ropelab-core ← ropelab-scene ←
//! ropelab-lab ← ropelab`. The last crate, this one, contains the window ([`app`]), the benchmarks
//! ([`mod@bench`]) and, in its binary, the command line. It re-exports the modules of the other
//! crates under their own names.

#[cfg(feature = "window")]
pub mod app;
pub mod bench;

pub use ropelab_lab::{
    analysis, constraint, contact, export, force, integrate, limit, measure, mesh, model, names,
    numerics, preset, quantity, scene, session, simulation, stiffness, torture,
};
