//! Reading of the scene that an argument names, and printing of results to standard output.

use super::error::Error;
use ropelab::scene::{STANDARD_INPUT, Scene, library};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

/// Path that means standard input when read and standard output when written.
pub const STREAM: &str = "-";

/// Reads a library scene by its name, a scene file, or a scene from standard input.
pub fn open_scene(argument: &OsString) -> Result<Scene, Error> {
    match argument.to_str() {
        Some(STREAM) => Ok(Scene::load_from(io::stdin().lock(), STANDARD_INPUT)?),
        Some(text) => Ok(Scene::open(text)?),
        None => Ok(Scene::load(argument)?),
    }
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
