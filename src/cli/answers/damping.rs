//! `ropelab damping`: numerical damping and period error of integrators, in theory for an undamped
//! oscillation and measured for the vibration modes of a scene.

use crate::cli::error::Error;
use crate::cli::jobs::wait;
use crate::cli::named;
use crate::cli::output::{Output, Overwrite};
use crate::cli::runs::chosen::{self, SharedArguments, SolverArguments};
use crate::cli::streams::{open_scene_with_files, print_json};
use crate::cli::watchdog::Patience;
use clap::Args;
use rayon::prelude::*;
use ropelab::analysis::job::{Cancelled, JobPool, Work};
use ropelab::analysis::vibration::damping::{
    DAMPING_RATIO, Dissipation, LONGEST_STEP, SHORTEST_STEP,
};
use ropelab::analysis::{IntegratorDissipation, ModalDissipation, ModalScene, ModeCounts};
use ropelab::export::damping_charts::draw_damping;
use ropelab::integrate::Method;
use ropelab::names::table::Table;
use ropelab::quantity::{argument, four_digits};
use ropelab::scene::Scene;
use ropelab::simulation::settings::Settings;
use serde::Serialize;
use std::ffi::OsString;
use std::path::PathBuf;

const DEFAULT_INTEGRATORS: [&str; 6] =
    ["velocity-verlet", "rk4", "implicit-euler", "trapezoid", "bdf2", "numerical-damping"];

/// Show the damping and the period error that an integrator adds to an undamped vibration
///
/// The damping ratio is Hughes' algorithmic damping ratio −ln r / φ, where a step multiplies the
/// amplitude by r and advances the phase by φ. The table is for a step of --at periods; charts show
/// steps from 0.005 to 0.5 periods. With a scene, its modes are excited one by one, with springs as
/// links and without the scene's dampers. The table lists the measured values beside the
/// theoretical ones; the charts show them as dots.
///
/// Examples:
///   ropelab damping
///   ropelab damping --integrator implicit-euler,bdf2,generalized-alpha --at 0.05 --png damping.png
///   ropelab damping hanging-rope --dt 1ms --integrator implicit-euler,bdf2 --png damping.png
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct Damping {
    /// Name of a scene (`ropelab list scenes`) or a scene file, whose modes are measured
    scene: Option<OsString>,
    /// Lane whose settings are used: its name, or its number from 1
    #[arg(long, value_name = "NAME|N", requires = "scene")]
    lane: Option<String>,
    /// Integrator (`ropelab list integrators`)
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    #[arg(value_parser = named::integrator(), hide_possible_values = true)]
    integrator: Vec<Method>,
    #[command(flatten)]
    shared: SharedArguments,
    /// Step at which the modes of the scene are measured [default: that of the lane]
    #[arg(long, value_name = "TIME", requires = "scene")]
    #[arg(value_parser = argument::parse_step)]
    dt: Option<f64>,
    /// Number of the scene's modes to measure, spread evenly over all modes
    #[arg(long, default_value_t = 12, requires = "scene")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=450))]
    modes: u16,
    /// Step divided by the period of the vibration
    #[arg(long, default_value_t = 0.1)]
    at: f64,
    /// Write charts of damping ratio and period error
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
    /// Write the charts as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    overwrite: Overwrite,
    /// Print a JSON array with one object per integrator
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    patience: Patience,
}

#[derive(Debug, Serialize)]
struct DampingReport {
    #[serde(flatten)]
    scheme: IntegratorDissipation,
    /// Theory for a step of `--at` periods.
    at: Option<Dissipation>,
}

/// Scene whose vibration modes are excited one by one.
struct ExcitedScene {
    title: String,
    modes: ModalScene,
    settings: Settings,
}

impl Damping {
    pub fn run(self) -> Result<(), Error> {
        self.patience.watch()?;
        if !(self.at.is_finite() && self.at > 0.0) {
            let message = format!("--at is {}; expected a number above 0 such as 0.1", self.at);
            return Err(Error::Settings(message));
        }
        let opened = self.scene.as_ref().map(open_scene_with_files).transpose()?;
        let (scene, files) = opened.unzip();
        let (png, svg) = (self.png.as_deref(), self.svg.as_deref());
        let outputs = [("--png", png), ("--svg", svg)];
        let files = files.unwrap_or_default();
        let output = Output::check(files, &outputs, self.json, self.overwrite)?;
        self.refuse_useless_arguments()?;
        let own = match &scene {
            Some(scene) => chosen::find_lane(scene, self.lane.as_deref())?.settings,
            None => Settings::default(),
        };
        let (settings, listed) = self.shared.applied_with_list(own, &self.integrator, self.dt)?;
        let excited = scene.map(|scene| excite(scene, settings)).transpose()?;
        let heading = excited.as_ref().map(ExcitedScene::heading);
        let describe_left_out =
            excited.as_ref().map(|excited| excited.describe_left_out(self.modes));
        let reports = self.measure(excited, listed)?;
        let undamped =
            "an undamped vibration; schemes without damping are missing from the first chart";
        let note = match &heading {
            Some(heading) => format!("dots: {heading}; lines: {undamped}"),
            None => undamped.to_owned(),
        };
        let draw = || draw_damping(reports.iter().map(|report| &report.scheme), &note);
        output.write_figure(draw, png, svg)?;
        if self.json {
            return print_json(&reports);
        }
        let modes = heading.map(|heading| modes_to_text(&heading, &reports));
        let text = [modes, describe_left_out].into_iter().flatten().collect::<String>();
        output.print(&format!("{}{text}\n{DAMPING_RATIO}\n", to_text(&reports)))
    }

    /// Returns an error if an argument has no effect: a solver, because links are springs in this
    /// command, or a setting of a lane if there is no scene.
    fn refuse_useless_arguments(&self) -> Result<(), Error> {
        let why = "damping measures vibrations with springs as links";
        let SharedArguments { solver, contact, set } = &self.shared;
        let SolverArguments { links, constraints, iterations, substeps } = solver;
        if links.is_some() || constraints.is_some() || iterations.is_some() {
            let options = "--links, --constraints and --iterations have no effect";
            return Err(Error::Settings(format!("{options}: {why}")));
        }
        let (parameters, others) = set.split_off_integrator();
        let needs_scene = contact.is_some() || substeps.is_some() || !others.is_empty();
        let needs_list = self.integrator.is_empty() && !parameters.is_empty();
        if self.scene.is_none() && (needs_scene || needs_list) {
            let text = "these settings have no effect without a scene; without one, only --set \
                        integrator.… applies, to the integrators that --integrator names";
            return Err(Error::Settings(text.to_owned()));
        }
        set.refuse(&["links", "constraints", "stiffness_damping"], why)
    }

    /// Measures the listed integrators; without a list, the default ones and that of the lane.
    fn measure(
        &self,
        excited: Option<ExcitedScene>,
        listed: Vec<Method>,
    ) -> Result<Vec<DampingReport>, Error> {
        let mut methods = listed;
        if methods.is_empty() {
            let is_default = |method: &Method| DEFAULT_INTEGRATORS.contains(&method.info().name);
            methods = Method::all().filter(is_default).collect();
            if let Some(own) = excited.as_ref().map(|excited| excited.settings.integrator) {
                methods = chosen::with_own_parameters(methods, own);
                if !methods.contains(&own) {
                    methods.insert(0, own);
                }
            }
        }
        let (at, most) = (self.at, usize::from(self.modes));
        let job = JobPool::of_all_cores().start(move |work: &Work<()>| {
            work.expect(methods.len() as u64);
            let report = |method: &Method| -> Result<DampingReport, Cancelled> {
                let mut scheme = IntegratorDissipation::of(method);
                if let Some(ExcitedScene { modes, settings, .. }) = &excited {
                    let settings = Settings { integrator: *method, ..*settings };
                    scheme.modes = modes.measure(&settings, most, &|| work.check())?;
                }
                work.done(1)?;
                Ok(DampingReport { scheme, at: Dissipation::of(method, at) })
            };
            methods.par_iter().map(report).collect()
        });
        wait(job)
    }
}

/// Returns a scene whose modes can be excited with these settings.
fn excite(scene: Scene, settings: Settings) -> Result<ExcitedScene, Error> {
    let Some(modes) = ModalScene::of(&scene.parts) else {
        return Err(Error::Settings(format!(
            "{} has no modes to measure: expected a scene with links that comes to rest and \
             has at most 150 free particles",
            scene.name
        )));
    };
    let excited = ExcitedScene { title: scene.name, modes, settings };
    let h = excited.step();
    if !excited.modes.frequencies().any(|f| (SHORTEST_STEP..=LONGEST_STEP).contains(&(h * f))) {
        let [slowest, fastest] = excited.modes.ends();
        return Err(Error::Settings(format!(
            "no mode of {} has a period of 2 to 200 steps of {}: they have {slowest:.3} to \
             {fastest:.3} Hz; another --dt reaches them",
            excited.title,
            four_digits::format_seconds(h)
        )));
    }
    Ok(excited)
}

impl ExcitedScene {
    /// Returns the length of a substep in seconds.
    fn step(&self) -> f64 {
        self.settings.dt / f64::from(self.settings.substeps)
    }

    /// Returns a sentence that says how many modes the table leaves out, and why. Empty if the
    /// table has all modes.
    fn describe_left_out(&self, most: u16) -> String {
        let ModeCounts { in_range, faster, slower } = self.modes.counts(self.step());
        let shown = in_range.min(usize::from(most));
        let mut why = Vec::new();
        if shown < in_range {
            why.push(format!("{} to keep it short (--modes)", in_range - shown));
        }
        if faster > 0 {
            why.push(format!("{faster} with a period below 2 steps"));
        }
        if slower > 0 {
            why.push(format!("{slower} with a period above 200 steps"));
        }
        if why.is_empty() {
            return String::new();
        }
        let all = in_range + faster + slower;
        format!(
            "\n{shown} of {all} different frequencies are shown; left out: {}\n",
            why.join(", ")
        )
    }

    fn heading(&self) -> String {
        let h = four_digits::format_seconds(self.step());
        format!("modes of {} without its dampers, measured at a step of {h}", self.title)
    }
}

fn to_text(reports: &[DampingReport]) -> String {
    let row = |DampingReport { scheme, at }: &DampingReport| {
        let [damping, period, keeps] = match at {
            Some(at) => {
                [format_ratio(at), format_error(at), format!("{:.4} %", 100.0 * at.amplitude)]
            }
            None => ["–", "does not vibrate", "–"].map(str::to_owned),
        };
        [scheme.integrator.to_owned(), damping, period, keeps]
    };
    let head = ["Integrator", "Damping ratio", "Period error", "Amplitude kept per step"];
    Table::new(head, reports.iter().map(row)).to_text()
}

/// Returns the table of the measured modes, with theoretical values beside the measured ones.
fn modes_to_text(heading: &str, reports: &[DampingReport]) -> String {
    let text = |of: fn(&Dissipation) -> String, at: &Option<Dissipation>| {
        at.as_ref().map_or_else(|| "–".to_owned(), of)
    };
    let row = |integrator: &str, mode: &ModalDissipation| {
        let ModalDissipation { mode, frequency, step_over_period, measured, theory } = mode;
        [
            integrator.to_owned(),
            mode.to_string(),
            format!("{frequency:.4} Hz"),
            format!("{step_over_period:.5}"),
            text(format_ratio, measured),
            text(format_ratio, theory),
            text(format_error, measured),
            text(format_error, theory),
        ]
    };
    let rows = reports.iter().flat_map(|DampingReport { scheme, .. }| {
        scheme.modes.iter().map(|mode| row(scheme.integrator, mode))
    });
    let head = [
        "Integrator",
        "Mode",
        "Frequency",
        "dt over period",
        "Damping ratio",
        "(theory)",
        "Period error",
        "(theory)",
    ];
    let table = Table::new(head, rows);
    let modes = reports.iter().flat_map(|report| &report.scheme.modes);
    let note = match modes.filter(|mode| mode.measured.is_none()).count() {
        0 => "",
        _ => "\n– no vibration with this scheme: it creeps, or the scene explodes\n",
    };
    format!("\nM{}:\n\n{}{note}", &heading[1..], table.to_text())
}

/// Formats a damping ratio. Below 5e-7, the rounding error of the fit, it is printed as 0.
fn format_ratio(at: &Dissipation) -> String {
    format!("{:.6}", if at.damping_ratio.abs() < 5e-7 { 0.0 } else { at.damping_ratio })
}

fn format_error(at: &Dissipation) -> String {
    format!("{:+.4} %", 100.0 * at.period_error)
}
