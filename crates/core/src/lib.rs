//! The physics of ropelab: a simulation of ropes, nets, cloths and balls under one set of settings,
//! stepped through time.
//!
//! A module uses only the modules listed above it:
//!
//! | Module | Contents |
//! |---|---|
//! | [`quantity`], [`names`], [`numerics`] | values with units; typed names; state, SIMD vectors |
//! | [`mesh`] | ropes, nets, cloths: particles, links, faces, cuts |
//! | [`integrate`], [`force`], [`constraint`] | lists to choose from, one file per item |
//! | [`contact`] | colliders and balls: detection and response |
//! | [`model`] | the physical system: masses, links, forces, pins, energy |
//! | [`limit`] | tethers and strain limit, which work with any solver |
//! | [`measure`] | drift, stretch, verdicts, account of the energy put in, taken out and made |
//! | [`simulation`] | one simulation: settings, stepper, step, mouse input, snapshot |
//!
//! The *hand* is the user's mouse in the scene: it drags, blows, throws, cuts and pins. All values
//! are in SI units (metres, kilograms, seconds, radians) unless a comment says otherwise.

pub mod contact;
pub mod integrate;
pub mod limit;
pub mod measure;
pub mod model;
pub mod simulation;

pub use ropelab_mechanics::{constraint, force, mesh, names, numerics, quantity};
