//! Remedies: changes of the lane (one simulation of the scene with its own settings). Each change
//! is tried from the lane's start, and from the same start with perturbed velocities.

use super::cause::Cause;
use super::changes::{Change, collect_changes};
use super::explain_job::ExplainJob;
use super::explanation::{Explanation, Finding};
use super::outcome::{Outcome, Remedy};
use super::question::{ExplainQuestion, FRAME};
use super::step_lengths::lost_time;
use super::symptoms::{
    BLAMED_RESIDUAL, RUBBERY, Symptom, SymptomKind, find_own_symptom, in_fixed_steps, is_restless,
};
use super::trial::{Candidate, Span, Trial, largest_distance};
use crate::analysis::accuracy::reference::motion_size;
use crate::analysis::accuracy::reference_plan::{acts_between_steps, with_parabolas};
use crate::analysis::job::{Cancelled, Work};
use crate::analysis::runs::enough_sweeps::VISIBLE_ERROR;
use crate::analysis::runs::run_energy::Ending;
use crate::integrate::{DormandPrince, Method};
use crate::measure::Softness;
use crate::simulation::settings::Settings;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};

/// Duration of a remedy's run, as a multiple of the time until the lane exploded.
const TIMES_AS_LONG: f64 = 10.0;
/// Shortest run of a remedy, in simulated seconds.
const SHORTEST_RUN: f64 = 20.0;
/// Longest run of a remedy, in simulated seconds.
const LONGEST_RUN: f64 = 60.0;
/// A run that precedes the trials of remedies (the reference run, or the run of the unchanged lane)
/// may use at most the remaining work divided by this number.
const REFERENCE_WORK_DIVISOR: u64 = 10;
/// Tolerance of the Dormand–Prince reference run, used if all links are springs.
const REFERENCE_TOLERANCE: f64 = 1e-8;
/// Reference steps per lane step if a solver constrains the links, or per lane substep if something
/// acts only at the ends of steps.
const REFERENCE_STEPS: u32 = 8;
/// Largest mean strain of a remedy's links at which they count as clearly shorter, as a fraction of
/// the mean strain in the lane.
const SHORTER_LINKS: f64 = 0.9;

/// Tries the series of changes against the cause and the symptoms in two rounds. In the first
/// round, all series share half the budget equally. In the second round, the unfinished series
/// share the rest and `more` equally. The shares do not depend on threads or time. Results are sent
/// in the order of the series.
pub(super) fn try_all(
    job: &ExplainJob,
    work: &Work<Finding>,
    why: &Explanation,
    more: u64,
) -> Result<Vec<Remedy>, Cancelled> {
    let series_list = collect_changes(job.question, why);
    if series_list.is_empty() {
        return Ok(Vec::new());
    }
    let context = TrialContext {
        question: job.question,
        work,
        why,
        reference: run_reference(&job.within(job.left() / REFERENCE_WORK_DIVISOR), why)?,
        own: run_unchanged_lane(&job.within(job.left() / REFERENCE_WORK_DIVISOR), why)?,
    };
    let all: Vec<&[Change]> = series_list.iter().map(Vec::as_slice).collect();
    let first = context.try_in_order(job, &all, part_of(job.left() / 2, all.len()), false)?;
    let spent: u64 = first.iter().map(|trial| trial.spent).sum();
    let open: Vec<&[Change]> =
        first.iter().map(|trial| trial.left).filter(|left| !left.is_empty()).collect();
    let rest = job.left().saturating_sub(spent) + more;
    let long = part_of(rest, open.len());
    work.report_remaining(spent as f64, (long * open.len() as u64) as f64);
    let mut second = context.try_in_order(job, &open, long, true)?.into_iter();
    let mut remedies = Vec::new();
    for trial in first {
        let last = if trial.left.is_empty() { Some(trial) } else { second.next() };
        remedies.extend(last.into_iter().flat_map(|trial| trial.remedies));
    }
    Ok(remedies)
}

/// Returns the budget of each of `count` trials that share `work`. Each trial runs on one of two
/// threads, so its budget is at most half of `work`.
fn part_of(work: u64, count: usize) -> u64 {
    work / count.max(2) as u64
}

struct SeriesTrial<'a> {
    /// Results of the tried changes. If the budget ends before the next change, that change is
    /// listed as not tried.
    remedies: Vec<Remedy>,
    /// Changes that remain when the budget ends, starting with the unfinished one.
    left: &'a [Change],
    spent: u64,
}

struct TrialContext<'a> {
    question: &'a ExplainQuestion,
    work: &'a Work<Finding>,
    why: &'a Explanation,
    reference: Option<Trial>,
    /// Run of the unchanged lane, for symptoms that are measured relative to it; `None` if not
    /// needed.
    own: Option<Trial>,
}

impl TrialContext<'_> {
    /// Tries each series with its own budget, and sends the results in the order of the series. A
    /// series with remaining changes sends nothing, except in the `last` round.
    fn try_in_order<'l>(
        &self,
        job: &ExplainJob,
        series_list: &[&'l [Change]],
        budget: u64,
        last: bool,
    ) -> Result<Vec<SeriesTrial<'l>>, Cancelled> {
        // Results that wait for those of earlier series, and the number of sent series.
        let waiting = Mutex::new((BTreeMap::new(), 0));
        // Threads take the series in order, so the first results come first.
        let tried = series_list.iter().enumerate().par_bridge().map(
            |(place, &series)| -> Result<_, Cancelled> {
                let trial = self.try_series(series, job, budget)?;
                let is_known = last || trial.left.is_empty();
                let known = if is_known { trial.remedies.clone() } else { Vec::new() };
                let (waiting, sent) = &mut *waiting.lock().unwrap_or_else(PoisonError::into_inner);
                waiting.insert(place, known);
                while let Some(remedies) = waiting.remove(&*sent) {
                    remedies
                        .into_iter()
                        .for_each(|it| self.work.send(Finding::Tried(Box::new(it))));
                    *sent += 1;
                }
                Ok((place, trial))
            },
        );
        let mut tried = tried.collect::<Result<Vec<_>, Cancelled>>()?;
        tried.sort_by_key(|(place, _)| *place);
        Ok(tried.into_iter().map(|(_, trial)| trial).collect())
    }

    /// Tries the changes of a series in order until one cures the lane or the budget ends.
    fn try_series<'l>(
        &self,
        series: &'l [Change],
        job: &ExplainJob,
        budget: u64,
    ) -> Result<SeriesTrial<'l>, Cancelled> {
        let spent = AtomicU64::new(0);
        let job = &job.with_budget(&spent, budget);
        let mut trial = SeriesTrial { remedies: Vec::new(), left: &[], spent: 0 };
        for (place, change) in series.iter().enumerate() {
            if place > 0 && job.is_over() {
                trial.left = &series[place..];
                trial.remedies.push(self.untried(change));
                break;
            }
            let remedy = self.try_change(change, job)?;
            let (holds, is_open) = (remedy.holds, remedy.outcome.is_open());
            trial.remedies = vec![remedy];
            if is_open {
                trial.left = &series[place..];
            }
            if holds || is_open {
                break;
            }
        }
        trial.spent = spent.into_inner();
        Ok(trial)
    }

    fn untried(&self, change: &Change) -> Remedy {
        Remedy {
            change: change.words.clone(),
            settings: change.candidate.settings,
            scene: change.numbers.clone(),
            outcome: Outcome::NotTried,
            holds: false,
            cost_per_frame: f64::NAN,
            cost_ratio: f64::NAN,
            error: f64::NAN,
            error_size: self.error_size(),
        }
    }

    fn try_change(&self, change: &Change, job: &ExplainJob) -> Result<Remedy, Cancelled> {
        let candidate = &change.candidate;
        let compared_duration = self.compared_duration();
        let whole = Span { compared: compared_duration, all: self.proof_duration() };
        // A short trial first, because most changes that do not cure fail early.
        let soon = Span { compared: compared_duration, all: compared_duration };
        let mut first = Trial::of(job, candidate, soon)?;
        let error_size = self.error_size();
        let error = self.error(&first, change, error_size);
        let cost = first.cost;
        let mut outcome =
            self.early_outcome(&first).or_else(|| self.time_loss(&candidate.settings));
        outcome = outcome.or_else(|| follows_display(&candidate.settings));
        if outcome.is_none() {
            let found = find_own_symptom(&job.within(job.left() / 2), candidate, &first, soon)?;
            let refutes =
                |it: &Symptom| it.kind != SymptomKind::LosingSwing || self.has_swing_error();
            outcome = found.filter(refutes).map(|Symptom { kind, value, .. }| sick(kind, value));
        }
        if outcome.is_none() {
            first = Trial::of(job, candidate, whole)?;
            outcome = outcome_of_end(&first, false);
        }
        if outcome.is_none() {
            let second = Trial::perturbed(job, candidate, whole)?;
            outcome = match outcome_of_end(&second, true) {
                Some(open) if open.is_open() => {
                    Some(Outcome::Unfinished { seconds: first.seconds })
                }
                other => other,
            };
        }
        let cost_per_frame = cost * FRAME;
        let outcome = outcome.unwrap_or(Outcome::Cures { seconds: whole.all });
        Ok(Remedy {
            change: change.words.clone(),
            settings: candidate.settings,
            scene: change.numbers.clone(),
            outcome,
            holds: matches!(outcome, Outcome::Cures { .. }),
            cost_per_frame,
            cost_ratio: cost_per_frame / self.why.cost_per_frame,
            error,
            error_size,
        })
    }

    /// Returns the duration over which a remedy is compared with the reference, in seconds.
    fn compared_duration(&self) -> f64 {
        self.question.duration
    }

    /// Returns the duration for which a remedy must be stable, in seconds.
    fn proof_duration(&self) -> f64 {
        let seconds_until_end =
            if self.why.cause == Cause::Holds { 0.0 } else { self.why.seconds_until_end };
        (TIMES_AS_LONG * seconds_until_end)
            .clamp(SHORTEST_RUN, LONGEST_RUN)
            .max(self.compared_duration())
    }

    /// Returns the outcome if it is already certain after the compared duration: an explosion, an
    /// energy gain, or a remaining symptom. `None` if the run must continue.
    fn early_outcome(&self, trial: &Trial) -> Option<Outcome> {
        match outcome_of_end(trial, false) {
            // If a run has soft links, but a symptom of the lane remains, the symptom is reported
            // instead.
            soft @ (None | Some(Outcome::StillSick { .. })) => {
                self.remaining_symptom(trial).map(|(kind, value)| sick(kind, value)).or(soft)
            }
            other => other,
        }
    }

    /// Returns slow motion as the outcome if the changed settings lose simulated time; `None` if
    /// they do not, or if the unchanged lane loses as much.
    fn time_loss(&self, tried: &Settings) -> Option<Outcome> {
        let lost = |settings| lost_time(self.question, settings);
        let own = lost(self.question.start.settings());
        let value = lost(tried).filter(|_| own != lost(tried))?;
        Some(Outcome::StillSick { symptom: SymptomKind::SlowMotion, value })
    }

    /// Returns the first symptom of the lane that a run still has, with its value.
    fn remaining_symptom(&self, trial: &Trial) -> Option<(SymptomKind, f64)> {
        let start = self.question.start.stretch().mean;
        let is_left = |kind: SymptomKind| match kind {
            SymptomKind::Rubbery | SymptomKind::TurningFar => Some(trial.stretch)
                .filter(|mean| mean - start > RUBBERY && !self.is_material_strain(trial))
                .or_else(|| visible_error(trial)),
            SymptomKind::Restless => Some(trial.jitter[1]).filter(|_| is_restless(trial)),
            SymptomKind::Soft => self.remaining_strain(trial).or_else(|| visible_error(trial)),
            _ => None,
        };
        let kinds = self.why.symptoms.iter().map(|symptom| symptom.kind);
        kinds.into_iter().find_map(|kind| is_left(kind).map(|value| (kind, value)))
    }

    /// True if a run's links are clearly shorter than the lane's and its solver converges. The
    /// remaining strain is then the strain of the material under its load.
    fn is_material_strain(&self, trial: &Trial) -> bool {
        let rubbery = self.why.symptoms.iter().find(|it| it.kind == SymptomKind::Rubbery);
        let is_shorter = rubbery.is_some_and(|own| trial.stretch < SHORTER_LINKS * own.value);
        let projects = !self.question.start.settings().solver().is_none();
        let converges =
            trial.was_soft().is_none() && trial.residual <= BLAMED_RESIDUAL * trial.stretch;
        projects && is_shorter && converges
    }

    /// Returns the mean strain of a run if it is not clearly smaller than the lane's. `None`
    /// otherwise, and for lanes whose solver does not make links more compliant than their
    /// material.
    fn remaining_strain(&self, trial: &Trial) -> Option<f64> {
        let own = self.own.as_ref()?;
        let is_compliant = matches!(own.softness, Some(Softness::TooCompliant(_)));
        (is_compliant && trial.stretch > SHORTER_LINKS * own.stretch).then_some(trial.stretch)
    }

    /// True if the lane loses or gains swing. Only for such a lane does a loss of swing prevent a
    /// cure. An integrator that removes energy may cure an unstable lane, and any solver that
    /// constrains links may cure links that are too long.
    fn has_swing_error(&self) -> bool {
        let is_one = |kind| matches!(kind, SymptomKind::LosingSwing | SymptomKind::GainingSwing);
        self.why.symptoms.iter().any(|symptom| is_one(symptom.kind))
    }

    /// Returns the length in metres that corresponds to an error of 1; `None` without a reference
    /// run.
    fn error_size(&self) -> Option<f64> {
        let parts = self.question.start.parts();
        self.reference.as_ref().map(|reference| motion_size(parts, &reference.samples))
    }

    /// Returns the largest distance of a particle from the reference, as a fraction of `size`; NaN
    /// if the run cannot be compared.
    fn error(&self, trial: &Trial, change: &Change, size: Option<f64>) -> f64 {
        let own = self.question.start.settings();
        let is_comparable =
            change.numbers.is_empty() && !is_made_rigid(own, &change.candidate.settings);
        let is_complete = trial.ending.is_none() && !trial.unfinished;
        match (&self.reference, size) {
            (Some(reference), Some(size)) if is_comparable && is_complete => {
                largest_distance(&trial.samples, &reference.samples) / size
            }
            _ => f64::NAN,
        }
    }
}

fn sick(symptom: SymptomKind, value: f64) -> Outcome {
    Outcome::StillSick { symptom, value }
}

/// Returns the outcome of a run that exploded, gained energy, is unfinished, or has soft links;
/// `None` for a good run.
fn outcome_of_end(trial: &Trial, pushed: bool) -> Option<Outcome> {
    match trial.ending {
        Some(Ending::Exploded(explosion)) => Some(Outcome::Explodes { t: explosion.t, pushed }),
        Some(Ending::GainedEnergy { t, .. }) => Some(Outcome::GainsEnergy { t, pushed }),
        None if trial.unfinished && trial.seconds == 0.0 => Some(Outcome::NotTried),
        None if trial.unfinished => Some(Outcome::Unfinished { seconds: trial.seconds }),
        None if trial.seconds > 0.99 * SHORTEST_RUN && trial.will_gain() => {
            Some(Outcome::GainsSlowly { share: trial.made, pushed })
        }
        None => {
            let soft = |value| Outcome::StillSick { symptom: SymptomKind::Soft, value };
            trial.was_soft().map(soft)
        }
    }
}

/// Returns the error that sweeps leave in the worst link of a run, if it is visible. This check
/// rejects many sweeps on light links that carry heavy balls: they leave an error of 5 % in a rigid
/// link.
fn visible_error(trial: &Trial) -> Option<f64> {
    Some(trial.link_error).filter(|error| *error > VISIBLE_ERROR)
}

/// Returns the symptom [`SymptomKind::Jittering`] if the steps are as long as frames; `None` for
/// other settings. A change with such steps does not count as a cure, even after a stable trial,
/// because another display has other frame times.
fn follows_display(tried: &Settings) -> Option<Outcome> {
    let symptom = SymptomKind::Jittering;
    (!tried.stepping.uses_dt()).then_some(Outcome::StillSick { symptom, value: 1.0 })
}

/// True if the change replaces springs by rigid links, for which the reference run is not valid.
fn is_made_rigid(own: &Settings, tried: &Settings) -> bool {
    own.solver().is_none() && tried.solver().has_tolerance()
}

/// Runs the lane with `settings` for the compared duration.
fn run_with_settings(job: &ExplainJob, settings: Settings) -> Result<Trial, Cancelled> {
    let ExplainQuestion { start, duration, .. } = job.question;
    let candidate = Candidate { parts: start.parts().clone(), settings };
    Trial::of(job, &candidate, Span { compared: *duration, all: *duration })
}

/// Runs the unchanged lane if a symptom is measured relative to it. `None` if there is no such
/// symptom, or if the run does not finish in time.
fn run_unchanged_lane(job: &ExplainJob, why: &Explanation) -> Result<Option<Trial>, Cancelled> {
    if !why.symptoms.iter().any(|symptom| symptom.kind == SymptomKind::Soft) {
        return Ok(None);
    }
    let trial = run_with_settings(job, *job.question.start.settings())?;
    Ok(Some(trial).filter(|trial| !trial.unfinished))
}

/// Runs the lane precisely: with Dormand–Prince if links are springs, otherwise with shorter steps
/// or velocity Verlet. `None` if the precise run explodes or does not finish in time, or if the
/// lane's solver leaves its links soft.
fn run_reference(job: &ExplainJob, why: &Explanation) -> Result<Option<Trial>, Cancelled> {
    let ExplainQuestion { start, dt, .. } = job.question;
    let own = in_fixed_steps(start.settings(), *dt);
    let softens = |kind| matches!(kind, SymptomKind::Rubbery | SymptomKind::Soft);
    let is_soft = why.symptoms.iter().any(|symptom| softens(symptom.kind));
    if is_soft && !own.solver().is_none() {
        // Shorter steps would also change the softness of the links, so no run can serve as a
        // reference.
        return Ok(None);
    }
    let takes_by_step = why.symptoms.iter().any(|symptom| symptom.kind == SymptomKind::LosingSwing);
    let finer = own.dt / f64::from(REFERENCE_STEPS);
    let settings = if own.solver().is_none() {
        let integrator = Method::DormandPrince(DormandPrince { tolerance: REFERENCE_TOLERANCE });
        let has_events = acts_between_steps(start.parts(), &own);
        let dt = if has_events { finer / f64::from(own.substeps) } else { own.dt };
        Settings { integrator, substeps: 1, dt, ..with_parabolas(&own) }
    } else if takes_by_step && own.integrator.info().order == 0 {
        Settings { integrator: Method::VelocityVerlet, ..own }
    } else {
        Settings { dt: finer, ..own }
    };
    let trial = run_with_settings(job, settings)?;
    Ok(Some(trial).filter(|trial| trial.ending.is_none() && !trial.unfinished))
}

#[cfg(test)]
mod tests;
