//! ropelab: a laboratory of time stepping for rope and cloth.
pub mod integrate;
pub mod name;
pub mod state;
pub mod system;
