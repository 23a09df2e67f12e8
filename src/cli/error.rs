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
    /// The scene file cannot be used.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A setting is out of its range.
    #[error("{0}")]
    Settings(String),
    /// The axis of a map is invalid.
    #[error(transparent)]
    Axis(#[from] AxisError),
    /// The cell of a map cannot be set up.
    #[error(transparent)]
    Cell(#[from] SubjectError),
    /// The files are not the parts of one map.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// The scene has no such lane.
    #[error("no lane \"{wanted}\" in this scene; it has {}", numbered(.lanes))]
    Lane {
        /// Name or number that was requested.
        wanted: String,
        /// Names of the lanes of the scene.
        lanes: Vec<String>,
    },
    /// Threads cannot be started.
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The scene has no such particle.
    #[error("no particle {particle} to track; the scene has particles 0 to {}", count - 1)]
    Particle {
        /// Number of the requested particle.
        particle: u32,
        /// Number of particles of the scene.
        count: usize,
    },
    /// The computation was cancelled or failed.
    #[error(transparent)]
    Request(#[from] JobEnd),
    /// The run makes no sense or would never end.
    #[error(transparent)]
    RunPlan(#[from] RunPlanError),
    /// A file was not written.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// Some of several files are bad. Their messages have been printed.
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
        hint(.nearest)
    )]
    Command {
        /// The word that was typed.
        found: String,
        /// Most similar command or scene, if there is one.
        nearest: Option<String>,
    },
    /// The file of a recording cannot be read.
    #[error("{0}")]
    Recording(String),
    /// The contents of a file are no valid recording.
    #[error(transparent)]
    Replay(#[from] ropelab::session::recording::RecordingError),
    /// The states of a replay differ from the recorded ones.
    #[error("{file} does not repeat: other bits {place}")]
    Differs {
        /// Name of the recording.
        file: String,
        /// Time, lane and particle of the first difference.
        place: String,
    },
    /// A random session broke an invariant. The finding has been printed.
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
    /// Two inputs or results would share one stream.
    #[error("{0} cannot both be {1}; name a file for one of them")]
    Streams(&'static str, &'static str),
    /// The result cannot be written to standard output.
    #[error("cannot write to standard output")]
    Output(#[source] io::Error),
}

fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|name| format!(", did you mean \"{name}\"?")).unwrap_or_default()
}

fn numbered(names: &[String]) -> String {
    let names = names.iter().enumerate();
    names.map(|(i, name)| format!("{} \"{name}\"", i + 1)).collect::<Vec<_>>().join(", ")
}

/// True if the program that reads our output has ended, as in `ropelab list | head -1`, which is no
/// error.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>()).any(is_broken)
}

fn is_broken(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}
