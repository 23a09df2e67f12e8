//! Contact of ropes and cloths with themselves and with each other, and the guarantee that no
//! feature passes through another.

pub mod energy_limit;
pub mod feature_pair;
pub mod impacts;
pub mod initial_crossings;
pub mod self_contact;
pub mod truncation;
