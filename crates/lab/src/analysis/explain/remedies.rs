//! Remedies: changes of the lane that were tried, each from the start and from a second start.

use super::cause::Cause;
use super::changes::{Change, Ladder, ladders};
use super::scene_change::NewNumber;
use super::symptoms::{RUBBERY, SymptomKind, in_fixed_steps, is_restless};
use super::trial::{Candidate, Span, Trial, distance};
use super::{ExplainQuestion, Explanation, FRAME, Finding, TimeLimit};
use crate::analysis::accuracy::truth::extent;
use crate::analysis::in_words::{factor, percent, seconds_in_words};
use crate::analysis::job::{Cancelled, Work};
use crate::constraint::ConstraintSolver;
use crate::integrate::{DormandPrince, Method};
use crate::scene::settings_to_ron;
use crate::simulation::settings::Settings;
use rayon::prelude::*;
use serde::Serialize;

/// A remedy is run for so many times as long as the lane lived.
const TIMES_AS_LONG: f64 = 10.0;
/// And for so many seconds at least, and at most.
const AT_LEAST: f64 = 20.0;
const AT_MOST: f64 = 60.0;
/// Part of the computing time of remedies for the precise run that errors are measured by.
const FOR_REFERENCE: f64 = 0.2;
/// Tolerance of the reference, the scene's own springs by Dormand–Prince.
const REFERENCE_TOLERANCE: f64 = 1e-8;
/// Steps of the reference for one of the lane, where the lane projects.
const REFERENCE_STEPS: u32 = 8;
/// A remedy against a scheme that takes or adds swing leaves at most this part of it.
const MUCH_BETTER: f64 = 0.5;

/// Result of a remedy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It is stable from both starts and cures what the lane suffered from.
    Cures {
        /// Seconds that each run took.
        seconds: f64,
    },
    /// It is stable, and does not cure.
    StillSick {
        /// Symptom that is still there.
        symptom: SymptomKind,
        /// Its number.
        value: f64,
    },
    /// It explodes.
    Explodes {
        /// Time in seconds.
        t: f64,
        /// True after the second start, with a push.
        pushed: bool,
    },
    /// The scheme makes too much energy.
    GainsEnergy {
        /// Start in seconds.
        t: f64,
        /// True after the second start, with a push.
        pushed: bool,
    },
    /// The time for trying was over first.
    Unfinished {
        /// Seconds for which it was stable.
        seconds: f64,
    },
}

impl Outcome {
    /// Result in words: `stable for 20 s, twice`.
    pub fn in_words(&self) -> String {
        let start = |pushed: bool| if pushed { " after a push" } else { "" };
        match *self {
            Self::Cures { seconds } => format!("stable, {} twice", seconds_in_words(seconds)),
            Self::StillSick { symptom: SymptomKind::Rubbery, value } => {
                format!("still {} too long", percent(value))
            }
            Self::StillSick { symptom: SymptomKind::Restless, value } => {
                format!("still moves, {} m/s", factor(value))
            }
            Self::StillSick { .. } => "no better".to_owned(),
            Self::Explodes { t, pushed } => {
                format!("explodes at {}{}", seconds_in_words(t), start(pushed))
            }
            Self::GainsEnergy { t, pushed } => {
                format!("gains energy from {}{}", seconds_in_words(t), start(pushed))
            }
            Self::Unfinished { seconds } => {
                format!("stable for {}, then time was up", seconds_in_words(seconds))
            }
        }
    }
}

/// One change, tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Remedy {
    /// Change in words.
    pub change: String,
    /// The lane's settings with it.
    pub settings: Settings,
    /// Numbers of the scene file that it changes, by their paths.
    pub scene: Vec<NewNumber>,
    /// Result of the trial.
    pub outcome: Outcome,
    /// Whether it cures.
    pub holds: bool,
    /// Computing time per frame of 1/60 s in seconds.
    pub cost_per_frame: f64,
    /// The same over those of the lane as it was, in steps that live.
    pub cost_ratio: f64,
    /// Greatest distance of a particle from the reference over the scene's size; not finite where
    /// it did not live, or there is no reference, as for springs that are held at their lengths.
    pub error: f64,
}

impl Remedy {
    /// Text to paste into the scene file: settings, or numbers by their paths.
    pub fn to_paste(&self) -> String {
        if self.scene.is_empty() {
            return settings_to_ron(&self.settings);
        }
        let line = |NewNumber { path, value }: &NewNumber| match path.rsplit_once('.') {
            Some((element, field)) => format!("{field}: {value}, // {element}"),
            None => format!("{path}: {value},"),
        };
        self.scene.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

/// Tries what may help against a cause, as long as there is time.
pub(super) fn try_all(
    question: &ExplainQuestion,
    why: &Explanation,
    limit: &TimeLimit,
    work: &Work<Finding>,
) -> Result<Vec<Remedy>, Cancelled> {
    let ladders = ladders(question, why);
    if ladders.is_empty() {
        return Ok(Vec::new());
    }
    let attempt = Attempt {
        question,
        why,
        reference: reference(question, why, &limit.within(FOR_REFERENCE * limit.left()), work)?,
        own: own_run(question, why, &limit.within(FOR_REFERENCE * limit.left()), work)?,
        work,
    };
    let threads = rayon::current_num_threads().max(1) as f64;
    let share = |seconds: f64, count: usize| seconds * (threads / count.max(1) as f64).min(1.0);
    let short = share(limit.left() / 2.0, ladders.len());
    let first = ladders
        .par_iter()
        .map(|ladder| attempt.climb(ladder, &limit.within(short)))
        .collect::<Result<Vec<Option<Found>>, Cancelled>>()?;
    // What was stable and had too little time gets what is left.
    let is_open = |found: &&Option<Found>| found.as_ref().is_some_and(Found::is_unfinished);
    let open = first.iter().filter(is_open).count();
    let long = share(limit.left(), open);
    let finish = |found: Option<Found>| match found {
        Some(found) if found.is_unfinished() => {
            let remedy = attempt.try_one(found.change, &limit.within(long))?;
            work.send(Finding::Tried(Box::new(remedy.clone())));
            Ok(Some(remedy))
        }
        found => Ok(found.map(|found| found.remedy)),
    };
    let tried = first.into_par_iter().map(finish).collect::<Result<Vec<_>, Cancelled>>()?;
    Ok(tried.into_iter().flatten().collect())
}

/// A remedy with the change that it is.
struct Found<'a> {
    change: &'a Change,
    remedy: Remedy,
}

impl Found<'_> {
    fn is_unfinished(&self) -> bool {
        matches!(self.remedy.outcome, Outcome::Unfinished { .. })
    }
}

/// Lane and cause that remedies are tried against.
struct Attempt<'a> {
    question: &'a ExplainQuestion,
    why: &'a Explanation,
    reference: Option<Trial>,
    /// The lane as it is, where it lives.
    own: Option<Trial>,
    work: &'a Work<Finding>,
}

impl Attempt<'_> {
    /// Tries rung after rung until one cures; answers with that or the last that was tried. What is
    /// finished is sent.
    fn climb<'l>(
        &self,
        ladder: &'l Ladder,
        limit: &TimeLimit,
    ) -> Result<Option<Found<'l>>, Cancelled> {
        let mut last = None;
        for change in ladder {
            let found = Found { change, remedy: self.try_one(change, limit)? };
            let ends = found.remedy.holds || found.is_unfinished() || limit.is_over();
            last = Some(found);
            if ends {
                break;
            }
        }
        if let Some(found) = last.as_ref().filter(|found| !found.is_unfinished()) {
            self.work.send(Finding::Tried(Box::new(found.remedy.clone())));
        }
        Ok(last)
    }

    fn try_one(&self, change: &Change, limit: &TimeLimit) -> Result<Remedy, Cancelled> {
        let (question, candidate) = (self.question, &change.candidate);
        let compared = self.compared();
        let whole = Span { compared, all: self.proof() };
        // What does not cure soon need not be run for long.
        let soon = Span { compared, all: compared };
        let mut first = Trial::of(question, candidate, soon, limit, self.work)?;
        let error = self.error(&first, change);
        let cost = first.cost;
        let mut outcome = self.early(&first);
        if outcome.is_none() {
            first = Trial::of(question, candidate, whole, limit, self.work)?;
            outcome = ended(&first, false);
        }
        if outcome.is_none() {
            let second = Trial::pushed(question, candidate, whole, limit, self.work)?;
            outcome = match ended(&second, true) {
                Some(Outcome::Unfinished { .. }) => {
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
        })
    }

    /// Seconds for which runs are compared.
    fn compared(&self) -> f64 {
        self.question.duration
    }

    /// Seconds for which a remedy must be stable.
    fn proof(&self) -> f64 {
        let lived = if self.why.cause == Cause::Holds { 0.0 } else { self.why.lived };
        (TIMES_AS_LONG * lived).clamp(AT_LEAST, AT_MOST).max(self.compared())
    }

    /// Result that is certain after the time of the story: an end, or that the symptoms are still
    /// there.
    fn early(&self, trial: &Trial) -> Option<Outcome> {
        let sick = |(symptom, value)| Outcome::StillSick { symptom, value };
        ended(trial, false).or_else(|| self.still_sick(trial).map(sick))
    }

    /// The first symptom of the lane that a run has, too.
    fn still_sick(&self, trial: &Trial) -> Option<(SymptomKind, f64)> {
        let start = self.question.start.stretch().mean;
        let is_left = |kind: SymptomKind| match kind {
            SymptomKind::Rubbery => Some(trial.stretch).filter(|mean| mean - start > RUBBERY),
            SymptomKind::Restless => Some(trial.speeds[1]).filter(|_| is_restless(trial)),
            SymptomKind::LosingSwing | SymptomKind::GainingSwing => self.swing_left(trial),
            _ => None,
        };
        let kinds = self.why.symptoms.iter().map(|symptom| symptom.kind);
        kinds.into_iter().find_map(|kind| is_left(kind).map(|value| (kind, value)))
    }

    /// The energy that a run has taken or added beyond the reference, over that of the lane, where it
    /// is not much less.
    fn swing_left(&self, trial: &Trial) -> Option<f64> {
        let (own, reference) = (self.own.as_ref()?, self.reference.as_ref()?);
        let off = |trial: &Trial| (trial.energy_change - reference.energy_change).abs();
        let part = off(trial) / off(own);
        (part > MUCH_BETTER).then_some(part)
    }

    fn error(&self, trial: &Trial, change: &Change) -> f64 {
        let own = self.question.start.settings();
        let is_comparable =
            change.numbers.is_empty() && !is_made_rigid(own, &change.candidate.settings);
        match &self.reference {
            Some(reference) if is_comparable && trial.ending.is_none() && !trial.unfinished => {
                distance(&trial.samples, &reference.samples) / extent(self.question.start.parts())
            }
            _ => f64::NAN,
        }
    }
}

/// End of a run that ended before its time.
fn ended(trial: &Trial, pushed: bool) -> Option<Outcome> {
    match trial.ending {
        Some(super::Ending::Exploded(explosion)) => {
            Some(Outcome::Explodes { t: explosion.t, pushed })
        }
        Some(super::Ending::GainedEnergy { t, .. }) => Some(Outcome::GainsEnergy { t, pushed }),
        None if trial.unfinished => Some(Outcome::Unfinished { seconds: trial.seconds }),
        None => None,
    }
}

/// Whether springs are held at their lengths: the reference is no truth for that.
fn is_made_rigid(own: &Settings, tried: &Settings) -> bool {
    own.solver().is_none() && matches!(tried.solver(), ConstraintSolver::Shake(_))
}

/// The lane as it is, where a symptom is to be compared with it.
fn own_run(
    question: &ExplainQuestion,
    why: &Explanation,
    limit: &TimeLimit,
    work: &Work<Finding>,
) -> Result<Option<Trial>, Cancelled> {
    let swings = |kind| matches!(kind, SymptomKind::LosingSwing | SymptomKind::GainingSwing);
    if !why.symptoms.iter().any(|symptom| swings(symptom.kind)) {
        return Ok(None);
    }
    let settings = *question.start.settings();
    let candidate = Candidate { parts: question.start.parts().clone(), settings };
    let span = Span { compared: question.duration, all: question.duration };
    let trial = Trial::of(question, &candidate, span, limit, work)?;
    Ok(Some(trial).filter(|trial| !trial.unfinished))
}

/// The lane as it should have been: its springs by Dormand–Prince, or where it projects, the lane
/// itself in shorter steps. None if that explodes too, or takes too long.
fn reference(
    question: &ExplainQuestion,
    why: &Explanation,
    limit: &TimeLimit,
    work: &Work<Finding>,
) -> Result<Option<Trial>, Cancelled> {
    let own = in_fixed_steps(question.start.settings(), question.dt);
    let is_soft = why.symptoms.iter().any(|symptom| symptom.kind == SymptomKind::Rubbery);
    if is_soft && !own.solver().is_none() {
        // Its shorter steps are another rubber.
        return Ok(None);
    }
    let takes_by_step = why.symptoms.iter().any(|symptom| symptom.kind == SymptomKind::LosingSwing);
    let settings = if own.solver().is_none() {
        let integrator = Method::DormandPrince(DormandPrince { tolerance: REFERENCE_TOLERANCE });
        Settings { integrator, substeps: 1, ..own }
    } else if takes_by_step && own.integrator.info().order == 0 {
        Settings { integrator: Method::VelocityVerlet, ..own }
    } else {
        Settings { dt: own.dt / f64::from(REFERENCE_STEPS), ..own }
    };
    let candidate = Candidate { parts: question.start.parts().clone(), settings };
    let span = Span { compared: question.duration, all: question.duration };
    let trial = Trial::of(question, &candidate, span, limit, work)?;
    Ok(Some(trial).filter(|trial| trial.ending.is_none() && !trial.unfinished))
}
