//! `ropelab limit`: the longest step before a scene explodes.

use super::chosen::{self, Chosen, LinkChoice};
use super::jobs::finish;
use super::patience::Patience;
use super::{Error, named, open_scene, print, print_json, quantity, scene_name};
use clap::Args;
use rayon::prelude::*;
use ropelab::analysis::growth::Growth;
use ropelab::analysis::job::{Cancelled, JobPool, Work};
use ropelab::analysis::limit::{self, FastestMode};
use ropelab::analysis::step_matrix::is_linear;
use ropelab::constraint::ConstraintSolver;
use ropelab::integrate::Method;
use ropelab::names::table::Table;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;
use serde::Serialize;
use std::ffi::OsString;

/// Find the longest time step with which a scene does not explode
///
/// Predicts it from the fastest vibration of the scene's springs as they stand at the start (20
/// Lanczos steps) and from the step matrix of each integrator at that vibration's damping. With
/// --measure, each step length is tried by running the scene's own lane from a tiny perturbation,
/// which includes the constraint solver. Without --integrator, all integrators are asked about.
///
/// Examples:
///   ropelab limit travelling-wave
///   ropelab limit travelling-wave --integrator symplectic-euler,rk4 --measure
///   ropelab limit hanging-rope --links springs --json
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct LimitArguments {
    /// Name of a scene (`ropelab list scenes`) or a scene file
    scene: OsString,
    /// Lane of the scene by name, or by number from 1 [default: the first]
    #[arg(long, value_name = "NAME|N")]
    lane: Option<String>,
    /// How to step (`ropelab list integrators`) [default: all of them]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    #[arg(value_parser = named::integrator(), hide_possible_values = true)]
    integrator: Vec<Method>,
    /// What links do [default: constraints when --constraints names a solver]
    #[arg(long, value_enum)]
    links: Option<LinkChoice>,
    /// Subject to what (`ropelab list constraints`)
    #[arg(long, value_name = "NAME", value_parser = named::solver(), hide_possible_values = true)]
    constraints: Option<ConstraintSolver>,
    /// Sweeps of the constraint solver
    #[arg(long, value_name = "N")]
    iterations: Option<u32>,
    /// Equal parts into which a step is cut
    #[arg(long, value_name = "N")]
    substeps: Option<u32>,
    /// Also measure each limit by running
    #[arg(long)]
    measure: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    patience: Patience,
}

/// The answer, for machines and people.
#[derive(Debug, Serialize)]
struct LimitReport {
    /// Name in the library, or the file as typed.
    scene: String,
    /// Title of the scene.
    title: String,
    /// Name of the lane.
    lane: String,
    /// Name of the lane's integrator.
    integrator: &'static str,
    /// Step of the lane in seconds.
    dt: f64,
    /// Substeps of a step.
    substeps: u32,
    /// Angular frequency of the fastest vibration in rad/s; null where no spring acts.
    omega_max: Option<f64>,
    /// Upper estimate of `omega_max` in rad/s.
    omega_max_cautious: Option<f64>,
    /// Damping ratio of the fastest vibration.
    damping_ratio: Option<f64>,
    /// The particle that moves most in the fastest vibration.
    particle: Option<u32>,
    /// Growth factor of a small perturbation in one whole step of the lane.
    growth: f64,
    /// One entry for each integrator.
    limits: Vec<Row>,
}

#[derive(Clone, Debug, Serialize)]
struct Row {
    /// Name of the integrator.
    integrator: &'static str,
    /// Predicted longest stable step in seconds; 0 = no step is stable, null = every step is.
    predicted_dt: Option<f64>,
    /// Measured longest stable step in seconds; 0 = no step is stable, null = every step that was
    /// tried is stable, or not measured.
    measured_dt: Option<f64>,
    /// Greatest stable ωh; null = every ωh is stable.
    omega_h: Option<f64>,
    /// Whether some step is stable for undamped vibrations.
    holds_undamped: bool,
    /// The limit as a sentence.
    verdict: String,
    /// Whether a small perturbation tells the limit.
    #[serde(skip)]
    is_linear: bool,
}

impl Row {
    fn of_this_vibration_only(&self) -> bool {
        !self.holds_undamped && self.predicted_dt.is_some_and(|dt| dt > 0.0)
    }
}

impl LimitArguments {
    pub fn run(self) -> Result<(), Error> {
        self.patience.watch()?;
        let scene = open_scene(&self.scene)?;
        let lane = chosen::lane(&scene, self.lane.as_deref())?;
        let settings = self.chosen().applied_to(lane.settings)?;
        let simulation = Simulation::new(scene.parts.clone(), settings);
        let mode = FastestMode::of(simulation.model(), simulation.state(), None);
        let growth = Growth::of(&simulation).per_step;
        let methods: Vec<Method> = match &self.integrator[..] {
            [] => Method::all().map(|m| own_parameters(m, &settings)).collect(),
            chosen => chosen.to_vec(),
        };
        let (shared, measure) = (mode.clone(), self.measure);
        let job = JobPool::of_all_cores()?.start(move |work: &Work<()>| {
            work.expect(methods.len() as u64);
            let row = |method: &Method| {
                let row = row(&simulation, *method, shared.clone(), measure, work);
                work.done(1).and(row)
            };
            methods.par_iter().map(row).collect::<Result<Vec<_>, _>>()
        });
        let limits = finish(job)?;
        let report = LimitReport {
            scene: scene_name(&self.scene),
            title: scene.name.clone(),
            lane: lane.name.clone(),
            integrator: settings.integrator.info().name,
            dt: settings.dt,
            substeps: settings.substeps,
            omega_max: mode.as_ref().map(|mode| mode.omega),
            omega_max_cautious: mode.as_ref().map(|mode| mode.omega_cautious),
            damping_ratio: mode.as_ref().map(|mode| mode.damping_ratio),
            particle: mode.as_ref().map(|mode| mode.particle()),
            growth,
            limits,
        };
        let held = !settings.solver().is_none();
        if self.json { print_json(&report) } else { print(&report.text(held, measure)) }
    }

    fn chosen(&self) -> Chosen {
        Chosen {
            links: self.links,
            constraints: self.constraints,
            iterations: self.iterations,
            substeps: self.substeps,
            ..Chosen::default()
        }
    }
}

/// The lane's own integrator keeps its parameters in a list of all.
fn own_parameters(method: Method, settings: &Settings) -> Method {
    let own = settings.integrator;
    if own.info().name == method.info().name { own } else { method }
}

fn row(
    simulation: &Simulation,
    integrator: Method,
    mode: Option<FastestMode>,
    measure: bool,
    work: &Work<()>,
) -> Result<Row, Cancelled> {
    let settings = Settings { integrator, ..*simulation.settings() };
    let limit = limit::Limit::of(mode, &settings);
    let is_linear = is_linear(&integrator);
    let measured_dt = if measure && is_linear {
        let mut simulation = simulation.clone();
        simulation.configure(settings);
        Some(limit::measure(&simulation, &limit, || work.check())?)
    } else {
        None
    };
    let finite = |value: f64| Some(value).filter(|value| value.is_finite());
    Ok(Row {
        integrator: integrator.info().name,
        predicted_dt: finite(limit.dt),
        measured_dt: measured_dt.and_then(finite),
        omega_h: finite(limit.z),
        holds_undamped: limit.holds_undamped,
        verdict: limit.verdict(),
        is_linear,
    })
}

impl LimitReport {
    /// How the lane's own step compares with the longest one of its integrator.
    fn verdict(&self) -> String {
        let Some(own) = self.limits.iter().find(|row| row.integrator == self.integrator) else {
            return String::new();
        };
        match own.predicted_dt {
            None => ": holds, as any step does".to_owned(),
            Some(0.0) => ": explodes, as any step does".to_owned(),
            Some(longest) if self.dt > longest => {
                format!(": explodes, {:.2} times the longest step", self.dt / longest)
            }
            Some(_) if own.of_this_vibration_only() => {
                ": this vibration holds, slower ones grow".to_owned()
            }
            Some(longest) => format!(": holds, {:.2} of the longest step", self.dt / longest),
        }
    }

    fn text(&self, held: bool, measured: bool) -> String {
        let mut text = format!("{:<16}  {}, lane {}\n", "scene", self.title, self.lane);
        let mut line = |name: &str, value: String| text += &format!("{name:<16}  {value}\n");
        match (self.omega_max, self.damping_ratio, self.particle) {
            (Some(omega), Some(xi), Some(particle)) => {
                let hertz = omega / std::f64::consts::TAU;
                line(
                    "fastest mode",
                    format!(
                        "ω = {omega:.1} rad/s ({hertz:.1} Hz), damping ratio {xi:.2e}, greatest at particle {particle}"
                    ),
                );
                let z = omega * self.dt / f64::from(self.substeps);
                let dt = quantity::seconds(self.dt);
                let verdict = if held { String::new() } else { self.verdict() };
                line("lane", format!("{}, {dt}, ωh = {z:.3}{verdict}", self.integrator));
            }
            _ => line("fastest mode", "none: no link pushes as a spring".to_owned()),
        }
        let grows = match self.growth {
            growth if growth.is_finite() => format!("grows {growth:.4}-fold a step"),
            _ => "explodes at once".to_owned(),
        };
        line("whole step", grows);
        if held {
            line(
                "note",
                "the constraint solver holds links, which then do not vibrate; --links springs \
                 asks about them as springs"
                    .to_owned(),
            );
        }
        text += "\n";
        let mut table = Table::new(&["Integrator", "Longest step", "ωh", "Measured"]);
        for row in &self.limits {
            table.push([
                row.integrator.to_owned(),
                step(row.predicted_dt) + if row.of_this_vibration_only() { " *" } else { "" },
                match row.omega_h {
                    _ if self.omega_max.is_none() => "–".to_owned(),
                    Some(z) => format!("{z:.4}"),
                    None => "∞".to_owned(),
                },
                if row.is_linear { step(row.measured_dt) } else { "†".to_owned() },
            ]);
        }
        let table = if measured { table } else { table.without("Measured") };
        text += &table.to_text();
        if self.limits.iter().any(Row::of_this_vibration_only) {
            text += "\n* of the fastest vibration, which is damped: slower ones that nothing damps grow at every step\n";
        }
        if measured && self.limits.iter().any(|row| !row.is_linear) {
            text += "\n† its inner steps are as short as its tolerance asks: what a tiny push does tells no limit\n";
        }
        text
    }
}

fn step(dt: Option<f64>) -> String {
    match dt {
        None => "any".to_owned(),
        Some(0.0) => "none".to_owned(),
        Some(dt) => quantity::seconds(dt),
    }
}
