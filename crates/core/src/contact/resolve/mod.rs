//! What contacts do: to positions in the sweeps, to velocities after them, and to the energy.

pub mod energy_limit;
pub mod position_level;
pub mod response;
pub mod velocity_level;
