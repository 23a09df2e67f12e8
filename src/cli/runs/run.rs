//! `ropelab run`: run of one lane of a scene to its end. A lane is one of several simulations of
//! the same scene.

use super::chosen::{self, SettingsArguments};
use super::frame_times::{FrameTimes, note_on_steps};
use super::outputs::{CsvFile, Measurements, Outputs, Rows};
use super::report::RunReport;
use crate::cli::error::Error;
use crate::cli::jobs::clock;
use crate::cli::named;
use crate::cli::output::{Output, Overwrite};
use crate::cli::plain_code::first_loop;
use crate::cli::progress::Progress;
use crate::cli::streams::{STREAM, open_scene_with_files, print_json, scene_name};
use clap::{Args, ValueEnum};
use ropelab::analysis::{self, Outcome, RunEvent, RunPlan, TimeSource};
use ropelab::export::code::Language;
use ropelab::export::positions::{Instants, PositionsFile};
use ropelab::export::{CsvColumns, ExportError, Extra};
use ropelab::quantity::argument::{self, Interval};
use ropelab::scene::Scene;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;
use std::ffi::OsString;
use std::io::Write;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Default interval in seconds between two instants of `--positions`.
const FRAME: f64 = 1.0 / 60.0;

/// Run one lane of a scene and report how it ended
///
/// Without --frame-times the run has duration/dt steps of dt, and the stepping scheme has no
/// effect. With --frame-times, the stepping scheme and its limits on frames turn the frames of a
/// display into steps. Time budgets have no effect, so the result is reproducible bit for bit. The
/// cost of a step does not include the work of this command.
///
/// Examples:
///   ropelab run hanging-rope
///   ropelab run hanging-rope --integrator explicit-euler --dt 4ms --json
///   ropelab run hanging-rope --constraints xpbd --iterations 40 --duration 30
///   ropelab run my-rope.ron --csv run.csv --track 3,7 --every 10
///   ropelab run flag --positions flag.pc2 --every 1/24 --duration 10
///   ropelab run hanging-rope --integrator generalized-alpha --set integrator.rho_inf=0.5
///   ropelab run cradle --contacts hits.csv --end later.ron
///   ropelab run bridge --csv run.csv --columns tension,pins
///   ropelab run hanging-rope --stepping frame-coupled --frame-times 75hz
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct RunArguments {
    /// Name of a scene (`ropelab list scenes`) or a scene file
    scene: OsString,
    /// Lane of the scene by name, or by number from 1 [default: the first]
    #[arg(long, value_name = "NAME|N")]
    lane: Option<String>,
    #[command(flatten)]
    settings: SettingsArguments,
    /// Rate of a display (60hz), or a file with one frame time in seconds per line (# comments),
    /// repeated until the duration
    #[arg(long, value_name = "HZ|FILE", value_parser = FrameTimes::from_argument)]
    frame_times: Option<FrameTimes>,
    /// Simulated time or, with frames, time of the display: seconds, or as 500ms, 2min
    #[arg(long, value_name = "TIME", default_value = "5")]
    #[arg(value_parser = argument::parse_duration)]
    duration: f64,
    /// Write one row per step (- is standard output): t, energies, greatest and least stretch,
    /// energy balance, tracked particles (SI units)
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    #[command(flatten)]
    overwrite: Overwrite,
    /// Particles whose position and velocity become columns of the CSV file
    ///
    /// Numbers as 3,7; all; or a selection of the scene format: 'Body("rope")', 'End("rope")'
    #[arg(long, value_name = "I,J,…|all|SELECTION", requires = "csv")]
    track: Vec<String>,
    /// Further columns of the CSV file
    ///
    /// The columns of frames need --frame-times. With them there is a row per frame instead of one
    /// per step.
    #[arg(long, value_name = "NAME,…", requires = "csv", value_delimiter = ',', value_enum)]
    columns: Vec<Extra>,
    /// Interval between rows: a number of steps as 10, or a time as 16ms or 1/60
    ///
    /// A row of --csv is the first step at or after an instant; --positions are interpolated
    /// linearly between two steps, exactly at each instant. [default: every step; --positions 1/60]
    #[arg(long, value_name = "N|TIME", value_parser = argument::parse_interval)]
    every: Option<Interval>,
    /// Write the positions of all particles, as .csv, .npy or .pc2
    ///
    /// FILE.csv has a row per moment; its triangles are in FILE.triangles.csv. FILE.npy is an array
    /// of moments, particles and coordinates, with FILE.t.npy and FILE.triangles.npy. FILE.pc2 is a
    /// point cache for the mesh in FILE.obj; Blender plays it with the modifier Mesh Cache.
    /// Coordinates of a ball that has not been thrown yet are NaN. Without triangles, the file of
    /// triangles is empty.
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
    /// Write contacts as CSV (- is standard output). Each contact in the last substep of a step has
    /// a row: time, place, normal, impulse, partners
    #[arg(long, value_name = "FILE")]
    contacts: Option<PathBuf>,
    /// Write the state at the end as a scene that starts there (- is standard output)
    ///
    /// The scene starts at time 0: gusts and the paths of pins and colliders start again.
    /// Integrator and solver start without memory of earlier steps. Under methods with such memory
    /// (BDF2, Beeman, position Verlet, XPBD, Soft Step …) the motion therefore differs from that of
    /// a longer run.
    #[arg(long, value_name = "FILE")]
    end: Option<PathBuf>,
    /// Also print the loop of this lane as plain code
    #[arg(long, value_name = "LANGUAGE", value_parser = named::language(), conflicts_with = "json")]
    code: Option<Language>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl RunArguments {
    pub fn run(self) -> Result<(), Error> {
        self.check_streams()?;
        let (scene, files) = open_scene_with_files(&self.scene)?;
        let output = self.check_outputs(files)?;
        let scene = Arc::new(scene);
        let lane = chosen::find_lane(&scene, self.lane.as_deref())?;
        let settings = self.settings.applied_to(lane.settings)?;
        let times = self.frame_times.as_ref();
        let feed = FrameTimes::choose_feed(times, &lane.frames, &settings, self.duration);
        let plan = RunPlan { duration: self.duration, feed };
        plan.check(&settings)?;
        self.print_note(&lane.name, &settings, &plan.feed);
        for warning in scene.warnings() {
            eprintln!("warning: {warning}");
        }
        let tracked = self.tracked_particles(&scene)?;
        if self.columns.contains(&Extra::Frames) && plan.feed == TimeSource::Steps {
            let why = "--columns frames has nothing to show without frames; give a rate with \
                       --frame-times 60hz";
            return Err(Error::Settings(why.to_owned()));
        }
        let mut simulation = Simulation::new(scene.parts.clone(), settings);
        simulation.start_energy_account();
        self.print_notes_on_rows(&simulation);
        let outputs = self.create_outputs(&output, &scene, &lane.name, &simulation, tracked)?;
        let end = self.end.as_deref().map(|path| output.create(path)).transpose()?;
        let (outcome, measurements) = run_with_outputs(&scene, &mut simulation, &plan, outputs)?;
        if let Some(mut file) = end {
            let later = scene.to_ron_from(lane, &simulation).map_err(Error::Settings)?;
            file.write_all(later.as_bytes()).map_err(|e| file.error(e))?;
            file.finish()?;
            let again = scene.restarted_motions(simulation.model());
            if !again.is_empty() {
                let again = again.join(" and ");
                eprintln!("note: the scene of --end starts at time 0, and its {again} start again");
            }
        }
        let name = scene_name(&self.scene);
        let mut report = RunReport::new(&name, &scene, lane, &settings, &plan, outcome);
        report.measurements = measurements;
        let code = |language| first_loop(&scene.parts, iter::empty(), &settings, language);
        let text = report.to_text() + &self.code.map_or(String::new(), code);
        if self.json { print_json(&report) } else { output.print(&text) }
    }

    fn print_note(&self, lane: &str, settings: &Settings, feed: &TimeSource) {
        if self.settings.stepping.is_some() && *feed == TimeSource::Steps {
            eprintln!("note: --stepping has no effect without --frame-times");
        } else if let Some(note) = note_on_steps(lane, settings, feed, self.settings.dt.is_some()) {
            eprintln!("{note}");
        }
    }

    /// Prints a note for each option about rows or columns that has no effect.
    fn print_notes_on_rows(&self, simulation: &Simulation) {
        if self.every.is_some() && self.csv.is_none() && self.positions.is_none() {
            eprintln!("note: --every has no effect without --csv or --positions");
        }
        for extra in &self.columns {
            let name = extra.to_possible_value().map(|value| value.get_name().to_owned());
            if let Some((name, parts)) = name.zip(extra.missing_parts(simulation)) {
                eprintln!("note: --columns {name} adds no column: the scene has no {parts}");
            }
        }
    }

    /// Checks that standard input is read only once, and that the file name in `--positions` has a
    /// known extension.
    fn check_streams(&self) -> Result<(), Error> {
        let is_stream = |path: &Path| path == Path::new(STREAM);
        let frames = self.frame_times.as_ref().and_then(|times| times.file.as_deref());
        if is_stream(Path::new(&self.scene)) && frames.is_some_and(is_stream) {
            let both = "the scene and the frame times".to_owned();
            return Err(Error::Streams(both, "standard input"));
        }
        if let Some(path) = self.positions.as_deref().filter(|path| !PositionsFile::is_known(path))
        {
            return Err(Error::Settings(format!(
                "--positions {}: expected a name that ends in .csv, .npy or .pc2",
                path.display()
            )));
        }
        Ok(())
    }

    /// Returns the particles that `--track` selects, in the order of the command line.
    fn tracked_particles(&self, scene: &Scene) -> Result<Vec<u32>, Error> {
        let count = scene.parts.mesh.positions.len() + scene.parts.throws.len();
        let mut tracked = Vec::new();
        for selection in &self.track {
            if selection.trim().is_empty() {
                let why = "--track names no particles; expected numbers such as 3,7, all, or a \
                           selection such as Body(\"rope\")";
                return Err(Error::Settings(why.to_owned()));
            }
            let numbers: Result<Vec<u32>, _> =
                selection.split(',').map(|n| n.trim().parse()).collect();
            match numbers {
                Ok(numbers) => match numbers.iter().find(|&&i| i as usize >= count) {
                    Some(&particle) => return Err(Error::Particle { particle, count }),
                    None => tracked.extend(numbers),
                },
                Err(_) if selection.eq_ignore_ascii_case("all") => tracked.extend(0..count as u32),
                Err(_) => {
                    let found = scene.select(selection);
                    tracked
                        .extend(found.map_err(|why| Error::Settings(format!("--track: {why}")))?);
                }
            }
        }
        Ok(tracked)
    }

    fn check_outputs(&self, mut inputs: Vec<PathBuf>) -> Result<Output, Error> {
        inputs.extend(FrameTimes::file_of(&self.frame_times));
        let positions = self.positions.as_deref().map(PositionsFile::all_paths);
        let mut outputs = vec![
            ("--csv", self.csv.as_deref()),
            ("--contacts", self.contacts.as_deref()),
            ("--end", self.end.as_deref()),
        ];
        outputs.extend(positions.iter().flatten().map(|path| ("--positions", Some(&**path))));
        Output::check(inputs, &outputs, self.json, self.overwrite)
    }

    fn create_outputs(
        &self,
        output: &Output,
        scene: &Scene,
        lane: &str,
        simulation: &Simulation,
        tracked: Vec<u32>,
    ) -> Result<Outputs, ExportError> {
        let mut outputs = Outputs::of(scene, lane, simulation);
        if let Some(path) = &self.csv {
            let columns = CsvColumns::new(tracked, self.columns.clone());
            let by_frame = self.columns.contains(&Extra::Frames);
            let skipped = if by_frame { RunEvent::Step } else { RunEvent::Frame };
            let rows = Rows::of(self.every);
            outputs.table = Some(CsvFile { file: output.create(path)?, columns, rows, skipped });
        }
        if let Some(path) = &self.positions {
            let parts = simulation.parts();
            let file = PositionsFile::create(path, parts, output.protected())?;
            let seconds = match self.every {
                Some(Interval::Seconds(seconds)) => seconds,
                Some(Interval::Steps(n)) => n as f64 * simulation.settings().dt,
                None => FRAME,
            };
            outputs.positions = Some((file, Instants::every(seconds)));
        }
        outputs.contacts = self.contacts.as_deref().map(|path| output.create(path)).transpose()?;
        Ok(outputs)
    }
}

fn run_with_outputs(
    scene: &Scene,
    simulation: &mut Simulation,
    plan: &RunPlan,
    mut outputs: Outputs,
) -> Result<(Outcome, Measurements), Error> {
    let progress = Progress::new(plan.expected_steps(simulation.settings()));
    let outcome = analysis::run(simulation, plan, &clock(), |simulation, passed| {
        if passed != RunEvent::Frame {
            progress.count_step();
        }
        outputs.record(scene, simulation, passed)
    });
    progress.finish();
    let outcome = outcome?;
    let measurements = outputs.finish(scene, simulation, outcome.stretch_max)?;
    Ok((outcome, measurements))
}
