//! Runs of one scene with different settings.

use super::run::run;
use crate::analysis::{Outcome, RunPlan};
use crate::scene::Scene;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use rayon::prelude::*;
use std::convert::Infallible;
use std::sync::Arc;

/// Runs the scene once with each of the settings, in parallel, each with its own checked plan.
/// Outcomes are in the order of `runs`. `clock` returns seconds; `step_taken` is called after every
/// step of every run.
pub fn compare(
    scene: &Arc<Scene>,
    runs: &[(Settings, RunPlan)],
    clock: &(dyn Fn() -> f64 + Sync),
    step_taken: &(dyn Fn() + Sync),
) -> Vec<Outcome> {
    let one = |(settings, plan): &(Settings, RunPlan)| {
        let mut simulation = Simulation::new(scene.parts.clone(), *settings);
        simulation.start_energy_account();
        let Ok(outcome) = run(&mut simulation, plan, clock, |_, _| {
            step_taken();
            Ok::<(), Infallible>(())
        });
        outcome
    };
    runs.par_iter().map(one).collect()
}
