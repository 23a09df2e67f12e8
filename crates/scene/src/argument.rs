//! Command-line argument that names a scene.

use super::error::SceneError;
use super::opening::{LONGEST_FILE, decode_text};
use super::scene::Scene;
use super::text::read;
use std::io::Read;
use std::iter;
use std::path::PathBuf;
use std::sync::Arc;

/// Name of standard input in messages.
pub const STANDARD_INPUT: &str = "standard input";

/// Command-line argument that names the scene to open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SceneArgument {
    /// Path of a file, or name of a library scene.
    Named(PathBuf),
    /// Text of a scene from standard input. It is kept, because a stream cannot be read twice.
    Streamed(Arc<str>),
}

impl SceneArgument {
    /// Reads a stream to its end. The text is not checked yet.
    pub fn read(source: impl Read) -> Result<Self, SceneError> {
        let text = decode_text(read::to_end(source, LONGEST_FILE), STANDARD_INPUT)?;
        Ok(Self::Streamed(text.into()))
    }

    /// Reads and checks the scene.
    pub fn open(&self) -> Result<Scene, SceneError> {
        self.open_with_files().map(|(scene, _)| scene)
    }

    /// Reads and checks the scene. Also returns the paths of the files that were read, i.e. the
    /// scene file and its mesh files.
    pub fn open_with_files(&self) -> Result<(Scene, Vec<PathBuf>), SceneError> {
        match self {
            Self::Named(path) => {
                let (name, text) = match path.to_str() {
                    Some(text) => Scene::find_text(text)?,
                    None => Scene::read_text(path)?,
                };
                let (scene, meshes) = Scene::parse_with_meshes(&text, &name)?;
                Ok((scene, iter::once(path.clone()).chain(meshes).collect()))
            }
            Self::Streamed(text) => Scene::parse_with_meshes(text, STANDARD_INPUT),
        }
    }
}
