//! ropelab: a laboratory of time stepping for rope and cloth.
pub mod constraint;
pub mod force;
pub mod integrate;
pub mod mesh;
pub mod name;
pub mod state;
pub mod system;
