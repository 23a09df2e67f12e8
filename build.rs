//! Embeds the preview pictures of scenes, `assets/scenes/*.png`, in the binary. The script
//! `assets/scene-pictures.sh` renders them. A scene may have no picture.

#[path = "assets/embed_folder.rs"]
mod embed_folder;

use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let pictures = embed_folder::list(&root.join("assets/scenes"), "png", "include_bytes!")?;
    fs::write(out.join("scene_pictures.rs"), pictures)
}
