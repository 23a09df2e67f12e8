//! Puts the scenes of `scenes/` and their pictures in `assets/scenes/` into the binary: a new file
//! is a new scene. `assets/scene-pictures.sh` makes the pictures; a scene may be without one.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let scenes = list(&root.join("scenes"), "ron", "include_str!")?;
    fs::write(out.join("scenes.rs"), scenes)?;
    let pictures = list(&root.join("assets/scenes"), "png", "include_bytes!")?;
    fs::write(out.join("scene_pictures.rs"), pictures)
}

/// Names of files with that ending, ascending, and what is in them, as Rust.
fn list(folder: &Path, ending: &str, include: &str) -> io::Result<String> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    for file in fs::read_dir(folder)? {
        let path = file?.path();
        if path.extension().is_some_and(|found| found == ending) {
            files.push(path);
        }
    }
    files.sort();
    let mut list = String::from("&[\n");
    for path in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let path = path.to_string_lossy().into_owned();
        writeln!(list, "    ({name:?}, {include}({path:?})),").map_err(io::Error::other)?;
    }
    list.push(']');
    Ok(list)
}
