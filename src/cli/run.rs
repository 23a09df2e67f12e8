//! `ropelab run`: one lane of a scene to its end.

use super::chosen::{self, Chosen, Links};
use super::frame_times::FrameTimes;
use super::progress::Progress;
use super::report::Report;
use super::{Error, clock, named, open_scene, print, print_json, quantity, scene_name};
use clap::Args;
use ropelab::analysis::{self, Course, Feed, Outcome};
use ropelab::constraint::ConstraintSolver;
use ropelab::export::{CsvColumns, ExportError, OutputFile};
use ropelab::integrate::Method;
use ropelab::simulation::Simulation;
use ropelab::stepper::Stepping;
use std::ffi::OsString;
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
///   ropelab run hanging-rope --stepping frame-coupled --frame-times 75hz
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct Run {
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
    links: Option<Links>,
    /// Subject to what (`ropelab list constraints`)
    #[arg(long, value_name = "NAME", value_parser = named::solver(), hide_possible_values = true)]
    constraints: Option<ConstraintSolver>,
    /// Sweeps of the constraint solver
    #[arg(long, value_name = "N")]
    iterations: Option<u32>,
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
    /// Write one row a step: t, energies, greatest stretch, tracked particles (SI units)
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Particles whose position and velocity become columns of the CSV file
    #[arg(long, value_name = "I,J,…", value_delimiter = ',', requires = "csv")]
    track: Vec<u32>,
    /// Write every Nth step only
    #[arg(long, value_name = "N", default_value_t = 1, requires = "csv")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Run {
    pub fn run(self) -> Result<(), Error> {
        let scene = Arc::new(open_scene(&self.scene)?);
        let lane = chosen::lane(&scene, self.lane.as_deref())?;
        let settings = self.chosen().applied_to(lane.settings)?;
        if self.stepping.is_some() && self.frame_times.is_none() {
            eprintln!("note: --stepping has no effect without --frame-times");
        }
        let feed = self.frame_times.map_or(Feed::Steps, |FrameTimes(frames)| Feed::Frames(frames));
        let course = Course { duration: self.duration, feed };
        course.check(&settings)?;
        let count = scene.mesh.positions.len();
        if let Some(&particle) = self.track.iter().find(|&&i| i as usize >= count) {
            return Err(Error::Particle { particle, count });
        }
        let mut simulation = Simulation::new(scene.clone(), settings);
        let table = self.csv.map(|path| CsvFile { path, track: self.track, every: self.every });
        let outcome = follow(&mut simulation, &course, table)?;
        let report =
            Report::new(&scene_name(&self.scene), &scene, lane, &settings, &course, outcome);
        if self.json { print_json(&report) } else { print(&report.text()) }
    }

    fn chosen(&self) -> Chosen {
        Chosen {
            integrator: self.integrator,
            links: self.links,
            constraints: self.constraints,
            iterations: self.iterations,
            dt: self.dt,
            substeps: self.substeps,
            stepping: self.stepping,
        }
    }
}

/// The table that a run writes on its way.
struct CsvFile {
    path: PathBuf,
    track: Vec<u32>,
    every: u64,
}

/// Runs to the end, with a bar, writing the table if one is wanted.
fn follow(
    simulation: &mut Simulation,
    course: &Course,
    table: Option<CsvFile>,
) -> Result<Outcome, Error> {
    let progress = Progress::towards(course.expected_steps(simulation.settings()));
    let outcome = match table {
        None => analysis::run(simulation, course, &clock(), |_| {
            progress.step_taken();
            Ok(())
        }),
        Some(CsvFile { path, track, every }) => {
            let columns = CsvColumns::new(track);
            write_rows(simulation, course, &path, &columns, every, &progress)
        }
    };
    progress.finish();
    Ok(outcome?)
}

fn write_rows(
    simulation: &mut Simulation,
    course: &Course,
    path: &Path,
    columns: &CsvColumns,
    every: u64,
    progress: &Progress,
) -> Result<Outcome, ExportError> {
    let mut file = OutputFile::create(path)?;
    columns.write_header(&mut file).map_err(|e| file.error(e))?;
    let mut seen = 0u64;
    let outcome = analysis::run(simulation, course, &clock(), |simulation| {
        progress.step_taken();
        let wanted = seen.is_multiple_of(every);
        seen += 1;
        if wanted { columns.write_row(simulation, &mut file) } else { Ok(()) }
    });
    let outcome = outcome.map_err(|e| file.error(e))?;
    file.finish()?;
    Ok(outcome)
}
