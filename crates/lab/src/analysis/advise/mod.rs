//! Advice on settings: a search over integrators, solvers, sweeps and substeps.

mod budgets;
mod family;
mod reasons;
mod search;
mod trial;
mod yardstick;

pub use budgets::{EqualBudgets, Spent, SpentBySolver, equal_budgets};
pub use family::in_longest_frame;
pub(super) use family::is_rope_or_tree;
pub use reasons::{AdviceInWords, Rejected};
pub use trial::Trial;

use super::job::{Cancelled, Work};
use super::stability::limit::Course;
use crate::model::Parts;
use crate::simulation::Simulation;
use crate::simulation::settings::{LinkMode, Settings};
use rayon::prelude::*;
use serde::Serialize;
use std::sync::Arc;
use trial::Tester;
use yardstick::Yardstick;

/// Frames a second: budgets are for one of them, and every step is a whole part of one.
pub const FRAMES_A_SECOND: f64 = 60.0;
/// A recommendation must be stable with a step and a stiffness of so many times its own.
pub const MARGIN: f64 = 1.5;
/// Most of its amplitude that a motion may lose to the scheme in a second.
pub const MOST_SWING_TAKEN: f64 = 0.1;

/// Goal that settings must meet.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum Goal {
    /// Greatest distance from the reference, at the end of any frame, over the scene's size.
    Error(f64),
    /// Greatest stretch of a link over its rest length.
    Stretch(f64),
}

impl Goal {
    /// Name of the measured quantity, in a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error(_) => "error",
            Self::Stretch(_) => "stretch",
        }
    }

    /// The greatest value that is permitted.
    pub fn most(self) -> f64 {
        let (Self::Error(most) | Self::Stretch(most)) = self;
        most
    }
}

/// Question: goal, budget and duration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AdviceQuestion {
    /// Goal that settings must meet.
    pub goal: Goal,
    /// Most seconds of computing the dearest frame of 1/60 s, if that matters.
    pub budget: Option<f64>,
    /// Seconds that every recommendation was run.
    pub duration: f64,
}

impl AdviceQuestion {
    /// Part of its amplitude that a motion may lose to the scheme in a second. Who asks for a small
    /// error has said by that how much may be lost.
    pub fn most_swing_taken(&self) -> f64 {
        match self.goal {
            Goal::Stretch(_) => MOST_SWING_TAKEN,
            Goal::Error(_) => f64::INFINITY,
        }
    }
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// The cheapest settings that do what was asked, if there are any.
    pub best: Option<Trial>,
    /// Settings that come nearest where none meet the goal, and what they lack.
    pub nearest: Option<Rejected>,
    /// Trials of the whole duration that no other beats in both cost and what was asked, from the
    /// cheapest.
    pub front: Vec<Trial>,
    /// Well-known settings that were not chosen.
    pub rejected: Vec<Rejected>,
    /// Number of settings that were tried.
    pub tried: usize,
    /// Seconds for which an error means something, where the motion is chaotic: from there on two
    /// precise runs that start a thousandth of the permitted error apart differ by all of it.
    pub predictable_for: Option<f64>,
}

/// Tries what is worth trying. Every trial is sent; `clock` returns seconds.
pub fn advise(
    parts: &Arc<Parts>,
    lane: &Settings,
    question: &AdviceQuestion,
    clock: &(dyn Fn() -> f64 + Sync),
    work: &Work<Trial>,
) -> Result<Advice, Cancelled> {
    let started = clock();
    let rivals = family::rivals(lane);
    let (yardstick, pilots) = rayon::join(
        || Yardstick::of(parts, lane, question, &|| work.check()),
        || match question.goal {
            Goal::Error(_) => look_at(&rivals, parts, clock, work),
            Goal::Stretch(_) => Ok(()),
        },
    );
    pilots?;
    let yardstick = yardstick?;
    let tester = Tester { parts, question, yardstick: &yardstick, clock, started, work };
    let judge = |(name, settings): &(String, Settings)| {
        let trial = tester.judge(settings)?;
        work.send(trial);
        Ok((name.clone(), trial))
    };
    let rivals = rivals.par_iter().map(judge).collect::<Result<Vec<_>, _>>()?;
    let mut trials: Vec<Trial> = rivals.iter().map(|(_, trial)| *trial).collect();
    let course = as_springs(parts, lane);
    search::search(family::families(parts, lane), &tester, &course, &mut trials)?;
    let mut advice = Advice::of(question, &trials);
    if let Some(best) = &mut advice.best {
        tester.widen_margin(best)?;
    }
    advice.predictable_for = yardstick.predictable_for();
    advice.reject(question, rivals);
    Ok(advice)
}

/// Sends the first moments of some settings, for those who wait for the reference.
fn look_at(
    rivals: &[(String, Settings)],
    parts: &Arc<Parts>,
    clock: &(dyn Fn() -> f64 + Sync),
    work: &Work<Trial>,
) -> Result<(), Cancelled> {
    for (_, settings) in rivals {
        work.send(Tester::pilot(parts, settings, clock, work)?);
    }
    Ok(())
}

/// The scene at its start with all links as springs: what limits of all integrators follow from.
fn as_springs(parts: &Arc<Parts>, lane: &Settings) -> Course {
    let springs = Settings { links: LinkMode::Springs, ..*lane };
    Course::as_it_stands(&Simulation::new(parts.clone(), springs))
}

/// The cheapest of those that can be recommended.
fn cheapest(trials: &[Trial], question: &AdviceQuestion) -> Option<Trial> {
    let good = trials.iter().filter(|trial| trial.is_recommended(question));
    good.min_by(|a, b| a.cost_per_second.total_cmp(&b.cost_per_second)).copied()
}

impl Advice {
    /// Advice from some trials. For an interrupted search, from the trials that it sent.
    pub fn of(question: &AdviceQuestion, trials: &[Trial]) -> Self {
        let by_cost = |a: &&Trial, b: &&Trial| a.cost_per_second.total_cmp(&b.cost_per_second);
        let best = cheapest(trials, question);
        let whole =
            |trial: &&Trial| trial.is_whole(question) && trial.measure(question.goal).is_finite();
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
        let nearest = if best.is_none() { reasons::nearest(question, trials) } else { None };
        let (rejected, predictable_for) = (Vec::new(), None);
        Self { best, nearest, front, rejected, tried: trials.len(), predictable_for }
    }

    fn reject(&mut self, question: &AdviceQuestion, rivals: Vec<(String, Trial)>) {
        let left = rivals
            .into_iter()
            .filter(|(_, trial)| self.best.is_none_or(|best| best.settings != trial.settings));
        self.rejected = left
            .map(|(name, trial)| {
                let why = reasons::why_not(question, &trial, self.best.as_ref());
                Rejected { name, trial, why }
            })
            .collect();
    }
}
