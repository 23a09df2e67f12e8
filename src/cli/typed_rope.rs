//! Rope that `--rope` describes by a few values, for questions without a scene file.

use crate::cli::error::Error;
use ropelab::names::UnknownName;
use ropelab::scene::Scene;

const NAMES: [&str; 5] = ["segments", "mass", "stiffness", "length", "load"];

/// Rope that is pinned at one end and horizontal at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
struct TypedRope {
    segments: u32,
    /// Mass of the whole rope in kg.
    mass: f64,
    /// Stiffness of one link in N/m.
    stiffness: f64,
    length: f64,
    /// Mass of the load at the free end in kg.
    load: f64,
}

/// Returns the scene of a rope such as `segments=20 mass=0.5 stiffness=1e5`.
pub fn scene(text: &str) -> Result<Scene, Error> {
    let rope = TypedRope::parse(text).map_err(|e| Error::Settings(format!("--rope: {e}")))?;
    Ok(Scene::parse(&rope.to_ron(), "--rope")?)
}

impl TypedRope {
    fn parse(text: &str) -> Result<Self, String> {
        let mut rope = Self { segments: 0, mass: 0.0, stiffness: 0.0, length: 1.0, load: 0.0 };
        let words = text.split(|c: char| c.is_whitespace() || c == ',');
        let mut given = Vec::new();
        for word in words.filter(|word| !word.is_empty()) {
            let (name, value) = word
                .split_once('=')
                .ok_or_else(|| format!("found \"{word}\"; expected NAME=NUMBER"))?;
            let number = value
                .parse::<f64>()
                .ok()
                .filter(|number| number.is_finite() && *number >= 0.0)
                .ok_or_else(|| format!("{name} is \"{value}\"; expected a number, at least 0"))?;
            if given.contains(&name) {
                return Err(format!("{name} appears twice; expected each number once"));
            }
            given.push(name);
            match name {
                "segments" if (1.0..=10_000.0).contains(&number) && number.fract() == 0.0 => {
                    rope.segments = number as u32;
                }
                "segments" => {
                    return Err(format!("segments is {value}; expected 1 to 10000"));
                }
                "mass" => rope.mass = number,
                "stiffness" => rope.stiffness = number,
                "length" => rope.length = number,
                "load" => rope.load = number,
                _ => {
                    let unknown = UnknownName::new("number", name, NAMES.into_iter());
                    return Err(format!("{unknown}; expected {}", NAMES.join(", ")));
                }
            }
        }
        for (name, number, unit) in [
            ("segments", f64::from(rope.segments), "links"),
            ("mass", rope.mass, "kg of the whole rope"),
            ("stiffness", rope.stiffness, "N/m of a link"),
            ("length", rope.length, "metres"),
        ] {
            if number == 0.0 {
                return Err(format!("{name} is missing or 0; expected {unit}, as in {name}=1"));
            }
        }
        Ok(rope)
    }

    /// Returns the text of the scene. A link of stiffness k and length l needs a material with EA =
    /// k l.
    fn to_ron(self) -> String {
        let Self { segments, mass, stiffness, length, load } = self;
        let (per_metre, ea) = (mass / length, stiffness * length / f64::from(segments));
        let end = format!("({length:?}, 0, 0)");
        let (particles, end) = if load > 0.0 {
            let load = format!("particles: [(name: \"load\", at: {end}, mass: {load:?})],");
            (load, "tie_to: Body(\"load\")".to_owned())
        } else {
            (String::new(), format!("to: {end}"))
        };
        format!(
            "(version: 1, name: \"rope of {segments} links\",
              materials: [Rope(name: \"cord\", mass_per_metre: {per_metre:?}, stiffness: {ea:?})],
              ropes: [(name: \"rope\", from: (0, 0, 0), {end},
                       segments: {segments}, material: \"cord\")],
              {particles}
              pins: [(of: Start(\"rope\"))])"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typed_rope_has_the_links_that_were_asked_for() {
        let scene = scene("segments=20 mass=0.5 stiffness=1e5").unwrap();
        let mesh = &scene.parts.mesh;
        assert_eq!((mesh.positions.len(), mesh.links.len()), (21, 20));
        let link = mesh.links.iter().next().unwrap();
        assert!((link.stiffness / 1e5 - 1.0).abs() < 1e-12, "stiffness {} N/m", link.stiffness);
        let mass: f64 = mesh.masses.iter().sum();
        assert!((mass / 0.5 - 1.0).abs() < 1e-12, "mass {mass} kg");
        let loaded = super::scene("segments=20 mass=0.5 stiffness=1e5 load=2").unwrap();
        let more: f64 = loaded.parts.mesh.masses.iter().sum::<f64>() - mass;
        assert!((more / 2.0 - 1.0).abs() < 1e-12, "mass of the load {more} kg");
    }

    #[test]
    fn what_is_missing_or_misspelt_is_named() {
        for (text, says) in [
            ("segments=20 mass=0.5", "stiffness is missing"),
            (
                "segments=20 mass=0.5 stifness=1",
                "unknown number \"stifness\", did you mean \"stiffness\"?; expected segments, mass,",
            ),
            ("segments=2.5 mass=1 stiffness=1", "segments is 2.5"),
            ("segments=20 mass=NaN stiffness=1", "mass is \"NaN\""),
            ("twenty", "expected NAME=NUMBER"),
            ("segments=20 mass=1 stiffness=1 mass=2", "mass appears twice"),
        ] {
            let error = scene(text).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
