//! What a lane suffers from that does not explode.

use super::{ExplainQuestion, Finding};
use crate::analysis::job::{Cancelled, Work};
use crate::integrate::Method;
use crate::simulation::settings::Settings;
use crate::simulation::stepper::{Frame, Stepping};
use serde::Serialize;

/// A frame of a display, in seconds.
const FRAME: f64 = 1.0 / 60.0;
/// A mean stretch above this looks like rubber.
const RUBBERY: f64 = 0.05;
/// Part of the time that may be lost before it shows as slow motion.
const SLOW: f64 = 0.01;
/// Energy that a scheme may take or add in a second, over the energy in play.
const SWING: f64 = 0.02;
/// Part of real time that a lane may take to compute.
const EXPENSIVE: f64 = 0.5;
/// Steps of the run that energy is compared with, for one of the lane.
const SHORTER: u32 = 8;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Symptom {
    /// Which.
    pub kind: SymptomKind,
    /// It in a sentence with its number.
    pub sentence: String,
    /// The number: a fraction, or a fraction a second.
    pub value: f64,
}

/// What can be wrong with a lane that lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SymptomKind {
    /// Links are longer than they should be.
    Rubbery,
    /// The picture or the state jumps from frame to frame.
    Jittering,
    /// Time is lost.
    SlowMotion,
    /// The scheme takes energy.
    LosingSwing,
    /// The scheme adds energy.
    GainingSwing,
    /// Computing takes too long.
    Expensive,
}

/// Looks for all of them.
pub(super) fn symptoms(
    question: &ExplainQuestion,
    clock: &(dyn Fn() -> f64 + Sync),
    work: &Work<Finding>,
) -> Result<Vec<Symptom>, Cancelled> {
    let mut found = Vec::new();
    let mut add =
        |kind, value: f64, sentence: String| found.push(Symptom { kind, sentence, value });
    let settings = *question.start.settings();
    let run = run(question, settings, question.dt, clock, work)?;
    if run.mean_stretch > RUBBERY {
        let why = match settings.solver().iterations() {
            Some(sweeps) => format!("{sweeps} sweeps are too few for this chain and mass ratio"),
            None => "its springs are soft for what they carry".to_owned(),
        };
        let percent = 100.0 * run.mean_stretch;
        add(
            SymptomKind::Rubbery,
            run.mean_stretch,
            format!("Rubbery: links are {percent:.1} % too long on average; {why}."),
        );
    }
    if !settings.stepping.uses_dt() {
        add(
            SymptomKind::Jittering,
            1.0,
            "Jittering: steps are as long as frames, so the motion depends on the display."
                .to_owned(),
        );
    } else if matches!(settings.stepping, Stepping::Accumulator) && !divides(settings.dt) {
        let late = settings.dt / FRAME;
        add(
            SymptomKind::Jittering,
            late,
            format!(
                "Jittering: the newest state is drawn up to {:.0} % of a frame late, each frame another; interpolation draws the blend.",
                100.0 * late.min(1.0)
            ),
        );
    }
    if run.unconverged > 0.01 {
        add(
            SymptomKind::Jittering,
            run.unconverged,
            format!(
                "Jittering: {:.0} % of the steps missed the solver's tolerance.",
                100.0 * run.unconverged
            ),
        );
    }
    let lost = lost_time(question);
    if lost > SLOW {
        add(
            SymptomKind::SlowMotion,
            lost,
            format!(
                "Slow motion: {:.0} % of the time is thrown away on a 60 Hz display.",
                100.0 * lost
            ),
        );
    }
    let shorter = run_shorter(question, settings, clock, work)?;
    let a_second = (run.energy_change - shorter.energy_change) / question.duration;
    let in_play = shorter.in_play.max(run.in_play);
    let swing = if in_play > 0.0 { a_second / in_play } else { 0.0 };
    let title = settings.integrator.info().title;
    let by = if settings.solver().is_none() {
        title.to_owned()
    } else {
        format!("{title} with {}", settings.solver().info().name)
    };
    if swing < -SWING {
        add(
            SymptomKind::LosingSwing,
            swing,
            format!("Losing swing: {by} takes {:.1} % of its energy a second.", -100.0 * swing),
        );
    } else if swing > SWING {
        add(
            SymptomKind::GainingSwing,
            swing,
            format!("Gaining swing: {by} adds {:.1} % to its energy a second.", 100.0 * swing),
        );
    }
    if run.cost > EXPENSIVE {
        add(
            SymptomKind::Expensive,
            run.cost,
            format!("Too expensive: a simulated second takes {:.2} s to compute.", run.cost),
        );
    }
    Ok(found)
}

/// What a run is judged by.
struct JudgedRun {
    mean_stretch: f64,
    unconverged: f64,
    energy_change: f64,
    in_play: f64,
    cost: f64,
}

fn run(
    question: &ExplainQuestion,
    settings: Settings,
    dt: f64,
    clock: &(dyn Fn() -> f64 + Sync),
    work: &Work<Finding>,
) -> Result<JudgedRun, Cancelled> {
    let mut simulation = question.start.clone();
    simulation.configure(Settings { dt, ..settings });
    let steps = (question.duration / dt).round().max(1.0) as u64;
    work.expect(steps);
    let start = simulation.energy().total();
    let has_tolerance = settings.solver().has_tolerance();
    let (mut missed, mut seconds, mut in_play, mut stretch, mut looks) =
        (0u64, 0.0, 0.0_f64, 0.0, 0u64);
    for step in 0..steps {
        let started = clock();
        simulation.step(dt);
        seconds += clock() - started;
        work.done(1)?;
        missed += u64::from(simulation.solve().failed);
        if step % 16 == 0 {
            missed += 16 * u64::from(has_tolerance && !simulation.projection().converged);
            let energy = simulation.energy();
            in_play = in_play.max(energy.kinetic + energy.elastic);
            stretch += simulation.stretch().mean;
            looks += 1;
        }
    }
    Ok(JudgedRun {
        mean_stretch: stretch / looks as f64,
        unconverged: missed as f64 / steps as f64,
        energy_change: simulation.energy().total() - start,
        in_play,
        cost: seconds / question.duration,
    })
}

/// The lane in shorter steps: what is lost there is lost to drag and damping, not to the scheme.
fn run_shorter(
    question: &ExplainQuestion,
    settings: Settings,
    clock: &(dyn Fn() -> f64 + Sync),
    work: &Work<Finding>,
) -> Result<JudgedRun, Cancelled> {
    let dt = question.dt / f64::from(SHORTER);
    let integrator = if settings.solver().is_none() { Method::Rk4 } else { settings.integrator };
    run(question, Settings { integrator, ..settings }, dt, clock, work)
}

fn divides(dt: f64) -> bool {
    let steps = FRAME / dt;
    (steps - steps.round()).abs() < 1e-6
}

/// Part of the time that guards and stepping drop on a display of 60 Hz.
fn lost_time(question: &ExplainQuestion) -> f64 {
    let mut simulation = question.start.clone();
    for _ in 0..30 {
        simulation.advance(Frame::of(FRAME));
    }
    let ledger = simulation.ledger();
    if ledger.wall > 0.0 { ledger.dropped / ledger.wall } else { 0.0 }
}
