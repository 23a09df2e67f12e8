//! `ropelab run`: one lane of a scene to its end.

use super::chosen::{self, Chosen, LinkChoice};
use super::frame_times::FrameTimes;
use super::progress::Progress;
use super::report::RunReport;
use super::{Error, STREAM, clock, named, open_scene, print, print_json, quantity, scene_name};
use clap::Args;
use ropelab::analysis::{self, Outcome, Passed, RunPlan};
use ropelab::constraint::ConstraintSolver;
use ropelab::contact::ContactMethod;
use ropelab::export::{CsvColumns, ExportError, Extra, OutputFile, Spare};
use ropelab::integrate::Method;
use ropelab::scene::Scene;
use ropelab::simulation::Simulation;
use ropelab::simulation::stepper::Stepping;
use std::ffi::OsString;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Run one lane of a scene and report how it ended
///
/// Without --frame-times, steps of dt follow each other, duration/dt of them, and the stepping
/// scheme rests. With --frame-times, frames are fed through the stepping scheme and its guards, as
/// a display of that rate would do; time budgets rest, so that the result repeats bit for bit.
/// The cost of a step does not count what this command does with the step.
///
/// Examples:
///   ropelab run hanging-rope
///   ropelab run hanging-rope --integrator explicit-euler --dt 4ms --json
///   ropelab run hanging-rope --constraints xpbd --iterations 40 --duration 30
///   ropelab run my-rope.ron --csv run.csv --track 3,7 --every 10
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
    /// How to step (`ropelab list integrators`)
    #[arg(long, value_name = "NAME", value_parser = named::integrator(), hide_possible_values = true)]
    integrator: Option<Method>,
    /// What links do [default: constraints when --constraints names a solver]
    #[arg(long, value_enum)]
    links: Option<LinkChoice>,
    /// Subject to what (`ropelab list constraints`)
    #[arg(long, value_name = "NAME", value_parser = named::solver(), hide_possible_values = true)]
    constraints: Option<ConstraintSolver>,
    /// Sweeps of the constraint solver
    #[arg(long, value_name = "N")]
    iterations: Option<u32>,
    /// How contact is found (`ropelab list contacts`)
    #[arg(long, value_name = "NAME", value_parser = named::contact(), hide_possible_values = true)]
    contact: Option<ContactMethod>,
    /// Time step: seconds, or as 1ms, 1/240, 240hz
    #[arg(long, value_name = "TIME", value_parser = quantity::step, allow_negative_numbers = true)]
    dt: Option<f64>,
    /// Equal parts into which a step is cut
    #[arg(long, value_name = "N")]
    substeps: Option<u32>,
    /// When to step (`ropelab list stepping`); takes effect with --frame-times
    #[arg(long, value_name = "NAME", value_parser = named::stepping(), hide_possible_values = true)]
    stepping: Option<Stepping>,
    /// Rate of a display (60hz), or a file with one frame time in seconds a line (# comments),
    /// fed over and over until the duration
    #[arg(long, value_name = "HZ|FILE", value_parser = FrameTimes::from_argument)]
    frame_times: Option<FrameTimes>,
    /// How long: seconds, or as 500ms, 2min
    #[arg(long, value_name = "TIME", default_value = "5", allow_negative_numbers = true)]
    #[arg(value_parser = quantity::duration)]
    duration: f64,
    /// Write one row a step (- is standard output): t, energies, greatest and least stretch, books of energy,
    /// tracked particles (SI units)
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write over a scene file that has the name of --csv
    #[arg(long, requires = "csv")]
    force: bool,
    /// Particles whose position and velocity become columns of the CSV file
    ///
    /// Numbers as 3,7; all; or a selection of the scene format: 'Body("rope")', 'End("rope")'
    #[arg(long, value_name = "I,J,…|all|SELECTION", requires = "csv")]
    track: Vec<String>,
    /// Further columns of the CSV file
    ///
    /// With frames, which needs --frame-times, there is a row a frame instead of one a step.
    #[arg(long, value_name = "NAME,…", requires = "csv", value_delimiter = ',', value_enum)]
    columns: Vec<Extra>,
    /// Write every Nth step only
    #[arg(long, value_name = "N", default_value_t = 1, requires = "csv")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl RunArguments {
    pub fn run(self) -> Result<(), Error> {
        self.check_streams()?;
        let scene = Arc::new(open_scene(&self.scene)?);
        let lane = chosen::lane(&scene, self.lane.as_deref())?;
        let settings = self.chosen().applied_to(lane.settings)?;
        if self.stepping.is_some() && self.frame_times.is_none() {
            eprintln!("note: --stepping has no effect without --frame-times");
        }
        let feed = FrameTimes::feed(self.frame_times.as_ref());
        let plan = RunPlan { duration: self.duration, feed };
        plan.check(&settings)?;
        for warning in scene.warnings() {
            eprintln!("warning: {warning}");
        }
        let tracked = self.tracked(&scene)?;
        if self.columns.contains(&Extra::Frames) && self.frame_times.is_none() {
            let why = "--columns frames has nothing to show without --frame-times";
            return Err(Error::Settings(why.to_owned()));
        }
        let mut simulation = Simulation::new(scene.parts.clone(), settings);
        simulation.open_books();
        let table = self.csv_file(tracked)?;
        let outcome = follow(&mut simulation, &plan, table)?;
        let report =
            RunReport::new(&scene_name(&self.scene), &scene, lane, &settings, &plan, outcome);
        let text = report.text();
        match (self.json, self.csv.as_deref()) {
            (true, _) => print_json(&report),
            // The table alone is on standard output then.
            (false, Some(out)) if out == Path::new(STREAM) => {
                eprint!("{text}");
                Ok(())
            }
            (false, _) => print(&text),
        }
    }

    /// Standard input is read once, and standard output has one result.
    fn check_streams(&self) -> Result<(), Error> {
        let is_stream = |path: &Path| path == Path::new(STREAM);
        let frames = self.frame_times.as_ref().and_then(|times| times.file.as_deref());
        if is_stream(Path::new(&self.scene)) && frames.is_some_and(is_stream) {
            return Err(Error::Streams("the scene and the frame times", "standard input"));
        }
        if self.json && self.csv.as_deref().is_some_and(is_stream) {
            return Err(Error::Streams("--csv - and --json", "standard output"));
        }
        Ok(())
    }

    /// The particles to track, in the order in which they were asked for.
    fn tracked(&self, scene: &Scene) -> Result<Vec<u32>, Error> {
        let count = scene.parts.mesh.positions.len();
        let mut tracked = Vec::new();
        for selection in &self.track {
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

    /// The table, ready to be written, if one is wanted.
    fn csv_file(&self, tracked: Vec<u32>) -> Result<Option<CsvFile>, ExportError> {
        let Some(path) = &self.csv else { return Ok(None) };
        let frames = self.frame_times.as_ref().and_then(|times| times.file.as_deref());
        let inputs: Vec<&Path> = iter::once(Path::new(&self.scene)).chain(frames).collect();
        let spare = Spare { inputs: &inputs, scenes: !self.force };
        let file = OutputFile::create(path, spare)?;
        let columns = CsvColumns::new(tracked, self.columns.clone());
        let by_frame = self.columns.contains(&Extra::Frames);
        let unwanted = if by_frame { Passed::Step } else { Passed::Frame };
        Ok(Some(CsvFile { file, columns, every: self.every, unwanted }))
    }

    fn chosen(&self) -> Chosen {
        Chosen {
            integrator: self.integrator,
            links: self.links,
            constraints: self.constraints,
            iterations: self.iterations,
            contact: self.contact,
            dt: self.dt,
            substeps: self.substeps,
            stepping: self.stepping,
        }
    }
}

/// The table that a run writes on its way.
struct CsvFile {
    file: OutputFile,
    columns: CsvColumns,
    every: u64,
    /// Steps if there is a row a frame, else frames.
    unwanted: Passed,
}

/// Runs to the end, with a bar, writing the table if one is wanted.
fn follow(
    simulation: &mut Simulation,
    plan: &RunPlan,
    table: Option<CsvFile>,
) -> Result<Outcome, Error> {
    let progress = Progress::towards(plan.expected_steps(simulation.settings()));
    let outcome = match table {
        None => analysis::run(simulation, plan, &clock(), |_, passed| {
            if passed != Passed::Frame {
                progress.step_taken();
            }
            Ok(())
        }),
        Some(table) => write_rows(simulation, plan, table, &progress),
    };
    progress.finish();
    Ok(outcome?)
}

fn write_rows(
    simulation: &mut Simulation,
    plan: &RunPlan,
    table: CsvFile,
    progress: &Progress,
) -> Result<Outcome, ExportError> {
    let CsvFile { mut file, mut columns, every, unwanted } = table;
    columns.write_header(simulation, &mut file).map_err(|e| file.error(e))?;
    let mut seen = 0u64;
    let outcome = analysis::run(simulation, plan, &clock(), |simulation, passed| {
        if passed != Passed::Frame {
            progress.step_taken();
        }
        if passed == unwanted {
            return Ok(());
        }
        let wanted = seen.is_multiple_of(every);
        seen += 1;
        if wanted { columns.write_row(simulation, &mut file) } else { Ok(()) }
    });
    let outcome = outcome.map_err(|e| file.error(e))?;
    file.finish()?;
    Ok(outcome)
}
