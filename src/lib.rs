//! ropelab: a laboratory of time stepping for rope and cloth.
//!
//! ```text
//! scene file ─► Scene ─► Session ─ lanes ─► Simulation ─ frame ─► Stepper::plan ─► steps
//!                                             each step: integrate ─► constraints ─► contact ─► blow-up?
//! ```
//!
//! A room knows those listed before it, never one after it:
//!
//! | Room | What is in it |
//! |---|---|
//! | [`names`], [`numerics`] | names that people type; state, columns of vectors, vectors by machine |
//! | [`mesh`] | ropes, nets, cloths: particles, links, faces, what was cut |
//! | [`integrate`], [`force`], [`constraint`] | the lists to choose from, one file a scheme, law, solver |
//! | [`contact`] | colliders, balls, when they touch, what they do to each other |
//! | [`model`] | one lane's physics: masses, links, forces, pins |
//! | [`measure`] | energy, drift, stretch, explosion, samples of them |
//! | [`simulation`] | one lane: settings, stepper, step, hand, snapshot |
//! | [`scene`] | from a file as typed to a checked scene |
//! | [`session`] | lanes that are fed the same frame time and commands |
//! | [`analysis`], [`export`], [`mod@bench`] | runs without a display, tables of what they found |
//! | `cli`, `app` | the command line and the window |
pub mod analysis;
#[cfg(feature = "window")]
pub mod app;
pub mod bench;
pub mod contact;
pub mod export;
pub mod integrate;
pub mod measure;
pub mod model;
pub mod scene;
pub mod session;
pub mod simulation;

pub use ropelab_mechanics::{constraint, force, mesh, names, numerics};
