//! Errors of commands.

use ropelab::analysis::RunPlanError;
use ropelab::analysis::job::JobEnd;
use ropelab::analysis::map::{AxisError, MappedSceneError};
use ropelab::export::ExportError;
use ropelab::export::cells::MergeError;
use ropelab::names::suggestion;
use ropelab::scene::SceneError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum Error {
    #[error(transparent)]
    Scene(#[from] SceneError),
    #[error("{0}")]
    Settings(String),
    #[error(transparent)]
    Axis(#[from] AxisError),
    #[error(transparent)]
    Cell(#[from] MappedSceneError),
    #[error(transparent)]
    Merge(#[from] MergeError),
    #[error(
        "no lane \"{wanted}\" in this scene; it has {} (--lane takes the name or the number)",
        number_names(.lanes)
    )]
    Lane { wanted: String, lanes: Vec<String> },
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    #[error("no particle {particle} to track; the scene has particles 0 to {}", count - 1)]
    Particle { particle: u32, count: usize },
    #[error(transparent)]
    Request(#[from] JobEnd),
    #[error(transparent)]
    RunPlan(#[from] RunPlanError),
    #[error(transparent)]
    Export(ExportError),
    /// The output is a scene file.
    #[error("cannot write {}: a scene file has that name; --force writes over it", .0.display())]
    IsScene(PathBuf),
    /// Two outputs of a command are the same file.
    #[error(
        "cannot write {}: {} and {} both write that file; expected another name for one of them",
        path.display(),
        options[0],
        options[1]
    )]
    SameFile {
        path: PathBuf,
        /// Options that name the file, in the order of the help.
        options: [&'static str; 2],
    },
    /// Some of the checked files are invalid. The message for each has been printed already.
    #[error("{bad} of {all} files cannot be used")]
    BadFiles { bad: usize, all: usize },
    #[error(
        "unknown command or scene \"{found}\"{}; `ropelab --help` and `ropelab list scenes` show \
         all",
        suggestion(.nearest)
    )]
    Command {
        found: String,
        /// Most similar command or scene; `None` if no name is similar.
        nearest: Option<String>,
    },
    #[error("{0}")]
    Recording(String),
    #[error(transparent)]
    Replay(#[from] ropelab::session::recording::RecordingError),
    /// The replayed states differ from the recorded ones.
    #[error(
        "{file} does not repeat: the bits differ {place}; probably another build of ropelab recorded \
         it (version {program}, this is {}): replay it with that build, or record the session again",
        env!("CARGO_PKG_VERSION")
    )]
    Differs {
        file: String,
        /// Time, lane and particles of the first difference.
        place: String,
        /// Version of the program that wrote the recording.
        program: String,
    },
    /// A recording that was to be verified has no states.
    #[error(
        "{file}: nothing was compared, because the recording contains no hashes; a recording that \
         was finished has them at its end"
    )]
    NothingCompared { file: String },
    /// A random session broke an invariant. The session has been printed.
    #[error("the run with seed {seed} found a fault in ropelab {}", env!("CARGO_PKG_VERSION"))]
    Fault { seed: u64 },
    #[error("--record needs a window, and a command has none")]
    RecordWithoutWindow,
    #[error("--record needs the name of a file after it")]
    NoRecordFile,
    #[error("these lists would make {runs} runs; at most {most} are accepted: shorten a list")]
    TooManyRuns { runs: u64, most: u64 },
    /// Two inputs would read standard input, or two results would be written to standard output.
    #[error("{0} cannot both be {1}; name a file for one of them")]
    Streams(String, &'static str),
    #[error("cannot write to standard output")]
    Output(#[source] io::Error),
}

impl From<ExportError> for Error {
    /// Adds the remedy for scene files: all commands that write files have the option `--force`.
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::IsScene(path) => Self::IsScene(path),
            error => Self::Export(error),
        }
    }
}

fn number_names(names: &[String]) -> String {
    let names = names.iter().enumerate();
    names.map(|(i, name)| format!("{} \"{name}\"", i + 1)).collect::<Vec<_>>().join(", ")
}

/// True if the program that reads our output has ended, as in `ropelab list | head -1`. This is not
/// an error.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.any(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
