//! Compliance α = 1/k in m/N: the notation of XPBD and of engines that use it.

use super::{EngineStiffness, Parameter, SoftLink};

/// Returns the compliance of a link. `name` is the name of the number in the engine.
pub(super) fn write_compliance(
    link: &SoftLink,
    name: &'static str,
    source: &'static str,
) -> EngineStiffness {
    EngineStiffness {
        language: "",
        parameters: vec![Parameter { name, value: 1.0 / link.stiffness, unit: "m/N" }],
        formula: "α = 1/k",
        source,
        effective: link.stiffness,
        note: None,
    }
}
