//! `ropelab damping`: what each scheme makes of an undamped vibration.

use super::{Error, named, pictures, print, print_json};
use clap::Args;
use ropelab::analysis::damping::Dissipation;
use ropelab::export::chart::{Chart, Curve, PlotAxis, Style, colour, figure};
use ropelab::export::figure::Figure;
use ropelab::integrate::Method;
use ropelab::names::table::Table;
use serde::Serialize;
use std::ffi::OsStr;
use std::path::PathBuf;

const DEFAULT_INTEGRATORS: [&str; 6] =
    ["velocity-verlet", "rk4", "implicit-euler", "trapezoid", "bdf2", "numerical-damping"];
/// Points of a curve, from the first to the last step over period.
const POINTS: u32 = 60;
const RANGE: [f64; 2] = [0.005, 0.5];

/// Show how much damping and which error of the period a scheme adds to an undamped vibration
///
/// The table is for a step of --at periods; charts run from 0.005 to 0.5 of a period.
///
/// Examples:
///   ropelab damping
///   ropelab damping --integrator implicit-euler,bdf2,generalized-alpha --at 0.05 --png damping.png
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct Damping {
    /// How to step (`ropelab list integrators`)
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    #[arg(value_parser = named::integrator(), hide_possible_values = true)]
    integrator: Vec<Method>,
    /// Step over the period of the vibration
    #[arg(long, default_value_t = 0.1)]
    at: f64,
    /// Write charts of damping ratio and period error
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
    /// The same as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print a JSON array with one object an integrator
    #[arg(long)]
    json: bool,
}

/// One scheme.
#[derive(Debug, Serialize)]
struct DampingReport {
    integrator: &'static str,
    at: Option<Dissipation>,
    curve: Vec<Dissipation>,
}

impl Damping {
    pub fn run(self) -> Result<(), Error> {
        if !(self.at.is_finite() && self.at > 0.0) {
            let message = format!("--at is {}; expected a number above 0 such as 0.1", self.at);
            return Err(Error::Settings(message));
        }
        let methods: Vec<Method> = match &self.integrator[..] {
            [] => Method::all().filter(|m| DEFAULT_INTEGRATORS.contains(&m.info().name)).collect(),
            wanted => wanted.to_vec(),
        };
        let [from, to] = RANGE;
        let step = |i: u32| from * (to / from).powf(f64::from(i) / f64::from(POINTS - 1));
        let report = |method: &Method| DampingReport {
            integrator: method.info().name,
            at: Dissipation::of(method, self.at),
            curve: (0..POINTS).filter_map(|i| Dissipation::of(method, step(i))).collect(),
        };
        let reports: Vec<DampingReport> = methods.iter().map(report).collect();
        pictures::write(
            || charts(&reports),
            OsStr::new(""),
            self.png.as_deref(),
            self.svg.as_deref(),
        )?;
        if self.json { print_json(&reports) } else { print(&to_text(&reports)) }
    }
}

fn to_text(reports: &[DampingReport]) -> String {
    let mut table = Table::new(&["Integrator", "Damping ratio", "Period error", "A step keeps"]);
    for DampingReport { integrator, at, .. } in reports {
        let row = match at {
            Some(Dissipation { amplitude, damping_ratio, period_error, .. }) => [
                // What is below the rounding of the fit is none.
                format!("{:.6}", if damping_ratio.abs() < 5e-12 { 0.0 } else { *damping_ratio }),
                format!("{:+.4} %", 100.0 * period_error),
                format!("{:.4} %", 100.0 * amplitude),
            ],
            None => ["–", "does not vibrate", "–"].map(str::to_owned),
        };
        let [damping, period, keeps] = row;
        table.push([(*integrator).to_owned(), damping, period, keeps]);
    }
    table.to_text()
}

fn charts(reports: &[DampingReport]) -> Figure {
    let chart = |title: &str, label: &str, log: bool, y: &dyn Fn(&Dissipation) -> f64| {
        let curve = |(i, report): (usize, &DampingReport)| Curve {
            name: report.integrator.to_owned(),
            points: report.curve.iter().map(|point| [point.step_over_period, y(point)]).collect(),
            style: Style::Line,
            colour: colour(i),
        };
        let values = reports.iter().flat_map(|report| &report.curve).map(y);
        let mut axis = PlotAxis::around(label, values.filter(|y| !log || *y > 1e-9), log);
        if log {
            axis.range[0] = axis.range[0].max(1e-7);
        }
        Chart {
            title: title.to_owned(),
            x: PlotAxis { label: "dt over period".to_owned(), range: RANGE, log: true },
            y: axis,
            cells: None,
            curves: reports.iter().enumerate().map(curve).collect(),
        }
    };
    let charts = [
        chart("Numerical damping", "damping ratio", true, &|point| point.damping_ratio),
        chart("Period error", "period error in %", false, &|point| 100.0 * point.period_error),
    ];
    let note = "an undamped vibration; what a scheme does not damp is not in the first chart";
    figure(&charts, 2, &[], note)
}
