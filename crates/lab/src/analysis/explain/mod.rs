//! Explanation of a lane that exploded or does badly, with remedies that were tried.

mod cause;
mod changes;
mod enough_damping;
mod growing_mode;
mod jitter;
mod longest_step;
mod pace;
mod remedies;
mod scene_change;
mod solver_changes;
mod story;
mod symptoms;
mod trial;

pub use cause::Cause;
pub use growing_mode::GrowingMode;
pub use remedies::{Outcome, Remedy};
pub use scene_change::NewNumber;
pub use symptoms::{Symptom, SymptomKind};

pub use super::runs::run_energy::Ending;

use super::in_words::{factor, seconds_in_words};
use super::job::{Cancelled, Work};
use crate::measure::Explosion;
use crate::scene::vary::VariableScene;
use crate::session::Inputs;
use crate::simulation::Simulation;
use serde::Serialize;
use std::cmp::Ordering;
use std::sync::Arc;
use story::Story;

/// A second difference of positions above this part of a link is no small vibration any more.
const LARGEST_SMALL: f64 = 0.1;
/// Seconds of computing for the lane's own run, for its cause and its longest step, and for all
/// remedies.
const TIME_OF_STORY: f64 = 5.0;
const TIME_OF_CAUSE: f64 = 4.0;
const TIME_OF_REMEDIES: f64 = 9.0;
/// Additional seconds for remedies that were stable so far and did not finish: on a slow or busy
/// machine, or in a large scene.
const TIME_TO_FINISH: f64 = 20.0;
/// A frame of a display, in seconds.
const FRAME: f64 = 1.0 / 60.0;

/// Question: a lane and its history of inputs.
#[derive(Clone, Debug)]
pub struct ExplainQuestion {
    /// The lane, where the story begins.
    pub start: Simulation,
    /// Inputs from there on: hand, cuts, settings.
    pub inputs: Inputs,
    /// Length of a step in seconds: `dt`, or the frame where frames decide and are not known.
    pub dt: f64,
    /// Lengths of frames in seconds, over and over; empty where they are not known.
    pub frames: Arc<[f64]>,
    /// Length of the story in seconds.
    pub duration: f64,
    /// The scene as typed, where it is known: then remedies may change it.
    pub scene: Option<VariableScene>,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// Cause.
    pub cause: Cause,
    /// Sentence with the event and its cause.
    pub headline: String,
    /// The numbers behind it, in sentences.
    pub reason: String,
    /// The explosion, if there was one.
    pub explosion: Option<Explosion>,
    /// Simulated seconds until the lane went bad, or of the whole run.
    pub lived: f64,
    /// Computing time per frame of 1/60 s in seconds, of the steps that live.
    pub cost_per_frame: f64,
    /// Mode that grew, if one did.
    pub mode: Option<GrowingMode>,
    /// Longest stable step in seconds, as `limit` names it; 0 = none, null = any or unknown.
    pub longest_step: Option<f64>,
    /// Symptoms of a lane without an explosion.
    pub symptoms: Vec<Symptom>,
    /// Remedies that were tried.
    pub remedies: Vec<Remedy>,
}

impl Explanation {
    /// True if nothing is wrong.
    pub fn is_well(&self) -> bool {
        self.cause == Cause::Holds && self.symptoms.is_empty()
    }

    /// The remedy that cures for the least computing, if one does: settings before changes of the
    /// scene.
    pub fn best_remedy(&self) -> Option<&Remedy> {
        self.best_remedies_first().into_iter().next().filter(|remedy| remedy.holds)
    }

    /// The remedies in the order in which to choose among them: first those that cure, settings
    /// before changes of the scene and the least computing first, then the others as they were
    /// tried.
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

    /// The remedy that was stable for longest where the time was over first.
    pub fn longest_unfinished(&self) -> Option<(&Remedy, f64)> {
        let unfinished = self.remedies.iter().filter_map(|remedy| match remedy.outcome {
            Outcome::Unfinished { seconds } => Some((remedy, seconds)),
            _ => None,
        });
        unfinished.max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// Part of an explanation that is known before the end.
#[derive(Clone, Debug)]
pub enum Finding {
    /// Cause, without remedies.
    Why(Box<Explanation>),
    /// Another remedy.
    Tried(Box<Remedy>),
}

impl Finding {
    /// Adds it to the evidence.
    pub fn add_to(self, known: &mut Option<Explanation>) {
        match (self, known) {
            (Self::Why(why), known) => *known = Some(*why),
            (Self::Tried(remedy), Some(known)) => known.remedies.push(*remedy),
            (Self::Tried(_), None) => {}
        }
    }
}

/// The question, the computing time that a part of its answer may take, and the job that the answer
/// belongs to.
#[derive(Clone, Copy)]
pub(super) struct Inquiry<'a> {
    pub question: &'a ExplainQuestion,
    pub work: &'a Work<Finding>,
    clock: &'a (dyn Fn() -> f64 + Sync),
    /// Reading of the clock at which the time is over.
    end: f64,
}

impl Inquiry<'_> {
    /// Reading of the clock in seconds.
    pub fn now(&self) -> f64 {
        (self.clock)()
    }

    /// True if the time is over.
    pub fn is_over(&self) -> bool {
        self.now() > self.end
    }

    /// The inquiry with less time: this many seconds from now on.
    pub fn within(&self, seconds: f64) -> Self {
        Self { end: self.end.min(self.now() + seconds), ..*self }
    }

    /// The inquiry with this many seconds more.
    pub fn later(&self, seconds: f64) -> Self {
        Self { end: self.end + seconds, ..*self }
    }

    /// Seconds that are left.
    pub fn left(&self) -> f64 {
        (self.end - self.now()).max(0.0)
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
    let started = clock();
    let foresee = |left: f64| work.foresee(clock() - started, left);
    let inquiry = |seconds: f64| Inquiry { question, work, clock, end: clock() + seconds };
    let story = Story::of(&inquiry(TIME_OF_STORY))?;
    foresee(TIME_OF_CAUSE + TIME_OF_REMEDIES);
    let after_story = inquiry(TIME_OF_CAUSE);
    let mode = GrowingMode::of(&after_story, &story)?;
    let cause = cause::find(&after_story, &story, mode.as_ref())?;
    let symptoms = match story.ending {
        None => symptoms::find(&after_story, &story)?,
        Some(_) => Vec::new(),
    };
    let longest = longest_step::find(&after_story, &story)?;
    let (headline, numbers) = cause::in_words(cause, question, &story, mode.as_ref());
    let sentence = longest.as_ref().map(|limit| longest_step::in_words(question, &story, limit));
    let sentences = [numbers, sentence.unwrap_or_default()];
    let reason = sentences.join(" ").trim().to_owned();
    let why = Explanation {
        cause,
        headline,
        reason,
        explosion: story.ending.and_then(|ending| ending.explosion()),
        lived: story.ending.map_or(story.seconds, |ending| ending.t()),
        cost_per_frame: story.cost * FRAME,
        mode,
        longest_step: longest.map(|limit| limit.longest()).filter(|dt| dt.is_finite()),
        symptoms,
        remedies: Vec::new(),
    };
    work.send(Finding::Why(Box::new(why.clone())));
    foresee(TIME_OF_REMEDIES);
    let remedies = remedies::try_all(&inquiry(TIME_OF_REMEDIES), &why, &foresee)?;
    Ok(Explanation { remedies, ..why })
}

/// Cost as a share of a frame: `12.5 µs a frame, × 1.4`.
pub fn price_in_words(cost_per_frame: f64, ratio: f64) -> String {
    let frame = seconds_in_words(cost_per_frame);
    if ratio.is_finite() { format!("{frame} (× {})", factor(ratio)) } else { frame }
}
