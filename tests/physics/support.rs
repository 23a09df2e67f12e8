//! Helpers of several topics: scenes and simulations from text, runs, lists of solvers.

use ron::extensions::Extensions;
use ropelab::analysis::stability::{SAMPLED_SECONDS, SceneSamples, sample_scene};
use ropelab::constraint::ConstraintSolver;
use ropelab::scene::Scene;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;
use std::convert::Infallible;
use std::ops::{Div, Mul, Sub};

/// True in `./check.sh --long`, where tests try all cases instead of a part of them.
pub fn is_long() -> bool {
    std::env::var_os("ROPELAB_LONG").is_some()
}

/// Reads a scene file without mistakes.
pub fn parse(text: &str) -> Scene {
    Scene::parse(text, "test").unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Returns a simulation of a scene file, with the settings of its first lane.
pub fn simulation(text: &str) -> Simulation {
    let scene = parse(text);
    lane(&scene, scene.lanes[0].settings)
}

/// Returns a simulation of a scene with these settings.
pub fn lane(scene: &Scene, settings: Settings) -> Simulation {
    Simulation::new(scene.parts.clone(), settings)
}

/// Returns a simulation of a scene with these settings that keeps its energy account.
pub fn with_energy_account(scene: &Scene, settings: Settings) -> Simulation {
    let mut simulation = lane(scene, settings);
    simulation.start_energy_account();
    simulation
}

/// Takes `steps` steps of the length in the settings.
pub fn run_steps(simulation: &mut Simulation, steps: u32) {
    (0..steps).for_each(|_| simulation.step(simulation.settings().dt));
}

/// Returns samples of a run, from which limits are predicted.
pub fn sample(lane: &Simulation) -> SceneSamples {
    let Ok(samples) = sample_scene(lane, SAMPLED_SECONDS, || Ok::<(), Infallible>(()));
    samples
}

/// Returns all solvers with their default parameters.
pub fn solvers() -> impl Iterator<Item = ConstraintSolver> {
    ConstraintSolver::all().filter(|solver| !solver.is_none())
}

/// Returns the format of scene files.
pub fn ron() -> ron::Options {
    ron::Options::default().with_default_extension(Extensions::UNWRAP_VARIANT_NEWTYPES)
}

/// d/ds of `value(s)` at 0 by the five-point formula, error O(h⁴).
pub fn slope<T>(h: f64, value: impl Fn(f64) -> T) -> T
where
    T: Sub<Output = T> + Mul<f64, Output = T> + Div<f64, Output = T>,
{
    ((value(h) - value(-h)) * 8.0 - (value(2.0 * h) - value(-2.0 * h))) / (12.0 * h)
}
