//! Output files of the laboratory. A file appears only when it is complete.

#[cfg(feature = "cli")]
pub mod advice_chart;
#[cfg(feature = "cli")]
pub mod animation;
pub mod catalogue;
#[cfg(feature = "cli")]
pub mod cell_colours;
pub mod cells;
#[cfg(feature = "cli")]
pub mod chart;
pub mod code;
pub mod contacts;
#[cfg(feature = "cli")]
pub mod convergence_charts;
mod csv;
#[cfg(feature = "cli")]
pub mod damping_charts;
#[cfg(feature = "cli")]
pub mod drawing;
#[cfg(feature = "cli")]
pub mod map_charts;
#[cfg(feature = "cli")]
mod palette;
pub mod positions;
#[cfg(feature = "cli")]
mod raster;

pub use csv::{CsvColumns, Extra};
#[cfg(feature = "cli")]
pub use raster::RasterError;

use crate::scene;
use std::collections::BTreeSet;
use std::fs::{Metadata, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::NamedTempFile;
use thiserror::Error;

/// Reason why a file was not written. An existing file with the same name is unchanged.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The folder of the file does not exist.
    #[error("cannot write {}: there is no folder {}", path.display(), folder.display())]
    NoFolder {
        /// Path of the file.
        path: PathBuf,
        /// Missing folder.
        folder: PathBuf,
    },
    /// The path is a folder.
    #[error("cannot write {}: it is a folder; expected the name of a file", .0.display())]
    IsFolder(PathBuf),
    /// The output file is one of the command's input files.
    #[error(
        "cannot write {}: this command reads that file; expected the name of another file",
        .0.display()
    )]
    IsInput(PathBuf),
    /// The path is a scene file.
    #[error(
        "cannot write {}: a scene file has that name; expected the name of another file",
        .0.display()
    )]
    IsScene(PathBuf),
    /// The path is a symbolic link without a reachable target.
    #[error(
        "cannot write {}: it is a link to {}, which cannot be reached; the link is unchanged",
        path.display(),
        target.display()
    )]
    LostLink {
        /// Path of the symbolic link.
        path: PathBuf,
        /// Target of the symbolic link.
        target: PathBuf,
    },
    /// The image could not be drawn.
    #[cfg(feature = "cli")]
    #[error(transparent)]
    Picture(#[from] RasterError),
    /// The operating system reported an error.
    #[error("cannot write {}: {source}", path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Error reported by the operating system.
        source: io::Error,
    },
}

/// Existing files that must not be overwritten.
#[derive(Clone, Copy, Debug)]
pub struct ProtectedFiles<'a> {
    /// Files that the command reads. They are always protected.
    pub inputs: &'a [PathBuf],
    /// True to protect scene files, too.
    pub scenes: bool,
}

impl ProtectedFiles<'_> {
    fn check(
        &self,
        path: &Path,
        resolved_path: &Path,
        found: &Metadata,
    ) -> Result<(), ExportError> {
        if self.inputs.iter().any(|input| is_same_file(input, resolved_path, found)) {
            return Err(ExportError::IsInput(path.to_owned()));
        }
        if self.scenes && found.is_file() && scene::is_scene_file(resolved_path) {
            return Err(ExportError::IsScene(path.to_owned()));
        }
        Ok(())
    }
}

/// True if both paths name the same file, e.g. through a hard link.
fn is_same_file(input: &Path, resolved_path: &Path, found: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let identity = |file: &Metadata| (file.dev(), file.ino());
        let _ = resolved_path;
        input.metadata().is_ok_and(|input| identity(&input) == identity(found))
    }
    #[cfg(not(unix))]
    {
        let _ = found;
        input.canonicalize().is_ok_and(|input| input == resolved_path)
    }
}

/// Output file. Data is written to a temporary file in the same folder. [`OutputFile::finish`]
/// gives this file its final name. If the output file is dropped earlier, the temporary file is
/// removed.
pub struct OutputFile {
    /// Path as the user named it, for messages.
    path: PathBuf,
    /// Path with symbolic links resolved.
    resolved_path: PathBuf,
    target: WriteTarget,
}

enum OutputKind {
    StandardOutput,
    StandardError,
    /// Device or pipe, to which data is written directly.
    Device,
    File,
}

impl OutputKind {
    /// Returns the kind of an output, and its path with symbolic links resolved. Returns an error
    /// if the output is a protected file, a folder, or a symbolic link without a reachable target.
    fn find(path: &Path, protected: ProtectedFiles) -> Result<(Self, PathBuf), ExportError> {
        // If the path is a symbolic link, its target is replaced and the link remains.
        let resolved_path = match (path.canonicalize(), path.read_link()) {
            (Ok(resolved_path), _) => resolved_path,
            (Err(_), Ok(target)) if path.metadata().is_err() => {
                return Err(ExportError::LostLink { path: path.to_owned(), target });
            }
            (Err(_), _) => path.to_owned(),
        };
        let found = resolved_path.metadata();
        if let Ok(found) = &found {
            protected.check(path, &resolved_path, found)?;
        }
        let kind = match found {
            _ if is_standard_output(path) => Self::StandardOutput,
            _ if path == Path::new("/dev/stderr") => Self::StandardError,
            Ok(found) if found.is_dir() => return Err(ExportError::IsFolder(path.to_owned())),
            Ok(found) if !found.is_file() => Self::Device,
            _ => Self::File,
        };
        Ok((kind, resolved_path))
    }
}

/// True if the path means standard output.
pub fn is_standard_output(path: &Path) -> bool {
    ["-", "/dev/stdout"].map(Path::new).contains(&path)
}

/// Checks that an output can be written, without creating it. Returns the path of the file with all
/// symbolic links resolved, which is the same for two names of one file. Returns `None` for a
/// device, a pipe or a standard stream.
pub fn check_output(
    path: &Path,
    protected: ProtectedFiles,
) -> Result<Option<PathBuf>, ExportError> {
    let (OutputKind::File, resolved_path) = OutputKind::find(path, protected)? else {
        return Ok(None);
    };
    let folder = existing_folder(&resolved_path, path)?;
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    Ok(resolved_path.file_name().map(|name| folder.join(name)))
}

static TEMPORARY_FILES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    TEMPORARY_FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all unfinished files, in a process that is about to end.
pub fn remove_unfinished() {
    for path in std::mem::take(&mut *unfinished()) {
        // If another thread has renamed a file in the meantime, the missing path is not an error.
        let _ = std::fs::remove_file(path);
    }
}

enum WriteTarget {
    Replace(BufWriter<NamedTempFile>),
    /// Device, pipe or standard output, to which data is written directly.
    Stream(Box<dyn Write>),
}

impl OutputFile {
    /// Creates the temporary file for `path`. Most errors appear here, before anything is computed.
    pub fn create(path: &Path, protected: ProtectedFiles) -> Result<Self, ExportError> {
        let io = |source| ExportError::Io { path: path.to_owned(), source };
        let (kind, resolved_path) = OutputKind::find(path, protected)?;
        let target = match kind {
            OutputKind::StandardOutput => WriteTarget::Stream(Box::new(io::stdout())),
            OutputKind::StandardError => WriteTarget::Stream(Box::new(io::stderr())),
            OutputKind::Device => {
                let stream = OpenOptions::new().write(true).open(path).map_err(io)?;
                WriteTarget::Stream(Box::new(BufWriter::new(stream)))
            }
            OutputKind::File => {
                WriteTarget::Replace(BufWriter::new(create_temporary(&resolved_path, path)?))
            }
        };
        Ok(Self { path: path.to_owned(), resolved_path, target })
    }

    /// Completes the file and renames it to its final name.
    pub fn finish(self) -> Result<(), ExportError> {
        let Self { path, resolved_path, target } = self;
        let done = match target {
            WriteTarget::Replace(writer) => {
                writer.into_inner().map_err(io::IntoInnerError::into_error).and_then(|file| {
                    let temporary = file.path().to_owned();
                    let named = file.persist(&resolved_path);
                    unfinished().remove(&temporary);
                    Ok(named.map(|_| ())?)
                })
            }
            WriteTarget::Stream(mut writer) => writer.flush(),
        };
        done.map_err(|source| ExportError::Io { path, source: without_temporary_path(source) })
    }

    /// Adds the name of this file to an error.
    pub fn error(&self, source: io::Error) -> ExportError {
        ExportError::Io { path: self.path.clone(), source }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.target.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.target.writer().flush()
    }
}

impl WriteTarget {
    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Self::Replace(writer) => writer,
            Self::Stream(writer) => writer,
        }
    }
}

/// Returns the folder of a file. `path` is the file as the user named it.
fn existing_folder<'a>(resolved_path: &'a Path, path: &Path) -> Result<&'a Path, ExportError> {
    let folder = match resolved_path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if folder.is_dir() {
        return Ok(folder);
    }
    Err(ExportError::NoFolder { path: path.to_owned(), folder: folder.to_owned() })
}

fn create_temporary(resolved_path: &Path, path: &Path) -> Result<NamedTempFile, ExportError> {
    let folder = existing_folder(resolved_path, path)?;
    let io =
        |source| ExportError::Io { path: path.to_owned(), source: without_temporary_path(source) };
    let file = temporary_file(folder).map_err(io)?;
    unfinished().insert(file.path().to_owned());
    Ok(file)
}

/// Creates a temporary file with the permissions of an ordinary new file, whereas by default only
/// the owner could read it. `persist` gives the complete file its final name.
pub fn temporary_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ropelab-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

/// Removes the path of the temporary file from the text of an error.
fn without_temporary_path(error: io::Error) -> io::Error {
    let said = error.to_string();
    match said.split_once(" at path ") {
        Some((said, _)) => io::Error::new(error.kind(), said),
        None => error,
    }
}

/// Writes a complete file.
pub fn write_file(
    path: &Path,
    content: impl AsRef<[u8]>,
    protected: ProtectedFiles,
) -> Result<(), ExportError> {
    let mut file = OutputFile::create(path, protected)?;
    file.write_all(content.as_ref()).map_err(|e| file.error(e))?;
    file.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: ProtectedFiles = ProtectedFiles { inputs: &[], scenes: false };

    #[test]
    fn a_file_appears_only_when_it_is_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.csv");
        std::fs::write(&path, "old").unwrap();
        let mut file = OutputFile::create(&path, NOTHING).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        write_file(&path, "new", NOTHING).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
    }

    #[test]
    fn a_missing_folder_and_a_folder_are_refused_before_any_work() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("not here").join("run.csv");
        assert!(matches!(OutputFile::create(&missing, NOTHING), Err(ExportError::NoFolder { .. })));
        assert!(matches!(
            OutputFile::create(folder.path(), NOTHING),
            Err(ExportError::IsFolder(_))
        ));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_its_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_file(&link, "new", NOTHING).unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
    }

    #[cfg(unix)]
    #[test]
    fn a_new_file_is_as_readable_as_any_other() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let ours = folder.path().join("ours");
        let other = folder.path().join("other");
        write_file(&ours, "", NOTHING).unwrap();
        std::fs::write(&other, "").unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&other));
    }

    #[cfg(unix)]
    #[test]
    fn an_input_is_never_written_over_under_whatever_name() {
        let folder = tempfile::tempdir().unwrap();
        let resolved_path = |name: &str| folder.path().join(name);
        let input = resolved_path("input");
        std::fs::write(&input, "mine").unwrap();
        std::fs::hard_link(&input, resolved_path("hard")).unwrap();
        std::os::unix::fs::symlink(&input, resolved_path("soft")).unwrap();
        let inputs = [input.clone()];
        let protected = ProtectedFiles { inputs: &inputs, scenes: false };
        for name in ["input", "hard", "soft", "../input"] {
            let path = if name.starts_with("..") {
                std::fs::create_dir_all(resolved_path("sub")).unwrap();
                resolved_path("sub").join(name)
            } else {
                resolved_path(name)
            };
            let refused = write_file(&path, "new", protected);
            assert!(matches!(refused, Err(ExportError::IsInput(_))), "{name}: {refused:?}");
        }
        assert_eq!(std::fs::read_to_string(&input).unwrap(), "mine");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_nowhere_or_in_a_circle_stays() {
        let folder = tempfile::tempdir().unwrap();
        for (name, target) in [("lost", "gone/away"), ("loop", "loop")] {
            let link = folder.path().join(name);
            std::os::unix::fs::symlink(target, &link).unwrap();
            let refused = write_file(&link, "new", NOTHING).unwrap_err();
            assert!(matches!(refused, ExportError::LostLink { .. }), "{refused}");
            assert!(refused.to_string().contains(&format!("a link to {target},")), "{refused}");
            assert!(link.symlink_metadata().unwrap().is_symlink());
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_error_of_writing_names_the_target_only() {
        let refused = write_file(Path::new("/proc/run.csv"), "", NOTHING).unwrap_err().to_string();
        assert!(refused.starts_with("cannot write /proc/run.csv: "), "{refused}");
        assert!(!refused.contains(".ropelab-"), "{refused}");
    }
}
