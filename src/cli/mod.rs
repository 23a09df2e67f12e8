//! The command line: arguments to calls, values to text. Results go to standard output,
//! everything else to standard error.

mod answers;
mod files;
mod jobs;
mod list;
mod named;
mod output;
mod patience;
mod pictures;
mod plain_code;
mod progress;
mod quantity;
mod runs;
mod translate;
mod typed_rope;

pub use runs::replay::ReplayArguments;

use clap::builder::UnknownArgumentValueParser;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use ropelab::analysis::RunPlanError;
use ropelab::analysis::job::JobEnd;
use ropelab::export::ExportError;
use ropelab::names::nearest;
use ropelab::scene::{STANDARD_INPUT, Scene, SceneArgument, SceneError, library};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;
use thiserror::Error;

/// A laboratory of time stepping for rope and cloth.
#[derive(Debug, Parser)]
#[command(
    version,
    override_usage = "ropelab [--record FILE] [SCENE]\n       ropelab <COMMAND> [OPTIONS]",
    after_help = "Without a command, opens the window, on SCENE if one is given: the name of a \
                  scene (`ropelab list scenes`) or a scene file.\n\n\
                  Examples:\n  \
                  ropelab\n  \
                  ropelab my-rope.ron\n  \
                  ropelab compare hanging-rope --integrator explicit-euler,velocity-verlet,rk4\n  \
                  ropelab run hanging-rope --dt 1ms --duration 10 --csv run.csv\n\n\
                  Results go to standard output, messages to standard error. Exit code 2: bad \
                  input. A simulation that explodes is a result: exit code 0."
)]
pub struct Cli {
    /// Record the events in the window to a file, for `ropelab replay`
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<CliCommand>,
}

#[derive(Debug, Subcommand)]
enum CliCommand {
    Run(runs::run::RunArguments),
    Compare(runs::compare::Compare),
    Converge(answers::converge::Converge),
    Damping(answers::damping::Damping),
    Map(answers::map::Map),
    Advise(answers::advise::Advise),
    Choose(answers::choose::Choose),
    Limit(answers::limit::LimitArguments),
    Explain(answers::explain::Explain),
    Translate(translate::Translate),
    Check(files::Check),
    Replay(runs::replay::ReplayArguments),
    Bench(runs::bench::Bench),
    Torture(runs::torture::Torture),
    List(list::List),
    Export(files::Export),
    Completions(Completions),
    #[command(external_subcommand)]
    Other(Vec<OsString>),
}

/// Request of the command line.
pub enum Request {
    /// Work without a display.
    Headless(Box<Headless>),
    /// The window.
    Window {
        /// Scene to open, if one is named.
        scene: Option<SceneArgument>,
        /// File to record into, if one is named.
        record: Option<PathBuf>,
    },
    /// The window on a recording.
    Recording(Box<ReplayArguments>),
}

/// A command that needs no display.
pub struct Headless(CliCommand);

/// Names under which people look for `--duration`.
const OTHER_NAMES_OF_DURATION: [&str; 3] = ["seconds", "time", "length"];

/// Adds hidden options that point to `--duration`: clap compares spelling alone, and would suggest
/// `--json` in place of `--seconds`.
fn with_hints(command: clap::Command) -> clap::Command {
    let has_duration = command.get_arguments().any(|option| option.get_id() == "duration");
    let [name, others @ ..] = OTHER_NAMES_OF_DURATION;
    let hint = UnknownArgumentValueParser::suggest_arg("--duration");
    let hint = clap::Arg::new(name).long(name).aliases(others).value_parser(hint).hide(true);
    if has_duration { command.arg(hint) } else { command }
}

impl Cli {
    /// Reads the arguments of the process. A wrong one ends it with a message.
    pub fn of_process() -> Self {
        let matches = Self::command().mut_subcommands(with_hints).get_matches();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }

    /// Sorts the window from the rest. A word that is no command is a scene for the window.
    pub fn job(self) -> Result<Request, Error> {
        match self.command {
            None => Ok(Request::Window { scene: None, record: self.record }),
            Some(CliCommand::Other(words)) => {
                let (words, record) = split_record(words, self.record)?;
                if let [word] = words.as_slice()
                    && runs::replay::is_recording(Path::new(word))
                {
                    let replay = ReplayArguments::in_window(word.into());
                    return match record {
                        Some(_) => Err(Error::RecordWithoutWindow),
                        None => Ok(Request::Recording(Box::new(replay))),
                    };
                }
                Ok(Request::Window { scene: Some(window_scene(words)?), record })
            }
            Some(_) if self.record.is_some() => Err(Error::RecordWithoutWindow),
            Some(CliCommand::Replay(replay)) if replay.wants_window() => {
                Ok(Request::Recording(Box::new(replay)))
            }
            Some(command) => Ok(Request::Headless(Box::new(Headless(command)))),
        }
    }
}

impl Headless {
    /// Runs the command.
    pub fn run(self) -> Result<(), Error> {
        if matches!(self.0, CliCommand::Run(_) | CliCommand::Replay(_)) {
            // A step hands work out to the threads of a pool, as in the window, from one of them.
            rayon::ThreadPoolBuilder::new().use_current_thread().build_global()?;
        }
        match self.0 {
            CliCommand::Run(run) => run.run(),
            CliCommand::Compare(compare) => compare.run(),
            CliCommand::Converge(converge) => converge.run(),
            CliCommand::Damping(damping) => damping.run(),
            CliCommand::Map(map) => map.run(),
            CliCommand::Advise(advise) => advise.run(),
            CliCommand::Choose(choose) => choose.run(),
            CliCommand::Limit(limit) => limit.run(),
            CliCommand::Explain(explain) => explain.run(),
            CliCommand::Translate(translate) => translate.run(),
            CliCommand::Check(check) => check.run(),
            CliCommand::Replay(replay) => replay.run(),
            CliCommand::Bench(bench) => bench.run(),
            CliCommand::Torture(torture) => torture.run(),
            CliCommand::List(list) => list.run(),
            CliCommand::Export(export) => export.run(),
            CliCommand::Completions(completions) => completions.run(),
            CliCommand::Other(_) => unreachable!("Cli::job opens the window for these"),
        }
    }
}

/// Compares the lanes of a scene (the first of the library by default), as if
/// `ropelab compare SCENE` had been typed.
pub fn compare_without_window(scene: Option<SceneArgument>) -> Result<(), Error> {
    let default = || SceneArgument::Named(library::default_scene().name.into());
    let asked = scene.unwrap_or_else(default);
    let name = match &asked {
        SceneArgument::Named(path) => path.clone().into_os_string(),
        SceneArgument::Typed(_) => STANDARD_INPUT.into(),
    };
    runs::compare::Compare::of_lanes(name).run_on(asked.open()?)
}

/// Print a script that completes arguments in a shell
///
/// Examples:
///   ropelab completions bash > ~/.local/share/bash-completion/completions/ropelab
///   ropelab completions fish > ~/.config/fish/completions/ropelab.fish
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
struct Completions {
    /// Shell to write completions for
    shell: clap_complete::Shell,
}

impl Completions {
    fn run(self) -> Result<(), Error> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "ropelab", &mut script);
        io::stdout().lock().write_all(&script).map_err(Error::Output)
    }
}

/// Errors of a command, one message each.
#[derive(Debug, Error)]
pub enum Error {
    /// A scene file cannot be used.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A setting is out of its range.
    #[error("{0}")]
    Settings(String),
    /// There is no such lane.
    #[error("no lane \"{wanted}\" in this scene; it has {}", numbered(.lanes))]
    Lane {
        /// Requested name or number.
        wanted: String,
        /// Names of the lanes of the scene.
        lanes: Vec<String>,
    },
    /// Threads cannot be started.
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// There is no such particle.
    #[error("no particle {particle} to track; the scene has particles 0 to {}", count - 1)]
    Particle {
        /// Requested particle.
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
    /// Some files of many are bad; their messages are out already.
    #[error("{bad} of {all} files cannot be used")]
    BadFiles {
        /// Number of bad files.
        bad: usize,
        /// Number of all files.
        all: usize,
    },
    /// A word that is neither a command nor a scene.
    #[error(
        "unknown command or scene \"{found}\"{}; `ropelab --help` and `ropelab list scenes` show \
         all",
        hint(.nearest)
    )]
    Command {
        /// The word that was typed.
        found: String,
        /// The most similar command or scene, if there is one.
        nearest: Option<String>,
    },
    /// A recording cannot be played.
    #[error("{0}")]
    Recording(String),
    /// A recording cannot be played.
    #[error(transparent)]
    Replay(#[from] ropelab::session::recording::RecordingError),
    /// The states of a replay differ from the recorded ones.
    #[error("{file} does not repeat: other bits {place}")]
    Differs {
        /// The recording.
        file: String,
        /// Time, lane and particle of the first difference.
        place: String,
    },
    /// A random session broke an invariant; the finding is out already.
    #[error("the run with seed {seed} found a fault in ropelab {}", env!("CARGO_PKG_VERSION"))]
    Fault {
        /// Seed of the failed run.
        seed: u64,
    },
    /// Only the window records.
    #[error("--record records the window; a command has none")]
    RecordWithoutWindow,
    /// There is no file to record into.
    #[error("--record found nothing after it, expected the name of a file")]
    NoRecordFile,
    /// The combinations of a comparison are too many.
    #[error("these lists would make {runs} runs; at most {most} are accepted: shorten a list")]
    TooManyRuns {
        /// Number of runs that the lists would make.
        runs: u64,
        /// Largest number of runs that is accepted.
        most: u64,
    },
    /// Two bodies at one end.
    #[error("{0} cannot both be {1}; name a file for one of them")]
    Streams(&'static str, &'static str),
    /// Standard output does not take the result.
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

/// True if the reader of our output has ended (`ropelab list | head -1`): no error of ours.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>()).any(is_broken)
}

fn is_broken(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

/// Name for standard input where a file is read, for standard output where one is written.
const STREAM: &str = "-";

/// A scene by its name in the library, by its file, or from standard input.
fn open_scene(wanted: &OsString) -> Result<Scene, Error> {
    match wanted.to_str() {
        Some(STREAM) => Ok(Scene::load_from(io::stdin().lock(), STANDARD_INPUT)?),
        Some(text) => Ok(Scene::open(text)?),
        None => Ok(Scene::load(wanted)?),
    }
}

/// Name of a scene in reports: its name in the library, or the file as typed.
fn scene_name(wanted: &OsString) -> String {
    let text = wanted.to_string_lossy();
    match library::find(&text) {
        Ok(entry) if !Path::new(wanted).is_file() => entry.name.to_owned(),
        _ => text.into_owned(),
    }
}

/// The scene that the window is to open: one word, a file or a name of the library. It is read
/// here once, so that a bad one is refused in the terminal where it was typed.
fn window_scene(words: Vec<OsString>) -> Result<SceneArgument, Error> {
    let [word] = words.as_slice() else { return Err(unknown_command(&words[0])) };
    let asked = match word.to_str() {
        Some(STREAM) => SceneArgument::read(io::stdin().lock())?,
        _ => SceneArgument::Named(file_of(word)),
    };
    match asked.open() {
        Ok(_) => Ok(asked),
        Err(SceneError::Unknown(_)) => Err(unknown_command(word)),
        // The window shows the error of a file, and waits until it is mended.
        Err(_) if matches!(&asked, SceneArgument::Named(path) if path.is_file()) => Ok(asked),
        Err(error) => Err(error.into()),
    }
}

/// The file of a scene, so that the window can watch it: as typed, or that of the library when the
/// working directory has it.
fn file_of(word: &OsString) -> PathBuf {
    let typed = PathBuf::from(word);
    if typed.is_file() {
        return typed;
    }
    let entry = library::find(&word.to_string_lossy()).ok();
    entry.and_then(|entry| entry.on_disk()).unwrap_or(typed)
}

/// `--record FILE` may also follow the scene, where clap leaves it among the words.
fn split_record(
    mut words: Vec<OsString>,
    mut record: Option<PathBuf>,
) -> Result<(Vec<OsString>, Option<PathBuf>), Error> {
    if let Some(place) = words.iter().position(|word| word == "--record") {
        if place + 1 == words.len() {
            return Err(Error::NoRecordFile);
        }
        record = words.drain(place..=place + 1).next_back().map(PathBuf::from);
    }
    Ok((words, record))
}

fn unknown_command(word: &OsString) -> Error {
    let found = word.to_string_lossy().into_owned();
    let commands = Cli::command();
    let names = commands.get_subcommands().map(clap::Command::get_name).collect::<Vec<_>>();
    let scenes: Vec<String> = library::list().iter().map(|entry| entry.name.to_owned()).collect();
    let known = names.into_iter().chain(scenes.iter().map(String::as_str));
    let nearest = nearest(&found, known).map(str::to_owned);
    Error::Command { found, nearest }
}

/// Writes a result to standard output.
fn print(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Error::Output)
}

/// Writes a result to standard output as one JSON document. Numbers without a JSON form (NaN,
/// infinity) become null.
fn print_json(value: &impl serde::Serialize) -> Result<(), Error> {
    let text = serde_json::to_string_pretty(value).map_err(|e| Error::Output(e.into()))?;
    print(&(text + "\n"))
}

/// Writes a result to standard output as one line of JSON.
fn print_json_line(value: &impl serde::Serialize) -> Result<(), Error> {
    let text = serde_json::to_string(value).map_err(|e| Error::Output(e.into()))?;
    print(&(text + "\n"))
}

/// Seconds since the program started, for measuring the cost of steps.
fn clock() -> impl Fn() -> f64 + Sync {
    let start = Instant::now();
    move || start.elapsed().as_secs_f64()
}
