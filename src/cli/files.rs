//! `ropelab check` and `ropelab export`: checking and printing of scenes.

use crate::cli::error::Error;
use crate::cli::output::{Output, Overwrite};
use crate::cli::streams::{STREAM, open_scene_with_files, print};
use clap::Args;
use ropelab::scene::text::read::{self, ReadError};
use ropelab::scene::{LONGEST_FILE, STANDARD_INPUT, Scene, SceneError, library};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// Check scene files and report what is wrong with each
///
/// Good files are named on standard output, bad ones on standard error with line and column.
/// Overlaps of bodies at the start are reported on standard error, too. Exit code 2 if any file is
/// bad. - is standard input.
///
/// Examples:
///   ropelab check my-rope.ron
///   ropelab check scenes/*.ron
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct Check {
    /// Scene files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl Check {
    pub fn run(self) -> Result<(), Error> {
        let mut bad = 0;
        for file in &self.files {
            match load_file(file) {
                Ok(scene) => {
                    print(&format!("{}: {}\n", file.display(), describe_contents(&scene)))?;
                    for warning in scene.warnings() {
                        eprintln!("warning: {}: {warning}", file.display());
                    }
                }
                Err(error) if self.files.len() == 1 => return Err(error.into()),
                Err(error) => {
                    eprintln!("error: {error}");
                    bad += 1;
                }
            }
        }
        if bad > 0 { Err(Error::BadFiles { bad, all: self.files.len() }) } else { Ok(()) }
    }
}

/// Reads a scene from a file or from standard input. Unlike [`open_scene`], it ignores the library.
fn load_file(file: &Path) -> Result<Scene, SceneError> {
    if file == Path::new(STREAM) {
        return Scene::load_from(io::stdin().lock(), STANDARD_INPUT);
    }
    Scene::load(file)
}

/// Returns the numbers of bodies in a scene as text: `ok, 21 particles, 20 links, 2 pins, 1 lane`.
fn describe_contents(scene: &Scene) -> String {
    let count = |n: usize, thing: &str| format!("{n} {thing}{}", if n == 1 { "" } else { "s" });
    [
        "ok".to_owned(),
        count(scene.parts.mesh.positions.len(), "particle"),
        count(scene.parts.mesh.links.len(), "link"),
        count(scene.parts.pins.len(), "pin"),
        count(scene.lanes.len(), "lane"),
    ]
    .join(", ")
}

/// Print the checked scene as RON, with the settings of every lane written out
///
/// Ropes, nets and cloths are not resolved into particles. --source prints the text of the file
/// unchanged, with its comments. `-` means standard input or output.
///
/// Examples:
///   ropelab export hanging-rope
///   ropelab export hanging-rope --source --out my-rope.ron
///   ropelab export - < my-rope.ron
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct Export {
    /// Name of a scene (`ropelab list scenes`) or a scene file
    scene: OsString,
    /// Print the text of the file unchanged
    #[arg(long)]
    source: bool,
    /// Write to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite an existing scene file at --out
    #[arg(long, requires = "out")]
    force: bool,
}

impl Export {
    pub fn run(self) -> Result<(), Error> {
        let (text, files) = if self.source {
            (read_source(&self.scene)?, vec![PathBuf::from(&self.scene)])
        } else {
            let (scene, files) = open_scene_with_files(&self.scene)?;
            (scene.to_ron().into_bytes(), files)
        };
        let out = self.out.as_deref().unwrap_or(Path::new(STREAM));
        let overwrite = Overwrite { force: self.force };
        let output = Output::check(files, &[("--out", Some(out))], false, overwrite)?;
        Ok(output.write(out, &text)?)
    }
}

/// Reads a file of at most `longest` bytes, or standard input if the path is `-`.
pub fn read_bytes(path: &Path, longest: u64) -> Result<Vec<u8>, ReadError> {
    if path == Path::new(STREAM) {
        read::to_end(io::stdin().lock(), longest)
    } else {
        read::regular_file(path, longest)
    }
}

/// Reads the text of a scene file, of a scene of the library, or of standard input.
fn read_source(argument: &OsString) -> Result<Vec<u8>, SceneError> {
    let path = Path::new(argument);
    let entry = library::find(&argument.to_string_lossy()).ok().filter(|_| !path.is_file());
    let unread = |error: ReadError| SceneError::File {
        file: path.display().to_string(),
        problem: error.to_string(),
    };
    match entry {
        Some(entry) if path != Path::new(STREAM) => Ok(entry.text().as_bytes().to_vec()),
        _ => read_bytes(path, LONGEST_FILE).map_err(unread),
    }
}
