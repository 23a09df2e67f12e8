//! The program `ropelab`: the window, and commands that need no window.

mod cli;
mod signals;

use cli::{Cli, ReplayArguments, Request};
use ropelab::scene::SceneArgument;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Allocator that aligns columns of particles to cache lines; see docs/design/kernels.md.
#[global_allocator]
static MEMORY: ropelab::numerics::simd::CacheLineAllocator =
    ropelab::numerics::simd::CacheLineAllocator;

fn main() -> ExitCode {
    let started = Instant::now();
    match run(Cli::from_process(), started) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if cli::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", format_error(&error));
            ExitCode::from(2)
        }
    }
}

/// Returns the text of an error and its causes, without causes that the message already quotes.
fn format_error(error: &anyhow::Error) -> String {
    let mut message = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !message.contains(&cause) {
            message = format!("{message}: {cause}");
        }
    }
    message
}

fn run(arguments: Cli, started: Instant) -> anyhow::Result<()> {
    match arguments.into_request()? {
        Request::Headless(command) => {
            #[cfg(unix)]
            signals::remove_unfinished_files_on_signals();
            Ok(command.run()?)
        }
        Request::Window { scene, record } => open_window(scene, record, started),
        Request::Recording(file) => open_recording(*file, started),
    }
}

#[cfg(feature = "window")]
fn open_window(
    scene: Option<SceneArgument>,
    record: Option<PathBuf>,
    started: Instant,
) -> anyhow::Result<()> {
    use ropelab::app::{NoDisplay, Opened};
    let opened = scene.clone().map_or(Opened::Default, Opened::Scene);
    match ropelab::app::run(opened, record.clone(), started) {
        Err(error) if error.is::<NoDisplay>() => compare_instead(scene, record, &error.to_string()),
        outcome => outcome,
    }
}

#[cfg(not(feature = "window"))]
const WITHOUT_WINDOW: &str =
    "this ropelab was built without its window; `cargo run --release` builds one with a window";

#[cfg(not(feature = "window"))]
fn open_window(
    scene: Option<SceneArgument>,
    record: Option<PathBuf>,
    _asked: Instant,
) -> anyhow::Result<()> {
    compare_instead(scene, record, WITHOUT_WINDOW)
}

#[cfg(feature = "window")]
fn open_recording(file: ReplayArguments, started: Instant) -> anyhow::Result<()> {
    use ropelab::app::{NoDisplay, Opened};
    let recording = Box::new(file.open()?);
    match ropelab::app::run(Opened::Recording(recording), None, started) {
        Err(error) if error.is::<NoDisplay>() => verify_instead(file, &error.to_string()),
        outcome => outcome,
    }
}

#[cfg(not(feature = "window"))]
fn open_recording(file: ReplayArguments, _asked: Instant) -> anyhow::Result<()> {
    verify_instead(file, WITHOUT_WINDOW)
}

/// Replays a recording in the terminal, because no window can be opened. `reason` is printed first.
fn verify_instead(file: ReplayArguments, reason: &str) -> anyhow::Result<()> {
    file.open()?;
    eprintln!("{reason}");
    eprintln!("Comparing it in the terminal instead, as with `--verify`.");
    Ok(file.run()?)
}

/// Compares the scene's lanes in the terminal, because no window can be opened. `reason` is printed
/// first.
fn compare_instead(
    scene: Option<SceneArgument>,
    record: Option<PathBuf>,
    reason: &str,
) -> anyhow::Result<()> {
    eprintln!("{reason}");
    if let Some(file) = record {
        eprintln!("Nothing is recorded to {}: --record records the window.", file.display());
    }
    eprintln!(
        "Comparing in the terminal instead; `ropelab --help` lists the commands that work \
               here."
    );
    Ok(cli::compare_without_window(scene)?)
}
