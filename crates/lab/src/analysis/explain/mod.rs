//! Explanation of a lane (one simulation of the scene) that exploded or behaves badly, with
//! remedies that were tried.

mod cause;
mod changes;
mod enough_damping;
mod explain_job;
mod explanation;
mod growing_mode;
mod jitter;
mod lane_run;
mod longest_step;
mod outcome;
mod question;
mod remedies;
mod scene_change;
mod solver_changes;
mod step_lengths;
mod symptoms;
mod trial;

pub use cause::Cause;
pub use explanation::{Explanation, Finding};
pub use growing_mode::GrowingMode;
pub use outcome::{Outcome, Remedy};
pub use question::ExplainQuestion;
pub use scene_change::NewNumber;
pub use symptoms::{Symptom, SymptomKind};

pub use super::runs::run_energy::Ending;

use super::in_words::{factor, seconds_in_words};
use super::job::{Cancelled, Work};
use super::runs::work::WORK_OF_A_SECOND;
use explain_job::ExplainJob;
use lane_run::LaneRun;
use question::FRAME;
use std::sync::atomic::{AtomicU64, Ordering};

/// Maximum work of the run that repeats the lane.
const MOST_WORK_OF_LANE_RUN: u64 = 5 * WORK_OF_A_SECOND;
/// Maximum work for finding cause and symptoms.
const MOST_WORK_OF_CAUSE: u64 = 4 * WORK_OF_A_SECOND;
/// Maximum work for finding the longest stable step. It has its own budget, because a cause that is
/// hard to find would otherwise use up the work.
const MOST_WORK_OF_LIMIT: u64 = 4 * WORK_OF_A_SECOND;
/// Maximum work of all remedies: 9 s of two threads.
const MOST_WORK_OF_REMEDIES: u64 = 18 * WORK_OF_A_SECOND;
/// Additional work for remedies that have been stable so far but are unfinished, as in a large
/// scene.
const MORE_WORK_TO_FINISH: u64 = 40 * WORK_OF_A_SECOND;

/// Runs the lane, finds its cause or its symptoms, and tries remedies. `clock` returns seconds and
/// is used only to measure costs: the search ends at a fixed number of force evaluations and
/// sweeps. Remedies are tried in parallel, so their costs are measured on a busy machine. Findings
/// are sent through `work` as partial results.
pub fn explain(
    question: &ExplainQuestion,
    clock: &(dyn Fn() -> f64 + Sync),
    work: &Work<Finding>,
) -> Result<Explanation, Cancelled> {
    let spent = AtomicU64::new(0);
    let done = || spent.load(Ordering::Relaxed);
    let check = || work.check();
    let job = |budget: u64| {
        let end = done() + budget;
        ExplainJob { question, check: &check, clock, spent: &spent, end, keeps_account: false }
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
        seconds_until_end: lane_run.ending.map_or(lane_run.seconds, |ending| ending.t()),
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
    let remedies = remedies::try_all(&trials, work, &why, MORE_WORK_TO_FINISH)?;
    Ok(Explanation { remedies, ..why })
}

/// Returns a cost per frame as text, followed by its ratio to the cost of the unchanged lane: `12.5
/// µs (× 1.4)`; `–` without a measurement.
pub fn price_in_words(cost_per_frame: f64, ratio: f64) -> String {
    if cost_per_frame.is_nan() {
        return "–".to_owned();
    }
    let frame = seconds_in_words(cost_per_frame);
    if ratio.is_finite() { format!("{frame} (× {})", factor(ratio)) } else { frame }
}
