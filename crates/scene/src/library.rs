//! Library of the built-in scenes: all files of the folder `scenes/`.

use super::error::SceneError;
use super::ron_options::ron_options;
use super::scene::Scene;
use super::typed::group::Group;
use ropelab_core::names::{UnknownName, same_name};
use serde::Deserialize;
use std::path::PathBuf;

/// File names and texts of the scenes, sorted by file name.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/scenes.rs"));

/// Scene of the library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneEntry {
    /// Name on the command line: the file name without number and extension, e.g. `clothesline`.
    pub name: &'static str,
    /// Name of the file, e.g. `01-clothesline.ron`.
    pub file: &'static str,
    /// Title of the scene: the field `name` of the file.
    pub title: String,
    /// Caption: what to look at and what it shows.
    pub look_for: String,
    /// Group in the gallery, by the subject that the scene teaches.
    pub group: Group,
    /// True if the scene has a lesson.
    pub has_lesson: bool,
    text: &'static str,
}

impl SceneEntry {
    /// Reads and checks the scene.
    pub fn load(&self) -> Result<Scene, SceneError> {
        Scene::parse(self.text, &self.path_in_library())
    }

    /// Returns the path for messages, e.g. `scenes/01-clothesline.ron`.
    pub(super) fn path_in_library(&self) -> String {
        format!("scenes/{}", self.file)
    }

    /// Returns the text of the file.
    pub fn text(&self) -> &'static str {
        self.text
    }

    /// Returns the path of the file relative to the working directory, for editing and watching.
    /// `None` if there is no such file.
    pub fn path_on_disk(&self) -> Option<PathBuf> {
        let path = PathBuf::from("scenes").join(self.file);
        path.is_file().then_some(path)
    }
}

/// Returns every scene, sorted by file name. The first scene is opened by default.
pub fn list() -> Vec<SceneEntry> {
    FILES.iter().map(|&(file, text)| read_entry(file, text)).collect()
}

/// Returns the scene with this name, with or without its number. Case and separators are ignored.
pub fn find(name: &str) -> Result<SceneEntry, UnknownName> {
    let named = |file: &str| {
        let stem = file.trim_end_matches(".ron");
        same_name(name, stem) || same_name(name, file) || same_name(name, short_name(file))
    };
    let found =
        FILES.iter().find(|(file, _)| named(file)).map(|(file, text)| read_entry(file, text));
    let names = FILES.iter().map(|(file, _)| short_name(file));
    found.ok_or_else(|| UnknownName::new("scene", name, names))
}

/// Returns the scene that is opened by default.
pub fn default_scene() -> SceneEntry {
    let (file, text) = FILES[0];
    read_entry(file, text)
}

fn read_entry(file: &'static str, text: &'static str) -> SceneEntry {
    #[derive(Default, Deserialize)]
    #[serde(rename = "Scene", default)]
    struct EntryHead {
        name: String,
        look_for: String,
        group: Group,
        annotations: Lesson,
    }
    #[derive(Default, Deserialize)]
    #[serde(rename = "annotations", default)]
    struct Lesson {
        lesson: Vec<serde::de::IgnoredAny>,
    }
    // An invalid file has an empty title here. Its error is reported when the scene is loaded.
    let EntryHead { name: title, look_for, group, annotations } =
        ron_options().from_str(text).unwrap_or_default();
    let has_lesson = !annotations.lesson.is_empty();
    SceneEntry { name: short_name(file), file, title, look_for, group, has_lesson, text }
}

fn short_name(file: &str) -> &str {
    let stem = file.trim_end_matches(".ron");
    stem.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches('-')
}
