//! The physics of ropelab: a simulation of ropes, nets, cloths and balls under one set of settings,
//! stepped through time.
//!
//! A room (module) uses the rooms listed before it, never a room after it:
//!
//! | Room | Contents |
//! |---|---|
//! | [`quantity`], [`names`], [`numerics`] | numbers with units; names that people type; state, SIMD vectors |
//! | [`mesh`] | ropes, nets, cloths: particles, links, faces, cuts |
//! | [`integrate`], [`force`], [`constraint`] | lists to choose from, one file per item |
//! | [`contact`] | colliders and balls: detection and response |
//! | [`model`] | the physical system: masses, links, forces, pins, energy |
//! | [`limit`] | tethers and strain limit in addition to any solver |
//! | [`measure`] | drift, stretch, verdicts, account of the energy put in, taken out and made |
//! | [`simulation`] | one simulation: settings, stepper, step, hand, snapshot |
//!
//! All numbers are in SI units (metres, kilograms, seconds, radians) unless a comment says
//! otherwise.

pub mod contact;
pub mod integrate;
pub mod limit;
pub mod measure;
pub mod model;
pub mod simulation;

pub use ropelab_mechanics::{constraint, force, mesh, names, numerics, quantity};
