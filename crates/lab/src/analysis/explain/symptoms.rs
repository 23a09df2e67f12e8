//! What a lane suffers from that does not explode.

use super::{ExplainQuestion, Finding};
use crate::analysis::job::{Cancelled, Work};
use crate::integrate::{DormandPrince, Method};
use crate::model::Role;
use crate::numerics::trajectory::Trajectory;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use crate::simulation::stepper::{Frame, Stepping};
use serde::Serialize;

/// A frame of a display, in seconds.
const FRAME: f64 = 1.0 / 60.0;
/// A mean stretch above this looks like rubber.
const RUBBERY: f64 = 0.05;
/// Part of the time that may be lost before it shows as slow motion.
pub(super) const SLOW: f64 = 0.01;
/// Part of the swing that a scheme may take or add in a second.
const SWING: f64 = 0.01;
/// Part of the swing's energy that is left at least, so that a rate can be told.
const LEFT: f64 = 0.01;
/// Runs whose energies differ by no more than this part of the swing are alike.
const ALIKE: f64 = 0.02;
/// Part of real time that a lane may take to compute.
const EXPENSIVE: f64 = 0.5;
/// Steps of the run that energy is compared with, for one of a lane that projects.
const SHORTER: f64 = 2.0;
/// Steps of the lane between two looks.
const LOOKS: u64 = 2;

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
    /// The picture jumps from frame to frame.
    Jittering,
    /// The state does: steps miss the solver's tolerance.
    Unconverged,
    /// Time is lost.
    SlowMotion,
    /// The scheme takes of the motion.
    LosingSwing,
    /// The scheme adds to the motion.
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
    let as_asked = Settings { dt: question.dt, ..settings };
    let run = run(question, (as_asked, LOOKS), clock, work)?;
    if run.mean_stretch - question.start.stretch().mean > RUBBERY {
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
            SymptomKind::Unconverged,
            run.unconverged,
            format!(
                "Jittering: {:.0} % of the steps missed the solver's tolerance.",
                100.0 * run.unconverged
            ),
        );
    }
    let lost = lost_time(&question.start);
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
    let swing = if is_driven(question) {
        0.0
    } else {
        let precise = precise(as_asked);
        let looks = LOOKS * (as_asked.dt / precise.dt).round() as u64;
        let exact = self::run(question, (precise, looks), clock, work)?;
        swing_a_second(question, (as_asked, &run), (precise, &exact))
    };
    let title = settings.integrator.info().title;
    let by = if settings.solver().is_none() {
        title.to_owned()
    } else {
        format!("{title} with {}", settings.solver().info().title)
    };
    // Friction takes swing by nature, and how much depends on every touch.
    if swing < -SWING && !run.touches {
        add(
            SymptomKind::LosingSwing,
            swing,
            format!("Losing swing: {by} takes {:.1} % of it a second.", -100.0 * swing),
        );
    } else if swing > SWING {
        add(
            SymptomKind::GainingSwing,
            swing,
            format!("Gaining swing: {by} adds {:.1} % to it a second.", 100.0 * swing),
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
    /// Energy at the end over that at the start, in joules.
    energy_change: f64,
    /// The greatest in joules: the energy of a swing.
    kinetic: f64,
    /// Seconds of computing a second.
    cost: f64,
    /// Something touched something.
    touches: bool,
    exploded: bool,
}

/// A run that is looked at every so many steps.
fn run(
    question: &ExplainQuestion,
    (settings, every): (Settings, u64),
    clock: &(dyn Fn() -> f64 + Sync),
    work: &Work<Finding>,
) -> Result<JudgedRun, Cancelled> {
    let mut simulation = question.start.clone();
    simulation.configure(settings);
    let mut inputs = question.inputs.again();
    let steps = (question.duration / settings.dt).round().max(1.0) as u64;
    work.expect(steps);
    let start = simulation.energy().total();
    let has_tolerance = settings.solver().has_tolerance();
    let (mut missed, mut looks) = (0u64, 0u64);
    let (mut seconds, mut kinetic, mut stretch) = (0.0, 0.0_f64, 0.0);
    let mut touches = false;
    for step in 0..steps {
        let started = clock();
        inputs.step(&mut simulation, settings.dt);
        seconds += clock() - started;
        work.done(1)?;
        missed += u64::from(simulation.solve().failed);
        if step % every == 0 {
            missed += every * u64::from(has_tolerance && !simulation.projection().converged);
            kinetic = kinetic.max(simulation.energy().kinetic);
            stretch += simulation.stretch().mean;
            touches |= simulation.touched().next().is_some();
            looks += 1;
        }
    }
    Ok(JudgedRun {
        mean_stretch: stretch / looks as f64,
        unconverged: missed as f64 / steps as f64,
        energy_change: simulation.energy().total() - start,
        kinetic,
        cost: seconds / question.duration,
        touches: touches || simulation.contact().events > 0,
        exploded: simulation.explosion().is_some(),
    })
}

/// Whether something puts energy in: how much depends on where it meets the lane, which tells nothing
/// of the scheme.
fn is_driven(question: &ExplainQuestion) -> bool {
    let (model, state) = (question.start.model(), question.start.state());
    let mut laws = model.laws_without_potential(state);
    laws.any(|(_, role, _)| matches!(role, Role::Driver))
        || model.pins().iter().any(|pin| pin.path != Trajectory::Still)
        || !question.inputs.is_empty()
}

/// Settings under which only drag and damping take: the springs by Dormand–Prince, or the lane that
/// projects in shorter steps. A scheme that takes by the step takes more in those, so another one
/// takes its place.
fn precise(own: Settings) -> Settings {
    if own.solver().is_none() {
        Settings { integrator: Method::DormandPrince(DormandPrince::default()), ..own }
    } else if own.integrator.info().order == 0 {
        Settings { integrator: Method::VelocityVerlet, ..own }
    } else {
        Settings { dt: own.dt / SHORTER, ..own }
    }
}

/// Part of its swing that the scheme adds in a second (takes, if below 0). With E the energy of the
/// swing and e what a run of T seconds gained, drag and all, (E + e)/(E + e precise) is the scheme's
/// share, and its root of order 2T that of the amplitude in a second. 0 where the two runs are alike,
/// and where the precise one explodes, which tells nothing.
fn swing_a_second(
    question: &ExplainQuestion,
    (own, run): (Settings, &JudgedRun),
    (precise, exact): (Settings, &JudgedRun),
) -> f64 {
    let gains = [run.energy_change, exact.energy_change];
    let swing = [run.kinetic, exact.kinetic, gains[0].abs(), gains[1].abs()];
    let swing = swing.into_iter().fold(0.0, f64::max);
    if exact.exploded || (gains[0] - gains[1]).abs() <= ALIKE * swing {
        return 0.0;
    }
    let [own_left, exact_left] = gains.map(|gained| (1.0 + gained / swing).max(LEFT));
    let projects = !own.solver().is_none();
    if projects && gains[0] > gains[1] && gains[0] <= ALIKE * swing {
        // It took less than in shorter steps, as where ropes are drawn tight, and added nothing.
        return 0.0;
    }
    // A projection takes in proportion to the step, in the shorter ones, too.
    let shorter = own.dt / precise.dt;
    let share = if shorter > 1.0 { shorter / (shorter - 1.0) } else { 1.0 };
    (own_left / exact_left).powf(0.5 * share / question.duration) - 1.0
}

fn divides(dt: f64) -> bool {
    let steps = FRAME / dt;
    (steps - steps.round()).abs() < 1e-6
}

/// Part of the time that guards and stepping drop on a display of 60 Hz.
pub(super) fn lost_time(start: &Simulation) -> f64 {
    let mut simulation = start.clone();
    for _ in 0..30 {
        simulation.advance(Frame::of(FRAME));
    }
    let ledger = simulation.ledger();
    if ledger.wall > 0.0 { ledger.dropped / ledger.wall } else { 0.0 }
}
