//! Rust source for the files of a folder, for the build scripts.

use std::fmt::Write;
use std::path::Path;
use std::{fs, io};

/// Returns names (in ascending order) and contents of the files with this ending, as Rust source.
pub fn list(folder: &Path, ending: &str, include: &str) -> io::Result<String> {
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
