//! Symptoms of a lane (one simulation of the scene) that does not explode. Each symptom has its own
//! function.

mod swing;

use super::explain_job::ExplainJob;
use super::lane_run::LaneRun;
use super::question::{ExplainQuestion, FRAME};
use super::step_lengths::lost_time;
use super::trial::{Candidate, Span, Trial};
use crate::analysis::in_words::{
    MOST_TOLD_LOSS, count_in_words, factor, integrator_and_solver_in_words, percent_to,
    seconds_in_words, share_of,
};
use crate::analysis::job::Cancelled;
use crate::analysis::runs::run_energy::is_driven;
use crate::analysis::runs::swing_energy::SwingChange;
use crate::constraint::ConstraintSolver;
use crate::integrate::{DormandPrince, Method};
use crate::measure::{Overstretch, Softness};
use crate::mesh::Link;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use crate::simulation::timing::stepper::Stepping;
use serde::Serialize;
use swing::{MOST_SWING_CHANGE, swing_error};

/// Mean strain of links above which a lane counts as rubbery.
pub(super) const RUBBERY: f64 = 0.05;
/// Residual of the worst link, as a fraction of the mean strain, above which links are too long
/// because of the solver and not because of the material.
pub(super) const BLAMED_RESIDUAL: f64 = 0.1;
/// Smallest angle in radians by which a link must turn in a substep to change its length visibly: a
/// straight path of 0.1 rad ends 0.5 % outside the circle.
const LEAST_TURN: f64 = 0.1;
/// A lane is too expensive if a simulated second takes more computing time than this, in seconds.
const MOST_COST: f64 = 0.5;
/// Steps of the precise run (a reference run with shorter steps) per step of the lane, if a solver
/// constrains its links.
const PRECISE_STEPS: f64 = 2.0;
/// Largest fraction of steps that may miss a solver's tolerance before this counts as a symptom.
const MOST_MISSED: f64 = 0.01;
/// Ratio of the jitter in the precise run to the lane's jitter above which the scene itself counts
/// as the cause.
const NATURAL_JITTER: f64 = 0.5;
/// Speed in m/s below which particles look still.
const STILL_SPEED: f64 = 0.005;
/// Largest ratio of the jitter in the fourth quarter of a run to that in the third at which the run
/// counts as coming to rest.
const CALMING_RATIO: f64 = 0.4;

/// Defect of a lane.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Symptom {
    /// Kind of the defect.
    pub kind: SymptomKind,
    /// Symptom as a sentence.
    pub sentence: String,
    /// Size of the symptom: a fraction (rubbery, turning-far, soft, unconverged, slow-motion);
    /// fraction of the amplitude per second (losing-swing, gaining-swing); speed in m/s (restless);
    /// computing seconds per simulated second (expensive); delay in frames (jittering); frames per
    /// second (tied-to-rate).
    pub value: f64,
}

/// Kind of defect of a lane that does not explode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SymptomKind {
    /// Links are too long on average.
    Rubbery,
    /// Links are too long on average, because they turn far in a substep and not because of their
    /// load.
    TurningFar,
    /// One link is far too long, links are longer than their material permits, or sweeps leave much
    /// energy in the constraints.
    Soft,
    /// The drawn motion jumps from frame to frame, because steps do not fit frames.
    Jittering,
    /// The state jumps from step to step, because steps miss the solver's tolerance.
    Unconverged,
    /// Simulated time falls behind wall-clock time or runs ahead of it.
    SlowMotion,
    /// The speed of the motion depends on the frame rate of the display.
    TiedToRate,
    /// The integrator removes energy from the motion.
    LosingSwing,
    /// The integrator adds energy to the motion.
    GainingSwing,
    /// Particles in contact never come to rest.
    Restless,
    /// Computing takes too long for real time.
    Expensive,
}

/// Run of the lane, and a precise run for comparison.
struct Runs<'a> {
    question: &'a ExplainQuestion,
    settings: Settings,
    own: Trial,
    /// Precise run; `None` if the scene is driven or has inputs, or if the work budget did not
    /// suffice.
    exact: Option<Trial>,
    /// Swing that the integrator and the solver remove or add, if any.
    swing: Option<SwingChange>,
    /// Largest angle in radians by which a link turns in a substep, measured at the start and at
    /// the end of the run.
    turn: f64,
}

impl<'a> Runs<'a> {
    /// Adds a precise run to the run of a candidate whose links turn by `turn` radians.
    fn of(
        job: &ExplainJob<'a>,
        candidate: &Candidate,
        own: Trial,
        span: Span,
        turn: f64,
    ) -> Result<Self, Cancelled> {
        let (question, settings) = (job.question, candidate.settings);
        let precise = precise_settings(in_fixed_steps(&settings, question.dt));
        let exact = if is_driven(&question.start) || !question.inputs.is_empty() || own.unfinished {
            None
        } else {
            let candidate = Candidate { parts: candidate.parts.clone(), settings: precise };
            Some(Trial::of(job, &candidate, span)?).filter(|it| !it.unfinished)
        };
        let swing = match &exact {
            Some(exact) => {
                swing_error(job, candidate, [&own, exact], settings.dt / precise.dt, span)?
            }
            None => None,
        };
        Ok(Self { question, settings, own, exact, swing, turn })
    }

    /// True if links are too long because of the solver's sweeps and not because of their material.
    fn sweeps_leave_links_long(&self) -> bool {
        let Self { settings, own, .. } = self;
        settings.solver().has_own_stiffness() || residual_is_to_blame(own)
    }
}

/// Returns the first symptom that the settings of a changed lane cause in a run over `span`. A
/// material that is too soft for its load does not count: it also stretches in the unstable lane,
/// where the strain cannot be measured.
pub(super) fn find_own_symptom(
    job: &ExplainJob,
    candidate: &Candidate,
    trial: &Trial,
    span: Span,
) -> Result<Option<Symptom>, Cancelled> {
    let start = Simulation::new(candidate.parts.clone(), candidate.settings);
    let runs = Runs::of(job, candidate, trial.clone(), span, turn_in_a_substep(&start))?;
    let long = diagnose_long_links(&runs).filter(|symptom| {
        symptom.kind == SymptomKind::TurningFar || runs.sweeps_leave_links_long()
    });
    let diagnoses: [fn(&Runs) -> Option<Symptom>; 3] =
        [diagnose_unconverged, diagnose_losing_swing, diagnose_gaining_swing];
    Ok(long.or_else(|| diagnoses.into_iter().find_map(|diagnosis| diagnosis(&runs))))
}

pub(super) fn find_symptoms(
    job: &ExplainJob,
    lane_run: &LaneRun,
) -> Result<Vec<Symptom>, Cancelled> {
    let question = job.question;
    let settings = *question.start.settings();
    let parts = question.start.parts();
    let span = Span { compared: lane_run.seconds, all: lane_run.seconds };
    let candidate = Candidate { parts: parts.clone(), settings };
    let own = Trial::of(&job.within(job.left() / 2), &candidate, span)?;
    let turn = turn_in_a_substep(&question.start).max(turn_in_a_substep(&lane_run.end));
    let runs = Runs::of(job, &candidate, own, span, turn)?;
    let diagnoses: [fn(&Runs) -> Option<Symptom>; 11] = [
        diagnose_long_links,
        diagnose_soft,
        diagnose_coupled_to_display,
        diagnose_late_picture,
        diagnose_unconverged,
        diagnose_time_lost,
        diagnose_tied_to_rate,
        diagnose_losing_swing,
        diagnose_gaining_swing,
        diagnose_restless,
        diagnose_expensive,
    ];
    Ok(diagnoses.into_iter().filter_map(|diagnosis| diagnosis(&runs)).collect())
}

fn symptom(kind: SymptomKind, value: f64, sentence: String) -> Option<Symptom> {
    Some(Symptom { kind, sentence, value })
}

/// Returns links that are too long on average as a symptom: [`SymptomKind::TurningFar`] if their
/// turn in a substep is the cause, otherwise [`SymptomKind::Rubbery`].
fn diagnose_long_links(runs: &Runs) -> Option<Symptom> {
    let Runs { question, settings, own, .. } = runs;
    if own.stretch - question.start.stretch().mean <= RUBBERY {
        return None;
    }
    let stretch = percent_to(own.stretch, 1);
    let (kind, text) = match turning_in_words(runs) {
        Some(why) => (
            SymptomKind::TurningFar,
            format!("Turning too far: links are {stretch} too long on average; {why}."),
        ),
        None => {
            let why = why_rubbery(settings.solver(), own);
            let text = format!("Rubbery: links are {stretch} too long on average; {why}.");
            (SymptomKind::Rubbery, text)
        }
    };
    symptom(kind, own.stretch, text)
}

/// Returns the clause that blames the turns of links: the ends of a turning link move on straight
/// paths, which lead outwards. `None` if the links turn little, or if the links of the precise run
/// have at least half the lane's excess length.
fn turning_in_words(runs: &Runs) -> Option<String> {
    let exact = runs.exact.as_ref()?;
    let start = runs.question.start.stretch().mean;
    let is_stretched = exact.stretch - start < 0.5 * (runs.own.stretch - start);
    (is_stretched && runs.turn > LEAST_TURN).then(|| {
        let (stretch, turn) = (percent_to(exact.stretch, 1), runs.turn);
        format!("{stretch} in a precise run, but here they turn by up to {turn:.2} rad in a step")
    })
}

/// Returns the largest angle in radians by which a link turns in a substep, at its present speed.
fn turn_in_a_substep(simulation: &Simulation) -> f64 {
    let settings = simulation.settings();
    let h = settings.dt / f64::from(settings.substeps);
    let (x, v) = (&simulation.state().x, &simulation.state().v);
    let rate = |link: Link| {
        let (a, b) = (link.a as usize, link.b as usize);
        let (d, v) = (x[b] - x[a], v[b] - v[a]);
        if link.is_cut() || d.length_squared() == 0.0 {
            0.0
        } else {
            d.cross(v).length() / d.length_squared()
        }
    };
    h * simulation.model().topology().links().iter().map(rate).fold(0.0, f64::max)
}

/// Returns the softness of a lane's links as a symptom; `None` if the lane already has the symptom
/// of long links.
fn diagnose_soft(runs: &Runs) -> Option<Symptom> {
    let Runs { settings, own, .. } = runs;
    let softness = own.softness.filter(|_| diagnose_long_links(runs).is_none())?;
    let (value, what) = match softness {
        Softness::LongLink(Overstretch { link, .. }) => (link.length, link.to_string()),
        Softness::TooCompliant(compliant) => {
            let share = percent_to(compliant.share, 1);
            let text = format!("links are {share} longer than their material says");
            (compliant.share, text)
        }
        Softness::LeftBySweeps(left) => {
            let text = "sweeps that do not converge leave constraints far from their rest shape";
            (left.fraction, text.to_owned())
        }
    };
    let cure = settings.solver().remedy();
    symptom(SymptomKind::Soft, value, format!("Soft: {what}; {cure}."))
}

/// Returns the clause that says why links are too long. Too few sweeps are the reason if the
/// residual of the worst link exceeds 10 % of the mean strain, or if sweeps cause the softness.
fn why_rubbery(solver: ConstraintSolver, own: &Trial) -> String {
    let leaves = residual_is_to_blame(own);
    match solver.iterations() {
        None => "its springs are soft for their load".to_owned(),
        Some(_) if solver.has_own_stiffness() => {
            "the frequency of its links is low for their load, or its sweeps are too few".to_owned()
        }
        Some(sweeps) if leaves => {
            let be = if sweeps == 1 { "is" } else { "are" };
            let sweeps = count_in_words(sweeps, "sweep");
            format!("{sweeps} {be} too few for this chain and mass ratio")
        }
        _ => "the solver converges; the material is too soft for its load".to_owned(),
    }
}

/// True if the solver's sweeps make links too long, by the residual that they leave or the softness
/// that they cause.
fn residual_is_to_blame(own: &Trial) -> bool {
    let is_left =
        matches!(own.softness, Some(Softness::LeftBySweeps(_) | Softness::TooCompliant(_)));
    own.residual > BLAMED_RESIDUAL * own.stretch || is_left
}

fn diagnose_coupled_to_display(runs: &Runs) -> Option<Symptom> {
    let text = "Jittering: steps are as long as frames, so the motion depends on the display.";
    let is_coupled = !runs.settings.stepping.uses_dt();
    if is_coupled { symptom(SymptomKind::Jittering, 1.0, text.to_owned()) } else { None }
}

fn diagnose_late_picture(runs: &Runs) -> Option<Symptom> {
    let Settings { stepping, dt, .. } = runs.settings;
    if !matches!(stepping, Stepping::Accumulator) || divides_frame(dt) {
        return None;
    }
    let late = dt / FRAME;
    let percent = 100.0 * late.min(1.0);
    let text = format!(
        "Jittering: the newest state is drawn up to {percent:.0} % of a frame late, by a different \
         amount in each frame; interpolation draws a blend of two states instead."
    );
    symptom(SymptomKind::Jittering, late, text)
}

fn diagnose_unconverged(runs: &Runs) -> Option<Symptom> {
    let missed = runs.own.unconverged;
    let percent = 100.0 * missed;
    let text = format!("Jittering: {percent:.0} % of the steps missed the solver's tolerance.");
    if missed > MOST_MISSED { symptom(SymptomKind::Unconverged, missed, text) } else { None }
}

fn diagnose_time_lost(runs: &Runs) -> Option<Symptom> {
    let display = if runs.question.frames.is_empty() { "a 60 Hz display" } else { "its display" };
    let lost = lost_time(runs.question, &runs.settings)?;
    let text = match lost > 0.0 {
        true => {
            let percent = 100.0 * lost;
            format!("Slow motion: {percent:.0} % of the time is dropped on {display}.")
        }
        false => {
            let faster = factor(1.0 - lost);
            format!("Fast motion: time passes {faster} times as fast on {display}.")
        }
    };
    symptom(SymptomKind::SlowMotion, lost, text)
}

fn diagnose_tied_to_rate(runs: &Runs) -> Option<Symptom> {
    let Settings { stepping, dt, .. } = runs.settings;
    if !matches!(stepping, Stepping::FixedPerFrame) {
        return None;
    }
    let speed = |rate: f64| factor(rate * dt);
    let text = format!(
        "Tied to the rate: one step of {} a frame is real time at {} frames a second only; at 30 \
         it runs {} times as fast, at 144 {} times.",
        seconds_in_words(dt),
        factor(1.0 / dt),
        speed(30.0),
        speed(144.0)
    );
    symptom(SymptomKind::TiedToRate, 1.0 / dt, text)
}

fn diagnose_losing_swing(runs: &Runs) -> Option<Symptom> {
    let change = runs.swing?;
    let (swing, by) = (change.of_amplitude(), integrator_and_solver_in_words(&runs.settings));
    // Friction removes energy physically, by a different amount in every contact.
    if swing >= -MOST_SWING_CHANGE || runs.own.has_contact {
        return None;
    }
    let is_bound = change.is_bound || -swing > MOST_TOLD_LOSS;
    let (least, percent) =
        (if is_bound { "at least " } else { "" }, -100.0 * swing.max(-MOST_TOLD_LOSS));
    let text =
        format!("Losing swing: {by} removes {least}{percent:.1} % of the amplitude per second.");
    symptom(SymptomKind::LosingSwing, swing, text)
}

fn diagnose_gaining_swing(runs: &Runs) -> Option<Symptom> {
    let swing = runs.swing?.of_amplitude();
    if swing <= MOST_SWING_CHANGE {
        return None;
    }
    let by = integrator_and_solver_in_words(&runs.settings);
    let gain = share_of(&percent_to(swing, 1), "to", "the amplitude");
    let text = format!("Gaining swing: {by} adds {gain} a second.");
    symptom(SymptomKind::GainingSwing, swing, text)
}

fn diagnose_restless(runs: &Runs) -> Option<Symptom> {
    let own = &runs.own;
    let exact = runs.exact.as_ref()?;
    // Jitter that also appears in the precise run is caused by the scene.
    if !is_restless(own) || exact.jitter[1] > NATURAL_JITTER * own.jitter[1] {
        return None;
    }
    let speed = own.jitter[1];
    let text = format!(
        "Restless: resting bodies still jitter at {} m/s and do not calm down; the scheme keeps \
         them in motion.",
        factor(speed)
    );
    symptom(SymptomKind::Restless, speed, text)
}

/// True if particles in contact do not come to rest: they are visibly fast, and not clearly slower
/// in the last quarter than in the third.
pub(super) fn is_restless(trial: &Trial) -> bool {
    let [before, after] = trial.jitter;
    after > STILL_SPEED && after > CALMING_RATIO * before
}

fn diagnose_expensive(runs: &Runs) -> Option<Symptom> {
    let cost = runs.own.cost;
    if cost.is_nan() || cost <= MOST_COST {
        return None;
    }
    let frame = seconds_in_words(cost * FRAME);
    let text = format!(
        "Too expensive: a simulated second takes {cost:.2} s to compute, {frame} per frame of 1/60 \
         s."
    );
    symptom(SymptomKind::Expensive, cost, text)
}

/// Returns the settings of the precise run, in which only drag and damping remove energy. Springs
/// are integrated with Dormand–Prince. A lane with a constraint solver gets shorter steps, or
/// velocity Verlet if its integrator damps by design, because shorter steps would increase that
/// damping.
fn precise_settings(own: Settings) -> Settings {
    if own.solver().is_none() {
        Settings { integrator: Method::DormandPrince(DormandPrince::default()), ..own }
    } else if own.integrator.info().order == 0 {
        Settings { integrator: Method::VelocityVerlet, ..own }
    } else {
        Settings { dt: own.dt / PRECISE_STEPS, ..own }
    }
}

/// Returns the settings with fixed steps of `step` seconds if frames determine the step; other
/// settings are unchanged.
pub(super) fn in_fixed_steps(settings: &Settings, step: f64) -> Settings {
    if settings.stepping.uses_dt() {
        *settings
    } else {
        Settings { dt: step, stepping: Stepping::Interpolated, ..*settings }
    }
}

fn divides_frame(dt: f64) -> bool {
    let steps = FRAME / dt;
    (steps - steps.round()).abs() < 1e-6
}

#[cfg(test)]
mod tests;
