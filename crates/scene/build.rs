//! Embeds the scenes of `scenes/` in the library: a new file is a new scene.

#[path = "../../assets/embed_folder.rs"]
mod embed_folder;

use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../..");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let scenes = embed_folder::list(&root.join("scenes"), "ron", "include_str!")?;
    fs::write(out.join("scenes.rs"), scenes)
}
