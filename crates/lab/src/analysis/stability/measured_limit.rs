//! Longest stable step of a scene, measured by runs of its lane (one simulation with its own
//! settings).

use super::energy_run::{gains_any_energy, gains_energy, perturbed_copy};
use super::growth::{StepMap, grows_from, steps_of_doubling};
use super::limit::Limit;
use super::trial_run::{affordable_runs, gains};
use crate::analysis::linear::mass_product::pseudo_random;
use crate::analysis::vibration::step_matrix::is_linear;
use crate::measure::EnergyAccount;
use crate::numerics::system::System;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use crate::simulation::timing::stepper::{LONGEST_DT, SHORTEST_DT};
use glam::DVec3;

/// Relative accuracy of a measured limit.
const ACCURACY: f64 = 1e-3;
/// Ratio between the predicted step and the first two tried steps, one shorter and one longer.
const FIRST_RATIO: f64 = 1.01;
/// First tried value of ωh (angular frequency of the fastest vibration × substep) if the integrator
/// has no predicted limit.
const MOST_Z: f64 = 100.0;
/// Tried value of ωh (angular frequency of the fastest vibration × substep) for an integrator that
/// is never stable. Heun, which grows slowest, grows by 0.8 % per step at this value.
const UNSTABLE_Z: f64 = 0.5;
/// Largest displacement of a particle per step at which a lane counts as resting, as a fraction of
/// the mean rest length of the links.
const AT_REST: f64 = 1e-6;
/// Simulated seconds of a run that tests whether a step is stable.
const RUN_SECONDS: f64 = 3.0;
/// Simulated seconds of a run in which contact begins and ends. An energy gain may take a minute to
/// become visible in such a run.
const CONTACT_SECONDS: f64 = 60.0;
/// Relative accuracy of a limit that is measured by the energy gain of runs.
const ACCURACY_OF_RUNS: f64 = 5e-3;
/// Minimum number of steps of a run of a moving lane.
const LEAST_STEPS: f64 = 600.0;
/// Shortest step that is also tested below a limit that runs have measured, as a fraction of the
/// limit. Turning links, resonances and chaos make some steps unstable although longer ones are
/// stable.
const SHORTEST_BELOW: f64 = 0.1;
/// Exponent that spaces the tested steps below a measured limit: run k of n takes a step that is
/// shorter than the limit by the fraction 0.9 (k/n)^1.5. The steps are thus denser near the limit.
const DENSITY_BELOW: f64 = 1.5;
/// Maximum number of rounds in which unstable steps below a measured limit shorten it.
const MOST_ROUNDS: u32 = 8;
/// Maximum steps × particles of a run that measures a doubling time.
const MOST_DOUBLING_WORK: f64 = 4e5;
/// Simulated seconds of a run if a solver constrains all links. Theory then predicts no limit.
const SECONDS_WITH_SOLVER: f64 = 60.0;
/// Maximum work, in steps × particles, of a run whose links a solver constrains. A run of
/// [`LEAST_CONSTRAINED_SECONDS`] is permitted even if it takes more work.
const MOST_CONSTRAINED_WORK: f64 = 2e6;
/// Minimum simulated seconds of a run whose links a solver constrains, even in a large scene.
const LEAST_CONSTRAINED_SECONDS: f64 = 10.0;
/// Longest step that is tried if a solver constrains all links, as a multiple of the lane's step.
const LONGEST_FACTOR: f64 = 8.0;
/// Number by which the lane's step is divided to get the shortest step that is tried if a solver
/// constrains all links.
const SHORTEST_DIVISOR: f64 = 16.0;
/// Relative accuracy of a measured limit if a solver constrains all links.
const ACCURACY_WITH_SOLVER: f64 = 0.05;

/// Measures the longest stable step in seconds by bisection. Returns 0 if no step is stable, and ∞
/// if none of the tried steps failed. `check` is called before each try.
///
/// Each step is tried with the integrator, solver and substeps of the simulation, from its current
/// state. The criterion depends on the lane:
///
/// * At rest: a perturbation of the fastest mode by 1e-6 of a link must not grow. If the
///   integrator's step is not linear, a run of three seconds must gain no energy instead.
/// * Moving, without colliders that push: runs of a minute, as far as the work allows, must gain no
///   energy with the step and with shorter steps, because the map of one step changes from step to
///   step.
/// * Moving, with colliders that push and contact that begins and ends all the time: a run of three
///   seconds must gain no energy, and the energy account of a run of a minute must show no gain.
/// * All links constrained by a solver: steps from a sixteenth to eight times the lane's own step
///   are tried in runs of a minute, or of ten seconds in large scenes.
pub fn measure_limit<E>(
    simulation: &Simulation,
    limit: &Limit,
    mut check: impl FnMut() -> Result<(), E>,
) -> Result<f64, E> {
    let Some(mode) = &limit.mode else {
        let is_constrained =
            limit.solver_constrains_links && !simulation.parts().mesh.links.is_empty();
        return if is_constrained {
            measure_with_solver(simulation, check)
        } else {
            Ok(f64::INFINITY)
        };
    };
    let settings = *simulation.settings();
    let is_at_rest = is_at_rest(simulation);
    let moves = limit.colliders_push && !is_at_rest;
    let by_runs = !is_at_rest || !is_linear(&settings.integrator);
    let by_energy_account = !is_at_rest && !moves;
    let moving = by_energy_account.then(|| perturbed_copy(simulation));
    let accuracy = if by_runs { ACCURACY_OF_RUNS } else { ACCURACY };
    let substeps = f64::from(settings.substeps);
    let mut holds = |dt: f64| -> Result<bool, E> {
        check()?;
        if let Some(lane) = &moving {
            return Ok(!gains(lane, dt, LEAST_STEPS, &mut check)?);
        }
        if by_runs {
            let mut lane = simulation.clone();
            lane.configure(Settings { dt, ..settings });
            if gains_energy(&lane, RUN_SECONDS, &mut check)? {
                return Ok(false);
            }
            return Ok(!(moves && gains_any_energy(&lane, CONTACT_SECONDS, &mut check)?));
        }
        Ok(StepMap::new(simulation, dt, 1)
            .is_some_and(|mut map| !grows_from(&mut map, &mode.displacements)))
    };
    if limit.dt == 0.0 {
        // Near ωh = 0, growth is too slow to show within a few hundred steps.
        let seen = holds(UNSTABLE_Z * substeps / mode.omega)?;
        return Ok(if seen { f64::INFINITY } else { 0.0 });
    }
    let most = (MOST_Z * substeps / mode.omega).min(LONGEST_DT);
    let mut found = if limit.dt >= most && holds(most)? {
        most
    } else {
        let expected = limit.dt.min(most);
        let [stable, unstable] = [expected / FIRST_RATIO, expected * FIRST_RATIO];
        if !holds(stable)? {
            longest_below(stable, accuracy, &mut holds)?
        } else {
            longest_between(longest_above(stable, unstable, &mut holds)?, accuracy, &mut holds)?
        }
    };
    if by_energy_account {
        let runs = affordable_runs(simulation, found, LEAST_STEPS);
        found = shorten_until_stable_below(found, runs, &mut holds)?;
    }
    Ok(if found == most { f64::INFINITY } else { found })
}

/// Measures the time in seconds in which a small perturbation doubles at the lane's own step, if no
/// step is stable in theory. If the lane moves, or if the integrator's step is not linear, measures
/// the time until the integrator has added as much energy as the motion has. `None` if a step is
/// stable in theory, or if nothing doubles within the permitted work. `check` is called after every
/// step.
///
/// A lane at rest is run twice: from the displacements of its fastest vibration, and from
/// pseudo-random displacements that contain every vibration. The faster growth counts.
pub fn measure_doubling<E>(
    simulation: &Simulation,
    limit: &Limit,
    mut check: impl FnMut() -> Result<(), E>,
) -> Result<Option<f64>, E> {
    let Some(mode) = limit.mode.as_ref().filter(|_| limit.dt == 0.0) else { return Ok(None) };
    let dt = simulation.settings().dt;
    let particles = simulation.state().len().max(1);
    let most = (MOST_DOUBLING_WORK / particles as f64).ceil() as u64;
    if !is_at_rest(simulation) || !is_linear(&simulation.settings().integrator) {
        return seconds_of_doubled_energy(simulation, most, &mut check);
    }
    let Some(mut map) = StepMap::new(simulation, dt, 1) else { return Ok(Some(dt)) };
    let mut doubling: Option<u64> = None;
    for displacements in [&mode.displacements[..], &pseudo_random(particles)[..]] {
        let most = doubling.unwrap_or(most);
        let steps = steps_of_doubling(&mut map, displacements, most, &mut check)?;
        doubling = steps.or(doubling);
    }
    Ok(doubling.map(|steps| steps as f64 * dt))
}

/// Returns the time in seconds until a perturbed copy of the lane explodes, or until its energy
/// account shows a gain as large as the energy of the motion. `None` if neither happens within
/// `most` steps.
fn seconds_of_doubled_energy<E>(
    simulation: &Simulation,
    most: u64,
    check: &mut impl FnMut() -> Result<(), E>,
) -> Result<Option<f64>, E> {
    let mut lane = perturbed_copy(simulation);
    let (dt, start) = (lane.settings().dt, lane.state().t);
    for _ in 0..most {
        check()?;
        lane.step(dt);
        if lane.explosion().is_some() {
            return Ok(Some(lane.state().t - start + dt));
        }
        lane.add_to_energy_account();
        let gain = lane.energy_account().and_then(EnergyAccount::energy_gain);
        if gain.is_some_and(|gain| gain.fraction >= 1.0) {
            return Ok(Some(lane.state().t - start));
        }
    }
    Ok(None)
}

/// Lengthens the stable step `stable` and the longer step `unstable` (in seconds) until `unstable`
/// is unstable. Returns both; both are infinite if no step is unstable.
fn longest_above<E>(
    mut stable: f64,
    mut unstable: f64,
    holds: &mut impl FnMut(f64) -> Result<bool, E>,
) -> Result<[f64; 2], E> {
    let mut ratio = FIRST_RATIO * FIRST_RATIO;
    while holds(unstable)? {
        ratio *= ratio;
        (stable, unstable) = (unstable, unstable * ratio);
        if stable > LONGEST_DT {
            return Ok([f64::INFINITY; 2]);
        }
    }
    Ok([stable, unstable])
}

/// Searches below the unstable step `unstable` (in seconds) for the longest stable step. The search
/// shortens the step by growing factors and then bisects. Returns 0 if no step is stable.
fn longest_below<E>(
    mut unstable: f64,
    accuracy: f64,
    holds: &mut impl FnMut(f64) -> Result<bool, E>,
) -> Result<f64, E> {
    let mut ratio = FIRST_RATIO * FIRST_RATIO;
    loop {
        ratio *= ratio;
        let stable = unstable / ratio;
        if stable < SHORTEST_DT {
            return Ok(0.0);
        }
        if holds(stable)? {
            return longest_between([stable, unstable], accuracy, holds);
        }
        unstable = stable;
    }
}

/// Bisects between a stable and an unstable step, and returns the longest stable step in seconds.
fn longest_between<E>(
    [mut stable, mut unstable]: [f64; 2],
    accuracy: f64,
    holds: &mut impl FnMut(f64) -> Result<bool, E>,
) -> Result<f64, E> {
    while unstable / stable > 1.0 + accuracy {
        let middle = (stable + unstable) / 2.0;
        *(if holds(middle)? { &mut stable } else { &mut unstable }) = middle;
    }
    Ok((stable + unstable) / 2.0)
}

/// Shortens the stable step `found` (in seconds) until the steps below it are stable too. Each
/// round tries at most `runs` steps, the shortest first.
fn shorten_until_stable_below<E>(
    mut found: f64,
    runs: u32,
    holds: &mut impl FnMut(f64) -> Result<bool, E>,
) -> Result<f64, E> {
    for _ in 0..MOST_ROUNDS {
        if found == 0.0 || found.is_infinite() {
            break;
        }
        let below = |run: u32| {
            let part = (f64::from(run) / f64::from(runs)).powf(DENSITY_BELOW);
            found * (1.0 - (1.0 - SHORTEST_BELOW) * part)
        };
        let (mut stable, mut unstable) = (0.0, None);
        for dt in (1..=runs).rev().map(below) {
            if !holds(dt)? {
                unstable = Some(dt);
                break;
            }
            stable = dt;
        }
        match unstable {
            None => break,
            Some(dt) if stable > 0.0 => {
                return longest_between([stable, dt], ACCURACY_OF_RUNS, holds);
            }
            Some(dt) => found = longest_below(dt, ACCURACY_OF_RUNS, holds)?,
        }
    }
    Ok(found)
}

/// Measures the longest stable step of a lane whose solver constrains all links; see
/// [`measure_limit`].
fn measure_with_solver<E>(
    simulation: &Simulation,
    mut check: impl FnMut() -> Result<(), E>,
) -> Result<f64, E> {
    let settings = *simulation.settings();
    let mut holds = |dt: f64| -> Result<bool, E> {
        let mut lane = simulation.clone();
        lane.configure(Settings { dt, ..settings });
        let affordable = MOST_CONSTRAINED_WORK / lane.state().len().max(1) as f64 * dt;
        let seconds = affordable.clamp(LEAST_CONSTRAINED_SECONDS, SECONDS_WITH_SOLVER);
        Ok(!gains_any_energy(&lane, seconds, &mut check)?)
    };
    let own = settings.dt;
    let [shortest, longest] =
        [(own / SHORTEST_DIVISOR).max(SHORTEST_DT), (own * LONGEST_FACTOR).min(LONGEST_DT)];
    let mut stable = own;
    while !holds(stable)? {
        stable /= 2.0;
        if stable < shortest {
            return Ok(0.0);
        }
    }
    let mut unstable = 2.0 * stable;
    while stable >= own && unstable <= longest && holds(unstable)? {
        (stable, unstable) = (unstable, 2.0 * unstable);
    }
    if unstable > longest {
        return Ok(f64::INFINITY);
    }
    longest_between([stable, unstable], ACCURACY_WITH_SOLVER, &mut holds)
}

/// True if velocity and acceleration move no particle by more than a millionth of a link per step.
fn is_at_rest(simulation: &Simulation) -> bool {
    let (model, state) = (simulation.model(), simulation.state());
    let mut a = vec![DVec3::ZERO; state.x.len()];
    model.accelerations(state.t, &state.x, &state.v, &mut a);
    let greatest = |column: &[DVec3]| column.iter().map(|p| p.length()).fold(0.0, f64::max);
    let dt = simulation.settings().dt;
    let moved = greatest(&state.v) * dt + greatest(&a) * dt * dt;
    moved <= AT_REST * simulation.model().topology().links().mean_rest_length()
}
