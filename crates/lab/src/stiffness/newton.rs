//! Stiffness in newtons: N/m of a link, and N of a material.

use super::{EngineStiffness, Parameter, SoftLink, reference};

/// Returns stiffness in N/m and damping in N·s/m, unchanged.
pub(super) fn write_per_metre(
    link: &SoftLink,
    [stiffness, damping]: [&'static str; 2],
    source: &'static str,
) -> EngineStiffness {
    EngineStiffness {
        language: "",
        parameters: vec![
            Parameter { name: stiffness, value: link.stiffness, unit: "N/m" },
            Parameter { name: damping, value: link.damping, unit: "N·s/m" },
        ],
        formula: "k",
        source,
        effective: link.stiffness,
        note: None,
    }
}

/// Returns the stiffness of the material E·A = k L, which does not depend on the length of links.
pub(super) fn write_material(link: &SoftLink) -> EngineStiffness {
    let value = link.stiffness * link.length;
    EngineStiffness {
        language: "",
        parameters: vec![Parameter { name: "stiffness of a rope material", value, unit: "N" }],
        formula: "E·A = k L",
        source: reference::MATERIAL,
        effective: link.stiffness,
        note: None,
    }
}
