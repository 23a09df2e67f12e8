//! Scene as the command line names it.

use super::text::read;
use super::{LONGEST_FILE, Scene, SceneError, text_of};
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

/// Name of standard input in messages.
pub const STANDARD_INPUT: &str = "standard input";

/// Argument that names the scene for the window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SceneArgument {
    /// A file, or the name of a library scene.
    Named(PathBuf),
    /// Text of the scene. A stream cannot be read twice, so its text is kept.
    Typed(Arc<str>),
}

impl SceneArgument {
    /// Reads a stream to its end. The scene is checked when it is opened.
    pub fn read(source: impl Read) -> Result<Self, SceneError> {
        let text = text_of(read::to_end(source, LONGEST_FILE), STANDARD_INPUT)?;
        Ok(Self::Typed(text.into()))
    }

    /// Opens the scene.
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
