//! Files that the laboratory writes: whole or not at all.

use crate::simulation::Simulation;
use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;
use thiserror::Error;

/// Why a file was not written. What stood there before is untouched.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The folder to write into does not exist.
    #[error("cannot write {}: there is no folder {}", path.display(), folder.display())]
    NoFolder {
        /// The file.
        path: PathBuf,
        /// The folder that it was to be in.
        folder: PathBuf,
    },
    /// A folder has that name.
    #[error("cannot write {}: it is a folder; expected the name of a file", .0.display())]
    IsFolder(PathBuf),
    /// The disk or the system refused.
    #[error("cannot write {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// A file on its way: written under a temporary name beside its place, and renamed by
/// [`OutputFile::finish`]. Dropped before that, it leaves nothing behind.
pub struct OutputFile {
    /// As it was named, for messages.
    path: PathBuf,
    /// Where it is, links followed.
    place: PathBuf,
    target: Target,
}

enum Target {
    Replace(BufWriter<NamedTempFile>),
    /// A device, a pipe or our own output, which is written to and not replaced.
    Stream(Box<dyn Write>),
}

impl OutputFile {
    /// Prepares to write `path`. Finds out now, before any work, whether that can succeed.
    pub fn create(path: &Path) -> Result<Self, ExportError> {
        let io = |source| ExportError::Io { path: path.to_owned(), source };
        // Behind a link, the file is replaced and the link stays.
        let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let target = match place.metadata() {
            _ if path == Path::new("/dev/stdout") => Target::Stream(Box::new(io::stdout())),
            _ if path == Path::new("/dev/stderr") => Target::Stream(Box::new(io::stderr())),
            Ok(found) if found.is_dir() => return Err(ExportError::IsFolder(path.to_owned())),
            Ok(found) if !found.is_file() => {
                let stream = OpenOptions::new().write(true).open(path).map_err(io)?;
                Target::Stream(Box::new(BufWriter::new(stream)))
            }
            _ => Target::Replace(BufWriter::new(temporary_beside(&place, path)?)),
        };
        Ok(Self { path: path.to_owned(), place, target })
    }

    /// Gives the file its name. From here on it is there, whole.
    pub fn finish(self) -> Result<(), ExportError> {
        let Self { path, place, target } = self;
        let done = match target {
            Target::Replace(writer) => writer
                .into_inner()
                .map_err(io::IntoInnerError::into_error)
                .and_then(|file| Ok(file.persist(&place).map(|_| ())?)),
            Target::Stream(mut writer) => writer.flush(),
        };
        done.map_err(|source| ExportError::Io { path, source })
    }

    /// An error of writing, with the name of this file.
    pub fn error(&self, source: io::Error) -> ExportError {
        ExportError::Io { path: self.path.clone(), source }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.target {
            Target::Replace(writer) => writer.write(bytes),
            Target::Stream(writer) => writer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.target {
            Target::Replace(writer) => writer.flush(),
            Target::Stream(writer) => writer.flush(),
        }
    }
}

fn temporary_beside(place: &Path, path: &Path) -> Result<NamedTempFile, ExportError> {
    let folder = match place.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        let (path, folder) = (path.to_owned(), folder.to_owned());
        return Err(ExportError::NoFolder { path, folder });
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ropelab-");
    // Readable like any other new file: the default of a temporary file is its owner only.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder).map_err(|source| ExportError::Io { path: path.to_owned(), source })
}

/// Writes a whole file at once.
pub fn write_file(path: &Path, content: &str) -> Result<(), ExportError> {
    let mut file = OutputFile::create(path)?;
    file.write_all(content.as_bytes()).map_err(|e| file.error(e))?;
    file.finish()
}

/// The columns of a run, in SI units: time, energies, greatest stretch, then position and velocity
/// of the tracked particles. Floats are the shortest that read back to the same bits.
#[derive(Debug)]
pub struct CsvColumns {
    tracked: Vec<u32>,
}

impl CsvColumns {
    /// Columns that follow these particles.
    pub fn new(tracked: Vec<u32>) -> Self {
        Self { tracked }
    }

    /// Writes the line of names.
    pub fn write_header(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "t,kinetic,potential,elastic,total,stretch_max")?;
        for i in &self.tracked {
            write!(out, ",x{i},y{i},z{i},vx{i},vy{i},vz{i}")?;
        }
        writeln!(out)
    }

    /// Writes the newest state.
    pub fn write_row(&self, simulation: &Simulation, out: &mut dyn Write) -> io::Result<()> {
        let energy = simulation.energy();
        let state = simulation.state();
        let columns = [
            state.t,
            energy.kinetic,
            energy.potential,
            energy.elastic,
            energy.total(),
            simulation.stretch().max,
        ];
        let tracked = self.tracked.iter().flat_map(|&i| {
            let (x, v) = (state.x[i as usize], state.v[i as usize]);
            [x.x, x.y, x.z, v.x, v.y, v.z]
        });
        let mut separator = "";
        for number in columns.into_iter().chain(tracked) {
            // `{:?}` is the shortest exact form, with an exponent where that is shorter to read.
            // An empty sum is −0; adding 0 makes it 0 and changes nothing else.
            write!(out, "{separator}{:?}", number + 0.0)?;
            separator = ",";
        }
        writeln!(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_only_when_it_is_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.csv");
        std::fs::write(&path, "old").unwrap();
        let mut file = OutputFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        write_file(&path, "new").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
    }

    #[test]
    fn a_missing_folder_and_a_folder_are_refused_before_any_work() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("not here").join("run.csv");
        assert!(matches!(OutputFile::create(&missing), Err(ExportError::NoFolder { .. })));
        assert!(matches!(OutputFile::create(folder.path()), Err(ExportError::IsFolder(_))));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_its_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_file(&link, "new").unwrap();
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
        write_file(&ours, "").unwrap();
        std::fs::write(&other, "").unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&other));
    }
}
