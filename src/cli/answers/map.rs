//! `ropelab map`: stability, stretch or error of a scene for values of two quantities. A lane is
//! one of several simulations of the same scene.

use crate::cli::error::Error;
use crate::cli::files::read_bytes;
use crate::cli::jobs::wait;
use crate::cli::named;
use crate::cli::output::{Output, Overwrite};
use crate::cli::runs::chosen::{self, SharedArguments};
use crate::cli::streams::{open_scene_with_files, print_json, scene_name};
use crate::cli::watchdog::Patience;
use clap::{Args, ValueEnum};
use rayon::prelude::*;
use ropelab::analysis::describe_rigid_reference;
use ropelab::analysis::in_words::percent;
use ropelab::analysis::job::{Cancelled, JobPool, Work};
use ropelab::analysis::map::{
    Axis, Cell, MapLine, MapPart, MapPlan, MappedScene, Quantity, ShownQuantity,
};
use ropelab::analysis::stability::{SAMPLED_SECONDS, sample_scene};
use ropelab::export::cells::{CellFile, MergeError};
use ropelab::export::map_charts::draw_map;
use ropelab::integrate::Method;
use ropelab::names::table::Table;
use ropelab::quantity::magnitude::format_six_digits;
use ropelab::quantity::{argument, four_digits};
use ropelab::scene::vary::VariableScene;
use ropelab::scene::{LONGEST_FILE, Scene};
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;
use serde::Serialize;
use std::ffi::OsString;
use std::path::PathBuf;

/// Quantity shown by the colour of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Show {
    /// Growth per step of a small perturbation of the equilibrium
    Growth,
    /// Greatest stretch of a link in a run from the start
    Stretch,
    /// Greatest distance from the reference run, divided by the size of the motion, in a run from
    /// the start
    Error,
}

/// Map where a scene is stable, over any two of its quantities
///
/// Axes: dt, stiffness (of the stiffest link in N/m, the others in proportion), damping,
/// mass-ratio, iterations, substeps, segments, or any value in the scene file by its path. Every
/// cell runs the real simulation for 400 steps. It starts at the equilibrium with a perturbation of
/// a millionth of a link's length. The dashed line is the theoretical stability limit of small
/// vibrations about the equilibrium; beyond it no cell is stable, even if 400 steps are too few to
/// show the growth. With its loads and contacts, the lane itself may need shorter steps, so its
/// longest stable step is printed as in `limit`. With --boundary only the cells around the boundary
/// are run. With --show error every cell is a run from the start of the scene. This run is compared
/// with the exact motion. If that is unknown, it is compared with a run by Dormand–Prince at a
/// tolerance of 1e-9 or, if a solver constrains links, by SHAKE with tiny steps.
///
/// A map may be too large for one machine: --part 3/16 computes the third of 16 parts of its rows,
/// and --merge joins the CSV files of all parts. The joined map has the same bits as a map from one
/// run.
///
/// Examples:
///   ropelab map four-integrators --x dt=1e-4..1e-1 --y stiffness=1e1..1e6 --png map.png
///   ropelab map four-integrators --show error --x dt=1ms..20ms --y damping=1e-3..1e1
///   ropelab map bridge --lane 1 --x iterations=1..100 --y mass-ratio=1..1000 --png bridge.png
///   ropelab map my-rope.ron --x dt=1ms..20ms --y ropes.line.segments=2..40 --size 64x39 --json
///   seq 16 | parallel ropelab map bridge --x … --y … --part {}/16 --csv part{}.csv
///   ropelab map --merge part*.csv --png map.png
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct Map {
    /// Name of a scene (`ropelab list scenes`) or a scene file
    #[arg(required_unless_present = "merge")]
    scene: Option<OsString>,
    /// Lane of the scene by name, or by number from 1
    #[arg(long, value_name = "NAME|N")]
    lane: Option<String>,
    /// Horizontal axis
    #[arg(long, value_name = "NAME=FROM..TO", default_value = "dt=1e-4..1e-1")]
    x: String,
    /// Vertical axis
    #[arg(long, value_name = "NAME=FROM..TO", default_value = "stiffness=1e1..1e6")]
    y: String,
    /// Cells along the x axis and the y axis
    #[arg(long, value_name = "NxM", default_value = "128x128", value_parser = parse_size)]
    size: [u32; 2],
    /// Integrators (`ropelab list integrators`), each with its own panel [default: the lane's]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    #[arg(value_parser = named::integrator(), hide_possible_values = true)]
    integrator: Vec<Method>,
    #[command(flatten)]
    shared: SharedArguments,
    /// Time step, if dt is not an axis: seconds, or as 1ms, 1/240, 240hz
    #[arg(long, value_name = "TIME", value_parser = argument::parse_step)]
    dt: Option<f64>,
    /// Quantity shown by the colour of a cell [default: growth, or stretch if a constraint solver
    /// constrains links]
    #[arg(long, value_enum)]
    show: Option<Show>,
    /// Simulated time of each run, for --show stretch and error
    #[arg(long, value_name = "TIME", default_value = "2")]
    #[arg(value_parser = argument::parse_positive_duration)]
    duration: f64,
    /// Greatest stretch or error of a good cell [default: 0.1 for stretch, 0.01 for error]
    #[arg(long, value_name = "FRACTION")]
    most: Option<f64>,
    /// Run only the cells around the boundary between good and bad cells
    #[arg(long)]
    boundary: bool,
    /// Write the map as PNG
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
    /// Write the map as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write all cells as a table
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    #[command(flatten)]
    overwrite: Overwrite,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    patience: Patience,
    /// Compute only part K of N of the rows, for --csv
    #[arg(long, value_name = "K/N", value_parser = parse_part, requires = "csv")]
    #[arg(conflicts_with_all = ["png", "svg", "json", "merge"])]
    part: Option<MapPart>,
    /// Join the files that --part --csv wrote
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "scene")]
    merge: Vec<PathBuf>,
}

fn parse_size(text: &str) -> Result<[u32; 2], String> {
    let wrong = || format!("\"{text}\" is not a size; expected columns x rows such as 256x256");
    let (columns, rows) = text.split_once(['x', 'X', '×']).ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse::<u32>().map_err(|_| wrong());
    Ok([number(columns)?, number(rows)?])
}

/// Parses a part such as `3/16`, whose index is 2.
fn parse_part(text: &str) -> Result<MapPart, String> {
    let wrong = || format!("\"{text}\" is not a part; expected K/N such as 3/16, K from 1 to N");
    let (k, n) = text.split_once('/').ok_or_else(wrong)?;
    let [k, n] = [k, n].map(|text| text.trim().parse::<usize>().unwrap_or(0));
    if (1..=n).contains(&k) { Ok(MapPart { index: k - 1, count: n }) } else { Err(wrong()) }
}

fn parse_axis_end(quantity: &Quantity, text: &str) -> Result<f64, String> {
    match quantity {
        Quantity::Dt => argument::parse_step(text),
        _ => text.parse().map_err(|_| format!("\"{text}\" is not a number")),
    }
}

impl Map {
    pub fn run(self) -> Result<(), Error> {
        self.patience.watch()?;
        let opened = self.scene.as_ref().map(open_scene_with_files).transpose()?;
        let (scene, files) = opened.unzip();
        let [csv, png, svg] = [&self.csv, &self.png, &self.svg].map(Option::as_deref);
        let outputs = [("--csv", csv), ("--png", png), ("--svg", svg)];
        let files = files.unwrap_or_else(|| self.merge.clone());
        let output = Output::check(files, &outputs, self.json, self.overwrite)?;
        let ComputedMap { file, longest, rigid_reference } = match (&self.scene, scene) {
            (Some(name), Some(scene)) => self.compute(name, &scene)?,
            _ => ComputedMap::without_lane(self.merge_files()?),
        };
        if let Some(path) = csv {
            output.write(path, file.to_csv())?;
        }
        if self.part.is_some() {
            return Ok(());
        }
        output.write_figure(|| draw_map(&file, &[]), png, svg)?;
        if self.json {
            return print_json(&MapReport::of(&file, &longest, rigid_reference));
        }
        let is_kept = png.is_some() || svg.is_some() || csv.is_some();
        let hint =
            if is_kept { "" } else { "\n--png FILE draws the map, --csv FILE lists its cells\n" };
        let held = rigid_reference.map_or_else(String::new, |sentence| format!("\n{sentence}\n"));
        let uncertain = largest_uncertainty(&file).map_or_else(String::new, |uncertainty| {
            let uncertainty = percent(uncertainty);
            format!("\nThe precise runs are uncertain by up to {uncertainty}; every error includes this.\n")
        });
        output.print(&(summarize(&file, &longest) + &held + &uncertain + hint))
    }

    /// Computes the map, and the longest stable step of the lane with each integrator. The longest
    /// steps are computed only if dt is an axis and no solver constrains the links.
    fn compute(&self, argument: &OsString, scene: &Scene) -> Result<ComputedMap, Error> {
        let lane = chosen::find_lane(scene, self.lane.as_deref())?;
        let number_of_lane = scene.lanes.iter().position(|other| std::ptr::eq(other, lane));
        let (settings, listed) =
            self.shared.applied_with_list(lane.settings, &self.integrator, self.dt)?;
        let file = argument.to_str().and_then(|text| VariableScene::open(text).ok());
        let lane = number_of_lane.unwrap_or(0);
        let mapped_scene = MappedScene { parts: scene.parts.clone(), settings, file, lane };
        let has_solver = !settings.solver().is_none();
        let show = self.show.unwrap_or(if has_solver { Show::Stretch } else { Show::Growth });
        let (duration, [columns, rows]) = (self.duration, self.size);
        let plan = MapPlan {
            x: Axis::read(&self.x, columns, parse_axis_end)?,
            y: Axis::read(&self.y, rows, parse_axis_end)?,
            integrators: if listed.is_empty() { vec![settings.integrator] } else { listed },
            shown: match show {
                Show::Growth => ShownQuantity::Growth,
                Show::Stretch => {
                    ShownQuantity::Stretch { duration, most: self.most.unwrap_or(0.1) }
                }
                Show::Error => ShownQuantity::Error { duration, most: self.most.unwrap_or(0.01) },
            },
            boundary: self.boundary,
        };
        self.refuse_axes(&plan)?;
        plan.check(&mapped_scene)?;
        let measures_errors = matches!(plan.shown, ShownQuantity::Error { .. });
        let rigid_reference = if measures_errors {
            describe_rigid_reference(&mapped_scene.parts, &settings)
        } else {
            None
        };
        let part = self.part.unwrap_or(MapPart::WHOLE);
        let computed = plan.clone();
        let has_limits = part == MapPart::WHOLE && plan.varies_dt() && !has_solver;
        let job = JobPool::of_all_cores().start(move |work| {
            let lines = computed.compute(&mapped_scene, part, work)?;
            let longest =
                has_limits.then(|| longest_steps(&mapped_scene, &computed.integrators, work));
            Ok((lines, longest.transpose()?.unwrap_or_default()))
        });
        let (lines, longest) = wait(job)?;
        let file = CellFile { scene: scene_name(argument), plan, lines };
        Ok(ComputedMap { file, longest, rigid_reference })
    }

    /// Returns an error if an argument sets a quantity that varies along an axis.
    fn refuse_axes(&self, plan: &MapPlan) -> Result<(), Error> {
        let solver = &self.shared.solver;
        for axis in [&plan.x, &plan.y] {
            let (option, path) = match axis.quantity {
                Quantity::Dt => (self.dt.map(|_| "--dt"), "dt"),
                Quantity::Substeps => (solver.substeps.map(|_| "--substeps"), "substeps"),
                Quantity::Iterations => {
                    (solver.iterations.map(|_| "--iterations"), "constraints.iterations")
                }
                Quantity::Stiffness
                | Quantity::Damping
                | Quantity::MassRatio
                | Quantity::Segments
                | Quantity::Path(_) => continue,
            };
            let why = format!("{} is an axis of the map", axis.quantity);
            if let Some(option) = option {
                return Err(Error::Settings(format!("{option} has no effect: {why}")));
            }
            self.shared.set.refuse(&[path], &why)?;
        }
        Ok(())
    }

    fn merge_files(&self) -> Result<CellFile, Error> {
        let read = |path: &PathBuf| {
            let name = path.display().to_string();
            let bytes = read_bytes(path, LONGEST_FILE)
                .map_err(|source| MergeError::File { file: name.clone(), source })?;
            let file = CellFile::parse(&String::from_utf8_lossy(&bytes), &name)?;
            Ok((name, file))
        };
        let files = self.merge.iter().map(read).collect::<Result<Vec<_>, MergeError>>()?;
        Ok(CellFile::merge(files)?)
    }
}

/// Map, with results about the lane that are not in its cells.
struct ComputedMap {
    file: CellFile,
    /// Longest stable step of the lane with each integrator in seconds; empty if not computed.
    longest: Vec<f64>,
    /// Reason why the precise run treats elastic links as rigid.
    rigid_reference: Option<String>,
}

impl ComputedMap {
    /// Returns a map whose lane is unknown.
    fn without_lane(file: CellFile) -> Self {
        Self { file, longest: Vec::new(), rigid_reference: None }
    }
}

/// Returns the longest stable step of a lane with each integrator in seconds, like `ropelab limit`.
fn longest_steps(
    mapped_scene: &MappedScene,
    integrators: &[Method],
    work: &Work<MapLine>,
) -> Result<Vec<f64>, Cancelled> {
    let start = Simulation::new(mapped_scene.parts.clone(), mapped_scene.settings);
    let samples = sample_scene(&start, SAMPLED_SECONDS, || work.check())?;
    let longest = |integrator: &Method| {
        let settings = Settings { integrator: *integrator, ..mapped_scene.settings };
        Ok(samples.confirmed_limit(&settings, || work.check())?.longest())
    };
    integrators.par_iter().map(longest).collect()
}

/// Map as JSON.
#[derive(Debug, Serialize)]
struct MapReport {
    /// Name of a library scene, or path of a scene file.
    scene: String,
    /// Horizontal axis.
    x: Values,
    /// Vertical axis.
    y: Values,
    /// Quantity of the cells, and the limit up to which a cell is good.
    shown: ShownQuantity,
    /// Maps per integrator.
    panels: Vec<Panel>,
    /// Sentence that says why the precise run treats elastic links as rigid; null if it
    /// does not.
    rigid_reference: Option<String>,
    /// Largest uncertainty of the precise runs (reference runs with tiny steps), as a fraction of
    /// the size of the motion: twice the error implied by the distance from a coarser run. It is
    /// added to every error. Null if it is negligible, and for merged maps.
    uncertainty: Option<f64>,
}

#[derive(Debug, Serialize)]
struct Values {
    /// Name of the quantity.
    quantity: String,
    /// Values of the quantity, one per row or column.
    values: Vec<f64>,
}

/// Map of one integrator.
#[derive(Debug, Serialize)]
struct Panel {
    /// Name of the integrator.
    integrator: &'static str,
    /// Values in rows from bottom to top.
    value: Vec<Vec<f64>>,
    /// True if the cell is stable or within the limit.
    holds: Vec<Vec<bool>>,
    /// Longest step in seconds at which small vibrations do not grow, per row. 0 = no step; null =
    /// every step, or unknown.
    theory: Vec<Option<f64>>,
    /// Longest stable step of the lane in seconds, as in `limit`.
    longest_step: Option<f64>,
}

impl MapReport {
    fn of(file: &CellFile, longest: &[f64], rigid_reference: Option<String>) -> Self {
        let CellFile { scene, plan, .. } = file;
        let values = |axis: &Axis| Values {
            quantity: axis.quantity.to_string(),
            values: (0..axis.cells).map(|cell| axis.value(cell)).collect(),
        };
        let panel = |(panel, method): (usize, &Method)| {
            let rows = file.rows(panel);
            let lines = file.lines.iter().filter(|line: &&MapLine| line.panel == panel);
            Panel {
                integrator: method.info().name,
                value: rows.iter().map(|row| row.iter().map(|cell| cell.value).collect()).collect(),
                holds: rows.iter().map(|row| row.iter().map(|cell| cell.holds).collect()).collect(),
                theory: lines.map(|line| line.theory).collect(),
                longest_step: longest.get(panel).copied().filter(|dt| dt.is_finite()),
            }
        };
        Self {
            scene: scene.clone(),
            x: values(&plan.x),
            y: values(&plan.y),
            shown: plan.shown,
            panels: plan.integrators.iter().enumerate().map(panel).collect(),
            rigid_reference,
            uncertainty: largest_uncertainty(file),
        }
    }
}

/// Returns the largest uncertainty of the precise runs, as a fraction of the size of the motion.
fn largest_uncertainty(file: &CellFile) -> Option<f64> {
    file.lines.iter().filter_map(|line| line.uncertainty).max_by(f64::total_cmp)
}

/// Returns a summary of a map: the criterion for a good cell, the fraction of good cells of each
/// integrator, the stable ranges of the lowest, middle and highest row, and the longest stable
/// steps of the lane.
fn summarize(file: &CellFile, longest: &[f64]) -> String {
    let CellFile { plan, .. } = file;
    let mut lines = Vec::new();
    for (panel, method) in plan.integrators.iter().enumerate() {
        let rows = file.rows(panel);
        let all = rows.iter().map(Vec::len).sum::<usize>();
        let holds = rows.iter().flatten().filter(|cell| cell.holds).count();
        let share = format!("{:.1} % of {all}", 100.0 * holds as f64 / all as f64);
        let mut shown = [0, rows.len() / 2, rows.len() - 1].to_vec();
        shown.dedup();
        let mut first = [method.info().name.to_owned(), share];
        for row in shown {
            let [integrator, share] = std::mem::take(&mut first);
            let holds = stable_range(&plan.x, &rows[row]);
            lines.push([integrator, share, named_value(&plan.y, row), holds]);
        }
    }
    let table = Table::new(["Integrator", "Good cells", "At", "Stable"], lines);
    let mut text = format!("{}\n\n{}", describe_criterion(plan.shown), table.to_text());
    if !longest.is_empty() {
        text += "\nLongest stable step of the lane itself, as in `limit`:\n";
    }
    for (method, dt) in plan.integrators.iter().zip(longest) {
        let dt = match *dt {
            0.0 => "none".to_owned(),
            dt if dt.is_infinite() => "any".to_owned(),
            dt => four_digits::format_seconds(dt),
        };
        text += &format!("{}: {dt}\n", method.info().name);
    }
    text
}

/// Returns the stable range of a row as text: up to a value (e.g. of the time step), or from a
/// value upwards (e.g. of sweeps).
fn stable_range(axis: &Axis, row: &[Cell]) -> String {
    let below = row.iter().take_while(|cell| cell.holds).count();
    let above = row.iter().rev().take_while(|cell| cell.holds).count();
    match (below, above) {
        _ if below == row.len() => format!("at every {}", axis.quantity),
        (0, 0) if row.iter().any(|cell| cell.holds) => "in between".to_owned(),
        (0, 0) => "nowhere".to_owned(),
        (0, above) => format!("from {}", named_value(axis, row.len() - above)),
        (below, _) => format!("up to {}", named_value(axis, below - 1)),
    }
}

/// Returns the quantity and the value of a cell as text: `dt 2.748 ms`, `stiffness 1000`.
fn named_value(axis: &Axis, cell: usize) -> String {
    let value = axis.value(cell as u32);
    match axis.quantity {
        Quantity::Dt => format!("dt {}", four_digits::format_seconds(value)),
        _ => format!("{} {}", axis.quantity, four_digits::format_significant(value)),
    }
}

fn describe_criterion(shown: ShownQuantity) -> String {
    match shown {
        ShownQuantity::Growth => {
            "A cell is good where a push of a millionth of a link on the resting scene grows by \
             less than 0.7 % per step, physical growth excluded, and where no small vibration \
             grows in theory."
                .to_owned()
        }
        ShownQuantity::Stretch { duration, most } => format!(
            "A cell is good where no link gets longer by more than {} % in {}.",
            format_six_digits(100.0 * most),
            four_digits::format_seconds(duration)
        ),
        ShownQuantity::Error { duration, most } => format!(
            "A cell is good where no particle is further than {} % of the motion's size from a \
             precise run in {}.",
            format_six_digits(100.0 * most),
            four_digits::format_seconds(duration)
        ),
    }
}
