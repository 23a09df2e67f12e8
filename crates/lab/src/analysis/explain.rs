//! Why a lane exploded or lives badly, and what to do about it: remedies that were tried.

mod remedies;
mod symptoms;

pub use remedies::Remedy;
pub use symptoms::{Symptom, SymptomKind};

use super::growth::{Growth, StepMap, growth_of_mode, mean_rest_length};
use super::job::{Cancelled, Work};
use super::limit::{FastestMode, dot, greatest};
use super::step_matrix::{growth_per_step, stability_limit};
use crate::measure::Explosion;
use crate::numerics::system::System;
use crate::session::Inputs;
use crate::simulation::Simulation;
use glam::DVec3;
use serde::Serialize;

/// A second difference of positions above this part of a link is no small vibration any more.
const SMALL: f64 = 0.1;
/// So is a link that is longer than its rest length by more than this part, unless one was at the
/// start.
const CALM_STRETCH: f64 = 0.2;
/// A link that starts longer than this many rest lengths is a mistake of the scene.
const ABSURD_START: f64 = 3.0;
/// A projection that leaves more than this part of a link's length has too few sweeps.
const LARGE_RESIDUAL: f64 = 0.02;
/// A lane this close to its limit is over it as soon as it stretches.
const CLOSE: f64 = 0.97;

/// By how much measured growth may differ from the scheme's theory for a mode.
const TOLERANCE_OF_THEORY: f64 = 0.05;
/// Growth a second that keeps this part with half the step is not the step's fault.
const BY_NATURE: f64 = 0.75;

/// What is asked.
#[derive(Clone, Debug)]
pub struct ExplainQuestion {
    /// The lane, where the story begins.
    pub start: Simulation,
    /// What was done to it from there on.
    pub inputs: Inputs,
    /// Length of a step in seconds: `dt`, or the frame where frames decide.
    pub dt: f64,
    /// How long to look, in seconds.
    pub duration: f64,
}

/// Why a lane ended, or what it suffers from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The step is longer than the scheme stands for the fastest mode.
    StepTooLong,
    /// The scheme makes every undamped mode grow, at every step.
    NeverStable,
    /// The constraint solver has too few sweeps.
    SweepsTooFew,
    /// The implicit solve did not converge.
    SolveFailed,
    /// A link is far too long at the start.
    WrongStart,
    /// The whole step makes a perturbation grow, and none of the above says why.
    Grows,
    /// It did not explode.
    Holds,
}

/// The vibration that grew.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GrowingMode {
    /// Its angular frequency in rad/s, by Rayleigh's quotient; 0 where no spring pushes.
    pub omega: f64,
    /// Times the length of a substep.
    pub omega_h: f64,
    /// Its damping ratio ξ by the links' damping and by drag.
    pub damping_ratio: f64,
    /// Greatest ωh that the scheme stands at its damping ratio; not finite = any.
    pub limit: f64,
    /// Factor a step, of the whole step map where the vibration was still small.
    pub growth_measured: f64,
    /// Factor a step that the scheme's step matrix has at this ωh.
    pub growth_theory: f64,
    /// The particle that moved most.
    pub particle: u32,
    /// When it was still small, in seconds.
    pub t: f64,
    /// Displacement of each particle, the longest of length 1.
    #[serde(skip)]
    pub shape: Vec<DVec3>,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// Why.
    pub cause: Cause,
    /// The cause in a sentence with its numbers.
    pub sentence: String,
    /// When and where it exploded, if it did.
    pub explosion: Option<Explosion>,
    /// What grew, if something did.
    pub mode: Option<GrowingMode>,
    /// What it suffers from while it lives.
    pub symptoms: Vec<Symptom>,
    /// What was tried against it.
    pub remedies: Vec<Remedy>,
}

/// What is known before the end.
#[derive(Clone, Debug)]
pub enum Finding {
    /// Why, without remedies.
    Why(Box<Explanation>),
    /// One remedy more.
    Tried(Box<Remedy>),
}

impl Finding {
    /// Adds it to what is known.
    pub fn add_to(self, known: &mut Option<Explanation>) {
        match (self, known) {
            (Self::Why(why), known) => *known = Some(*why),
            (Self::Tried(remedy), Some(known)) => known.remedies.push(*remedy),
            (Self::Tried(_), None) => {}
        }
    }
}

/// Runs the lane, finds out why it ended, and tries remedies. `clock` returns seconds; remedies are
/// tried in parallel, so costs are those of a busy machine. Findings are sent as partial
/// results.
pub fn explain(
    question: &ExplainQuestion,
    clock: &(dyn Fn() -> f64 + Sync),
    work: &Work<Finding>,
) -> Result<Explanation, Cancelled> {
    let steps = (question.duration / question.dt).round() as u64;
    work.expect(2 * steps);
    let story = Story::of(question, steps, work)?;
    let mode = story.growing_mode(question, work)?;
    let cause = cause(question, &story, mode.as_ref());
    let symptoms = if story.explosion.is_none() {
        symptoms::symptoms(question, clock, work)?
    } else {
        Vec::new()
    };
    let sentence = sentence(cause, question, &story, mode.as_ref());
    let explosion = story.explosion;
    let why = Explanation { cause, sentence, explosion, mode, symptoms, remedies: Vec::new() };
    work.send(Finding::Why(Box::new(why.clone())));
    let remedies = remedies::tried(question, &why, clock, work)?;
    Ok(Explanation { remedies, ..why })
}

/// A run, as far as it went.
struct Story {
    explosion: Option<Explosion>,
    /// The lane at the end.
    end: Simulation,
    /// The last step at which vibrations were still small.
    last_small: u64,
    /// An implicit solve failed while vibrations were still small.
    solve_failed: bool,
    /// Largest residual of the projection while vibrations were still small.
    residual: f64,
}

impl Story {
    fn of(question: &ExplainQuestion, steps: u64, work: &Work<Finding>) -> Result<Self, Cancelled> {
        let mut simulation = question.start.clone();
        let small = SMALL * mean_rest_length(&simulation);
        let calm = CALM_STRETCH.max(2.0 * simulation.stretch().max);
        let (mut before, mut now) = (simulation.state().x.clone(), simulation.state().x.clone());
        let projects = !simulation.settings().solver().is_none();
        let mut inputs = question.inputs.again();
        let (mut explosion, mut last_small) = (None, 0);
        let (mut solve_failed, mut residual) = (false, 0.0_f64);
        for step in 1..=steps {
            inputs.step(&mut simulation, question.dt);
            work.done(1)?;
            explosion = simulation.explosion();
            if explosion.is_some() {
                break;
            }
            let next = &simulation.state().x;
            let second = next.iter().zip(&now).zip(&before).map(|((c, b), a)| *c - 2.0 * *b + *a);
            let jerk = second.map(|d| d.length()).fold(0.0, f64::max);
            if jerk <= small && simulation.stretch().max <= calm {
                last_small = step;
                solve_failed |= simulation.solve().failed;
                if projects && step.is_multiple_of(16) {
                    residual = residual.max(simulation.projection().residual);
                }
            }
            std::mem::swap(&mut before, &mut now);
            now.clone_from(next);
        }
        Ok(Self { explosion, end: simulation, last_small, solve_failed, residual })
    }

    /// What grew: found where it was still small, by going there again. `None` if nothing did.
    fn growing_mode(
        &self,
        question: &ExplainQuestion,
        work: &Work<Finding>,
    ) -> Result<Option<GrowingMode>, Cancelled> {
        let projects = !question.start.settings().solver().is_none();
        if self.explosion.is_none() && projects {
            // It stretches. Cloth that flutters grows by nature, and otherwise in shorter steps.
            return Ok(None);
        }
        let mut simulation = question.start.clone();
        let steps = if self.explosion.is_some() { self.last_small } else { 0 };
        let mut inputs = question.inputs.again();
        for _ in 0..steps {
            inputs.step(&mut simulation, question.dt);
            work.done(1)?;
        }
        let growth = if steps > 0 {
            Growth::of_next_step(&simulation, question.dt)
        } else {
            Growth::with_step(&simulation, question.dt)
        };
        if self.explosion.is_none() {
            // A blow or a fall at the start makes grow what does not go on to grow.
            let grows = |simulation: &Simulation, growth: &Growth| {
                growth.grows() && is_numerical(simulation, question.dt, growth)
            };
            let at_end = || Growth::of_next_step(&self.end, question.dt);
            if !grows(&simulation, &growth) || !grows(&self.end, &at_end()) {
                return Ok(None);
            }
        }
        Ok(Some(growing_mode(&simulation, question.dt, growth)))
    }
}

/// Whether growth is the step's fault. What tips over or flutters by nature grows as fast in a
/// second when steps are half as long.
fn is_numerical(simulation: &Simulation, dt: f64, growth: &Growth) -> bool {
    let a_second = growth.per_step.ln() / dt;
    let with_half = Growth::with_step(simulation, dt / 2.0).per_step.ln() / (dt / 2.0);
    with_half < BY_NATURE * a_second
}

/// What grows in a simulation. Usually what grows fastest; but a slack rope also folds, by nature,
/// faster than a scheme lets a vibration grow. Then the scheme's theory does not give the measured
/// factor, and the fastest vibration is looked at instead.
fn growing_mode(simulation: &Simulation, dt: f64, growth: Growth) -> GrowingMode {
    let fits = |mode: &GrowingMode| {
        (mode.growth_measured / mode.growth_theory - 1.0).abs() < TOLERANCE_OF_THEORY
    };
    let moved = growth.shape.iter().any(|p| *p != DVec3::ZERO);
    let found = mode_of(simulation, dt, growth.shape, growth.per_step);
    if moved && fits(&found) {
        return found;
    }
    let fastest = FastestMode::of(simulation.model(), simulation.state(), None);
    let Some(FastestMode { omega, shape, .. }) = fastest else { return found };
    let map = StepMap::of_next(simulation.clone(), dt, 1);
    let measured = map.map_or(f64::INFINITY, |mut map| growth_of_mode(&mut map, &shape, omega));
    let fastest = mode_of(simulation, dt, shape, measured);
    if !moved || fastest.omega_h > CLOSE * fastest.limit { fastest } else { found }
}

/// A shape with its frequency by Rayleigh's quotient, and what the scheme makes of it.
fn mode_of(simulation: &Simulation, dt: f64, shape: Vec<DVec3>, measured: f64) -> GrowingMode {
    let (model, state) = (simulation.model(), simulation.state());
    let settings = simulation.settings();
    let h = dt / f64::from(settings.substeps);
    let zero = vec![DVec3::ZERO; shape.len()];
    let inertia = dot(model.masses(), &shape, &shape);
    let quotient = |dx: &[DVec3], dv: &[DVec3]| {
        let mut image = zero.clone();
        model.acceleration_jvp(state.t, &state.x, &state.v, dx, dv, &mut image);
        if inertia > 0.0 { -dot(model.masses(), &shape, &image) / inertia } else { 0.0 }
    };
    let omega = quotient(&shape, &zero).max(0.0).sqrt();
    let damping = quotient(&zero, &shape);
    let xi = if omega > 0.0 { (damping / (2.0 * omega)).max(0.0) } else { 0.0 };
    let of_substep = growth_per_step(&settings.integrator, omega * h, xi);
    let longest = shape.iter().map(|p| p.length()).fold(0.0, f64::max);
    let scale = if longest > 0.0 { 1.0 / longest } else { 0.0 };
    GrowingMode {
        omega,
        omega_h: omega * h,
        damping_ratio: xi,
        limit: stability_limit(&settings.integrator, xi),
        growth_measured: measured,
        growth_theory: of_substep.powf(f64::from(settings.substeps)),
        particle: greatest(&shape),
        t: state.t,
        shape: shape.iter().map(|p| scale * *p).collect(),
    }
}

fn cause(question: &ExplainQuestion, story: &Story, mode: Option<&GrowingMode>) -> Cause {
    let settings = question.start.settings();
    let Some(mode) = mode else { return Cause::Holds };
    let over = mode.omega > 0.0 && mode.omega_h > CLOSE * mode.limit;
    let projects = !settings.solver().is_none();
    if story.explosion.is_some() && question.start.stretch().max > ABSURD_START - 1.0 {
        Cause::WrongStart
    } else if over && settings.integrator.info().stability_limit == 0.0 {
        Cause::NeverStable
    } else if over {
        Cause::StepTooLong
    } else if story.solve_failed {
        Cause::SolveFailed
    } else if projects && story.residual > LARGE_RESIDUAL {
        Cause::SweepsTooFew
    } else {
        Cause::Grows
    }
}

fn sentence(
    cause: Cause,
    question: &ExplainQuestion,
    story: &Story,
    mode: Option<&GrowingMode>,
) -> String {
    let settings = question.start.settings();
    let title = settings.integrator.info().title;
    let vibrate = match settings.contact.penalty() {
        Some(_) => "links and contacts vibrate",
        None => "links vibrate",
    };
    let when = story.explosion.map_or("It has not exploded yet, but grows".to_owned(), |end| {
        format!("Exploded at {:.3} s", end.t)
    });
    let Some(mode) = mode else {
        return format!("It holds for {} s.", question.duration);
    };
    let GrowingMode { omega, omega_h, limit, growth_measured, growth_theory, particle, .. } = mode;
    let grew = if growth_measured.is_finite() {
        format!("it grew {growth_measured:.3}-fold a step (theory {growth_theory:.3})")
    } else {
        format!("it explodes at once (theory: {growth_theory:.3}-fold a step)")
    };
    match cause {
        Cause::StepTooLong => format!(
            "{when}: the step is too long. Around particle {particle} {vibrate} with \
             ω = {omega:.0} rad/s, so ωh = {omega_h:.3}, and {title} stands {limit:.3}; {grew}."
        ),
        Cause::NeverStable => format!(
            "{when}: {title} makes every vibration grow that is not damped enough, however short \
             the step. Around particle {particle} {vibrate} with ω = {omega:.0} rad/s, so \
             ωh = {omega_h:.3}, and their damping makes up for {limit:.3}; {grew}."
        ),
        Cause::SweepsTooFew => format!(
            "{when}: the constraint solver has too few sweeps and leaves {:.1} % of a link's \
             length; {grew}.",
            100.0 * story.residual
        ),
        Cause::SolveFailed => format!("{when}: the implicit solve did not converge; {grew}."),
        Cause::WrongStart => format!(
            "{when}: a link is {:.1} times its rest length at the start.",
            1.0 + question.start.stretch().max
        ),
        Cause::Grows | Cause::Holds => format!(
            "{when}: the whole step makes a motion around particle {particle} grow; {grew}."
        ),
    }
}
