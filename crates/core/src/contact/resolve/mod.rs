//! Effects of contacts: on positions (in sweeps) and on velocities (after sweeps).

pub mod position_level;
pub mod response;
pub mod velocity_level;
