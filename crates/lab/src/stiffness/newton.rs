//! Newtons: per metre, and of a material.

use super::{Parameter, Phrase, SoftLink, reference};

/// Stiffness in N/m and damping in N·s/m as they are.
pub(super) fn per_metre(
    link: &SoftLink,
    [stiffness, damping]: [&'static str; 2],
    source: &'static str,
) -> Phrase {
    Phrase {
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

/// Stiffness of the material, which does not change with the length of links: E·A = k L.
pub(super) fn material(link: &SoftLink) -> Phrase {
    let value = link.stiffness * link.length;
    Phrase {
        language: "",
        parameters: vec![Parameter { name: "stiffness of a rope material", value, unit: "N" }],
        formula: "E·A = k L",
        source: reference::MATERIAL,
        effective: link.stiffness,
        note: None,
    }
}
