//! Longest stable step of an explained lane (one simulation of the scene): the value that the
//! command `limit` and the window show.

use super::explain_job::ExplainJob;
use super::lane_run::LaneRun;
use super::question::ExplainQuestion;
use crate::analysis::in_words::seconds_in_words;
use crate::analysis::job::Cancelled;
use crate::analysis::stability::{Limit, find_limit, work_with_sweeps};
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;

enum Stop {
    Cancelled(Cancelled),
    BudgetIsSpent,
}

/// Finds the longest stable step of the lane from its start, and confirms it by a run. `None` if
/// the work budget ends first.
pub(super) fn find_longest_step(
    job: &ExplainJob,
    lane_run: &LaneRun,
) -> Result<Option<Limit>, Cancelled> {
    let mut lane: Simulation = job.question.start.clone();
    lane.configure(Settings { dt: lane_run.longest_step, ..*lane.settings() });
    let work = work_with_sweeps(&lane) as u64;
    let check = || {
        job.check().map_err(Stop::Cancelled)?;
        job.spend(work);
        if job.is_over() { Err(Stop::BudgetIsSpent) } else { Ok(()) }
    };
    match find_limit(&lane, check) {
        Ok(limit) => Ok(Some(limit)),
        Err(Stop::BudgetIsSpent) => Ok(None),
        Err(Stop::Cancelled(cancelled)) => Err(cancelled),
    }
}

/// Returns a sentence about the limit; empty if neither theory nor runs have found a limit, or if a
/// solver constrains the links.
pub(super) fn longest_step_in_words(
    question: &ExplainQuestion,
    lane_run: &LaneRun,
    limit: &Limit,
) -> String {
    let settings = question.start.settings();
    if limit.mode.is_none() && (limit.shortened().is_some() || limit.gains_down_to().is_some()) {
        return limit.verdict_on(lane_run.longest_step);
    }
    let has_one = limit.mode.is_some() && limit.misfit.is_none();
    if !has_one || !settings.solver().is_none() {
        return String::new();
    }
    let longest = limit.longest();
    if lane_run.ending.is_none() || lane_run.longest_step > longest {
        return limit.verdict_on(lane_run.longest_step);
    }
    let step = match longest.is_finite() {
        true => format!("steps up to {}", seconds_in_words(longest)),
        false => "every step".to_owned(),
    };
    format!(
        "Small vibrations are stable with {step}, but this lane gains energy with a shorter step."
    )
}
