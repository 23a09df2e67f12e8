//! Errors of commands.

use ropelab::analysis::RunPlanError;
use ropelab::analysis::job::JobEnd;
use ropelab::analysis::map::{AxisError, SubjectError};
use ropelab::export::ExportError;
use ropelab::export::cells::MergeError;
use ropelab::scene::SceneError;
use std::io;
use thiserror::Error;

/// Error of a command with its message.
#[derive(Debug, Error)]
pub enum Error {
    /// The scene cannot be read, or its contents are invalid.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A setting is out of its range.
    #[error("{0}")]
    Settings(String),
    /// The axis of a map is invalid.
    #[error(transparent)]
    Axis(#[from] AxisError),
    /// The map names quantities or values with which the scene cannot be simulated.
    #[error(transparent)]
    Cell(#[from] SubjectError),
    /// The files are not the parts of one map.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// The scene has no lane with this name or number.
    #[error("no lane \"{wanted}\" in this scene; it has {} (--lane takes the name or the number)", number_names(.lanes))]
    Lane {
        /// Name or number that was requested.
        wanted: String,
        /// Names of the lanes of the scene.
        lanes: Vec<String>,
    },
    /// Threads cannot be started.
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The scene has no particle with this number.
    #[error("no particle {particle} to track; the scene has particles 0 to {}", count - 1)]
    Particle {
        /// Number of the requested particle.
        particle: u32,
        /// Number of particles of the scene.
        count: usize,
    },
    /// The computation was cancelled, or it failed.
    #[error(transparent)]
    Request(#[from] JobEnd),
    /// The run cannot be carried out, e.g. because its duration is negative.
    #[error(transparent)]
    RunPlan(#[from] RunPlanError),
    /// A file was not written.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// Some of the checked files are invalid. Their messages have been printed.
    #[error("{bad} of {all} files cannot be used")]
    BadFiles {
        /// Number of bad files.
        bad: usize,
        /// Number of all files.
        all: usize,
    },
    /// The word is neither a command nor a scene.
    #[error(
        "unknown command or scene \"{found}\"{}; `ropelab --help` and `ropelab list scenes` show \
         all",
        suggestion(.nearest)
    )]
    Command {
        /// The word that was typed.
        found: String,
        /// Most similar command or scene; `None` if no name is similar.
        nearest: Option<String>,
    },
    /// The file of a recording cannot be read.
    #[error("{0}")]
    Recording(String),
    /// The contents of a file are not a valid recording.
    #[error(transparent)]
    Replay(#[from] ropelab::session::recording::RecordingError),
    /// The replayed states differ from the recorded ones.
    #[error("{file} does not repeat: the bits differ {place}")]
    Differs {
        /// Name of the recording.
        file: String,
        /// Time, lane and particles of the first difference.
        place: String,
    },
    /// A random session broke an invariant. The session has been printed.
    #[error("the run with seed {seed} found a fault in ropelab {}", env!("CARGO_PKG_VERSION"))]
    Fault {
        /// Seed of the failed run.
        seed: u64,
    },
    /// `--record` was given to a command; only the window records.
    #[error("--record records the window; a command has none")]
    RecordWithoutWindow,
    /// `--record` was given without a file name.
    #[error("--record found nothing after it, expected the name of a file")]
    NoRecordFile,
    /// The comparison has too many combinations.
    #[error("these lists would make {runs} runs; at most {most} are accepted: shorten a list")]
    TooManyRuns {
        /// Number of runs that the lists would make.
        runs: u64,
        /// Largest number of runs that is accepted.
        most: u64,
    },
    /// Two inputs would read standard input, or two results would be written to standard output.
    #[error("{0} cannot both be {1}; name a file for one of them")]
    Streams(&'static str, &'static str),
    /// The result cannot be written to standard output.
    #[error("cannot write to standard output")]
    Output(#[source] io::Error),
}

fn suggestion(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|name| format!(", did you mean \"{name}\"?")).unwrap_or_default()
}

fn number_names(names: &[String]) -> String {
    let names = names.iter().enumerate();
    names.map(|(i, name)| format!("{} \"{name}\"", i + 1)).collect::<Vec<_>>().join(", ")
}

/// True if the program that reads our output has ended, as in `ropelab list | head -1`. This is no
/// failure of our command.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>()).any(is_broken_pipe)
}

fn is_broken_pipe(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}
