//! Reading of the scene that an argument names, and printing of results to standard output.

use super::error::Error;
use ropelab::scene::{Scene, SceneArgument, library};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Path that means standard input when read and standard output when written.
pub const STREAM: &str = "-";

/// Reads a library scene by its name, a scene file, or a scene from standard input.
pub fn open_scene(argument: &OsString) -> Result<Scene, Error> {
    open_scene_with_files(argument).map(|(scene, _)| scene)
}

/// Reads a scene like [`open_scene`]. Also returns the paths of the files that were read: the scene
/// file and its mesh files.
pub fn open_scene_with_files(argument: &OsString) -> Result<(Scene, Vec<PathBuf>), Error> {
    if argument != STREAM {
        return Ok(SceneArgument::Named(argument.into()).open_with_files()?);
    }
    let streamed = SceneArgument::read(io::stdin().lock())?;
    let (scene, mut files) = streamed.open_with_files()?;
    files.push(STREAM.into());
    Ok((scene, files))
}

/// Returns the name of a scene for reports: its name in the library, or the path as the user wrote
/// it.
pub fn scene_name(argument: &OsString) -> String {
    let text = argument.to_string_lossy();
    match library::find(&text) {
        Ok(entry) if !Path::new(argument).is_file() => entry.name.to_owned(),
        _ => text.into_owned(),
    }
}

pub fn print(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Error::Output)
}

/// Writes a result to standard output as one JSON document. NaN and infinity have no JSON form and
/// become null.
pub fn print_json(value: &impl serde::Serialize) -> Result<(), Error> {
    let text = serde_json::to_string_pretty(value).map_err(|e| Error::Output(e.into()))?;
    print(&(text + "\n"))
}

pub fn print_json_line(value: &impl serde::Serialize) -> Result<(), Error> {
    let text = serde_json::to_string(value).map_err(|e| Error::Output(e.into()))?;
    print(&(text + "\n"))
}
