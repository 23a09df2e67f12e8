//! Saving of files: the folder, an unused file name, and atomic writing (a file is written
//! completely or not at all).

use crate::export::{ExportError, ProtectedFiles, temporary_file, write_file};
use crate::scene::is_scene_file;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

fn create_save_folder() -> io::Result<PathBuf> {
    let folder = save_folder();
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Returns the folder in the environment variable `ROPELAB_SAVE_DIR`, if it is set.
pub fn chosen_folder() -> Option<PathBuf> {
    std::env::var_os("ROPELAB_SAVE_DIR").map(PathBuf::from)
}

/// Returns the folder for saved files: `ROPELAB_SAVE_DIR` if set, otherwise `ropelab` in the user's
/// pictures, otherwise the current folder.
fn save_folder() -> PathBuf {
    if let Some(folder) = chosen_folder() {
        return folder;
    }
    let pictures = directories::UserDirs::new()
        .and_then(|user| user.picture_dir().map(|pictures| pictures.join("ropelab")));
    pictures.unwrap_or_else(|| PathBuf::from("."))
}

/// Saves a file as `scene-NUMBER.ending` with the first free number.
pub fn save(scene: &str, ending: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    let folder = create_save_folder()?;
    let mut whole = temporary_file(&folder)?;
    whole.write_all(bytes)?;
    let mut whole = Some(whole);
    create_first_free(&folder, scene, &format!(".{ending}"), |path| {
        match whole.take().map(|it| it.persist_noclobber(path)) {
            Some(Err(taken)) => {
                whole = Some(taken.file);
                Err(taken.error)
            }
            _ => Ok(()),
        }
    })
}

/// Returns the first path `scene-NUMBER.ending` whose files do not exist yet. `written` lists the
/// files that the caller will create for a path.
pub fn free_path(
    scene: &str,
    ending: &str,
    written: impl Fn(&Path) -> Vec<PathBuf>,
) -> io::Result<PathBuf> {
    create_first_free(&create_save_folder()?, scene, &format!(".{ending}"), |path| {
        match written(path).iter().any(|file| file.exists()) {
            true => Err(io::ErrorKind::AlreadyExists.into()),
            false => Ok(()),
        }
    })
}

/// Creates the folder `scene-NUMBER` with the first free number.
pub fn new_folder(scene: &str) -> io::Result<PathBuf> {
    create_first_free(&create_save_folder()?, scene, "", |path| std::fs::create_dir(path))
}

/// Returns the first path `scene-NUMBER` with this extension in the folder for which `make`
/// succeeds. Tries the next number if `make` fails because the file exists.
fn create_first_free(
    folder: &Path,
    scene: &str,
    ending: &str,
    mut make: impl FnMut(&Path) -> io::Result<()>,
) -> io::Result<PathBuf> {
    let stem = file_stem(scene);
    for number in 1..=9999 {
        let path = folder.join(format!("{stem}-{number}{ending}"));
        match make(&path) {
            Ok(()) => return Ok(path),
            Err(taken) if taken.kind() == io::ErrorKind::AlreadyExists => {}
            Err(other) => return Err(other),
        }
    }
    Err(io::Error::other(format!("{} contains 9999 files of this name", folder.display())))
}

/// Writes a scene file. It may replace an older scene, but no file of another kind and none of the
/// scene's mesh files. The error is a message for the user.
pub fn save_scene(path: &Path, text: &str, meshes: &[PathBuf]) -> Result<(), String> {
    if path.is_file() && !is_scene_file(path) {
        return Err(format!("{} exists and is not a scene; choose another name", path.display()));
    }
    let protected = ProtectedFiles { inputs: meshes, scenes: false };
    write_file(path, text, protected).map_err(|error| match error {
        ExportError::IsInput(path) => {
            format!("the scene reads a mesh from {}; choose another name", path.display())
        }
        other => other.to_string(),
    })
}

/// Replaces the file at this path as a whole. If writing fails, the old file stays.
pub fn save_as(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut whole = temporary_file(folder.unwrap_or(Path::new(".")))?;
    whole.write_all(bytes)?;
    whole.persist(path)?;
    Ok(())
}

/// Returns a file name for `name` that is valid on every platform.
pub fn file_stem(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let stem: String = name.chars().take(60).map(plain).collect();
    let stem = stem.trim_matches('-');
    if stem.is_empty() { "ropelab".to_owned() } else { stem.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn what_is_saved_can_be_read_as_any_new_file_can() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let mode = |path: &Path| std::fs::metadata(path).expect("a file").permissions().mode();
        let (plain, saved) = (folder.path().join("plain"), folder.path().join("saved"));
        std::fs::write(&plain, "").expect("it is written");
        save_as(&saved, b"").expect("it is saved");
        assert_eq!(mode(&saved), mode(&plain));
    }

    #[test]
    fn a_saved_scene_replaces_a_scene_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str, content: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, content).expect("it is written");
            path
        };
        let (scene, mesh) = (file("a.ron", "old"), file("ball.obj", "v 0 0 0"));
        // A mesh file with the extension of a scene file.
        let odd_mesh = file("mesh.ron", "v 0 0 0");
        let meshes = [mesh.clone(), odd_mesh.clone()];
        assert_eq!(save_scene(&scene, "new", &meshes), Ok(()));
        assert_eq!(std::fs::read_to_string(&scene).expect("a file"), "new");
        assert!(save_scene(&mesh, "new", &[]).unwrap_err().contains("is not a scene"));
        assert!(save_scene(&odd_mesh, "new", &meshes).unwrap_err().contains("the scene reads"));
        for kept in &meshes {
            assert_eq!(std::fs::read_to_string(kept).expect("a file"), "v 0 0 0");
        }
    }

    #[test]
    fn any_scene_name_makes_a_file_name() {
        assert_eq!(file_stem("Stiff rope, 60 Hz"), "stiff-rope--60-hz");
        assert_eq!(file_stem("../../etc"), "etc");
        assert_eq!(file_stem("/"), "ropelab");
    }
}
