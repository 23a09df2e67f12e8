//! Changes of the scene file that may help: less damping, a softer or heavier material, fewer
//! segments.

use crate::model::Parts;
use crate::quantity::in_words::count_in_words;
use crate::quantity::magnitude::rounded;
use crate::scene::vary::VariableScene;
use crate::simulation::settings::SceneNumber;
use serde::Serialize;
use std::sync::Arc;

/// Relative difference up to which masses count as equal.
const SAME_MASS: f64 = 1e-6;

/// Value of the scene file that a remedy replaces.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NewNumber {
    /// Path, e.g. `materials.cord.damping`.
    pub path: String,
    /// New value.
    pub value: f64,
}

impl From<&NewNumber> for SceneNumber {
    fn from(NewNumber { path, value }: &NewNumber) -> Self {
        Self { path: path.clone(), value: Some(*value) }
    }
}

/// Scene with changed values, as a remedy.
#[derive(Clone, Debug)]
pub(super) struct SceneChange {
    /// Description of the change, e.g. `less damping in 'steel': 25 instead of 250 N·s`.
    pub words: String,
    /// Changed values with their paths. A path names an element of a list or, if the element has no
    /// name, gives its index.
    pub numbers: Vec<NewNumber>,
    /// Parts of the changed scene.
    pub parts: Arc<Parts>,
}

/// Kind of value in a scene file that a remedy may scale.
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
    /// Returns the lists of the scene file that contain values of this kind, each with the names of
    /// the fields.
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

    /// True if the change took effect and changed nothing else. Masses that a scene sets for single
    /// particles override the mass of the material: a change of the material's mass then has no
    /// effect, and a rope with fewer segments gets lighter.
    fn is_made(self, old: &Parts, new: &Parts) -> bool {
        let mass = |parts: &Parts| parts.mesh.masses.iter().sum::<f64>();
        match self {
            Self::Damping | Self::Stiffness => new.mesh != old.mesh,
            Self::Mass => new.mesh.masses != old.mesh.masses,
            Self::Segments => (mass(new) / mass(old) - 1.0).abs() < SAME_MASS,
        }
    }

    fn words(self, scale: f64) -> String {
        let (less, noun) = match self {
            Self::Damping => ("less", "damping"),
            Self::Stiffness => ("less", "stiffness"),
            Self::Mass => ("less", "mass"),
            Self::Segments => ("fewer", "segments"),
        };
        format!("{} {noun}", if scale < 1.0 { less } else { "more" })
    }

    /// Returns the scene with all values of this kind multiplied by `scale`. `None` if the scene
    /// has no such value, if the changed scene is invalid, or if [`Self::is_made`] is false.
    pub fn by(self, scene: &VariableScene, parts: &Parts, scale: f64) -> Option<SceneChange> {
        let old = self.fields().iter().flat_map(|(list, fields)| scene.numbers_of(list, fields));
        let new = |value: f64| match self {
            Self::Segments => (value * scale).round().max(2.0),
            _ => rounded(value * scale, 2),
        };
        let numbers: Vec<NewNumber> = old
            .filter(|(_, old)| *old > 0.0 && new(*old) != *old)
            .map(|(path, old)| NewNumber { path, value: new(old) })
            .collect();
        if numbers.is_empty() {
            return None;
        }
        let varied = scene.changed(&numbers.iter().map(Into::into).collect::<Vec<_>>()).ok()?;
        if !self.is_made(parts, &varied.parts) {
            return None;
        }
        let words = format!("{} {}", self.words(scale), in_words(scene, &numbers));
        let named = |it: NewNumber| NewNumber { path: scene.named_path(&it.path), ..it };
        let numbers = numbers.into_iter().map(named).collect();
        Some(SceneChange { words, numbers, parts: varied.parts })
    }
}

/// Largest number of changed values that a description names. The other values are only counted.
const MOST_NAMED: usize = 2;

/// Returns the element, the new and the old value of each change: `in 'rope': 6 instead of 12`.
fn in_words(scene: &VariableScene, numbers: &[NewNumber]) -> String {
    let mut words = String::new();
    let mut last = "";
    for NewNumber { path, value: new } in numbers.iter().take(MOST_NAMED) {
        let (element, field) = path.rsplit_once('.').unwrap_or(("", path));
        words += &match element == last {
            true => ", ".to_owned(),
            false if last.is_empty() => format!("in {}: ", scene.element_in_words(element)),
            false => format!(", in {}: ", scene.element_in_words(element)),
        };
        last = element;
        let kind = match field {
            "stretch_stiffness" => "stretch ",
            "shear_stiffness" => "shear ",
            _ => "",
        };
        let unit = unit(scene, element, field);
        let old = scene.number(path).ok().flatten().unwrap_or(f64::NAN);
        words += &format!("{kind}{new} instead of {old}{unit}");
    }
    match numbers.len().saturating_sub(MOST_NAMED) {
        0 => words,
        more => format!("{words}, and {}", count_in_words(more as u32, "other number")),
    }
}

/// Returns the unit of a scaled value, with a leading space.
fn unit(scene: &VariableScene, element: &str, field: &str) -> &'static str {
    let is_rope = || scene.number(&format!("{element}.mass_per_metre")).is_ok();
    match field {
        "damping" if is_rope() => " N·s",
        "damping" => " N·s/m",
        "stiffness" if is_rope() => " N",
        "stiffness" | "stretch_stiffness" | "shear_stiffness" => " N/m",
        "mass_per_metre" => " kg/m",
        "areal_density" => " kg/m²",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support;

    #[test]
    fn changes_are_said_in_words() {
        let text = r#"(version: 1, name: "x",
            particles: [(at: (0, 3, 0)), (at: (1, 3, 0)), (at: (2, 3, 0))],
            links: [(a: Particle(0), b: Particle(1), stiffness: 100, damping: 0.5),
                    (a: Particle(1), b: Particle(2), stiffness: 100)],
            materials: [Rope(name: "cord", stiffness: 40, mass_per_metre: 0.1),
                        Cloth(name: "linen", areal_density: 0.2, stretch_stiffness: 900)],
            ropes: [(name: "line", from: (0, 0, 0), to: (1, 0, 0), segments: 12,
                     material: "cord"),
                    (from: (0, 1, 0), to: (1, 1, 0), segments: 8, material: "cord")],
            cloths: [(corner: (0, 5, 0), across: (1, 0, 0), down: (0, 0, 1), cells: (2, 2),
                      material: "linen")])"#;
        let scene = support::scene(text);
        let variable = VariableScene::of(&scene);
        let said = |scaled: Scaled, scale| {
            scaled.by(&variable, &scene.parts, scale).map(|change| change.words)
        };
        let expected = [
            (
                Scaled::Segments,
                "fewer segments in 'line': 6 instead of 12, in rope 2: 4 instead of 8",
            ),
            (Scaled::Damping, "less damping in link 1: 0.25 instead of 0.5 N·s/m"),
            (
                Scaled::Stiffness,
                "less stiffness in 'cord': 20 instead of 40 N, in 'linen': stretch 450 instead of \
                 900 N/m, and 2 other numbers",
            ),
            (
                Scaled::Mass,
                "less mass in 'cord': 0.05 instead of 0.1 kg/m, in 'linen': 0.1 instead of 0.2 kg/m²",
            ),
        ];
        for (scaled, words) in expected {
            assert_eq!(said(scaled, 0.5).as_deref(), Some(words));
        }
    }
}
