//! Stiffness as a fraction κ from 0 to 1: the part of a link's error that the solver corrects.
//!
//! If each substep of h seconds multiplies the error of a single link by 1 − κ, the link is as
//! stiff as an XPBD link with the compliance α = h² (1/κ − 1)(w₁ + w₂). With n sweeps that correct
//! the fraction κ₁ each, κ = 1 − (1 − κ₁)ⁿ.

use super::engine_stiffness::{EngineStiffness, Parameter};
use super::soft_link::{SoftLink, SolverSteps};

pub(super) struct FractionEngine {
    name: &'static str,
    formula: &'static str,
    /// Exponent p in 1 − κ = (1 − typed value)ᵖ, where κ is the corrected fraction of an error in a
    /// whole substep.
    exponent: fn(&SolverSteps) -> f64,
    note: &'static str,
}

/// Position-based dynamics: every sweep corrects the typed fraction.
pub(super) const PBD: FractionEngine = FractionEngine {
    name: "stiffness",
    formula: "κ = 1/(1 + α/(h² (w₁ + w₂))), typed: 1 − (1 − κ)^(1/n)",
    exponent: |steps| f64::from(steps.sweeps),
    note: "changes with the substep, the sweeps and the masses",
};

/// Godot: Jolt's XPBD, controlled by a coefficient. Godot's "simulation precision" is the number of
/// substeps.
pub(super) const GODOT: FractionEngine = FractionEngine {
    name: "linear_stiffness",
    formula: "κ = 1/(1 + α/(h² (w₁ + w₂))), h = 1/ticks/precision",
    exponent: |_| 1.0,
    note: "changes with ticks, simulation precision, mass and number of vertices",
};

/// Unreal: the typed fraction is corrected in each of 120 sweeps per second, whatever the actual
/// steps.
pub(super) const UNREAL: FractionEngine = FractionEngine {
    name: "EdgeStiffness",
    formula: "typed: 1 − (1 − κ)^(1/(120 Hz h)), κ = 1/(1 + α/(h² (w₁ + w₂)))",
    exponent: |steps| 120.0 * steps.h(),
    note: "changes with the step and the masses, not with the iterations",
};

impl FractionEngine {
    pub(super) fn write(&self, link: &SoftLink, steps: &SolverSteps) -> EngineStiffness {
        let h = steps.h();
        // With the compliance α = 1/k and w = w₁ + w₂, the formula of the module is 1/κ − 1 = α/(h²
        // w), so 1 − κ = 1/(1 + h² w k).
        let left = 1.0 / (1.0 + h * h * link.inverse_mass * link.stiffness);
        let value = 1.0 - left.powf(1.0 / (self.exponent)(steps));
        let number = Parameter { name: self.name, value, unit: "" };
        let note = Some(self.note.to_owned());
        EngineStiffness { note, ..EngineStiffness::of(link, self.formula, vec![number]) }
    }

    pub(super) fn read(&self, link: &SoftLink, steps: &SolverSteps, typed: f64) -> SoftLink {
        let h = steps.h();
        let left = (1.0 - typed).powf((self.exponent)(steps));
        let stiffness = (1.0 / left - 1.0) / (h * h * link.inverse_mass);
        SoftLink { stiffness, damping: 0.0, ..*link }
    }
}
