//! The physics of ropelab: how one lane is stepped through time.
//!
//! A room knows those listed before it, never one after it:
//!
//! | Room | Contents |
//! |---|---|
//! | [`names`], [`numerics`] | names that people type; state, columns of vectors, vectors by machine |
//! | [`mesh`] | ropes, nets, cloths: particles, links, faces, cuts |
//! | [`integrate`], [`force`], [`constraint`] | the lists to choose from, one file a scheme, law, solver |
//! | [`contact`] | colliders and balls: detection and response |
//! | [`model`] | one lane's physics: masses, links, forces, pins, energy |
//! | [`limit`] | tethers and strain limit beside any solver |
//! | [`measure`] | drift, stretch, explosion, books of energy |
//! | [`simulation`] | one lane: settings, stepper, step, hand, snapshot |

pub mod contact;
pub mod integrate;
pub mod limit;
pub mod measure;
pub mod model;
pub mod simulation;

pub use ropelab_mechanics::{constraint, force, mesh, names, numerics};
