//! Random sessions whose invariants are checked. A seed determines a case: a scene, its lanes
//! (simulations, side by side), and acts (random operations). The invariants must hold after every
//! act.
//!
//! ```text
//! seed ─► Case (scene, lanes, acts) ─► check_case: Session + History + recording + straight run
//!                                           │ Failure
//!                                           ▼
//!                                      reduce: acts and lanes are left out while it still fails
//! ```

mod act;
mod case;
mod choices;
mod invariants;
mod reduce;
mod rig;
mod scenes;
mod undo;

pub use act::Act;
pub use case::{Case, Failure};
pub use invariants::Invariant;
pub use reduce::reduce;
pub use rig::{CaseCounts, check_case, check_case_until};

#[cfg(test)]
mod tests;
