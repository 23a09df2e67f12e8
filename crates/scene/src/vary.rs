//! Scenes with changed values, for studies that vary one value of a scene file.

use super::error::SceneError;
use super::opening::read_unchecked;
use super::scene::Scene;
use super::typed::file::SceneFile;
use super::typed::located;
use ropelab_core::names::{nearest, suggestion};
use ropelab_core::simulation::settings::SceneNumber;
use serde_json::Value;
use thiserror::Error;

/// Scene file as a tree of values. Each value has a path.
///
/// A path consists of field names and, for lists, of indices from 0 or of element names:
/// `settings.substeps`, `ropes[0].segments`, `ropes.line.segments`, `materials.cord.stiffness`. A
/// path omits the name of an enum variant, such as `Rope` in `materials: [Rope(…)]`.
#[derive(Clone, Debug)]
pub struct VariableScene {
    file: String,
    root: Value,
}

/// Reason why a value cannot be changed.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum VaryError {
    /// A field or element on the path does not exist.
    #[error("the scene has no \"{part}\" in the path \"{path}\"{}", hint(.nearest, .known))]
    NoSuchPart {
        /// Path that was looked up.
        path: String,
        /// Part of the path that does not exist.
        part: String,
        /// Existing name that is most similar to `part`; `None` if no name is similar.
        nearest: Option<String>,
        /// Names that exist in place of `part`.
        known: Vec<String>,
    },
    /// The value at the end of the path is not a number.
    #[error("\"{path}\" is {found}, expected the path of a number such as {example}")]
    NoNumber {
        /// Path that was looked up.
        path: String,
        /// Description of the value at the path.
        found: String,
        /// Example of a valid path.
        example: String,
    },
    /// The scene is invalid with this value.
    #[error("{path} = {value}: {problem}")]
    Refused {
        /// Path of the value.
        path: String,
        /// Rejected value.
        value: f64,
        /// Error message of the scene check with this value.
        problem: String,
    },
}

pub(super) fn hint(nearest: &Option<String>, known: &[String]) -> String {
    match nearest {
        None if !known.is_empty() => format!(", expected {}", known.join(", ")),
        _ => suggestion(nearest),
    }
}

impl VariableScene {
    /// Opens the file or library scene that [`Scene::open`] opens.
    pub fn open(argument: &str) -> Result<Self, SceneError> {
        let (file, text) = Scene::find_text(argument)?;
        Self::parse(&text, &file)
    }

    /// Reads a scene from RON. `file` is the name of the scene file in messages.
    pub fn parse(text: &str, file: &str) -> Result<Self, SceneError> {
        // For an invalid scene, `Scene::parse` returns the error with line and column.
        Scene::parse(text, file)?;
        let read = read_unchecked(text, file)?.read;
        let root = serde_json::to_value(&read).unwrap_or(Value::Null);
        Ok(Self { file: file.to_owned(), root })
    }

    /// Creates the tree of a checked scene.
    pub fn of(scene: &Scene) -> Self {
        let root = serde_json::to_value(&*scene.file).unwrap_or(Value::Null);
        Self { file: scene.name.clone(), root }
    }

    /// Creates the tree of a checked scene with explicit defaults: every material of a rope, net or
    /// cloth is listed, and the forces include gravity and wind.
    pub fn spelled_out(scene: &Scene) -> Self {
        let root = serde_json::to_value(scene.file.spelled_out()).unwrap_or(Value::Null);
        Self { file: scene.name.clone(), root }
    }

    /// Returns the values of `fields` in all elements of a list, with their paths. Fields that the
    /// scene file omits are skipped.
    pub fn numbers_of(&self, list: &str, fields: &[&str]) -> Vec<(String, f64)> {
        let paths = (0..self.length_of(list))
            .flat_map(|i| fields.iter().map(move |f| format!("{list}[{i}].{f}")));
        let number = |path: String| Some((path.clone(), self.number(&path).ok()??));
        paths.filter_map(number).collect()
    }

    /// Returns the path in which the name of the element replaces its index:
    /// `materials.cord.damping` for `materials[0].damping`. The path is unchanged if the element
    /// has no name.
    pub fn named_path(&self, path: &str) -> String {
        let named = || {
            let (list, rest) = path.split_once('[')?;
            let (number, field) = rest.split_once("].")?;
            let element = self.root.get(list)?.get(number.parse::<usize>().ok()?)?;
            Some(format!("{list}.{}.{field}", name_of(element)?))
        };
        named().unwrap_or_else(|| path.to_owned())
    }

    /// Returns the name of an element for a sentence: `'cord'` for `materials[0]`. An element
    /// without a name is called by its kind and number: `rope 2` for `ropes[1]`.
    pub fn element_in_words(&self, path: &str) -> String {
        let said = || {
            let (list, number) = path.strip_suffix(']')?.split_once('[')?;
            let number = number.parse::<usize>().ok()?;
            let element = self.root.get(list)?.get(number)?;
            let place = || format!("{} {}", list.trim_end_matches('s'), number + 1);
            Some(name_of(element).map_or_else(place, |name| format!("'{name}'")))
        };
        said().unwrap_or_else(|| path.to_owned())
    }

    /// Returns the paths of `segments` of all ropes.
    pub fn segments(&self) -> Vec<String> {
        (0..self.length_of("ropes")).map(|i| format!("ropes[{i}].segments")).collect()
    }

    fn length_of(&self, list: &str) -> usize {
        self.root.get(list).and_then(Value::as_array).map_or(0, Vec::len)
    }

    /// Returns the scene with `value` at each of `paths`.
    pub fn with(&self, paths: &[String], value: f64) -> Result<Scene, VaryError> {
        let number = |path: &String| SceneNumber { path: path.clone(), value: Some(value) };
        self.changed(&paths.iter().map(number).collect::<Vec<_>>())
    }

    /// Returns the scene with the values at these paths replaced. `None` removes a value, so that
    /// its default applies.
    pub fn changed(&self, numbers: &[SceneNumber]) -> Result<Scene, VaryError> {
        let mut root = self.root.clone();
        let refused = |problem: String| {
            let paths: Vec<&str> = numbers.iter().map(|it| it.path.as_str()).collect();
            let value = numbers.first().and_then(|it| it.value).unwrap_or(f64::NAN);
            VaryError::Refused { path: paths.join(", "), value, problem }
        };
        for SceneNumber { path, value } in numbers {
            let place = find(&mut root, path)?;
            let whole = |value: f64| place.is_u64() && value.fract() == 0.0 && value >= 0.0;
            *place = match *value {
                None => Value::Null,
                Some(value) if whole(value) => Value::from(value as u64),
                Some(value) => Value::from(value),
            };
        }
        drop_nulls(&mut root);
        let mut file: SceneFile =
            located::read_value(root).map_err(|error| refused(error.to_string()))?;
        file.drop_idle_wind();
        file.check().map_err(|fault| refused(format!("{}: {}", self.file, fault.message)))
    }

    /// Returns the value at a path; `None` if the file omits it.
    pub fn number(&self, path: &str) -> Result<Option<f64>, VaryError> {
        find(&mut self.root.clone(), path).map(|number| number.as_f64())
    }
}

/// Removes all null fields, so that their defaults apply. Some fields would interpret null
/// differently.
fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, field| !field.is_null());
            fields.values_mut().for_each(drop_nulls);
        }
        Value::Array(elements) => elements.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}

pub(super) fn place<'a>(root: &'a mut Value, path: &str) -> Result<&'a mut Value, VaryError> {
    let mut parts = path.split(['.', '[', ']']).filter(|part| !part.is_empty());
    parts.try_fold(root, |here, part| step_into(here, part, path))
}

/// Returns the value at a path, or null if the file omits it.
fn find<'a>(root: &'a mut Value, path: &str) -> Result<&'a mut Value, VaryError> {
    let here = place(root, path)?;
    // A value that the file omits, such as `dt`, is null in the tree.
    if here.is_number() || here.is_null() {
        return Ok(here);
    }
    let found = match here {
        Value::Object(fields) => {
            format!("a group of {}", fields.keys().cloned().collect::<Vec<_>>().join(", "))
        }
        Value::Array(_) => "a list".to_owned(),
        Value::String(text) => format!("the word \"{text}\""),
        _ => "no number".to_owned(),
    };
    let example = "settings.dt or materials[0].stiffness".to_owned();
    Err(VaryError::NoNumber { path: path.to_owned(), found, example })
}

fn step_into<'a>(here: &'a mut Value, part: &str, path: &str) -> Result<&'a mut Value, VaryError> {
    let unknown = |known: Vec<String>| VaryError::NoSuchPart {
        path: path.to_owned(),
        part: part.to_owned(),
        nearest: nearest(part, known.iter().map(String::as_str)).map(str::to_owned),
        known,
    };
    let here = unwrap_variant(here, part);
    match here {
        Value::Object(fields) => {
            let known: Vec<String> = fields.keys().cloned().collect();
            fields.get_mut(part).ok_or_else(|| unknown(known))
        }
        Value::Array(elements) => {
            let known: Vec<String> =
                elements.iter().filter_map(name_of).map(str::to_owned).collect();
            let count = elements.len();
            let at = match part.parse::<usize>() {
                Ok(number) => Some(number).filter(|number| *number < count),
                Err(_) => elements.iter().position(|element| name_of(element) == Some(part)),
            };
            match at {
                Some(at) => Ok(&mut elements[at]),
                None if known.is_empty() => {
                    Err(unknown(vec![format!("0 to {}", count.max(1) - 1)]))
                }
                None => Err(unknown(known)),
            }
        }
        _ => Err(unknown(Vec::new())),
    }
}

/// Returns the fields of an enum variant such as `Rope(…)`. If the path contains the name of the
/// variant, returns the value unchanged.
fn unwrap_variant<'a>(value: &'a mut Value, part: &str) -> &'a mut Value {
    if variant(value).is_none_or(|name| name == part) {
        return value;
    }
    match value {
        Value::Object(fields) => fields.values_mut().next().expect("a variant has one field"),
        _ => value,
    }
}

/// Returns the name of an enum variant, which is the only field of an object and begins with a
/// capital letter. `None` for other values.
fn variant(value: &Value) -> Option<&str> {
    let fields = value.as_object().filter(|fields| fields.len() == 1)?;
    let name = fields.keys().next()?;
    name.starts_with(char::is_uppercase).then_some(name)
}

fn name_of(element: &Value) -> Option<&str> {
    let fields = match variant(element) {
        Some(name) => element.get(name)?,
        None => element,
    };
    fields.get("name")?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rope() -> VariableScene {
        let text = r#"(
            version: 1, name: "rope",
            materials: [Rope(name: "cord", mass_per_metre: 1, stiffness: 50)],
            ropes: [(name: "line", from: (0, 2, 0), to: (1, 2, 0), segments: 4, material: "cord")],
            forces: [(law: Gravity()), (law: LinearDrag(coefficient: 1))],
            settings: (constraints: Xpbd(iterations: 3)),
        )"#;
        VariableScene::parse(text, "rope.ron").expect("the test's scene is good")
    }

    fn with(path: &str, value: f64) -> Result<Scene, VaryError> {
        rope().with(&[path.to_owned()], value)
    }

    #[test]
    fn every_number_has_a_path_by_number_or_by_name() {
        for path in ["materials[0].stiffness", "materials.cord.stiffness"] {
            let link = with(path, 80.0).expect(path).parts.mesh.links.at(0);
            assert!((link.stiffness - 320.0).abs() < 1e-9, "{path}: {link:?}");
        }
        assert_eq!(with("ropes.line.segments", 9.0).unwrap().parts.mesh.links.len(), 9);
        assert_eq!(with("settings.dt", 0.25).unwrap().lanes[0].settings.dt, 0.25);
        let solver = with("settings.constraints.iterations", 7.0).unwrap().lanes[0].settings;
        assert_eq!(solver.constraints.iterations(), Some(7));
        assert!(with("forces[1].law.coefficient", 2.0).is_ok());
        assert_eq!(rope().number("materials.cord.stiffness"), Ok(Some(50.0)));
        assert_eq!(rope().number("settings.dt"), Ok(None));
        assert!(rope().number("materials").is_err());
    }

    #[test]
    fn a_wrong_path_is_answered_with_the_nearest_right_name() {
        let message = |path: &str| with(path, 1.0).unwrap_err().to_string();
        assert_eq!(
            message("materials.cord.stifness"),
            "the scene has no \"stifness\" in the path \"materials.cord.stifness\", did you mean \
             \"stiffness\"?"
        );
        assert!(
            message("ropes[3].segments").ends_with(", expected line"),
            "{}",
            message("ropes[3].segments")
        );
        assert!(message("ropes").starts_with("\"ropes\" is a list, expected the path of a number"));
        let refused = with("materials.cord.stiffness", -1.0).unwrap_err();
        assert!(matches!(refused, VaryError::Refused { .. }), "{refused}");
        assert!(with("ropes.line.segments", 0.0).is_err());
    }
}
