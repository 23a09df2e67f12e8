//! The list of scenes, and the source of the scene in the window.

use crate::scene::library::{self, SceneEntry};
use crate::scene::{STANDARD_INPUT, Scene, SceneArgument, SceneError};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

/// A scene that was read, with its text.
#[derive(Clone, Debug)]
pub struct LoadedScene {
    /// The scene.
    pub scene: Scene,
    /// Name of its file.
    pub file: String,
    /// Text of its file, as typed.
    pub text: String,
}

/// Source of a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The list, by place.
    Listed(usize),
    /// A file.
    File(PathBuf),
    /// Standard input, which has this text.
    Typed(Arc<str>),
}

impl Source {
    /// The source that a command line argument names: a file, a scene of the list, or the text from
    /// standard input.
    pub fn from_argument(argument: SceneArgument) -> Self {
        let path = match argument {
            SceneArgument::Typed(text) => return Self::Typed(text),
            SceneArgument::Named(path) => path,
        };
        let named = path.to_str().filter(|_| !path.exists());
        let place = named.and_then(|name| {
            let found = library::find(name).ok()?;
            entries().iter().position(|entry| entry.name == found.name)
        });
        place.map_or(Self::File(path), Self::Listed)
    }

    /// Source of a scene that is known by its text: a scene of the list if it has the same.
    pub fn of_text(text: &str) -> Self {
        let place = entries().iter().position(|entry| entry.text() == text);
        place.map_or_else(|| Self::Typed(text.into()), Self::Listed)
    }

    /// The file to watch, if there is one.
    pub fn file(&self) -> Option<PathBuf> {
        match self {
            Self::Listed(place) => entries().get(*place)?.on_disk(),
            Self::File(path) => Some(path.clone()),
            Self::Typed(_) => None,
        }
    }

    /// Reads the scene. One of the list is read from its file when the working directory has it,
    /// so that it can be edited while it runs.
    pub fn load(&self) -> Result<LoadedScene, SceneError> {
        let from_file = |path: PathBuf| {
            let (scene, text) = Scene::load_with_text(&path)?;
            Ok(LoadedScene { scene, file: path.display().to_string(), text })
        };
        let from_list = |entry: &SceneEntry| {
            let (scene, text) = (entry.load()?, entry.text().to_owned());
            Ok(LoadedScene { scene, file: format!("scenes/{}", entry.file), text })
        };
        match (self, self.file()) {
            (_, Some(file)) => from_file(file),
            (Self::Listed(place), None) => match entries().get(*place) {
                Some(entry) => from_list(entry),
                None => from_list(&library::default_scene()),
            },
            (Self::File(path), None) => from_file(path.clone()),
            (Self::Typed(text), None) => Ok(LoadedScene {
                scene: Scene::parse(text, STANDARD_INPUT)?,
                file: STANDARD_INPUT.to_owned(),
                text: (**text).to_owned(),
            }),
        }
    }

    /// Place in the list: a file has that of the scene of the same file name.
    pub fn place(&self) -> Option<usize> {
        match self {
            Self::Listed(place) => Some(*place),
            Self::File(path) => entries().iter().position(|entry| path.ends_with(entry.file)),
            Self::Typed(_) => None,
        }
    }

    /// Neighbour in the list; any other file counts as before the first and after the last.
    pub fn neighbour(&self, forward: bool) -> Self {
        let n = entries().len();
        Self::Listed(match (self.place(), forward) {
            (Some(i), true) => (i + 1) % n,
            (Some(i), false) => (i + n - 1) % n,
            (None, true) => 0,
            (None, false) => n - 1,
        })
    }
}

/// Scenes of the list. Titles are in the files, which are read once.
pub fn entries() -> &'static [SceneEntry] {
    static ENTRIES: LazyLock<Vec<SceneEntry>> = LazyLock::new(library::list);
    &ENTRIES
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
