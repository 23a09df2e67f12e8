//! ropelab: a laboratory of time stepping for rope and cloth.
#[cfg(feature = "window")]
pub mod app;
pub mod constraint;
pub mod force;
pub mod integrate;
pub mod mesh;
pub mod state;
pub mod system;
