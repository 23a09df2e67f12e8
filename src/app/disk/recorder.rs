//! The window's own recording: in memory, within a bound, and in a file as it happens.

use super::saving::new_file;
use crate::session::recording::{MAGIC_LINE, Record, Start, is_recording};
use crate::session::{Back, Event, Session};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempPath;
use thiserror::Error;

/// Most bytes that the recording in memory takes: some four hours of one lane at 60 frames a
/// second.
const MOST_BYTES: usize = 64 << 20;
/// Longest delay between an event and its line in the file.
const FLUSH: Duration = Duration::from_secs(1);
/// Frames from one comparison of states to the next.
const FRAMES_BETWEEN_HASHES: u64 = 60;
/// Particles of all lanes up to which states are hashed during the session and not only at the end:
/// some 0.1 ms of a frame.
const MOST_HASHED: usize = 2000;

/// Reasons why a session cannot be recorded into a file.
#[derive(Debug, Error)]
pub enum RecorderError {
    /// Another file has that name.
    #[error(
        "cannot record to {}: that file exists and is no recording; expected a new name",
        .0.display()
    )]
    Other(PathBuf),
    /// The disk or the system refused.
    #[error("cannot record to {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

/// Records a session.
#[derive(Debug, Default)]
pub struct Recorder {
    memory: String,
    /// The recording in memory has no room any more.
    full: bool,
    file: Option<RecordFile>,
    /// Reason why the file ended early, until it has been shown.
    failure: Option<RecorderError>,
    frames: u64,
}

#[derive(Debug)]
struct RecordFile {
    path: PathBuf,
    /// Temporary name until the start of a session is written: the file under the final name can
    /// always be read.
    aside: Option<TempPath>,
    writer: BufWriter<File>,
    flushed: Instant,
}

impl RecordFile {
    /// A new file, or one that will take the place of an older recording.
    fn create(path: &Path) -> Result<Self, RecorderError> {
        let io = |source| RecorderError::Io { path: path.to_owned(), source };
        if path.exists() && !is_recording(path).map_err(io)? {
            return Err(RecorderError::Other(path.to_owned()));
        }
        // Behind a link, the file is replaced and the link stays.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let (file, aside) = new_file(folder.unwrap_or(Path::new("."))).map_err(io)?.into_parts();
        let writer = BufWriter::new(file);
        Ok(Self { path, aside: Some(aside), writer, flushed: Instant::now() })
    }

    /// Gives the file its final name, unless it has it already.
    fn appear(&mut self) -> io::Result<()> {
        let Some(aside) = self.aside.take() else { return Ok(()) };
        self.writer.flush()?;
        Ok(aside.persist(&self.path)?)
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        self.writer.write_all(text.as_bytes())?;
        if self.flushed.elapsed() >= FLUSH {
            self.writer.flush()?;
            self.flushed = Instant::now();
        }
        Ok(())
    }
}

impl Recorder {
    /// A recorder, with a file if one is named.
    pub fn new(file: Option<&Path>) -> Result<Self, RecorderError> {
        let mut file = file.map(RecordFile::create).transpose()?;
        if let Some(RecordFile { path, writer, .. }) = &mut file {
            let io = |source| RecorderError::Io { path: path.clone(), source };
            writer.write_all(MAGIC_LINE.as_bytes()).map_err(io)?;
        }
        Ok(Self { file, ..Self::default() })
    }

    /// Starts the recording of a scene: the recording in memory begins again.
    pub fn start(&mut self, start: Start) {
        self.memory.clear();
        self.memory.push_str(MAGIC_LINE);
        (self.full, self.frames) = (false, 0);
        self.write(&Record::Start(start).line());
        let appeared = self.file.as_mut().map(RecordFile::appear);
        self.stop_if_failed(appeared);
    }

    /// Records an event that led to this session.
    pub fn note(&mut self, event: Event, session: &Session) {
        let is_frame = matches!(event, Event::Frame { .. });
        self.write(&Record::Event(event).line());
        if is_frame {
            self.frames += 1;
            let lanes = session.lanes().iter();
            let particles: usize = lanes.map(|lane| lane.simulation.state().len()).sum();
            if particles <= MOST_HASHED && self.frames.is_multiple_of(FRAMES_BETWEEN_HASHES) {
                self.note_hashes(session);
            }
        }
    }

    /// Removes steps: the lanes returned to an earlier time.
    pub fn back(&mut self, back: Back, session: &Session) {
        self.write(&Record::Back { events: back.events }.line());
        if let Some(event) = back.instead {
            self.note(event, session);
        }
    }

    /// Other events have happened in place of the last ones.
    pub fn replace(&mut self, taken_back: usize, events: Vec<Event>) {
        self.write(&Record::Back { events: taken_back }.line());
        events.into_iter().for_each(|event| self.write(&Record::Event(event).line()));
    }

    /// The recording so far, ended at the session's current moment; `None` if memory had no room
    /// for all of it.
    pub fn so_far(&self, unrecorded: Option<Back>, session: &Session) -> Option<String> {
        let back = unrecorded.map(|Back { events, instead }| {
            let instead = instead.map(|event| Record::Event(event).line());
            Record::Back { events }.line() + &instead.unwrap_or_default()
        });
        let end = back.unwrap_or_default() + &state_lines(session);
        (!self.full).then(|| self.memory.clone() + &end)
    }

    /// Ends the file with the present state.
    pub fn finish(&mut self, session: &Session) -> Result<(), RecorderError> {
        if self.file.is_some() {
            self.note_hashes(session);
        }
        match self.file.take().map(|mut file| (file.writer.flush(), file.path)) {
            Some((Err(source), path)) => Err(RecorderError::Io { path, source }),
            _ => Ok(()),
        }
    }

    /// Takes the reason why the file ended before the session; `None` from the second call on.
    pub fn take_failure(&mut self) -> Option<RecorderError> {
        self.failure.take()
    }

    fn note_hashes(&mut self, session: &Session) {
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

    /// The file ends where the disk or the system refuses.
    fn stop_if_failed(&mut self, done: Option<io::Result<()>>) {
        if let Some(Err(source)) = done {
            let path = self.file.take().map(|file| file.path).unwrap_or_default();
            self.failure = Some(RecorderError::Io { path, source });
        }
    }
}

/// Recording lines for the current states of all lanes: digests, then hashes.
fn state_lines(session: &Session) -> String {
    Record::Digests(session.digests()).line() + &Record::Hashes(session.hashes()).line()
}
