//! Command line: reads arguments, runs commands, and formats their results. Results go to standard
//! output, notes and errors to standard error. Several commands are about lanes: a lane is one of
//! several simulations of the same scene that run side by side with different settings.

mod answers;
mod error;
mod files;
mod jobs;
mod list;
mod named;
mod output;
mod plain_code;
mod progress;
mod runs;
mod streams;
mod translate;
mod typed_rope;
mod watchdog;

pub use error::is_closed_pipe;
pub use runs::replay::ReplayArguments;

use clap::builder::UnknownArgumentValueParser;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use error::Error;
use ropelab::names::nearest;
use ropelab::scene::{STANDARD_INPUT, SceneArgument, SceneError, library};
use ropelab::session::recording::is_recording;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use streams::STREAM;

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

/// Work that the command line requests.
pub enum Request {
    Headless(Box<Headless>),
    /// Open the window.
    Window {
        /// Scene to open; `None` for the default scene.
        scene: Option<SceneArgument>,
        /// File into which the window records its events; `None` for no recording.
        record: Option<PathBuf>,
    },
    /// Open the window with a recording.
    Recording(Box<ReplayArguments>),
}

/// Command that needs no display.
pub struct Headless(CliCommand);

/// Options that people type when they mean `--duration`.
const OTHER_NAMES_OF_DURATION: [&str; 3] = ["seconds", "time", "length"];

/// Lets options accept negative numbers, so each option's own check can name the expected range.
/// Adds hidden options whose error message suggests `--duration`. Otherwise clap, which only
/// compares spelling, would suggest `--json` for `--seconds`.
fn with_hints(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|argument| {
        let takes_value = !argument.is_positional() && argument.get_action().takes_values();
        if takes_value { argument.allow_negative_numbers(true) } else { argument }
    });
    let has_duration = command.get_arguments().any(|option| option.get_id() == "duration");
    let [name, others @ ..] = OTHER_NAMES_OF_DURATION;
    let hint = UnknownArgumentValueParser::suggest_arg("--duration");
    let hint = clap::Arg::new(name).long(name).aliases(others).value_parser(hint).hide(true);
    if has_duration { command.arg(hint) } else { command }
}

impl Cli {
    pub fn from_process() -> Self {
        let matches = Self::command().mut_subcommands(with_hints).get_matches();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }

    /// Decides between a command and the window. A word that is not a command is a scene for the
    /// window.
    pub fn into_request(self) -> Result<Request, Error> {
        match self.command {
            None => Ok(Request::Window { scene: None, record: self.record }),
            Some(CliCommand::Other(words)) => {
                let (words, record) = take_record_option(words, self.record)?;
                if let [word] = words.as_slice()
                    && is_recording(Path::new(word)).unwrap_or(false)
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
    pub fn run(self) -> Result<(), Error> {
        if matches!(self.0, CliCommand::Run(_) | CliCommand::Replay(_)) {
            // As in the window, this thread takes the steps and also belongs to the pool that
            // shares the work of a step.
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
            CliCommand::Other(_) => unreachable!("`into_request` opens the window for these"),
        }
    }
}

/// Compares the lanes of a scene like `ropelab compare SCENE`. Without a scene, compares the
/// default scene.
pub fn compare_without_window(scene: Option<SceneArgument>) -> Result<(), Error> {
    let default = || SceneArgument::Named(library::default_scene().name.into());
    let argument = scene.unwrap_or_else(default);
    let name = match &argument {
        SceneArgument::Named(path) => path.clone().into_os_string(),
        SceneArgument::Streamed(_) => STANDARD_INPUT.into(),
    };
    runs::compare::Compare::of_lanes(name).run_on(argument.open()?, Vec::new())
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

/// Returns the scene that the window opens for a word: the name of a file or of a library scene.
/// The window reads the scene again later. It is read here, too, so that an error in the scene
/// appears in the terminal.
fn window_scene(words: Vec<OsString>) -> Result<SceneArgument, Error> {
    let [word] = words.as_slice() else { return Err(unknown_command(&words[0])) };
    let argument = match word.to_str() {
        Some(STREAM) => SceneArgument::read(io::stdin().lock())?,
        _ => SceneArgument::Named(watchable_path(word)),
    };
    match argument.open() {
        Ok(_) => Ok(argument),
        Err(SceneError::Unknown(_)) => Err(unknown_command(word)),
        // The window shows the error of a file and waits until the file is corrected.
        Err(_) if matches!(&argument, SceneArgument::Named(path) if path.is_file()) => Ok(argument),
        Err(error) => Err(error.into()),
    }
}

/// Returns the path of a scene that the window can watch for changes: the given file, or the file
/// of a library scene below the working directory.
fn watchable_path(word: &OsString) -> PathBuf {
    let typed = PathBuf::from(word);
    if typed.is_file() {
        return typed;
    }
    let entry = library::find(&word.to_string_lossy()).ok();
    entry.and_then(|entry| entry.path_on_disk()).unwrap_or(typed)
}

/// Removes `--record FILE` from the words after a scene. Clap does not parse options among these
/// words.
fn take_record_option(
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
