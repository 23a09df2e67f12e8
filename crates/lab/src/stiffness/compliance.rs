//! Compliance α = 1/k in m/N: XPBD and the engines that run it.

use super::{Parameter, Phrase, SoftLink};

/// The compliance under the engine's name for it.
pub(super) fn write(link: &SoftLink, name: &'static str, source: &'static str) -> Phrase {
    Phrase {
        language: "",
        parameters: vec![Parameter { name, value: 1.0 / link.stiffness, unit: "m/N" }],
        formula: "α = 1/k",
        source,
        effective: link.stiffness,
        note: None,
    }
}
