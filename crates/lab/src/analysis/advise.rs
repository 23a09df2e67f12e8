//! Which settings to use: a search over integrators, solvers, steps, sweeps and substeps.

use super::job::{Cancelled, Work};
use super::truth::{REFERENCE_TOLERANCE, Reference, Times, extent};
use crate::constraint::{ConstraintSolver, Relaxation, Shake, Xpbd};
use crate::integrate::Method;
use crate::model::Parts;
use crate::simulation::Simulation;
use crate::simulation::settings::{LinkMode, Settings};
use rayon::prelude::*;
use serde::Serialize;
use std::sync::Arc;

/// Frames a second: budgets are for one of them, and every step is a whole part of one.
pub const FRAMES_A_SECOND: f64 = 60.0;
/// A recommendation must hold with a step and a stiffness of so many times its own.
pub const MARGIN: f64 = 1.5;
/// Larger factors that are tried for the report.
const MARGINS: [f64; 3] = [MARGIN, 2.0, 3.0];
/// Settings that cost so many times what the cheapest good ones do are not run to their end.
const TOO_DEAR: f64 = 8.0;
/// Seconds of the first look at every candidate.
const PILOT: f64 = 0.5;
/// Candidates that run at a time.
const SLICE: usize = 8;

/// What settings must achieve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum Goal {
    /// Greatest distance from the reference, at the end of any frame, over the scene's size.
    Error(f64),
    /// Greatest stretch of a link over its rest length.
    Stretch(f64),
}

impl Goal {
    /// What it looks at, in a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error(_) => "error",
            Self::Stretch(_) => "stretch",
        }
    }
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AdviceQuestion {
    /// What settings must achieve.
    pub goal: Goal,
    /// Most seconds of computing a frame of 1/60 s, if that matters.
    pub budget: Option<f64>,
    /// Seconds that every recommendation was run.
    pub duration: f64,
}

/// How settings did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Trial {
    /// What was tried.
    pub settings: Settings,
    /// Seconds that were simulated.
    pub duration: f64,
    /// When it exploded, in seconds, if it did.
    pub exploded_at: Option<f64>,
    /// Greatest distance from the reference over the scene's size; NaN where none was wanted.
    pub error: f64,
    /// Greatest stretch.
    pub stretch: f64,
    /// Seconds of computing for a second of simulation, from the median of the frames.
    pub cost_per_second: f64,
    /// Greatest tried factor on step and on stiffness with which it still does not explode; 1 where
    /// 1.5 is too much, none where it was not tried.
    pub margin: Option<f64>,
}

/// Settings that are left, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rejected {
    /// What people call them.
    pub name: String,
    /// How they did.
    pub trial: Trial,
    /// A sentence.
    pub why: String,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// The cheapest settings that do what was asked, if there are any.
    pub best: Option<Trial>,
    /// Trials of the whole duration that no other beats in both cost and what was asked, from the
    /// cheapest.
    pub front: Vec<Trial>,
    /// Well-known settings that were not chosen.
    pub rejected: Vec<Rejected>,
    /// How many settings were tried.
    pub tried: usize,
}

impl Trial {
    /// What the goal looks at.
    pub fn measure(&self, goal: Goal) -> f64 {
        let measured = match goal {
            Goal::Error(_) => self.error,
            Goal::Stretch(_) => self.stretch,
        };
        if self.exploded_at.is_some() || measured.is_nan() { f64::INFINITY } else { measured }
    }

    /// Whether a run of the whole duration achieved what was asked within the budget.
    fn achieves(&self, question: &AdviceQuestion) -> bool {
        let (Goal::Error(most) | Goal::Stretch(most)) = question.goal;
        let affordable =
            question.budget.is_none_or(|most| self.cost_per_second / FRAMES_A_SECOND <= most);
        self.duration >= question.duration && self.measure(question.goal) <= most && affordable
    }

    /// Whether it does what was asked, and goes on doing so with the margin.
    pub fn is_recommended(&self, question: &AdviceQuestion) -> bool {
        self.achieves(question) && self.margin.is_some_and(|margin| margin >= MARGIN)
    }
}

/// Tries what is worth trying. Every trial is sent; `clock` returns seconds.
pub fn advise(
    parts: &Arc<Parts>,
    lane: &Settings,
    question: &AdviceQuestion,
    clock: &(dyn Fn() -> f64 + Sync),
    work: &Work<Trial>,
) -> Result<Advice, Cancelled> {
    let reference = reference(parts, lane, question, work)?;
    let tester = Tester { parts, reference, size: extent(parts), clock };
    let rivals = rivals(lane);
    let mut candidates = candidates(parts, lane);
    work.expect((2 * candidates.len() + rivals.len()) as u64);
    let mut trials = Vec::new();
    let mut looks = Vec::new();
    for slice in candidates.chunks(SLICE) {
        let look = |settings: &Settings| {
            let look = tester.run(parts, settings, PILOT.min(question.duration));
            work.done(1).map(|()| look)
        };
        looks.extend(slice.par_iter().map(look).collect::<Result<Vec<_>, _>>()?);
    }
    looks.retain(|look| look.exploded_at.is_none());
    work.done((candidates.len() - looks.len()) as u64)?;
    looks.sort_by(|a, b| a.cost_per_second.total_cmp(&b.cost_per_second));
    candidates = looks.iter().map(|look| look.settings).collect();
    let mut cheapest = f64::INFINITY;
    for (slice, looks) in candidates.chunks(SLICE).zip(looks.chunks(SLICE)) {
        let full = |(settings, look): (&Settings, &Trial)| {
            let dear = look.cost_per_second > TOO_DEAR * cheapest;
            let trial = if dear { None } else { Some(tester.judge(settings, question)) };
            work.done(1).map(|()| trial)
        };
        let found = slice.par_iter().zip(looks).map(full).collect::<Result<Vec<_>, _>>()?;
        for trial in found.into_iter().flatten() {
            if trial.is_recommended(question) {
                cheapest = cheapest.min(trial.cost_per_second);
            }
            work.send(trial);
            trials.push(trial);
        }
    }
    let full = |(name, settings): &(String, Settings)| {
        let trial = tester.judge(settings, question);
        work.done(1).map(|()| (name.clone(), trial))
    };
    let rivals = rivals.par_iter().map(full).collect::<Result<Vec<_>, _>>()?;
    trials.extend(rivals.iter().map(|(_, trial)| *trial));
    let mut advice = Advice::of(question, &trials);
    advice.reject(question, rivals);
    Ok(advice)
}

impl Advice {
    /// What some trials say. Of an interrupted search, the trials that it sent.
    pub fn of(question: &AdviceQuestion, trials: &[Trial]) -> Self {
        let by_cost = |a: &&Trial, b: &&Trial| a.cost_per_second.total_cmp(&b.cost_per_second);
        let good = trials.iter().filter(|trial| trial.is_recommended(question));
        let best = good.min_by(by_cost).copied();
        let whole = |trial: &&Trial| {
            trial.duration >= question.duration && trial.measure(question.goal).is_finite()
        };
        let mut sorted: Vec<&Trial> = trials.iter().filter(whole).collect();
        sorted.sort_by(by_cost);
        let mut least = f64::INFINITY;
        let front = sorted.into_iter().filter(|trial| {
            let measure = trial.measure(question.goal);
            let better = measure < least;
            least = least.min(measure);
            better
        });
        let front = front.copied().collect();
        Self { best, front, rejected: Vec::new(), tried: trials.len() }
    }

    fn reject(&mut self, question: &AdviceQuestion, rivals: Vec<(String, Trial)>) {
        let left = rivals
            .into_iter()
            .filter(|(_, trial)| self.best.is_none_or(|best| best.settings != trial.settings));
        self.rejected = left
            .map(|(name, trial)| {
                let why = why_not(question, &trial, self.best.as_ref());
                Rejected { name, trial, why }
            })
            .collect();
    }
}

/// A share in percent, with four digits at most.
pub fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent != 0.0 && !(1e-4..1e6).contains(&percent.abs()) {
        return format!("{percent:.3e} %");
    }
    let digits = (3.0 - percent.abs().max(1e-4).log10().floor()).clamp(0.0, 8.0) as usize;
    let text = format!("{percent:.digits$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    format!("{text} %")
}

/// Why a trial was not chosen.
fn why_not(question: &AdviceQuestion, trial: &Trial, best: Option<&Trial>) -> String {
    let (Goal::Error(most) | Goal::Stretch(most)) = question.goal;
    let measure = trial.measure(question.goal);
    let what = question.goal.name();
    let frame = trial.cost_per_second / FRAMES_A_SECOND;
    match (trial.exploded_at, question.budget, trial.margin, best) {
        (Some(t), ..) => format!("explodes at {t:.3} s"),
        _ if measure > most => format!("{what} {}, asked for {}", percent(measure), percent(most)),
        (_, Some(budget), ..) if frame > budget => {
            format!("takes {:.3} ms a frame, the budget is {:.3} ms", 1e3 * frame, 1e3 * budget)
        }
        (.., Some(margin), _) if margin < MARGIN => {
            format!("holds, but not with a step or a stiffness of {MARGIN} times its own")
        }
        (.., Some(best)) => {
            format!("holds, at {:.2} times the cost", trial.cost_per_second / best.cost_per_second)
        }
        _ => "holds".to_owned(),
    }
}

/// Where everything should be at the end of every frame; none where only stretch is asked for.
fn reference(
    parts: &Arc<Parts>,
    lane: &Settings,
    question: &AdviceQuestion,
    work: &Work<Trial>,
) -> Result<Option<Reference>, Cancelled> {
    if matches!(question.goal, Goal::Stretch(_)) {
        return Ok(None);
    }
    let instants = (question.duration * FRAMES_A_SECOND).round().max(1.0) as u64;
    let duration = instants as f64 / FRAMES_A_SECOND;
    let times = Times { duration, instants, finest: instants, tolerance: REFERENCE_TOLERANCE };
    let check = || work.check();
    Ok(Some(Reference::of_lane(parts, lane, times, &check)?))
}

struct Tester<'a> {
    parts: &'a Arc<Parts>,
    reference: Option<Reference>,
    size: f64,
    clock: &'a (dyn Fn() -> f64 + Sync),
}

impl Tester<'_> {
    /// Runs for the whole duration and, if that is good, with margins.
    fn judge(&self, settings: &Settings, question: &AdviceQuestion) -> Trial {
        let mut trial = self.run(self.parts, settings, question.duration);
        if trial.achieves(question) {
            let survives = |factor: f64| {
                let longer = Settings { dt: factor * settings.dt, ..*settings };
                let mut stiffer = Parts::clone(self.parts);
                let links = stiffer.mesh.links.iter().map(|mut link| {
                    link.stiffness *= factor;
                    link
                });
                stiffer.mesh.links = links.collect();
                let alive = |trial: Trial| trial.exploded_at.is_none();
                longer.check().is_ok()
                    && alive(self.run(self.parts, &longer, question.duration))
                    && alive(self.run(&Arc::new(stiffer), settings, question.duration))
            };
            let held = MARGINS.into_iter().take_while(|factor| survives(*factor)).last();
            trial.margin = Some(held.unwrap_or(1.0));
        }
        trial
    }

    /// Runs frame by frame, as many steps as fit in each.
    fn run(&self, parts: &Arc<Parts>, settings: &Settings, duration: f64) -> Trial {
        let mut simulation = Simulation::new(parts.clone(), *settings);
        let frames = (duration * FRAMES_A_SECOND).round().max(1.0) as u64;
        let a_frame = (1.0 / FRAMES_A_SECOND / settings.dt).round().max(1.0) as u32;
        let (mut error, mut stretch) = (0.0_f64, simulation.stretch().max);
        let mut costs = Vec::with_capacity(frames as usize);
        for frame in 1..=frames {
            let started = (self.clock)();
            for _ in 0..a_frame {
                simulation.step(settings.dt);
            }
            costs.push((self.clock)() - started);
            if simulation.explosion().is_some() {
                break;
            }
            stretch = stretch.max(simulation.stretch().max);
            if let Some(reference) = &self.reference {
                error = error.max(reference.distance(frame, &simulation.state().x) / self.size);
            }
        }
        let t = simulation.state().t.max(settings.dt);
        Trial {
            settings: *settings,
            duration: if simulation.explosion().is_some() { t } else { duration },
            exploded_at: simulation.explosion().map(|explosion| explosion.t),
            error: if self.reference.is_some() { error } else { f64::NAN },
            stretch,
            cost_per_second: median(&mut costs) * FRAMES_A_SECOND,
            margin: None,
        }
    }
}

/// The cost of a frame that others on the machine have not delayed.
fn median(costs: &mut [f64]) -> f64 {
    costs.sort_by(f64::total_cmp);
    costs.get(costs.len() / 2).copied().unwrap_or(0.0)
}

/// So many equal steps a frame, each of so many substeps.
fn stepped(lane: &Settings, integrator: Method, a_frame: u32, substeps: u32) -> Settings {
    let dt = 1.0 / (FRAMES_A_SECOND * f64::from(a_frame));
    Settings {
        integrator,
        links: LinkMode::Springs,
        constraints: ConstraintSolver::None,
        dt,
        substeps,
        ..*lane
    }
}

fn held(settings: Settings, constraints: ConstraintSolver) -> Settings {
    Settings { links: LinkMode::Constraints, constraints, ..settings }
}

fn relaxation(iterations: u32) -> ConstraintSolver {
    ConstraintSolver::Relaxation(Relaxation { iterations, ..Relaxation::default() })
}

fn xpbd(iterations: u32) -> ConstraintSolver {
    ConstraintSolver::Xpbd(Xpbd { iterations, ..Xpbd::default() })
}

/// Everything that is worth trying on a scene.
fn candidates(parts: &Parts, lane: &Settings) -> Vec<Settings> {
    let mut all = Vec::new();
    for method in Method::all() {
        // The reference itself, and what gains energy at every step.
        let info = method.info();
        if matches!(method, Method::DormandPrince(_)) || info.stability_limit == 0.0 {
            continue;
        }
        let most = if info.implicit { 16 } else { 512 };
        let counts = (0..10).map(|power| 1_u32 << power).filter(|count| *count <= most);
        all.extend(counts.map(|count| stepped(lane, method, count, 1)));
    }
    let links = &parts.mesh.links;
    let solvers = [relaxation(1), xpbd(1), ConstraintSolver::Shake(Shake::default())];
    for solver in solvers {
        if !links.iter().any(|link| solver.takes(&link)) {
            continue;
        }
        for method in [Method::SymplecticEuler, Method::VelocityVerlet] {
            let counts: &[u32] = if solver.has_tolerance() { &[] } else { &[1, 5, 20, 80] };
            for a_frame in [1, 2, 4, 8] {
                for &count in counts {
                    let mut solver = solver;
                    solver.set_iterations(count);
                    all.push(held(stepped(lane, method, a_frame, 1), solver));
                }
            }
            if solver.has_tolerance() {
                let steps = [1, 2, 4, 8, 16].map(|n| held(stepped(lane, method, n, 1), solver));
                all.extend(steps);
            } else {
                let steps = [4, 8, 16, 32].map(|n| held(stepped(lane, method, 1, n), solver));
                all.extend(steps);
            }
        }
    }
    all
}

/// What people use.
fn rivals(lane: &Settings) -> Vec<(String, Settings)> {
    let euler = Method::SymplecticEuler;
    let mut all: Vec<(String, Settings)> = [
        ("explicit Euler, 1/960 s", Method::ExplicitEuler, 16),
        ("symplectic Euler, 1/60 s", euler, 1),
        ("symplectic Euler, 1/960 s", euler, 16),
        ("velocity Verlet, 1/60 s", Method::VelocityVerlet, 1),
        ("RK4, 1/60 s", Method::Rk4, 1),
        ("RK4, 1/240 s", Method::Rk4, 4),
        ("implicit Euler, 1/60 s", Method::ImplicitEuler, 1),
    ]
    .map(|(name, method, count)| (name.to_owned(), stepped(lane, method, count, 1)))
    .into();
    let held_rivals = [
        ("Verlet + relaxation, 10 sweeps, 1/60 s", relaxation(10), 1),
        ("Verlet + relaxation, 50 sweeps, 1/60 s", relaxation(50), 1),
        ("XPBD, 20 sweeps, 1/60 s", xpbd(20), 1),
        ("XPBD, 20 substeps of 1 sweep, 1/60 s", xpbd(1), 20),
    ];
    all.extend(held_rivals.map(|(name, solver, substeps)| {
        (name.to_owned(), held(stepped(lane, Method::VelocityVerlet, 1, substeps), solver))
    }));
    all
}
