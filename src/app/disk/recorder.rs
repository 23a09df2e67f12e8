//! Recording of the session by the window: always in memory up to a limit, and on request in a
//! file.

use crate::export::temporary_file;
use crate::session::recording::{MAGIC_LINE, Record, Start, is_recording};
use crate::session::{Event, Session, UndoneEvents};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempPath;
use thiserror::Error;

/// Largest size in bytes of the recording in memory: about four hours of one lane at 60 frames per
/// second.
const MOST_BYTES: usize = 64 << 20;
/// Longest delay between an event and its line in the file.
const LONGEST_DELAY: Duration = Duration::from_secs(1);
/// Number of frames between two lines with hashes of the lanes' states.
const FRAMES_BETWEEN_HASHES: u64 = 60;
/// Largest total number of particles in all lanes for which hashes are written during the session.
/// Hashing them takes about 0.1 ms per frame. The states of larger sessions are hashed only at the
/// end.
const MOST_HASHED: usize = 2000;

#[derive(Debug, Error)]
pub enum RecorderError {
    /// The file exists already and is not a recording.
    #[error(
        "cannot record to {}: that file exists and is not a recording; choose another name",
        .0.display()
    )]
    Other(PathBuf),
    /// The folder of the file does not exist.
    #[error("cannot record to {}: there is no folder {}", path.display(), folder.display())]
    NoFolder { path: PathBuf, folder: PathBuf },
    /// The operating system refused to create or write the file, e.g. because the disk is full.
    #[error("cannot record to {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

#[derive(Debug, Default)]
pub struct Recorder {
    memory: String,
    /// True if the recording in memory has reached its limit.
    full: bool,
    file: Option<RecordFile>,
    /// Error that ended the recording to the file. [`Recorder::take_failure`] returns and clears
    /// it.
    failure: Option<RecorderError>,
    frames: u64,
}

#[derive(Debug)]
struct RecordFile {
    path: PathBuf,
    /// Temporary file. It is renamed once the start of the session has been written, so a file with
    /// the final name is always a valid recording.
    temporary: Option<TempPath>,
    writer: BufWriter<File>,
    flushed: Instant,
}

impl RecordFile {
    /// Creates the file. It may replace an older recording.
    fn create(path: &Path) -> Result<Self, RecorderError> {
        let io = |source| RecorderError::Io { path: path.to_owned(), source };
        if path.exists() && !is_recording(path).map_err(io)? {
            return Err(RecorderError::Other(path.to_owned()));
        }
        // If the path is a symbolic link, the linked file is replaced and the link stays.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        if !folder.is_dir() {
            let folder = folder.to_owned();
            return Err(RecorderError::NoFolder { path, folder });
        }
        let (file, temporary) = temporary_file(folder).map_err(io)?.into_parts();
        let writer = BufWriter::new(file);
        Ok(Self { path, temporary: Some(temporary), writer, flushed: Instant::now() })
    }

    /// Renames the temporary file to its final name.
    fn give_final_name(&mut self) -> io::Result<()> {
        let Some(temporary) = self.temporary.take() else { return Ok(()) };
        self.writer.flush()?;
        Ok(temporary.persist(&self.path)?)
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        self.writer.write_all(text.as_bytes())?;
        if self.flushed.elapsed() >= LONGEST_DELAY {
            self.writer.flush()?;
            self.flushed = Instant::now();
        }
        Ok(())
    }
}

impl Recorder {
    pub fn new(file: Option<&Path>) -> Result<Self, RecorderError> {
        let mut file = file.map(RecordFile::create).transpose()?;
        if let Some(RecordFile { path, writer, .. }) = &mut file {
            let io = |source| RecorderError::Io { path: path.clone(), source };
            writer.write_all(MAGIC_LINE.as_bytes()).map_err(io)?;
        }
        Ok(Self { file, ..Self::default() })
    }

    pub fn writes_file(&self) -> bool {
        self.file.is_some()
    }

    /// Starts the recording of a scene. Clears the recording in memory first.
    pub fn start(&mut self, start: Start) {
        self.memory.clear();
        self.memory.push_str(MAGIC_LINE);
        (self.full, self.frames) = (false, 0);
        self.write(&Record::Start(start).line());
        let appeared = self.file.as_mut().map(RecordFile::give_final_name);
        self.stop_if_failed(appeared);
    }

    /// Records an event. `session` must be in the state after the event.
    pub fn record(&mut self, event: Event, session: &Session) {
        let is_frame = matches!(event, Event::Frame { .. });
        self.write(&Record::Event(event).line());
        if is_frame {
            self.frames += 1;
            let lanes = session.lanes().iter();
            let particles: usize = lanes.map(|lane| lane.simulation.state().len()).sum();
            if particles <= MOST_HASHED && self.frames.is_multiple_of(FRAMES_BETWEEN_HASHES) {
                self.record_hashes(session);
            }
        }
    }

    /// Records that the lanes returned to an earlier time.
    pub fn record_step_back(&mut self, back: UndoneEvents, session: &Session) {
        self.write(&Record::Back { events: back.events }.line());
        if let Some(event) = back.replacement {
            self.record(event, session);
        }
    }

    /// Records that `events` replace the last `taken_back` recorded events.
    pub fn replace(&mut self, taken_back: usize, events: Vec<Event>) {
        self.write(&Record::Back { events: taken_back }.line());
        events.into_iter().for_each(|event| self.write(&Record::Event(event).line()));
    }

    /// Returns the recording up to the session's current moment; `None` if the recording in memory
    /// has reached its limit. `unrecorded` is a return to an earlier time that is not in the
    /// recording yet.
    pub fn recording_so_far(
        &self,
        unrecorded: Option<UndoneEvents>,
        session: &Session,
    ) -> Option<String> {
        let back = unrecorded.map(|UndoneEvents { events, replacement: instead }| {
            let instead = instead.map(|event| Record::Event(event).line());
            Record::Back { events }.line() + &instead.unwrap_or_default()
        });
        let end = back.unwrap_or_default() + &state_lines(session);
        (!self.full).then(|| self.memory.clone() + &end)
    }

    /// Writes the current states at the end of the file and closes the file.
    pub fn finish(&mut self, session: &Session) -> Result<(), RecorderError> {
        if self.file.is_some() {
            self.record_hashes(session);
        }
        match self.file.take().map(|mut file| (file.writer.flush(), file.path)) {
            Some((Err(source), path)) => Err(RecorderError::Io { path, source }),
            _ => Ok(()),
        }
    }

    /// Returns the error that ended the file once; later calls return `None`.
    pub fn take_failure(&mut self) -> Option<RecorderError> {
        self.failure.take()
    }

    fn record_hashes(&mut self, session: &Session) {
        self.write(&state_lines(session));
    }

    fn write(&mut self, line: &str) {
        self.full |= self.memory.len() + line.len() > MOST_BYTES;
        if !self.full {
            self.memory.push_str(line);
        }
        let written = self.file.as_mut().map(|file| file.write(line));
        self.stop_if_failed(written);
    }

    /// Ends the recording to the file if writing failed.
    fn stop_if_failed(&mut self, done: Option<io::Result<()>>) {
        if let Some(Err(source)) = done {
            let path = self.file.take().map(|file| file.path).unwrap_or_default();
            self.failure = Some(RecorderError::Io { path, source });
        }
    }
}

/// Returns lines with the current states of all lanes: digests, then hashes.
fn state_lines(session: &Session) -> String {
    Record::Digests(session.digests()).line() + &Record::Hashes(session.hashes()).line()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_folder_is_named_and_no_temporary_file() {
        let error = Recorder::new(Some(Path::new("nowhere/x.rec"))).unwrap_err().to_string();
        assert_eq!(error, "cannot record to nowhere/x.rec: there is no folder nowhere");
    }
}
