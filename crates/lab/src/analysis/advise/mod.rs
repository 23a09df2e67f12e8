//! Recommended settings: a search over integrators, solvers, sweeps and substeps.

mod advice;
mod advice_in_words;
mod budgets;
mod error_measure;
mod family;
mod material;
mod question;
mod reasons;
mod search;
mod trial;
mod work;

pub use advice::Advice;
pub use advice_in_words::AdviceInWords;
pub use budgets::{BudgetTrial, EqualBudgets, SolverTrials, equal_budgets};
pub use family::in_longest_frame;
pub(super) use family::{can_hold, integrator_of, is_rope_or_tree};
pub use question::{
    AdviceQuestion, EndOfErrors, FRAMES_A_SECOND, Goal, MARGIN, MOST_AMPLITUDE_LOSS,
};
pub use reasons::Rejected;
pub use trial::Trial;
pub use work::NotTried;

use super::job::{Cancelled, Work};
use super::stability::{SAMPLED_SECONDS, SceneSamples, sample_scene};
use crate::model::Parts;
use crate::simulation::Simulation;
use crate::simulation::settings::{LinkMode, Settings};
use error_measure::ErrorMeasure;
use rayon::prelude::*;
use std::sync::Arc;
use trial::Tester;

/// Searches for the cheapest settings that achieve the goal. Each trial is sent through `work`.
/// `clock` returns seconds.
pub fn advise(
    parts: &Arc<Parts>,
    lane: &Settings,
    question: &AdviceQuestion,
    clock: &(dyn Fn() -> f64 + Sync),
    work: &Work<Trial>,
) -> Result<Advice, Cancelled> {
    let started = clock();
    let common_settings = family::common_settings(lane);
    let (measure, samples) = rayon::join(
        || {
            let most_work = work::MOST_REFERENCE_WORK;
            ErrorMeasure::of(parts, lane, question, most_work, &|| work.check())
        },
        || {
            if let Goal::Error(_) = question.goal {
                send_previews(&common_settings, parts, clock, work)?;
            }
            sample_springs(parts, lane, work)
        },
    );
    let (measure, samples) = (measure?, samples?);
    let (measure, samples) = (&measure, Some(&samples));
    let tester = Tester { parts, question, measure, samples, clock, started, work };
    let mut not_tried = Vec::new();
    let (common_settings, too_long): (Vec<_>, Vec<_>) =
        common_settings.into_iter().partition(|(_, settings)| {
            work::work_of_run(parts, settings, question.duration) <= work::MOST_FAMILY_WORK
        });
    for (name, _) in too_long {
        let why = search::Omission::Work.in_words(question.duration);
        work::add_not_tried(&mut not_tried, name, why);
    }
    let judge = |(name, settings): &(String, Settings)| {
        let trial = tester.judge(settings)?;
        work.send(trial);
        Ok((name.clone(), trial))
    };
    let common_settings = common_settings.par_iter().map(judge).collect::<Result<Vec<_>, _>>()?;
    let mut trials: Vec<Trial> = common_settings.iter().map(|(_, trial)| *trial).collect();
    let families = family::families(parts, lane);
    for NotTried { names, why } in search::search_families(families, &tester, &mut trials)? {
        names.into_iter().for_each(|name| work::add_not_tried(&mut not_tried, name, why.clone()));
    }
    let mut advice = Advice::of(question, &trials);
    if let Some(best) = &mut advice.best {
        tester.widen_margin(best)?;
        let listed = advice.front.iter_mut().filter(|trial| trial.settings == best.settings);
        listed.for_each(|trial| trial.margin = best.margin);
    }
    advice.predictable_for = measure.predictable_for();
    let caution = |best: &Trial| material::describe_replaced_stiffness(parts, &best.settings);
    advice.caution = advice.best.as_ref().and_then(caution);
    advice.end_of_errors = measure.end();
    advice.error_size = measure.size();
    advice.uncertainty = measure.uncertainty();
    advice.rigid_reference = measure.rigid_reference();
    advice.not_tried = not_tried;
    advice.reject(question, common_settings);
    Ok(advice)
}

/// Sends short trials of well-known settings, as a preview while the reference run is computed.
fn send_previews(
    common_settings: &[(String, Settings)],
    parts: &Arc<Parts>,
    clock: &(dyn Fn() -> f64 + Sync),
    work: &Work<Trial>,
) -> Result<(), Cancelled> {
    for (_, settings) in common_settings {
        work.send(Tester::pilot(parts, settings, clock, work)?);
    }
    Ok(())
}

/// Samples the scene's first seconds with all links as springs. The stability limits of all
/// integrators follow from these samples.
fn sample_springs(
    parts: &Arc<Parts>,
    lane: &Settings,
    work: &Work<Trial>,
) -> Result<SceneSamples, Cancelled> {
    let springs = Settings { links: LinkMode::Springs, ..*lane };
    sample_scene(&Simulation::new(parts.clone(), springs), SAMPLED_SECONDS, || work.check())
}
