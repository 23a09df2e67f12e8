//! Changes of the scene file that may help: less damping, softer or heavier material, fewer
//! segments.

use crate::model::Parts;
use crate::numerics::in_words::rounded;
use crate::scene::vary::VariableScene;
use serde::Serialize;
use std::sync::Arc;

/// Relative difference of two masses that are the same.
const SAME_MASS: f64 = 1e-6;

/// Number of the scene file with its new value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NewNumber {
    /// Path of the number, such as `materials.cord.damping`.
    pub path: String,
    /// New value.
    pub value: f64,
}

/// Scene with changed numbers.
#[derive(Clone, Debug)]
pub(super) struct SceneChange {
    /// Description of the change, with the paths of its numbers: `less damping:
    /// materials.steel.damping 25`.
    pub words: String,
    /// Changed numbers with their paths, in which elements are named where they have a name.
    pub numbers: Vec<NewNumber>,
    /// Parts of the changed scene.
    pub parts: Arc<Parts>,
}

/// Numbers of a scene that a remedy may scale.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scaled {
    /// Damping of materials and links.
    Damping,
    /// Stiffness of materials and links.
    Stiffness,
    /// Mass per metre and per square metre of materials.
    Mass,
    /// Segments of ropes.
    Segments,
}

impl Scaled {
    /// Returns the lists of the scene file and the fields of their elements that are scaled.
    fn fields(self) -> &'static [(&'static str, &'static [&'static str])] {
        match self {
            Self::Damping => &[("materials", &["damping"]), ("links", &["damping"])],
            Self::Stiffness => &[
                ("materials", &["stiffness", "stretch_stiffness", "shear_stiffness"]),
                ("links", &["stiffness"]),
            ],
            Self::Mass => &[("materials", &["mass_per_metre", "areal_density"])],
            Self::Segments => &[("ropes", &["segments"])],
        }
    }

    /// True if the scene differs by the scaled numbers alone. Masses of the scene's list replace
    /// those of materials; where each body has one, fewer segments make a lighter rope.
    fn is_made(self, old: &Parts, new: &Parts) -> bool {
        let mass = |parts: &Parts| parts.mesh.masses.iter().sum::<f64>();
        match self {
            Self::Damping | Self::Stiffness => new.mesh != old.mesh,
            Self::Mass => new.mesh.masses != old.mesh.masses,
            Self::Segments => (mass(new) / mass(old) - 1.0).abs() < SAME_MASS,
        }
    }

    fn words(self, scale: f64) -> &'static str {
        match (self, scale < 1.0) {
            (Self::Damping, true) => "less damping",
            (Self::Damping, false) => "more damping",
            (Self::Stiffness, true) => "softer",
            (Self::Stiffness, false) => "stiffer",
            (Self::Mass, true) => "lighter",
            (Self::Mass, false) => "heavier",
            (Self::Segments, true) => "fewer segments",
            (Self::Segments, false) => "more segments",
        }
    }

    /// Returns the scene with all of these numbers scaled; `None` if it has none of them, is
    /// invalid with them, or does not differ from `parts` as announced.
    pub fn by(self, scene: &VariableScene, parts: &Parts, scale: f64) -> Option<SceneChange> {
        let old = self
            .fields()
            .iter()
            .flat_map(|(list, fields)| scene.numbers_of(list, fields))
            .filter(|(_, value)| *value > 0.0);
        let new = |value: f64| match self {
            Self::Segments => (value * scale).round().max(2.0),
            _ => rounded(value * scale, 2),
        };
        let numbers: Vec<(String, f64)> = old
            .clone()
            .map(|(path, value)| (path, new(value)))
            .filter(|(path, value)| scene.number(path).ok().flatten() != Some(*value))
            .collect();
        if numbers.is_empty() {
            return None;
        }
        let varied = scene.with_numbers(&numbers).ok()?;
        if !self.is_made(parts, &varied.parts) {
            return None;
        }
        let named =
            |(path, value): (String, f64)| NewNumber { path: scene.named_path(&path), value };
        let numbers: Vec<NewNumber> = numbers.into_iter().map(named).collect();
        let of = |NewNumber { path, value }: &NewNumber| format!("{path} {value}");
        let named: Vec<String> = numbers.iter().take(2).map(of).collect();
        let more = if numbers.len() > 2 { " …" } else { "" };
        let words = format!("{}: {}{more}", self.words(scale), named.join(", "));
        Some(SceneChange { words, numbers, parts: varied.parts })
    }
}
