//! Source of the window's scene, and the list of scenes.

use crate::scene::library::{self, SceneEntry};
use crate::scene::{STANDARD_INPUT, Scene, SceneArgument, SceneError};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

/// Scene with the text of its file, the file's name for messages, and the paths of its mesh files.
#[derive(Clone, Debug)]
pub struct LoadedScene {
    pub scene: Scene,
    pub file: String,
    pub text: String,
    pub meshes: Vec<PathBuf>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Scene with this index in the list.
    Listed(usize),
    File(PathBuf),
    /// Scene whose text was read from standard input.
    Typed(Arc<str>),
}

impl Source {
    /// Returns the source that a command-line argument names: a file, a scene of the list, or text
    /// from standard input. An existing file has priority over the list.
    pub fn from_argument(argument: SceneArgument) -> Self {
        let path = match argument {
            SceneArgument::Streamed(text) => return Self::Typed(text),
            SceneArgument::Named(path) => path,
        };
        let named = path.to_str().filter(|_| !path.exists());
        let index = named.and_then(|name| {
            let found = library::find(name).ok()?;
            entries().iter().position(|entry| entry.name == found.name)
        });
        index.map_or(Self::File(path), Self::Listed)
    }

    /// Returns the scene of the list that has this text, or else a scene from standard input.
    pub fn from_text(text: &str) -> Self {
        let index = entries().iter().position(|entry| entry.text() == text);
        index.map_or_else(|| Self::Typed(text.into()), Self::Listed)
    }

    /// Returns the file to watch for changes; `None` if the source has no file.
    pub fn file(&self) -> Option<PathBuf> {
        match self {
            Self::Listed(index) => entries().get(*index)?.path_on_disk(),
            Self::File(path) => Some(path.clone()),
            Self::Typed(_) => None,
        }
    }

    /// Reads the scene. A scene of the list is read from its file if the working directory contains
    /// one, so the file can be edited while the scene runs.
    pub fn load(&self) -> Result<LoadedScene, SceneError> {
        let from_file = |path: PathBuf| {
            let (scene, text, meshes) = Scene::load_with_text(&path)?;
            Ok(LoadedScene { scene, file: path.display().to_string(), text, meshes })
        };
        let from_list = |entry: &SceneEntry| {
            let (scene, text) = (entry.load()?, entry.text().to_owned());
            let file = format!("scenes/{}", entry.file);
            Ok(LoadedScene { scene, file, text, meshes: Vec::new() })
        };
        match (self, self.file()) {
            (_, Some(file)) => from_file(file),
            (Self::Listed(index), None) => match entries().get(*index) {
                Some(entry) => from_list(entry),
                None => from_list(&library::default_scene()),
            },
            (Self::File(path), None) => from_file(path.clone()),
            (Self::Typed(text), None) => {
                let (scene, meshes) = Scene::parse_with_meshes(text, STANDARD_INPUT)?;
                let (file, text) = (STANDARD_INPUT.to_owned(), (**text).to_owned());
                Ok(LoadedScene { scene, file, text, meshes })
            }
        }
    }

    /// Returns the index in the list. A file counts as the scene of the list with the same file
    /// name.
    pub fn index(&self) -> Option<usize> {
        match self {
            Self::Listed(index) => Some(*index),
            Self::File(path) => entries().iter().position(|entry| path.ends_with(entry.file)),
            Self::Typed(_) => None,
        }
    }

    /// Returns the next or the previous scene of the list. From a scene outside the list, the next
    /// one is the first of the list, and the previous one the last.
    pub fn neighbour(&self, forward: bool) -> Self {
        let n = entries().len();
        Self::Listed(match (self.index(), forward) {
            (Some(i), true) => (i + 1) % n,
            (Some(i), false) => (i + n - 1) % n,
            (None, true) => 0,
            (None, false) => n - 1,
        })
    }
}

/// Returns the scenes of the list. Their titles are read from the files once.
pub fn entries() -> &'static [SceneEntry] {
    static ENTRIES: LazyLock<Vec<SceneEntry>> = LazyLock::new(library::list);
    &ENTRIES
}

#[cfg(test)]
pub fn index_of(name: &str) -> usize {
    entries().iter().position(|entry| entry.name == name).expect("a scene")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_goes_on_from_a_scene_that_was_opened_by_its_path() {
        let file = |path: &str| Source::File(path.into());
        let last = entries().len() - 1;
        assert_eq!(file("scenes/03-pendulum.ron").neighbour(true), Source::Listed(3));
        assert_eq!(file("/elsewhere/03-pendulum.ron").neighbour(false), Source::Listed(1));
        assert_eq!(file("my-03-pendulum.ron").neighbour(true), Source::Listed(0));
        assert_eq!(file("mine.ron").neighbour(false), Source::Listed(last));
    }
}
