//! Stiffness of a link in the notations ("languages") of physics engines.
//!
//! A value typed into an engine determines a stiffness only together with the masses, the substep
//! and the sweeps. [`StiffnessLanguage::write`] returns the values to type for a given stiffness in
//! N/m, and the stiffness that remains after the engine's own limits. [`StiffnessLanguage::read`]
//! is the inverse.

mod engine_rope;
mod engine_stiffness;
mod fraction;
mod frequency;
mod language;
mod soft_link;
mod typical_link;

pub use engine_rope::EngineRope;
pub use engine_stiffness::{EngineStiffness, Parameter};
pub use language::{StiffnessLanguage, Unreadable};
pub use soft_link::{SoftLink, SolverSteps};
pub use typical_link::typical_link;

#[cfg(test)]
mod tests;
