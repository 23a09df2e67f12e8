//! Simulations (lanes) and sessions: stepping, changes while a scene runs, verdicts and the energy
//! account.

mod contact_heat;
mod drivers;
mod energy_account;
mod near_the_limit;
mod no_gain;
mod reference;
mod restored_account;
mod scene_change;
mod scene_edit;
mod session;
mod stepping;
mod tearing;
mod tensions;
mod unresolved_steps;
mod verdicts;
