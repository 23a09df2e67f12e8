//! A scene as it was asked for.

use super::text::read;
use super::{LONGEST_FILE, Scene, SceneError, text_of};
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

/// Name in messages for a scene that came from standard input.
pub const STANDARD_INPUT: &str = "standard input";

/// Argument that names a scene for the window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SceneArgument {
    /// A file, or a name in the library.
    Named(PathBuf),
    /// The text itself. A stream cannot be read twice, so it is kept.
    Typed(Arc<str>),
}

impl SceneArgument {
    /// Reads a stream to its end; whether it is a scene is seen when it is opened.
    pub fn read(source: impl Read) -> Result<Self, SceneError> {
        let text = text_of(read::to_end(source, LONGEST_FILE), STANDARD_INPUT)?;
        Ok(Self::Typed(text.into()))
    }

    /// The scene.
    pub fn open(&self) -> Result<Scene, SceneError> {
        match self {
            Self::Named(path) => match path.to_str() {
                Some(text) => Scene::open(text),
                None => Scene::load(path),
            },
            Self::Typed(text) => Scene::parse(text, STANDARD_INPUT),
        }
    }
}
