//! Effects of contacts: on positions (in sweeps), on velocities (after sweeps), and on the energy.

pub mod energy_limit;
pub mod position_level;
pub mod response;
pub mod velocity_level;
