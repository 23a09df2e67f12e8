//! Library of the laboratory without a display: sessions, analyses, and their export.
//!
//! The library consists of these modules. A lane is one of several simulations of the same scene
//! that run side by side, each with its own settings.
//!
//! | Module | Contents |
//! |---|---|
//! | [`session`] | lanes that receive the same frame times and commands |
//! | [`analysis`] | runs without a display: longest stable steps, maps, orders, advice |
//! | [`preset`] | ready-made comparisons: lanes that differ in one setting, and a reference |
//! | [`export`] | tables and drawings of results |
//! | [`torture`] | random sessions whose invariants are checked |
//! | [`stiffness`] | stiffness of a link in the notations of physics engines |

pub mod analysis;
pub mod export;
pub mod preset;
pub mod session;
pub mod stiffness;
#[cfg(test)]
mod support;
pub mod torture;

pub use ropelab_core::{
    constraint, contact, force, integrate, limit, measure, mesh, model, names, numerics, quantity,
    simulation,
};
pub use ropelab_scene as scene;
