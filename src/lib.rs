//! ropelab: a laboratory of time stepping for rope and cloth.
pub mod state;
pub mod system;
pub mod integrate;
