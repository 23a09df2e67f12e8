//! Changes of settings that are tried, each on the whole story.

use super::symptoms::{SLOW, Symptom, SymptomKind, lost_time};
use super::{Cause, ExplainQuestion, Explanation, Finding, GrowingMode};
use crate::analysis::extent;
use crate::analysis::job::{Cancelled, Work};
use crate::analysis::step_matrix::{is_linear, stability_limit};
use crate::analysis::track::{Track, distance};
use crate::constraint::{ConstraintSolver, Shake, Xpbd};
use crate::integrate::{DormandPrince, Method};
use crate::simulation::Simulation;
use crate::simulation::settings::{LinkMode, Settings};
use crate::simulation::stepper::{Guards, SHORTEST_DT, Stepping};
use rayon::prelude::*;
use serde::Serialize;

/// Part of the limit that a remedy uses: the rest is for stretching and turning.
const MARGIN: f64 = 0.8;
/// Substeps of the remedy that has many.
const MANY_SUBSTEPS: u32 = 20;
/// Damping ratios that what grew may be given, from the least.
const DAMPING_RATIOS: [f64; 8] = [0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0];
/// SHAKE sweeps until its tolerance is met: thousands of times in a large cloth, which helps nobody.
const MOST_SHAKEN: usize = 200;
/// By how much sweeps are multiplied.
const MORE_SWEEPS: u32 = 4;
/// Tolerance of the reference, the scene's own springs by Dormand–Prince.
const REFERENCE_TOLERANCE: f64 = 1e-8;
/// Steps of the reference for one of the lane, where the lane projects.
const REFERENCE_STEPS: u32 = 8;
/// The stepping that keeps time and does not stutter.
const FIXED_STEPS: &str = "fixed steps, interpolated";

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
    /// it did not hold, or there is no reference, as for springs that are held at their lengths.
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
    let vibration = mode.as_ref().filter(|mode| mode.omega > 0.0);
    let changes = changes(question, vibration, symptoms);
    let run = |settings: &Settings| {
        let mut simulation = question.start.clone();
        simulation.configure(in_fixed_steps(settings, question.dt));
        Track::of(simulation, question.inputs.again(), question.duration, clock, work)
    };
    let reference = reference(question, clock, work)?;
    let own = *question.start.settings();
    let before = run(&own)?;
    let size = extent(question.start.parts());
    let try_one = |(change, settings): &(String, Settings)| {
        let track = run(settings)?;
        let holds = track.explosion.is_none();
        let close = |reference: &Track| distance(&track.samples, &reference.samples) / size;
        let known = holds && !is_made_rigid(&own, settings);
        let error = reference.as_ref().filter(|_| known).map_or(f64::NAN, close);
        let cost_ratio = track.cost() / before.cost();
        let (change, settings) = (change.clone(), *settings);
        let remedy = Remedy { change, settings, holds, cost_ratio, error };
        work.send(Finding::Tried(Box::new(remedy.clone())));
        Ok(remedy)
    };
    changes.par_iter().map(try_one).collect()
}

/// Whether springs are held at their lengths: the reference is no truth for that.
fn is_made_rigid(own: &Settings, tried: &Settings) -> bool {
    own.solver().is_none() && matches!(tried.solver(), ConstraintSolver::Shake(_))
}

/// The settings, where frames decide the step in fixed ones of so many seconds.
fn in_fixed_steps(settings: &Settings, step: f64) -> Settings {
    if settings.stepping.uses_dt() {
        *settings
    } else {
        Settings { dt: step, stepping: Stepping::Interpolated, ..*settings }
    }
}

/// Different changes of the lane's settings.
struct Changes {
    own: Settings,
    list: Vec<(String, Settings)>,
}

impl Changes {
    fn add(&mut self, change: impl Into<String>, settings: Settings) {
        let is_known =
            settings == self.own || self.list.iter().any(|(_, other)| *other == settings);
        if !is_known && settings.check().is_ok() {
            self.list.push((change.into(), settings));
        }
    }
}

fn changes(
    question: &ExplainQuestion,
    vibration: Option<&GrowingMode>,
    symptoms: &[Symptom],
) -> Vec<(String, Settings)> {
    let own = *question.start.settings();
    let mut changes = Changes { own, list: Vec::new() };
    if let Some(mode) = vibration {
        against_vibration(&mut changes, mode, question.dt);
    }
    let suffers = |kind| symptoms.iter().any(|symptom| symptom.kind == kind);
    if suffers(SymptomKind::Jittering) {
        changes.add(FIXED_STEPS, Settings { stepping: Stepping::Interpolated, ..own });
    }
    if suffers(SymptomKind::SlowMotion) {
        against_slow_motion(&mut changes, &question.start);
    }
    if suffers(SymptomKind::Expensive) {
        against_expense(&mut changes);
    }
    let swing = suffers(SymptomKind::LosingSwing) || suffers(SymptomKind::GainingSwing);
    let rubbery = suffers(SymptomKind::Rubbery);
    let projects = !own.solver().is_none();
    if swing && (!projects || !own.integrator.info().symplectic) {
        let integrator = Method::VelocityVerlet;
        changes.add("velocity Verlet", Settings { integrator, ..own });
    }
    let few_links = question.start.parts().mesh.links.len() <= MOST_SHAKEN;
    if (swing && projects || rubbery) && few_links {
        let constraints = ConstraintSolver::Shake(Shake::default());
        let (integrator, links) = (Method::VelocityVerlet, LinkMode::Constraints);
        let shake = Settings { integrator, links, constraints, ..own };
        changes.add("links held by SHAKE", shake);
    }
    let too_little = vibration.is_some() || suffers(SymptomKind::Unconverged) || swing;
    if too_little || rubbery && projects {
        more_work(&mut changes);
    }
    if vibration.is_some() && !projects {
        let xpbd = Settings {
            links: LinkMode::Constraints,
            constraints: ConstraintSolver::Xpbd(Xpbd { iterations: 1, ..Xpbd::default() }),
            substeps: MANY_SUBSTEPS,
            integrator: Method::SymplecticEuler,
            ..own
        };
        changes.add(format!("links held by XPBD, {MANY_SUBSTEPS} substeps of one sweep"), xpbd);
    }
    changes.list
}

/// Against a vibration that grows: a step that the scheme stands, a scheme that stands the step, and
/// damping.
fn against_vibration(changes: &mut Changes, mode: &GrowingMode, step: f64) {
    let own = changes.own;
    let GrowingMode { omega, omega_h, limit: z, .. } = *mode;
    if z > 0.0 && z.is_finite() {
        let dt = round_down(MARGIN * z / omega * f64::from(own.substeps));
        if dt < step && dt >= SHORTEST_DT {
            let shorter = Settings { dt, ..in_fixed_steps(&own, step) };
            changes.add(format!("dt {}", milliseconds(dt)), shorter);
        }
    }
    if let Some(integrator) = nearest_stable(&own.integrator, omega_h) {
        changes.add(integrator.info().title, Settings { integrator, ..own });
    }
    let integrator = Method::ImplicitEuler;
    changes.add("implicit Euler", Settings { integrator, ..own });
    if let Some(stiffness_damping) = damping_against(mode, &own) {
        let change = format!("stiffness damping β = {stiffness_damping:e} s");
        changes.add(change, Settings { stiffness_damping, ..own });
    }
}

/// The first change that keeps all time on a display of 60 Hz.
fn against_slow_motion(changes: &mut Changes, start: &Simulation) {
    let own = changes.own;
    let (stepping, guards) = (Stepping::Interpolated, Guards::default());
    let tries = [
        (FIXED_STEPS, Settings { stepping, ..own }),
        ("usual guards of a frame", Settings { guards, ..own }),
        ("fixed steps, interpolated, and usual guards", Settings { stepping, guards, ..own }),
    ];
    let keeps_time = |(_, settings): &(&str, Settings)| {
        let mut simulation = start.clone();
        simulation.configure(*settings);
        lost_time(&simulation) <= SLOW
    };
    if let Some((change, settings)) = tries.into_iter().find(keeps_time) {
        changes.add(change, settings);
    }
}

/// Half of the work, by steps or by substeps.
fn against_expense(changes: &mut Changes) {
    let own = changes.own;
    if own.stepping.uses_dt() {
        let dt = 2.0 * own.dt;
        changes.add(format!("dt {}", milliseconds(dt)), Settings { dt, ..own });
    }
    let substeps = own.substeps.div_ceil(2);
    changes.add(format!("{substeps} substeps"), Settings { substeps, ..own });
}

/// More sweeps where there are some, and more substeps.
fn more_work(changes: &mut Changes) {
    let own = changes.own;
    if let Some(sweeps) = own.solver().iterations() {
        let sweeps = sweeps.saturating_mul(MORE_SWEEPS);
        let mut more = own;
        more.constraints.set_iterations(sweeps);
        changes.add(format!("{sweeps} sweeps"), more);
    }
    if own.substeps < MANY_SUBSTEPS {
        let many = Settings { substeps: MANY_SUBSTEPS, ..own };
        changes.add(format!("{MANY_SUBSTEPS} substeps"), many);
    }
}

fn milliseconds(dt: f64) -> String {
    format!("{} ms", (dt * 1e6).round() / 1e3)
}

/// The scheme with the fewest evaluations that stands this ωh without damping, explicit ones first.
fn nearest_stable(own: &Method, z: f64) -> Option<Method> {
    let stands = |method: &Method| {
        let info = method.info();
        is_linear(method) && info.name != own.info().name && info.stability_limit * MARGIN > z
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
    clock: &(dyn Fn() -> f64 + Sync),
    work: &Work<Finding>,
) -> Result<Option<Track>, Cancelled> {
    let mut simulation: Simulation = question.start.clone();
    let own = in_fixed_steps(question.start.settings(), question.dt);
    simulation.configure(if own.solver().is_none() {
        let integrator = Method::DormandPrince(DormandPrince { tolerance: REFERENCE_TOLERANCE });
        Settings { integrator, substeps: 1, ..own }
    } else {
        Settings { dt: own.dt / f64::from(REFERENCE_STEPS), ..own }
    });
    let inputs = question.inputs.again();
    let track = Track::of(simulation, inputs, question.duration, clock, work)?;
    Ok(Some(track).filter(|track| track.explosion.is_none()))
}
