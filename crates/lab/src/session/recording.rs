//! Recording of a session: the scene and all events in order, as lines of text.
//!
//! ```text
//! ropelab recording 1
//! 8f14e45f Start((program:"0.1.0",file:"rope.ron",scene:"(…)",lanes:[…],speed:1.0,paused:false))
//! c9f0f895 Event(Frame(seconds:0.016,lanes:[(step_cost:0.0000012,steps:16)]))
//! 45c48cce Hashes([11529215046068469760])
//! ```
//!
//! Each line after the first consists of the CRC-32 of its record in hexadecimal digits, a space,
//! and the record in RON. If a line is incomplete, this line and all later lines are ignored, so a
//! truncated file plays up to its last good line. Records are in RON and not in a binary format, so
//! that old files stay readable when settings gain fields. The first record is a start. Another
//! start follows whenever another scene is opened.

use super::event::Event;
use super::lane_frame::{LaneFrame, OwnFrame};
use super::side_by_side::{MOST_DIGESTS, Session};
use crate::scene::{LaneSetup, Scene, SceneError};
use crate::simulation::settings::{Command, MOST_LANES, SceneNumber, Settings};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use thiserror::Error;

/// Version of the file format.
pub const VERSION: u32 = 1;
/// Largest recording that is read, in bytes: about ten hours of one lane at 60 frames per second.
pub const LONGEST_RECORDING: u64 = 256 << 20;

const MAGIC_WORDS: &str = "ropelab recording ";
/// First line of a recording.
pub const MAGIC_LINE: &str = "ropelab recording 1\n";

/// True if a file begins with the first line of recordings.
pub fn is_recording(path: &Path) -> io::Result<bool> {
    // Only regular files are opened, because opening a pipe would wait for a writer.
    if !path.metadata()?.is_file() {
        return Ok(false);
    }
    let mut head = Vec::new();
    File::open(path)?.take(MAGIC_LINE.len() as u64).read_to_end(&mut head)?;
    Ok(head == MAGIC_LINE.as_bytes())
}

/// State in which a recorded session starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// Version of the program that wrote the recording.
    pub program: String,
    /// Name of the scene's file, for messages.
    pub file: String,
    /// Text of the scene file, in which meshes replace the names of mesh files.
    pub scene: String,
    /// Lanes at the start, which may differ from the lanes of the scene.
    pub lanes: Vec<LaneSetup>,
    /// Speed of simulated time; 1 = real time.
    pub speed: f64,
    /// True if the session was paused at the start.
    pub paused: bool,
}

/// Content of one line of a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Record {
    /// Start of a session with a scene.
    Start(Start),
    /// Event of the session.
    Event(Event),
    /// Undo of the last events.
    Back {
        /// Number of undone events.
        events: usize,
    },
    /// Result of [`Session::digests`] at this moment. If the hashes that follow differ in a replay,
    /// the digests show which particles differ.
    Digests(Vec<String>),
    /// Hash of each lane at this moment, by
    /// [`Simulation::hash`](crate::simulation::Simulation::hash).
    Hashes(Vec<u64>),
}

/// Recording that was read and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    records: Vec<Record>,
    /// Scenes of all starts, in order.
    scenes: Vec<Arc<Scene>>,
    truncation: Option<String>,
}

/// Reason why a recording cannot be played.
#[derive(Debug, Error)]
#[error("{file}:{line}: {problem}")]
pub struct RecordingError {
    file: String,
    /// Number of the line, counted from 1.
    line: usize,
    problem: String,
}

/// First difference between a replay and its recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Frames before the difference.
    pub frame: u64,
    /// Time of the difference in seconds.
    pub time: f64,
    /// Number of the lane, from 0.
    pub lane: usize,
    /// Recorded hash.
    pub recorded: Option<u64>,
    /// Hash of the replay.
    pub replayed: Option<u64>,
    /// First and last particle of the first group that differs.
    pub particles: Option<[u32; 2]>,
}

/// Result of a replay.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Replay {
    /// Number of frames.
    pub frames: u64,
    /// Number of commands.
    pub commands: u64,
    /// Number of moments at which hashes were compared.
    pub compared: u64,
    /// First difference from the recording; `None` if there was none.
    pub difference: Option<Difference>,
}

impl Record {
    /// Returns the line of the record, including its line end.
    pub fn line(&self) -> String {
        let text = ron::to_string(self).expect("plain data has a text");
        format!("{:08x} {text}\n", crc32fast::hash(text.as_bytes()))
    }
}

impl Recording {
    /// Reads and checks a recording. `file` is the name of its file in messages.
    pub fn read(bytes: &[u8], file: &str) -> Result<Self, RecordingError> {
        let fail = |line: usize, problem| RecordingError { file: file.to_owned(), line, problem };
        let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
        check_magic(lines.next().unwrap_or_default()).map_err(|problem| fail(1, problem))?;
        let mut recording = Self { records: Vec::new(), scenes: Vec::new(), truncation: None };
        for (number, line) in (2..).zip(lines) {
            let fail = |problem| fail(number, problem);
            match read_line(line) {
                Ok(text) => {
                    let record: Record = parse(text).map_err(fail)?;
                    check_record(&record, recording.records.is_empty()).map_err(fail)?;
                    if let Record::Back { events } = record {
                        recording.remove_last_events(events).map_err(fail)?;
                        continue;
                    }
                    if let Record::Start(start) = &record {
                        let scene = start.scene().map_err(|error| {
                            fail(format!("the scene in this recording cannot be used: {error}"))
                        })?;
                        recording.scenes.push(Arc::new(scene));
                    }
                    recording.records.push(record);
                }
                Err(damage) if recording.records.is_empty() => return Err(fail(damage)),
                Err(damage) => {
                    recording.truncation = Some(format!("line {number}: {damage}"));
                    break;
                }
            }
        }
        if recording.records.is_empty() {
            return Err(fail(2, "the file ends here, expected the start of a session".to_owned()));
        }
        Ok(recording)
    }

    /// Removes the last events of the newest scene, and the hashes and digests after them.
    fn remove_last_events(&mut self, events: usize) -> Result<(), String> {
        for taken in 0..events {
            let is_event =
                |record: &Record| !matches!(record, Record::Hashes(_) | Record::Digests(_));
            let last = self.records.iter().rposition(is_event);
            match last.filter(|place| matches!(self.records[*place], Record::Event(_))) {
                Some(place) => self.records.truncate(place),
                None => return Err(format!("undoes {events} events, found only {taken}")),
            }
        }
        Ok(())
    }

    /// Returns the reason why the recording ends early; `None` if it is complete.
    pub fn truncation(&self) -> Option<&str> {
        self.truncation.as_deref()
    }

    /// Returns all records in order; the first is a start.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Returns the last start, and its scene with the lanes of this start.
    pub fn last_start(&self) -> (&Start, &Scene) {
        let start = self.records.iter().rev().find_map(|record| match record {
            Record::Start(start) => Some(start),
            _ => None,
        });
        let scene = self.scenes.last();
        start.zip(scene.map(Arc::as_ref)).expect("reading refuses a recording without a start")
    }

    /// Returns the records since the last scene was opened, in order.
    pub fn last_records(&self) -> impl Iterator<Item = &Record> {
        let is_start = |record: &Record| matches!(record, Record::Start(_));
        let start = self.records.iter().rposition(is_start).map_or(0, |start| start + 1);
        self.records[start..].iter()
    }

    /// Replays the recording, and compares hashes wherever the recording contains them. Returns the
    /// session at its end, and the result.
    pub fn replay(&self) -> (Session, Replay) {
        self.replay_while(|_| true)
    }

    /// Replays like [`Self::replay`], but ends at the first difference.
    pub fn verify(&self) -> (Session, Replay) {
        self.replay_while(|replay| replay.difference.is_none())
    }

    fn replay_while(&self, continues: impl Fn(&Replay) -> bool) -> (Session, Replay) {
        let mut scenes = self.scenes.iter();
        let mut session = Session::new(self.scenes[0].clone());
        let mut replay = Replay::default();
        let mut digests: &[String] = &[];
        for record in &self.records {
            if !continues(&replay) {
                break;
            }
            match record {
                Record::Start(start) => {
                    if let Some(scene) = scenes.next() {
                        session = start.session(scene.clone());
                    }
                }
                Record::Event(event) => {
                    digests = &[];
                    session.apply(event);
                    match event {
                        Event::Command(_) => replay.commands += 1,
                        Event::Frame { .. } => replay.frames += 1,
                    }
                }
                // Undone events were removed when the recording was read.
                Record::Back { .. } => {}
                Record::Digests(recorded) => digests = recorded,
                Record::Hashes(recorded) => {
                    replay.compared += 1;
                    let found = find_difference(replay.frames, recorded, digests, &session);
                    replay.difference = replay.difference.or(found);
                }
            }
        }
        (session, replay)
    }
}

impl Start {
    fn scene(&self) -> Result<Scene, SceneError> {
        let mut scene = Scene::parse(&self.scene, &self.file)?;
        scene.lanes.clone_from(&self.lanes);
        Ok(scene)
    }

    fn session(&self, scene: Arc<Scene>) -> Session {
        let mut session = Session::new(scene);
        session.command(Command::Speed(self.speed));
        session.command(Command::Pause(self.paused));
        session
    }
}

fn find_difference(
    frame: u64,
    recorded: &[u64],
    digests: &[String],
    session: &Session,
) -> Option<Difference> {
    let (replayed, time) = (session.hashes(), session.time());
    (0..recorded.len().max(replayed.len())).find_map(|lane| {
        let (recorded, replayed) = (recorded.get(lane).copied(), replayed.get(lane).copied());
        (recorded != replayed).then(|| {
            let particles =
                digests.get(lane).and_then(|known| first_differing_group(lane, known, session));
            Difference { frame, time, lane, recorded, replayed, particles }
        })
    })
}

/// Returns the first and last index of the first group of particles whose digest in a lane differs
/// from the recorded one; `None` if no group differs.
fn first_differing_group(lane: usize, recorded: &str, session: &Session) -> Option<[u32; 2]> {
    let particles = session.lanes().get(lane)?.simulation.state().len();
    let now = session.digests().into_iter().nth(lane)?;
    let digits = recorded.as_bytes().chunks(4).zip(now.as_bytes().chunks(4));
    let group = digits.into_iter().position(|(recorded, now)| recorded != now)?;
    let size = particles.div_ceil(MOST_DIGESTS).max(1);
    let (first, last) = (group * size, ((group + 1) * size).min(particles) - 1);
    Some([first as u32, last as u32])
}

fn check_magic(line: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(line);
    match text.strip_prefix(MAGIC_WORDS).map(str::trim_end) {
        Some(version) if version == VERSION.to_string() => Ok(()),
        Some(version) => Err(format!(
            "found version {} of recordings, expected {VERSION}: another version of ropelab wrote \
             it",
            shortened(version, 20)
        )),
        None => Err(format!(
            "found \"{}\", expected \"{MAGIC_WORDS}{VERSION}\": this is not a recording; \
             `ropelab --record FILE` makes one",
            shortened(text.trim_end(), 40)
        )),
    }
}

/// Returns the record in a line whose checksum is correct, or a description of the line's defect.
fn read_line(line: &[u8]) -> Result<&str, String> {
    let whole = line.strip_suffix(b"\n").ok_or("the line is incomplete")?;
    let text = std::str::from_utf8(whole).map_err(|_| "found bytes that are not UTF-8")?;
    let (sum, text) = text.split_once(' ').ok_or("found no checksum before the record")?;
    let sum = u32::from_str_radix(sum, 16)
        .map_err(|_| format!("found \"{}\", expected a checksum", shortened(sum, 40)))?;
    let right = crc32fast::hash(text.as_bytes());
    if sum == right {
        Ok(text)
    } else {
        Err(format!("found checksum {sum:08x}, but the record has {right:08x}"))
    }
}

fn parse<T: for<'a> Deserialize<'a>>(text: &str) -> Result<T, String> {
    ron::from_str(text).map_err(|error| {
        // The checksum and the space after it take nine columns before the record.
        format!("column {}: {}", error.span.end.col + 9, error.code)
    })
}

fn shortened(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

fn check_start(start: &Start) -> Result<(), String> {
    let Start { lanes, speed, .. } = start;
    if lanes.is_empty() || lanes.len() > MOST_LANES {
        return Err(format!("found {} lanes, expected 1 to {MOST_LANES}", lanes.len()));
    }
    for (number, lane) in (1..).zip(lanes) {
        lane.settings.check().map_err(|problem| format!("lane {number}: {problem}"))?;
    }
    check_speed(*speed)
}

fn check_record(record: &Record, is_first: bool) -> Result<(), String> {
    match record {
        Record::Start(start) => check_start(start),
        _ if is_first => Err("expected the start of a session as the first record".to_owned()),
        Record::Hashes(_) | Record::Digests(_) | Record::Back { .. } => Ok(()),
        Record::Event(Event::Frame { seconds, lanes }) => {
            check_seconds("the length of a frame", *seconds)?;
            lanes.iter().try_for_each(|LaneFrame { step_cost, own, .. }| {
                check_seconds("the cost of a step", *step_cost)?;
                own.iter().flatten().try_for_each(|OwnFrame { seconds, step_cost, .. }| {
                    check_seconds("the length of a lane's own frame", *seconds)?;
                    check_seconds("the cost of a step", *step_cost)
                })
            })
        }
        Record::Event(Event::Command(command)) => check_command(command),
    }
}

fn check_command(command: &Command) -> Result<(), String> {
    match command {
        Command::Grab { at, .. } | Command::GrabCollider { at, .. } | Command::MoveHand(at) => {
            require(at.is_finite(), || {
                format!("the mouse drags to {at}, expected finite coordinates in metres")
            })
        }
        Command::Throw(throw) => throw.check(),
        Command::Blow(Some(blow)) => blow.check(),
        Command::Speed(speed) => check_speed(*speed),
        Command::Configure { settings, .. } | Command::AddLane { settings, .. } => {
            Settings::check(settings)
        }
        Command::ChangeScene(numbers) => SceneNumber::check(numbers),
        Command::EditScene(edit) => edit.check(),
        Command::Release
        | Command::Blow(None)
        | Command::TogglePin(_)
        | Command::Cut(_)
        | Command::Reset
        | Command::Pause(_)
        | Command::SingleStep
        | Command::DuplicateLane(_)
        | Command::RemoveLane(_)
        | Command::NameLane { .. } => Ok(()),
    }
}

fn require(is_valid: bool, problem: impl FnOnce() -> String) -> Result<(), String> {
    if is_valid { Ok(()) } else { Err(problem()) }
}

fn check_seconds(what: &str, seconds: f64) -> Result<(), String> {
    require(seconds.is_finite() && seconds >= 0.0, || {
        format!("{what} is {seconds}, expected a number of seconds, at least 0")
    })
}

fn check_speed(speed: f64) -> Result<(), String> {
    require(speed.is_finite() && speed > 0.0, || {
        format!("speed is {speed}, expected a positive number")
    })
}
