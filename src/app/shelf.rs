//! The list of scenes, and where the scene in the window came from.

use crate::scene::{Scene, SceneError, library};
use std::path::{Path, PathBuf};

/// Where a scene came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The list, by place.
    Listed(usize),
    /// A file.
    File(PathBuf),
}

impl Source {
    /// The file to watch, if there is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Listed(_) => None,
            Self::File(path) => Some(path),
        }
    }

    /// Reads the scene.
    pub fn load(&self) -> Result<Scene, SceneError> {
        match self {
            Self::Listed(i) => library::list()[*i].load(),
            Self::File(path) => Scene::load(path),
        }
    }

    /// The neighbour in the list; a file comes before the first and after the last.
    pub fn neighbour(&self, forward: bool) -> Self {
        let n = library::list().len();
        Self::Listed(match (self, forward) {
            (Self::Listed(i), true) => (i + 1) % n,
            (Self::Listed(i), false) => (i + n - 1) % n,
            (Self::File(_), true) => 0,
            (Self::File(_), false) => n - 1,
        })
    }
}

/// The names of the list, in its order.
pub fn names() -> impl Iterator<Item = &'static str> {
    library::list().iter().map(|entry| entry.name)
}
