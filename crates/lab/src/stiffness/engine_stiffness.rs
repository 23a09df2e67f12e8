//! Stiffness of a link in the notation of an engine.

use super::soft_link::SoftLink;
use serde::Serialize;

/// Value to type into an engine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Parameter {
    /// Name of the value in the engine.
    pub name: &'static str,
    /// Value in `unit`.
    pub value: f64,
    /// Unit of the value; empty for a pure number.
    pub unit: &'static str,
}

/// Stiffness of a link in the notation of an engine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EngineStiffness {
    /// Name of the notation.
    pub language: &'static str,
    /// Values to type into the engine.
    pub parameters: Vec<Parameter>,
    /// Formula of the first value.
    pub formula: &'static str,
    /// Source of the formula.
    pub source: &'static str,
    /// Stiffness in N/m that the link has in the engine. It is the requested stiffness, unless the
    /// engine limits it.
    pub effective: f64,
    /// Remark on a limit of the engine, or on quantities that affect the stiffness; null if there
    /// is none.
    pub note: Option<String>,
}

impl EngineStiffness {
    /// Creates the description of a link whose stiffness the engine does not limit.
    pub(super) fn of(link: &SoftLink, formula: &'static str, parameters: Vec<Parameter>) -> Self {
        let effective = link.stiffness;
        Self { language: "", parameters, formula, source: "", effective, note: None }
    }
}
