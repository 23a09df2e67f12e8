//! Changes of settings that are tried, each on the whole story.

use super::{Cause, ExplainQuestion, Explanation, Finding, GrowingMode, Symptom, SymptomKind};
use crate::analysis::extent;
use crate::analysis::job::{Cancelled, Work};
use crate::analysis::step_matrix::stability_limit;
use crate::analysis::track::{Track, distance};
use crate::constraint::{ConstraintSolver, Shake, Xpbd};
use crate::integrate::{DormandPrince, Method};
use crate::simulation::Simulation;
use crate::simulation::settings::{LinkMode, Settings};
use crate::simulation::stepper::{SHORTEST_DT, Stepping};
use rayon::prelude::*;
use serde::Serialize;

/// Part of the limit that a remedy uses: the rest is for stretching and turning.
const MARGIN: f64 = 0.8;
/// Substeps of the remedy that has many.
const MANY_SUBSTEPS: u32 = 20;
/// Damping ratios that what grew may be given, from the least.
const DAMPING_RATIOS: [f64; 8] = [0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0];
/// By how much sweeps are multiplied.
const MORE_SWEEPS: u32 = 4;
/// Tolerance of the reference, the scene's own springs by Dormand–Prince.
const REFERENCE_TOLERANCE: f64 = 1e-8;
/// Steps of the reference for one of the lane, where the lane projects.
const REFERENCE_STEPS: u32 = 8;

/// One change, tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Remedy {
    /// What was changed, in words.
    pub change: String,
    /// The lane's settings with it.
    pub settings: Settings,
    /// Whether it held to the end.
    pub holds: bool,
    /// Seconds of computing a simulated second, over those of the lane as it was.
    pub cost_ratio: f64,
    /// Greatest distance of a particle from the reference over the scene's size; not finite where
    /// it did not hold or there is no reference.
    pub error: f64,
}

/// Tries what may help against a cause.
pub(super) fn tried(
    question: &ExplainQuestion,
    why: &Explanation,
    clock: &(dyn Fn() -> f64 + Sync),
    work: &Work<Finding>,
) -> Result<Vec<Remedy>, Cancelled> {
    let Explanation { cause, mode, symptoms, .. } = why;
    if *cause == Cause::Holds && symptoms.is_empty() {
        return Ok(Vec::new());
    }
    let settings = in_fixed_steps(question);
    let vibration = mode.as_ref().filter(|mode| mode.omega > 0.0);
    let changes = changes(&settings, question.start.settings().dt, vibration, symptoms);
    let run = |settings: Settings| {
        let mut simulation = question.start.clone();
        simulation.configure(settings);
        Track::of(simulation, question.inputs.again(), question.duration, clock, work)
    };
    let reference = reference(question, &settings, clock, work)?;
    let before = run(settings)?;
    let size = extent(question.start.parts());
    let try_one = |(change, settings): &(String, Settings)| {
        let track = run(*settings)?;
        let holds = track.explosion.is_none();
        let close = |reference: &Track| distance(&track.samples, &reference.samples) / size;
        let error = reference.as_ref().filter(|_| holds).map_or(f64::NAN, close);
        let cost_ratio = track.cost() / before.cost();
        let (change, settings) = (change.clone(), in_own_steps(question, *settings));
        let remedy = Remedy { change, settings, holds, cost_ratio, error };
        work.send(Finding::Tried(Box::new(remedy.clone())));
        Ok(remedy)
    };
    changes.par_iter().map(try_one).collect()
}

/// The settings, in fixed steps of the length that the question is about.
fn in_fixed_steps(question: &ExplainQuestion) -> Settings {
    let settings = *question.start.settings();
    if settings.stepping.uses_dt() {
        settings
    } else {
        Settings { dt: question.dt, stepping: Stepping::Interpolated, ..settings }
    }
}

/// The lane's own stepping, where frames decide the step and the remedy does not change that.
fn in_own_steps(question: &ExplainQuestion, tried: Settings) -> Settings {
    let Settings { dt, stepping, .. } = *question.start.settings();
    if tried.dt == question.dt { Settings { dt, stepping, ..tried } } else { tried }
}

fn changes(
    settings: &Settings,
    own_dt: f64,
    vibration: Option<&GrowingMode>,
    symptoms: &[Symptom],
) -> Vec<(String, Settings)> {
    let mut changes: Vec<(String, Settings)> = Vec::new();
    let mut add = |change: String, settings: Settings| {
        if settings.check().is_ok() && !changes.iter().any(|(_, other)| *other == settings) {
            changes.push((change, settings));
        }
    };
    let solver = settings.solver();
    if let Some(mode) = vibration {
        let GrowingMode { omega, omega_h, limit: z, .. } = *mode;
        if z > 0.0 && z.is_finite() {
            let dt = round_down(MARGIN * z / omega * f64::from(settings.substeps));
            if dt < settings.dt && dt >= SHORTEST_DT {
                add(format!("dt {} ms", (dt * 1e6).round() / 1e3), Settings { dt, ..*settings });
            }
        }
        if let Some(integrator) = nearest_stable(&settings.integrator, omega_h) {
            add(integrator.info().title.to_owned(), Settings { integrator, ..*settings });
        }
        let integrator = Method::ImplicitEuler;
        add("implicit Euler".to_owned(), Settings { integrator, ..*settings });
        if let Some(stiffness_damping) = damping_against(mode, settings) {
            let change = format!("stiffness damping β = {stiffness_damping:e} s");
            add(change, Settings { stiffness_damping, ..*settings });
        }
    }
    let suffers = |kind| symptoms.iter().any(|symptom| symptom.kind == kind);
    if suffers(SymptomKind::Jittering) {
        let fixed = Settings { stepping: Stepping::Interpolated, dt: own_dt, ..*settings };
        add("fixed steps, interpolated".to_owned(), fixed);
    }
    if suffers(SymptomKind::LosingSwing) || suffers(SymptomKind::GainingSwing) {
        let integrator = Method::VelocityVerlet;
        add("velocity Verlet".to_owned(), Settings { integrator, ..*settings });
        if !solver.is_none() {
            let constraints = ConstraintSolver::Shake(Shake::default());
            add(
                "links held by SHAKE".to_owned(),
                Settings { integrator, constraints, ..*settings },
            );
        }
    }
    if suffers(SymptomKind::Expensive) {
        let dt = 2.0 * settings.dt;
        add(format!("dt {} ms", (dt * 1e6).round() / 1e3), Settings { dt, ..*settings });
    }
    if let Some(sweeps) = solver.iterations() {
        let mut more = *settings;
        more.constraints.set_iterations(sweeps.saturating_mul(MORE_SWEEPS));
        add(format!("{} sweeps", sweeps.saturating_mul(MORE_SWEEPS)), more);
    }
    if settings.substeps < MANY_SUBSTEPS {
        let many = Settings { substeps: MANY_SUBSTEPS, ..*settings };
        add(format!("{MANY_SUBSTEPS} substeps"), many);
    }
    if solver.is_none() {
        let xpbd = Settings {
            links: LinkMode::Constraints,
            constraints: ConstraintSolver::Xpbd(Xpbd { iterations: 1, ..Xpbd::default() }),
            substeps: MANY_SUBSTEPS,
            integrator: Method::SymplecticEuler,
            ..*settings
        };
        add(format!("links held by XPBD, {MANY_SUBSTEPS} substeps of one sweep"), xpbd);
    }
    changes
}

/// The scheme with the fewest evaluations that stands this ωh without damping, explicit ones first.
fn nearest_stable(own: &Method, z: f64) -> Option<Method> {
    let stands = |method: &Method| {
        let info = method.info();
        let adaptive = matches!(method, Method::DormandPrince(_));
        !adaptive && info.name != own.info().name && info.stability_limit * MARGIN > z
    };
    let price = |method: &Method| (method.info().implicit, method.info().evaluations);
    Method::all().filter(stands).min_by_key(price)
}

/// The stiffness damping of the lane with which a vibration has the least damping ratio that the
/// scheme stands at its ωh, with the margin. Where no ratio is enough, the one with the longest
/// stable step: damping that lags behind shortens that of most explicit schemes.
fn damping_against(mode: &GrowingMode, settings: &Settings) -> Option<f64> {
    let GrowingMode { omega, omega_h, damping_ratio, .. } = *mode;
    let limit = |xi: &f64| stability_limit(&settings.integrator, *xi);
    let more = || DAMPING_RATIOS.into_iter().filter(|xi| *xi > damping_ratio);
    let enough = more().find(|xi| MARGIN * limit(xi) >= omega_h);
    let longest = || more().max_by(|a, b| limit(a).total_cmp(&limit(b)));
    let xi = enough.or_else(longest)?;
    let beta = settings.stiffness_damping + 2.0 * (xi - damping_ratio) / omega;
    // Two significant digits: what people type.
    format!("{beta:.1e}").parse().ok()
}

/// Two significant digits, rounded down: a step that people type.
fn round_down(seconds: f64) -> f64 {
    let mut unit = 1.0;
    while unit * 10.0 > seconds && unit > SHORTEST_DT {
        unit /= 10.0;
    }
    // A quotient of whole numbers is the double that people get who type the step.
    (seconds / unit).floor() / (1.0 / unit).round()
}

/// The lane as it should have been: its springs by Dormand–Prince, or where it projects, the lane
/// itself in shorter steps. `None` if that explodes too.
fn reference(
    question: &ExplainQuestion,
    settings: &Settings,
    clock: &(dyn Fn() -> f64 + Sync),
    work: &Work<Finding>,
) -> Result<Option<Track>, Cancelled> {
    let mut simulation: Simulation = question.start.clone();
    simulation.configure(if settings.solver().is_none() {
        let integrator = Method::DormandPrince(DormandPrince { tolerance: REFERENCE_TOLERANCE });
        Settings { integrator, substeps: 1, ..*settings }
    } else {
        Settings { dt: settings.dt / f64::from(REFERENCE_STEPS), ..*settings }
    });
    let inputs = question.inputs.again();
    let track = Track::of(simulation, inputs, question.duration, clock, work)?;
    Ok(Some(track).filter(|track| track.explosion.is_none()))
}
