//! Library of the laboratory without a display: sessions, analyses, and their export.
//!
//! The library consists of these modules ("rooms"). A module uses only those listed before it:
//!
//! | Room | Contents |
//! |---|---|
//! | [`session`] | lanes that are fed the same frame time and commands |
//! | [`analysis`] | runs without a display: limits, maps, orders, advice |
//! | [`preset`] | whole comparisons: lanes that differ in one thing, and a reference |
//! | [`export`] | tables and figures of their results |
//! | [`torture`] | random sessions that are watched by invariants |
//! | [`stiffness`] | the stiffness of a link in the languages of engines |

pub mod analysis;
pub mod export;
pub mod preset;
pub mod session;
pub mod stiffness;
pub mod torture;

pub use ropelab_core::{
    constraint, contact, force, integrate, limit, measure, mesh, model, names, numerics, simulation,
};
pub use ropelab_scene as scene;
