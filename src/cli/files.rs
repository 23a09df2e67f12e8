//! `ropelab check` and `ropelab export`: scenes as files.

use super::{Error, open_scene, print};
use clap::Args;
use ropelab::export::write_file;
use ropelab::scene::Scene;
use std::ffi::OsString;
use std::path::PathBuf;

/// Check scene files and say what is wrong with each
///
/// Good files are named on standard output, bad ones on standard error with line and column. Exit
/// code 2 if any file is bad.
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
            match Scene::load(file) {
                Ok(scene) => print(&format!("{}: {}\n", file.display(), inventory(&scene)))?,
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

/// `ok, 21 particles, 20 links, 2 pins, 1 lane`.
fn inventory(scene: &Scene) -> String {
    let count = |n: usize, thing: &str| format!("{n} {thing}{}", if n == 1 { "" } else { "s" });
    [
        "ok".to_owned(),
        count(scene.mesh.positions.len(), "particle"),
        count(scene.mesh.links.len(), "link"),
        count(scene.pins.len(), "pin"),
        count(scene.lanes.len(), "lane"),
    ]
    .join(", ")
}

/// Print the checked scene as RON, with every default written out
///
/// Examples:
///   ropelab export hanging-rope
///   ropelab export hanging-rope --out my-rope.ron
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct Export {
    /// Name of a scene (`ropelab list scenes`) or a scene file
    scene: OsString,
    /// Write to a file instead
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Export {
    pub fn run(self) -> Result<(), Error> {
        let text = open_scene(&self.scene)?.to_ron();
        match self.out {
            Some(path) => Ok(write_file(&path, &text)?),
            None => print(&text),
        }
    }
}
