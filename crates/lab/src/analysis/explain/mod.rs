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
use crate::measure::Explosion;
use crate::scene::vary::VariableScene;
use crate::session::Inputs;
use crate::simulation::Simulation;
use lane_run::LaneRun;
use serde::Serialize;
use std::cmp::Ordering;
use std::sync::Arc;

/// Second difference x(t+h) − 2 x(t) + x(t−h) of a particle's positions, as a fraction of the mean
/// link length, above which a vibration no longer counts as small.
const LARGEST_SMALL: f64 = 0.1;
/// Upper limit of the computing time of the run that repeats the lane, in seconds.
const TIME_OF_LANE_RUN: f64 = 5.0;
/// Upper limit of the computing time for finding cause and symptoms, in seconds.
const TIME_OF_CAUSE: f64 = 4.0;
/// Upper limit of the computing time for finding the longest stable step, in seconds. This time is
/// separate from the time for the cause, so that a hard cause does not suppress the longest stable
/// step.
const TIME_OF_LIMIT: f64 = 4.0;
/// Upper limit of the computing time of all remedies, in seconds.
const TIME_OF_REMEDIES: f64 = 9.0;
/// Additional computing time in seconds for remedies that were stable so far but did not finish, as
/// on a slow machine or in a large scene.
const TIME_TO_FINISH: f64 = 20.0;
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
    /// Tried remedies.
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
            (false, false) => Ordering::Equal,
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

/// Question and its job, with a limit of computing time for the part of the answer that is being
/// computed.
#[derive(Clone, Copy)]
pub(super) struct ExplainJob<'a> {
    pub question: &'a ExplainQuestion,
    pub work: &'a Work<Finding>,
    clock: &'a (dyn Fn() -> f64 + Sync),
    /// Reading of the clock at which the computing time ends, in seconds.
    end: f64,
}

impl ExplainJob<'_> {
    /// Returns the reading of the clock in seconds.
    pub fn now(&self) -> f64 {
        (self.clock)()
    }

    /// True if the computing time of the job has ended.
    pub fn is_over(&self) -> bool {
        self.now() > self.end
    }

    /// Returns the job with an end at most `seconds` from now. An earlier end is kept.
    pub fn within(&self, seconds: f64) -> Self {
        Self { end: self.end.min(self.now() + seconds), ..*self }
    }

    /// Returns the job with an end that is `seconds` later.
    pub fn later(&self, seconds: f64) -> Self {
        Self { end: self.end + seconds, ..*self }
    }

    /// Returns the remaining computing time in seconds.
    pub fn left(&self) -> f64 {
        (self.end - self.now()).max(0.0)
    }
}

/// Runs the lane, finds its cause or its symptoms, and tries remedies. `clock` returns seconds.
/// Remedies are tried in parallel, so their costs are measured on a busy machine. Findings are sent
/// through `work` as partial results.
pub fn explain(
    question: &ExplainQuestion,
    clock: &(dyn Fn() -> f64 + Sync),
    work: &Work<Finding>,
) -> Result<Explanation, Cancelled> {
    let started = clock();
    let report_remaining = |left: f64| work.report_remaining(clock() - started, left);
    let job = |seconds: f64| ExplainJob { question, work, clock, end: clock() + seconds };
    let lane_run = LaneRun::of(&job(TIME_OF_LANE_RUN))?;
    report_remaining(TIME_OF_CAUSE + TIME_OF_LIMIT + TIME_OF_REMEDIES);
    let after_story = job(TIME_OF_CAUSE);
    let mode = GrowingMode::of(&after_story, &lane_run)?;
    let cause = cause::find_cause(&after_story, &lane_run, mode.as_ref())?;
    let symptoms = match lane_run.ending {
        None => symptoms::find_symptoms(&after_story, &lane_run)?,
        Some(_) => Vec::new(),
    };
    let longest = longest_step::find_longest_step(&job(TIME_OF_LIMIT), &lane_run)?;
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
    report_remaining(TIME_OF_REMEDIES);
    let remedies = remedies::try_all(&job(TIME_OF_REMEDIES), &why, &report_remaining)?;
    Ok(Explanation { remedies, ..why })
}

/// Returns a cost per frame in words, with its ratio to the cost of the unchanged lane: `12.5 µs (×
/// 1.4)`.
pub fn price_in_words(cost_per_frame: f64, ratio: f64) -> String {
    let frame = seconds_in_words(cost_per_frame);
    if ratio.is_finite() { format!("{frame} (× {})", factor(ratio)) } else { frame }
}
