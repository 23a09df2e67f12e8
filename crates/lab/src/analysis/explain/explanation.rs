//! Explanation of a lane: cause, symptoms and tried remedies. It is also sent in parts.

use super::cause::Cause;
use super::growing_mode::GrowingMode;
use super::outcome::{Outcome, Remedy};
use super::symptoms::Symptom;
use crate::measure::Explosion;
use serde::Serialize;
use std::cmp;

/// Explanation of a lane (one simulation of the scene with its own settings): cause, symptoms and
/// tried remedies.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// Cause of the explosion or growth.
    pub cause: Cause,
    /// Sentence with the event and its cause, e.g. that the lane explodes after 1.8 s, and why.
    pub headline: String,
    /// Sentences with the measured values behind the cause.
    pub reason: String,
    /// Explosion of the lane.
    pub explosion: Option<Explosion>,
    /// Simulated time in seconds up to the explosion or energy gain, or to the end.
    pub seconds_until_end: f64,
    /// Computing time per frame of 1/60 s before the explosion, in seconds.
    pub cost_per_frame: f64,
    /// Vibration that grew.
    pub mode: Option<GrowingMode>,
    /// Longest stable step in seconds, as the command `limit` reports it. 0 means that no step is
    /// stable; null means that every step is stable or that the limit is unknown.
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

    /// Returns the recommended remedy: among the remedies that cure the lane, the one with the
    /// least computing time. A remedy that changes only settings has priority. `None` if no remedy
    /// cures the lane.
    pub fn best_remedy(&self) -> Option<&Remedy> {
        self.best_remedies_first().into_iter().next().filter(|remedy| remedy.holds)
    }

    /// Returns the scene change that cures the lane at less cost than [`Self::best_remedy`]. `None`
    /// if there is no such change, or if the best remedy itself changes the scene.
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

    /// Returns the unfinished remedy that was stable for the longest time, with this time in
    /// seconds.
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
