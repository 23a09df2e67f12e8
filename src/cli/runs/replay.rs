//! `ropelab replay`: replay of a recorded session, in the window or in the terminal.

use crate::cli::error::Error;
use crate::cli::files::read_bytes;
use crate::cli::streams::{print, print_json};
use clap::Args;
use ropelab::quantity::four_digits;
use ropelab::scene::text::read::ReadError;
use ropelab::session::Session;
use ropelab::session::recording::{Difference, LONGEST_RECORDING, Recording, Replay as Outcome};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Open the window on a recorded session, or compare its states with the recorded ones
///
/// `ropelab --record FILE` and Ctrl+S in the window make recordings. Every frame takes its recorded
/// steps, so the states are the same to the last bit on every machine. The window plays the session
/// from its start; a click on its time bar shows any moment. With --verify or --json, or without a
/// display, the session is replayed in the terminal. The exit code is 2 if a state differs and,
/// with --verify, also if the recording contains no states to compare.
///
/// Examples:
///   ropelab replay session.rec
///   ropelab replay session.rec --verify
///   ropelab replay session.rec --json
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct ReplayArguments {
    /// Recording to replay
    file: PathBuf,
    /// Only compare, in the terminal: stop at the first difference and report its moment, lane and
    /// particle
    #[arg(long)]
    verify: bool,
    /// Compare in the terminal and print one JSON object
    #[arg(long)]
    json: bool,
}

impl ReplayArguments {
    /// Creates the arguments for a recording that the window plays.
    pub fn in_window(file: PathBuf) -> Self {
        Self { file, verify: false, json: false }
    }

    /// True if the window plays the recording.
    pub fn wants_window(&self) -> bool {
        !self.verify && !self.json
    }

    pub fn open(&self) -> Result<Recording, Error> {
        open_recording(&self.file)
    }

    pub fn run(self) -> Result<(), Error> {
        let recording = open_recording(&self.file)?;
        let (session, outcome) = if self.verify { recording.verify() } else { recording.replay() };
        let report = ReplayReport::new(&recording, &session, outcome);
        if self.json {
            print_json(&report)?
        } else {
            print(&report.to_text(describe_result(&outcome)))?
        }
        let file = self.file.display().to_string();
        match outcome.difference {
            Some(difference) => {
                let program = recording.last_start().0.program.escape_debug().take(20).collect();
                Err(Error::Differs { file, place: describe_place(&difference), program })
            }
            None if self.verify && outcome.compared == 0 => Err(Error::NothingCompared { file }),
            None => Ok(()),
        }
    }
}

/// Reads and checks a recording. Prints a note if the file is incomplete.
pub fn open_recording(path: &Path) -> Result<Recording, Error> {
    let file = path.display().to_string();
    let recording = Recording::read(&read_recording(path)?, &file)?;
    if let Some(reason) = recording.truncation() {
        eprintln!("note: {file} ends early, at {reason}; the part before that is played");
    }
    Ok(recording)
}

fn read_recording(path: &Path) -> Result<Vec<u8>, Error> {
    read_bytes(path, LONGEST_RECORDING).map_err(|error| {
        let expected = match error {
            ReadError::Missing | ReadError::Folder => ", expected a recording",
            ReadError::TooLong(_) => ", expected at most that",
            ReadError::Irregular | ReadError::Io(_) => "",
        };
        Error::Recording(format!("{}: {error}{expected}", path.display()))
    })
}

fn format_hash(hash: u64) -> String {
    format!("{hash:016x}")
}

fn describe_result(outcome: &Outcome) -> String {
    match (outcome.difference, outcome.compared) {
        (Some(difference), _) => format!("the bits differ {}", describe_place(&difference)),
        (None, 0) => "nothing was compared: the recording contains no hashes".to_owned(),
        (None, 1) => "the same bits at 1 moment".to_owned(),
        (None, compared) => format!("the same bits at {compared} moments"),
    }
}

/// Returns the location of a difference as text: `starting at frame 60 (1 s), in lane 2, particle
/// 7`.
fn describe_place(difference: &Difference) -> String {
    let Difference { frame, time, lane, particles, .. } = *difference;
    let particles = match particles {
        None => String::new(),
        Some([first, last]) if first == last => format!(", particle {first}"),
        Some([first, last]) => format!(", particles {first} to {last}"),
    };
    format!(
        "starting at frame {frame} ({}), in lane {}{particles}",
        four_digits::format_seconds(time),
        lane + 1
    )
}

/// Result of a replay as JSON.
#[derive(Debug, Serialize)]
struct ReplayReport {
    /// Title of the scene.
    scene: String,
    /// Frames in the recording.
    frames: u64,
    /// Commands in the recording.
    commands: u64,
    /// Wall-clock time × speed in seconds since the last reset.
    time: f64,
    /// Number of instants at which states were compared.
    compared: u64,
    /// True if all compared states had the recorded bits; null if none was compared.
    same_bits: Option<bool>,
    /// The first state that differs.
    difference: Option<DifferenceReport>,
    /// Reason why the file ends early.
    cut_off: Option<String>,
    /// State of each lane at the end.
    lanes: Vec<LaneReport>,
}

#[derive(Debug, Serialize)]
struct DifferenceReport {
    /// Frames before the difference.
    frame: u64,
    /// Time of the difference in seconds.
    time: f64,
    /// Number of the lane, from 0.
    lane: usize,
    /// Recorded hash.
    recorded: Option<String>,
    /// Hash of the replay.
    replayed: Option<String>,
    /// First and last particle of the first group that differs.
    particles: Option<[u32; 2]>,
}

#[derive(Debug, Serialize)]
struct LaneReport {
    /// Name of the lane.
    name: String,
    /// Name of the integrator.
    integrator: &'static str,
    /// Steps since the lane's start.
    steps: u64,
    /// Time of the lane in seconds.
    t: f64,
    /// Sentence about the explosion; null without one.
    exploded: Option<String>,
    /// Hash of the lane's state.
    hash: String,
}

impl ReplayReport {
    fn new(recording: &Recording, session: &Session, outcome: Outcome) -> Self {
        let Outcome { frames, commands, compared, difference } = outcome;
        let lanes = session.lanes().iter().map(|lane| LaneReport {
            name: lane.name.clone(),
            integrator: lane.simulation.settings().integrator.info().name,
            steps: lane.simulation.steps(),
            t: lane.simulation.state().t,
            exploded: lane.simulation.explosion().map(|explosion| explosion.to_string()),
            hash: format_hash(lane.simulation.hash()),
        });
        Self {
            scene: session.scene().name.clone(),
            frames,
            commands,
            time: session.time(),
            compared,
            same_bits: (compared > 0).then(|| difference.is_none()),
            difference: difference.map(|difference| DifferenceReport {
                frame: difference.frame,
                time: difference.time,
                lane: difference.lane,
                recorded: difference.recorded.map(format_hash),
                replayed: difference.replayed.map(format_hash),
                particles: difference.particles,
            }),
            cut_off: recording.truncation().map(str::to_owned),
            lanes: lanes.collect(),
        }
    }

    /// Returns the report as text. `result` is the result of the comparison.
    fn to_text(&self, result: String) -> String {
        let Self { scene, frames, commands, time, lanes, .. } = self;
        let mut lines = vec![
            ("scene".to_owned(), scene.clone()),
            ("frames".to_owned(), format!("{frames}, {commands} commands")),
            ("time".to_owned(), four_digits::format_seconds(*time)),
        ];
        for (number, lane) in (1..).zip(lanes) {
            let LaneReport { name, steps, t, exploded, hash, .. } = lane;
            let state = exploded
                .clone()
                .unwrap_or_else(|| format!("at {}", four_digits::format_seconds(*t)));
            let text = format!("{name}: {steps} steps, {state}, hash {hash}");
            lines.push((format!("lane {number}"), text));
        }
        lines.push(("result".to_owned(), result));
        lines.iter().map(|(name, value)| format!("{name:<16}  {value}\n")).collect()
    }
}
