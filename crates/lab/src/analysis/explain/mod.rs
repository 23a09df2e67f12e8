//! Explanation of a lane that exploded or behaves badly, with remedies that were tried.

mod cause;
mod changes;
mod enough_damping;
mod growing_mode;
mod jitter;
mod lane_run;
mod longest_step;
mod outcome;
mod remedies;
mod scene_change;
mod solver_changes;
mod step_lengths;
mod symptoms;
mod trial;

pub use cause::Cause;
pub use growing_mode::GrowingMode;
pub use outcome::Outcome;
pub use remedies::Remedy;
pub use scene_change::NewNumber;
pub use symptoms::{Symptom, SymptomKind};

pub use super::runs::run_energy::Ending;

use super::in_words::{factor, seconds_in_words};
use super::job::{Cancelled, Work};
use super::runs::work::{WORK_OF_A_SECOND, work_of_last_step};
use crate::measure::Explosion;
use crate::scene::vary::VariableScene;
use crate::session::{InputReplay, Inputs};
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use lane_run::LaneRun;
use serde::Serialize;
use std::cmp;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Second difference x(t+h) − 2 x(t) + x(t−h) of a particle's positions, as a fraction of the mean
/// link length, above which a vibration no longer counts as small.
const LARGEST_SMALL: f64 = 0.1;
/// Upper limit of the work of the run that repeats the lane.
const MOST_WORK_OF_LANE_RUN: u64 = 5 * WORK_OF_A_SECOND;
/// Upper limit of the work for finding cause and symptoms.
const MOST_WORK_OF_CAUSE: u64 = 4 * WORK_OF_A_SECOND;
/// Upper limit of the work for finding the longest stable step. It is separate from the work for
/// the cause, so that a hard cause does not suppress the longest stable step.
const MOST_WORK_OF_LIMIT: u64 = 4 * WORK_OF_A_SECOND;
/// Upper limit of the work of all remedies: 9 s of two threads.
const MOST_WORK_OF_REMEDIES: u64 = 18 * WORK_OF_A_SECOND;
/// Additional work for remedies that were stable so far but did not finish, as in a large scene.
const MORE_WORK_TO_FINISH: u64 = 40 * WORK_OF_A_SECOND;
/// Duration of a displayed frame, in seconds.
const FRAME: f64 = 1.0 / 60.0;

/// Input of [`explain`]: a lane (one simulation of the scene) and its recorded inputs.
#[derive(Clone, Debug)]
pub struct ExplainQuestion {
    /// Lane at the start of the run that is to be explained.
    pub start: Simulation,
    /// Inputs during the run: hand, cuts, changed settings.
    pub inputs: Inputs,
    /// Step in seconds. If frames decide the step and frames are unknown, the assumed frame time.
    pub dt: f64,
    /// Frame times in seconds, repeated cyclically; empty if unknown.
    pub frames: Arc<[f64]>,
    /// Duration of the run in simulated seconds.
    pub duration: f64,
    /// Scene with the numbers of its file; `None` if unknown. Remedies may change these numbers.
    pub scene: Option<VariableScene>,
}

impl ExplainQuestion {
    /// Creates the question about a lane without inputs, without known frames, and without the
    /// numbers of its file.
    pub fn of(start: Simulation, duration: f64) -> Self {
        let Settings { stepping, dt, .. } = *start.settings();
        let dt = if stepping.uses_dt() { dt } else { FRAME };
        Self { start, inputs: Inputs::default(), dt, frames: [].into(), duration, scene: None }
    }
}

/// Explanation of a lane: cause, symptoms and tried remedies.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// Cause of the explosion or growth.
    pub cause: Cause,
    /// Event and its cause as a sentence, e.g. that the lane explodes after 1.8 s, and why.
    pub headline: String,
    /// Sentences with the numbers behind the cause.
    pub reason: String,
    /// Explosion of the lane.
    pub explosion: Option<Explosion>,
    /// Simulated seconds up to the explosion or energy gain, or to the end.
    pub lived: f64,
    /// Computing time per frame of 1/60 s in seconds, before the explosion.
    pub cost_per_frame: f64,
    /// Vibration that grew.
    pub mode: Option<GrowingMode>,
    /// Longest stable step in seconds, as of `limit`; 0 = none, null = any or unknown.
    pub longest_step: Option<f64>,
    /// Symptoms of a lane that did not explode.
    pub symptoms: Vec<Symptom>,
    /// Remedies with the results of their trials, in a fixed order.
    pub remedies: Vec<Remedy>,
}

impl Explanation {
    /// True if the lane neither explodes nor grows, and has no symptom.
    pub fn is_well(&self) -> bool {
        self.cause == Cause::Holds && self.symptoms.is_empty()
    }

    /// Returns the remedy to recommend: among those that cure, one that changes only settings if
    /// there is one, then the one with the least computing time. `None` if no remedy cures.
    pub fn best_remedy(&self) -> Option<&Remedy> {
        self.best_remedies_first().into_iter().next().filter(|remedy| remedy.holds)
    }

    /// Returns the change of the scene that cures at less cost than [`Self::best_remedy`], which
    /// changes only settings; `None` if there is none.
    pub fn cheaper_scene_change(&self) -> Option<&Remedy> {
        let best = self.best_remedy().filter(|best| best.scene.is_empty())?;
        let others = self.best_remedies_first().into_iter();
        let mut cures = others.filter(|remedy| remedy.holds && !remedy.scene.is_empty());
        cures.next().filter(|remedy| remedy.cost_per_frame < best.cost_per_frame)
    }

    /// Returns the remedies sorted for display. Remedies that cure come first: changes of settings
    /// before changes of the scene, each group by computing time. The others follow in the order of
    /// their trials.
    pub fn best_remedies_first(&self) -> Vec<&Remedy> {
        let mut remedies: Vec<&Remedy> = self.remedies.iter().collect();
        remedies.sort_by(|a, b| match (a.holds, b.holds) {
            (true, true) => {
                let scene = |remedy: &Remedy| !remedy.scene.is_empty();
                scene(a).cmp(&scene(b)).then(a.cost_per_frame.total_cmp(&b.cost_per_frame))
            }
            (false, false) => cmp::Ordering::Equal,
            _ => b.holds.cmp(&a.holds),
        });
        remedies
    }

    /// Returns the unfinished remedy with the longest stable run, and the simulated seconds of that
    /// run.
    pub fn longest_unfinished(&self) -> Option<(&Remedy, f64)> {
        let unfinished = self.remedies.iter().filter_map(|remedy| match remedy.outcome {
            Outcome::Unfinished { seconds } => Some((remedy, seconds)),
            _ => None,
        });
        unfinished.max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// Partial result of an explanation, sent before the end of the job.
#[derive(Clone, Debug)]
pub enum Finding {
    /// Explanation, still without remedies.
    Why(Box<Explanation>),
    /// Remedy that was tried.
    Tried(Box<Remedy>),
}

impl Finding {
    /// Adds the finding to the explanation that is known so far.
    pub fn add_to(self, known: &mut Option<Explanation>) {
        match (self, known) {
            (Self::Why(why), known) => *known = Some(*why),
            (Self::Tried(remedy), Some(known)) => known.remedies.push(*remedy),
            (Self::Tried(_), None) => {}
        }
    }
}

/// Question and its job, with a budget of work for the part of the answer that is being computed.
/// Work is counted by [`work_of_last_step`], so that budgets end at the same step on every machine.
#[derive(Clone, Copy)]
pub(super) struct ExplainJob<'a> {
    pub question: &'a ExplainQuestion,
    pub work: &'a Work<Finding>,
    /// Clock that measures the cost of steps.
    clock: &'a (dyn Fn() -> f64 + Sync),
    /// Counter of the work that one thread has done.
    spent: &'a AtomicU64,
    /// Count of work at which the budget ends.
    end: u64,
    /// True if trials keep the energy account, because the total energy hides the explained gain.
    keeps_account: bool,
}

impl ExplainJob<'_> {
    /// Returns the reading of the clock in seconds.
    pub fn now(&self) -> f64 {
        (self.clock)()
    }

    /// Takes a step and counts its work. Returns its computing time in seconds and its work.
    pub fn step(
        &self,
        inputs: &mut InputReplay,
        simulation: &mut Simulation,
        dt: f64,
    ) -> (f64, u64) {
        let started = self.now();
        inputs.step(simulation, dt);
        let passed = self.now() - started;
        let work = work_of_last_step(simulation);
        self.spend(work);
        (passed, work)
    }

    /// Counts work that was done.
    pub fn spend(&self, work: u64) {
        self.spent.fetch_add(work, Ordering::Relaxed);
    }

    /// True if the budget is spent.
    pub fn is_over(&self) -> bool {
        self.left() == 0
    }

    /// Returns the job with a budget of at most `work`. A smaller budget is kept.
    pub fn within(&self, work: u64) -> Self {
        Self { end: self.end.min(self.spent.load(Ordering::Relaxed) + work), ..*self }
    }

    /// Returns the job with a counter and a budget of its own, for another thread.
    pub fn with_budget<'b>(&'b self, spent: &'b AtomicU64, work: u64) -> ExplainJob<'b> {
        ExplainJob { spent, end: work, ..*self }
    }

    /// Returns the remaining work.
    pub fn left(&self) -> u64 {
        self.end.saturating_sub(self.spent.load(Ordering::Relaxed))
    }
}

/// Runs the lane, finds its cause or its symptoms, and tries remedies. `clock` returns seconds, and
/// measures costs only: counted work ends the search. Remedies are tried in parallel, so their
/// costs are measured on a busy machine. Findings are sent through `work` as partial results.
pub fn explain(
    question: &ExplainQuestion,
    clock: &(dyn Fn() -> f64 + Sync),
    work: &Work<Finding>,
) -> Result<Explanation, Cancelled> {
    let spent = AtomicU64::new(0);
    let done = || spent.load(Ordering::Relaxed);
    let job = |budget: u64| {
        let end = done() + budget;
        ExplainJob { question, work, clock, spent: &spent, end, keeps_account: false }
    };
    let report_left = |left: u64| work.report_remaining(done() as f64, left as f64);
    let lane_run = LaneRun::of(&job(MOST_WORK_OF_LANE_RUN))?;
    report_left(MOST_WORK_OF_CAUSE + MOST_WORK_OF_LIMIT + MOST_WORK_OF_REMEDIES);
    let after_story = job(MOST_WORK_OF_CAUSE);
    let mode = GrowingMode::of(&after_story, &lane_run)?;
    let cause = cause::find_cause(&after_story, &lane_run, mode.as_ref())?;
    let symptoms = match lane_run.ending {
        None => symptoms::find_symptoms(&after_story, &lane_run)?,
        Some(_) => Vec::new(),
    };
    let longest = longest_step::find_longest_step(&job(MOST_WORK_OF_LIMIT), &lane_run)?;
    let (headline, numbers) = cause::cause_in_words(cause, question, &lane_run, mode.as_ref());
    let sentence = longest
        .as_ref()
        .map(|limit| longest_step::longest_step_in_words(question, &lane_run, limit));
    let sentences = [numbers, sentence.unwrap_or_default()];
    let reason = sentences.join(" ").trim().to_owned();
    let why = Explanation {
        cause,
        headline,
        reason,
        explosion: lane_run.ending.and_then(|ending| ending.explosion()),
        lived: lane_run.ending.map_or(lane_run.seconds, |ending| ending.t()),
        cost_per_frame: lane_run.cost * FRAME,
        mode,
        longest_step: longest.map(|limit| limit.longest()).filter(|dt| dt.is_finite()),
        symptoms,
        remedies: Vec::new(),
    };
    work.send(Finding::Why(Box::new(why.clone())));
    report_left(MOST_WORK_OF_REMEDIES);
    let keeps_account = cause == Cause::DampedGain;
    let trials = ExplainJob { keeps_account, ..job(MOST_WORK_OF_REMEDIES) };
    let remedies = remedies::try_all(&trials, &why, MORE_WORK_TO_FINISH)?;
    Ok(Explanation { remedies, ..why })
}

/// Returns a cost per frame in words, with its ratio to the cost of the unchanged lane: `12.5 µs (×
/// 1.4)`; `–` without a measurement.
pub fn price_in_words(cost_per_frame: f64, ratio: f64) -> String {
    if cost_per_frame.is_nan() {
        return "–".to_owned();
    }
    let frame = seconds_in_words(cost_per_frame);
    if ratio.is_finite() { format!("{frame} (× {})", factor(ratio)) } else { frame }
}
