//! Meters of the work of contacts and pins in a substep, for the energy account.

pub mod contact_work;
pub mod pin_work;
