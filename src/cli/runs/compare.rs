//! `ropelab compare`: runs of one scene with many settings, as a table. A lane is one of several
//! simulations of the same scene.

use super::chosen::{self, LinkChoice, SettingsArguments, SharedArguments, SolverArguments};
use super::frame_times::{FrameTimes, note_on_steps};
use super::report::RunReport;
use super::series;
use super::set::SetArguments;
use crate::cli::error::Error;
use crate::cli::jobs::clock;
use crate::cli::named;
use crate::cli::output::{Output, Overwrite};
use crate::cli::progress::Progress;
use crate::cli::streams::{open_scene_with_files, print_json, scene_name};
use clap::Args;
use itertools::{Itertools, iproduct, izip};
use ropelab::analysis::{self, Outcome, PlannedRun, RunPlan};
use ropelab::constraint::ConstraintSolver;
use ropelab::contact::ContactMethod;
use ropelab::integrate::Method;
use ropelab::names::table::Table;
use ropelab::quantity::in_words::metres_in_words;
use ropelab::quantity::{argument, four_digits};
use ropelab::scene::{LaneSetup, Scene};
use ropelab::simulation::settings::Settings;
use ropelab::simulation::timing::stepper::Stepping;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

/// Default integrators for a scene with a single lane: one of each kind.
pub const DEFAULT_INTEGRATORS: [Method; 5] = [
    Method::ExplicitEuler,
    Method::SymplecticEuler,
    Method::VelocityVerlet,
    Method::Rk4,
    Method::ImplicitEuler,
];
/// Duration in simulated seconds of the comparison that replaces the window. It takes about eight
/// seconds of computing time, and is long enough for unstable lanes to explode.
const DURATION_WITHOUT_WINDOW: f64 = 2.0;
const DEFAULT_DURATION: f64 = 5.0;

/// Maximum number of runs per comparison. A table of this length takes a few megabytes, and nobody
/// reads a longer one.
const MOST_RUNS: u64 = 10_000;

/// Run of a lane with one value for each option.
type CombinedRun<'a> = (&'a LaneSetup, PlannedRun);

/// Run a scene under many settings and compare how they end
///
/// Every value of an option that takes a list is combined with every value of the others. If
/// neither --integrator nor --lane is given, all lanes of the scene are compared. A scene with a
/// single lane is compared with a handful of integrators if no option is given. Runs are parallel,
/// so costs are those of a busy machine.
///
/// Examples:
///   ropelab compare hanging-rope
///   ropelab compare hanging-rope --integrator explicit-euler,velocity-verlet,rk4
///   ropelab compare hanging-rope --integrator velocity-verlet,implicit-euler --dt 1ms,4ms,16ms
///   ropelab compare hanging-rope --dt 1ms,2ms --series apart.csv --every 10ms
///   ropelab compare pendulum --constraints relaxation,xpbd,shake --iterations 1,20 --json
#[derive(Debug, Default, Args)]
#[command(verbatim_doc_comment)]
pub struct Compare {
    /// Name of a scene (`ropelab list scenes`) or a scene file
    scene: OsString,
    /// Lane of the scene by name, or by number from 1
    #[arg(long, value_name = "NAME|N")]
    lane: Option<String>,
    /// Integrator (`ropelab list integrators`)
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    #[arg(value_parser = named::integrator(), hide_possible_values = true)]
    integrator: Vec<Method>,
    /// Springs or constraints as links [default: constraints if --constraints names a solver]
    #[arg(long, value_enum)]
    links: Option<LinkChoice>,
    /// Constraint solvers (`ropelab list constraints`)
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    #[arg(value_parser = named::solver(), hide_possible_values = true)]
    constraints: Vec<ConstraintSolver>,
    /// Sweeps of the constraint solver
    #[arg(long, value_name = "N,M,…", value_delimiter = ',')]
    #[arg(value_parser = argument::parse_count)]
    iterations: Vec<u32>,
    /// Contact method (`ropelab list contacts`)
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    #[arg(value_parser = named::contact(), hide_possible_values = true)]
    contact: Vec<ContactMethod>,
    /// Time step: seconds, or as 1ms, 1/240, 240hz
    #[arg(long, value_name = "TIME,…", value_delimiter = ',')]
    #[arg(value_parser = argument::parse_step)]
    dt: Vec<f64>,
    /// Number of equal substeps in a step
    #[arg(long, value_name = "N,M,…", value_delimiter = ',')]
    #[arg(value_parser = argument::parse_count)]
    substeps: Vec<u32>,
    /// Stepping scheme (`ropelab list stepping`); has an effect only with frames
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    #[arg(value_parser = named::stepping(), hide_possible_values = true)]
    stepping: Vec<Stepping>,
    /// Rate of a display (60hz), or a file with one frame time in seconds per line [default: the
    /// frames of each lane, if the scene has some]
    #[arg(long, value_name = "HZ|FILE", value_parser = FrameTimes::from_argument)]
    frame_times: Option<FrameTimes>,
    /// Simulated time of each run or, with frames, time of the display: seconds, or as 500ms, 2min
    #[arg(long, value_name = "TIME", default_value_t = DEFAULT_DURATION)]
    #[arg(value_parser = argument::parse_duration)]
    duration: f64,
    /// Write a table over time with three columns per lane: total energy, greatest stretch, and
    /// greatest distance of a particle from its position in the first lane
    #[arg(long, value_name = "FILE")]
    series: Option<PathBuf>,
    /// Time between two rows of --series
    #[arg(long, value_name = "TIME", default_value = "1/60", requires = "series")]
    #[arg(value_parser = argument::parse_step)]
    every: f64,
    #[command(flatten)]
    overwrite: Overwrite,
    #[command(flatten)]
    set: SetArguments,
    /// Print a JSON array of objects, each like that of `ropelab run --json`
    #[arg(long)]
    json: bool,
}

impl Compare {
    /// Creates the comparison of a scene without any option.
    pub fn of_lanes(scene: OsString) -> Self {
        Self { scene, duration: DURATION_WITHOUT_WINDOW, every: 1.0 / 60.0, ..Self::default() }
    }

    pub fn run(self) -> Result<(), Error> {
        let (scene, files) = open_scene_with_files(&self.scene)?;
        self.run_on(scene, files)
    }

    /// Runs the comparison with a scene that was read from `files`.
    pub fn run_on(self, scene: Scene, mut files: Vec<PathBuf>) -> Result<(), Error> {
        files.extend(FrameTimes::file_of(&self.frame_times));
        let outputs = [("--series", self.series.as_deref())];
        let output = Output::check(files, &outputs, self.json, self.overwrite)?;
        let scene = Arc::new(scene);
        self.check_size(&scene)?;
        let (lanes, runs): (Vec<_>, Vec<_>) = self.combinations(&scene)?.into_iter().unzip();
        for PlannedRun { settings, plan } in &runs {
            plan.check(settings)?;
        }
        self.note_on_steps(&lanes, &runs);
        let outcomes = self.outcomes(&scene, &runs, &output)?;
        let name = scene_name(&self.scene);
        let reports = izip!(lanes, &runs, outcomes).map(|(lane, run, (outcome, distance))| {
            let PlannedRun { settings, plan } = run;
            let mut report = RunReport::new(&name, &scene, lane, settings, plan, outcome);
            report.distance = distance;
            report
        });
        let reports: Vec<RunReport> = reports.collect();
        if self.json { print_json(&reports) } else { output.print(&to_table(&reports).to_text()) }
    }

    /// Runs all combinations. With `--series`, writes their values over time to a table, and
    /// returns the greatest distance of each run from the first lane.
    fn outcomes(
        &self,
        scene: &Arc<Scene>,
        runs: &[PlannedRun],
        output: &Output,
    ) -> Result<Vec<(Outcome, Option<f64>)>, Error> {
        let clock = clock();
        let progress =
            Progress::new(runs.iter().map(|run| run.plan.expected_steps(&run.settings)).sum());
        let Some(path) = &self.series else {
            let outcomes = analysis::compare(scene, runs, &clock, &|| progress.count_step());
            progress.finish();
            return Ok(outcomes.into_iter().map(|outcome| (outcome, None)).collect());
        };
        if !(self.every.is_finite() && self.every > 0.0) {
            let message = format!("--every is {}; expected a time above 0", self.every);
            return Err(Error::Settings(message));
        }
        let file = output.create(path)?;
        let lanes = series::run_lanes(scene, runs, self.every, &clock, &progress);
        progress.finish();
        let lanes = lanes?;
        series::write_table(file, self.every, &lanes.iter().map(|(_, it)| it).collect::<Vec<_>>())?;
        Ok(lanes.into_iter().map(|(outcome, it)| (outcome, it.greatest_distance())).collect())
    }

    /// Returns the plan of a lane's run with these settings: its duration and its frames.
    /// `--frame-times` replaces the lane's own frames.
    fn plan(&self, lane: &LaneSetup, settings: &Settings) -> RunPlan {
        let times = self.frame_times.as_ref();
        let feed = FrameTimes::choose_feed(times, &lane.frames, settings, self.duration);
        RunPlan { duration: self.duration, feed }
    }

    /// Prints a note for each lane whose steps differ from the requested ones. Equal notes are
    /// printed once.
    fn note_on_steps(&self, lanes: &[&LaneSetup], runs: &[PlannedRun]) {
        let notes = lanes.iter().zip(runs).filter_map(|(lane, run)| {
            note_on_steps(&lane.name, &run.settings, &run.plan.feed, !self.dt.is_empty())
        });
        notes.unique().for_each(|note| eprintln!("{note}"));
    }

    /// Checks the number of combinations before any is created.
    fn check_size(&self, scene: &Scene) -> Result<(), Error> {
        let lanes =
            if self.lane.is_none() && self.integrator.is_empty() { scene.lanes.len() } else { 1 };
        let lists = [
            self.integrator.len(),
            self.constraints.len(),
            self.iterations.len(),
            self.contact.len(),
            self.dt.len(),
            self.substeps.len(),
            self.stepping.len(),
        ];
        let runs =
            lists.iter().fold(lanes as u64, |runs, n| runs.saturating_mul((*n).max(1) as u64));
        if runs > MOST_RUNS { Err(Error::TooManyRuns { runs, most: MOST_RUNS }) } else { Ok(()) }
    }

    /// Returns all combinations of lanes and option values with their plans, in the order of the
    /// command line.
    fn combinations<'a>(&self, scene: &'a Scene) -> Result<Vec<CombinedRun<'a>>, Error> {
        let lanes: Vec<&LaneSetup> = match &self.lane {
            None if self.integrator.is_empty() => scene.lanes.iter().collect(),
            wanted => vec![chosen::find_lane(scene, wanted.as_deref())?],
        };
        let mut choices = self.choices();
        if let ([_], [only], []) = (&lanes[..], &choices[..], &self.integrator[..]) {
            let choice = |method| SettingsArguments { integrator: Some(method), ..only.clone() };
            choices = DEFAULT_INTEGRATORS.map(choice).into();
        }
        iproduct!(lanes, choices)
            .map(|(lane, choice)| {
                let settings = choice.applied_to(lane.settings)?;
                Ok((lane, PlannedRun { settings, plan: self.plan(lane, &settings) }))
            })
            .collect()
    }

    fn choices(&self) -> Vec<SettingsArguments> {
        iproduct!(
            each_or_none(&self.integrator),
            each_or_none(&self.constraints),
            each_or_none(&self.iterations),
            each_or_none(&self.contact),
            each_or_none(&self.dt),
            each_or_none(&self.substeps),
            each_or_none(&self.stepping)
        )
        .map(|(integrator, constraints, iterations, contact, dt, substeps, stepping)| {
            let solver = SolverArguments { links: self.links, constraints, iterations, substeps };
            let shared = SharedArguments { solver, contact, set: self.set.clone() };
            SettingsArguments { integrator, shared, dt, stepping }
        })
        .collect()
    }
}

/// Returns the values of an option. An option without values becomes a single `None`, which keeps
/// the lane's setting.
fn each_or_none<T: Copy>(values: &[T]) -> Vec<Option<T>> {
    if values.is_empty() { vec![None] } else { values.iter().copied().map(Some).collect() }
}

fn to_table(reports: &[RunReport]) -> Table {
    let head = [
        "Lane",
        "Integrator",
        "Constraints",
        "Contact",
        "Step",
        "Result",
        "Energy made",
        "Greatest stretch",
        "Furthest apart",
        "Unconverged",
        "Cost a step",
    ];
    let row = |report: &RunReport| {
        [
            report.lane.clone(),
            report.integrator.to_owned(),
            report.solver_text(),
            report.contact_text(),
            report.step_text(),
            report.result.clone(),
            report.energy_made_text(),
            four_digits::format_signed_percent(report.stretch_max),
            report.distance.map_or(String::new(), metres_in_words),
            report.unconverged_text(),
            four_digits::format_seconds(report.cost_per_step_s),
        ]
    };
    let table = Table::new(head, reports.iter().map(row));
    let differ = reports.iter().any(|report| report.lane != reports[0].lane);
    let table = if differ { table } else { table.without("Lane") };
    let compared = reports.iter().any(|report| report.distance.is_some());
    let table = if compared { table } else { table.without("Furthest apart") };
    let has_contact = reports.iter().any(|report| report.contact.pairs_tested > 0);
    if has_contact { table } else { table.without("Contact") }
}
