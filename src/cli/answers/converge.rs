//! `ropelab converge`: error and cost of integrators for a range of time steps.

use crate::cli::error::Error;
use crate::cli::jobs::{clock, wait};
use crate::cli::named;
use crate::cli::output::{Output, Overwrite};
use crate::cli::runs::chosen::{self, SharedArguments};
use crate::cli::runs::compare::DEFAULT_INTEGRATORS;
use crate::cli::streams::{open_scene_with_files, print_json};
use crate::cli::watchdog::Patience;
use clap::Args;
use ropelab::analysis::job::JobPool;
use ropelab::analysis::{
    Convergence, ConvergenceCurve, ConvergencePoint, RunPlan, TimeSource, converge,
};
use ropelab::export::convergence_charts::{draw_convergence, reference_name};
use ropelab::integrate::Method;
use ropelab::names::table::Table;
use ropelab::quantity::{argument, four_digits};
use ropelab::simulation::settings::Settings;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

/// Measure how the error shrinks with the step, and the cost
///
/// The error is the greatest distance of a particle from the true motion, measured at the end of
/// each of the longest steps. The true motion is exact if the scene has a closed form. Otherwise it
/// is computed by Dormand-Prince at a tolerance of 1e-12 or, if a solver constrains the links, by
/// the same scheme at 1/64 of the shortest step. The order is the median of the slopes of log error
/// over log step between neighbouring points. Most slopes must agree within 0.25. A single slope
/// counts only if --points is 2.
///
/// Examples:
///   ropelab converge numerical-damping --integrator symplectic-euler,rk4 --dt 1ms..100ms
///   ropelab converge four-integrators --dt 50us..1ms --points 6 --png orders.png
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct Converge {
    /// Name of a scene (`ropelab list scenes`) or a scene file
    scene: OsString,
    /// Lane of the scene by name, or by number from 1
    #[arg(long, value_name = "NAME|N")]
    lane: Option<String>,
    /// Integrator (`ropelab list integrators`) [default: five of different kinds]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    #[arg(value_parser = named::integrator(), hide_possible_values = true)]
    integrator: Vec<Method>,
    #[command(flatten)]
    shared: SharedArguments,
    /// Shortest and longest step
    #[arg(long, value_name = "FROM..TO", default_value = "1ms..100ms")]
    #[arg(value_parser = argument::parse_step_range)]
    dt: [f64; 2],
    /// Number of steps to try
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(2..=100))]
    points: u16,
    /// Simulated time of each run: seconds, or as 500ms, 2min
    #[arg(long, value_name = "TIME", default_value = "1")]
    #[arg(value_parser = argument::parse_duration)]
    duration: f64,
    /// Write charts of error against step, evaluations and cost
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

impl Converge {
    pub fn run(self) -> Result<(), Error> {
        self.patience.watch()?;
        let (scene, files) = open_scene_with_files(&self.scene)?;
        let (png, svg) = (self.png.as_deref(), self.svg.as_deref());
        let outputs = [("--png", png), ("--svg", svg)];
        let output = Output::check(files, &outputs, self.json, self.overwrite)?;
        let scene = Arc::new(scene);
        let lane = chosen::find_lane(&scene, self.lane.as_deref())?;
        self.shared.set.refuse(&["dt"], "--dt FROM..TO names the steps")?;
        let (settings, listed) =
            self.shared.applied_with_list(lane.settings, &self.integrator, None)?;
        let question = self.question(&settings, listed)?;
        let pool = JobPool::of_all_cores();
        let title = scene.name.clone();
        let job =
            pool.start(move |work| converge(&scene.parts, &settings, &question, &clock(), work));
        let curves = wait(job)?;
        let draw = || draw_convergence(&title, &curves);
        output.write_figure(draw, png, svg)?;
        if self.json { print_json(&curves) } else { output.print(&to_text(&curves)) }
    }

    fn question(&self, settings: &Settings, listed: Vec<Method>) -> Result<Convergence, Error> {
        let [from, to] = self.dt;
        let with_dt = |dt| Settings { dt, ..*settings };
        for dt in [from, to] {
            with_dt(dt).check().map_err(Error::Settings)?;
        }
        RunPlan { duration: self.duration, feed: TimeSource::Steps }.check(&with_dt(from))?;
        let last = f64::from(self.points - 1);
        let dt = |i: u16| from * (to / from).powf(f64::from(i) / last);
        let integrators = match listed.is_empty() {
            true => chosen::with_own_parameters(DEFAULT_INTEGRATORS, settings.integrator),
            false => listed,
        };
        let dts = (0..self.points).map(dt).collect();
        Ok(Convergence { integrators, dts, duration: self.duration })
    }
}

fn to_text(curves: &[ConvergenceCurve]) -> String {
    let order = |curve: &ConvergenceCurve| {
        [
            curve.integrator.to_owned(),
            curve.order.map_or("–".to_owned(), |order| format!("{order:.3}")),
            curve.published(),
            curve.holds.map_or("–".to_owned(), |[from, to]| {
                format!(
                    "{} to {}",
                    four_digits::format_seconds(from),
                    four_digits::format_seconds(to)
                )
            }),
            reference_name(curve.truth).to_owned(),
        ]
    };
    let point = |curve: &ConvergenceCurve, point: &ConvergencePoint| {
        let ConvergencePoint { dt, error, end_error: _, cost_s, evaluations, sweeps } = *point;
        [
            curve.integrator.to_owned(),
            four_digits::format_seconds(dt),
            match curve.uncertainty {
                _ if !error.is_finite() => "exploded".to_owned(),
                Some(least) if error < least => format!("below {least:.1e} m"),
                _ => format!("{error:.6e} m"),
            },
            four_digits::format_seconds(cost_s),
            evaluations.to_string(),
            sweeps.to_string(),
        ]
    };
    let orders = Table::new(
        ["Integrator", "Order", "Published", "Holds for dt", "Against"],
        curves.iter().map(order),
    );
    let points =
        curves.iter().flat_map(|curve| curve.points.iter().map(move |it| point(curve, it)));
    let points = Table::new(["Integrator", "dt", "Error", "Cost", "Forces", "Most sweeps"], points);
    let mut text = format!("{}\n{}", points.to_text(), orders.to_text());
    let mut reasons = String::new();
    for curve in curves {
        let ConvergenceCurve { integrator, published_order, why_no_order, why_less, .. } = curve;
        if let Some(why) = why_no_order {
            reasons += &format!("\nNo order for {integrator}: {why}");
        }
        if let Some(why) = why_less {
            reasons += &format!("\nLess than {published_order} for {integrator}: {why}");
        }
    }
    if !reasons.is_empty() {
        text += &(reasons + "\n");
    }
    text
}
