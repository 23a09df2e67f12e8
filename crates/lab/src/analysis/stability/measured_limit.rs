//! Longest stable step of a scene, measured by runs of its lane.

use super::energy_run::{gains_any_energy, gains_energy};
use super::growth::{StepMap, grows_from};
use super::limit::Limit;
use crate::analysis::vibration::step_matrix::is_linear;
use crate::numerics::system::System;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use crate::simulation::timing::stepper::{LONGEST_DT, SHORTEST_DT};
use glam::DVec3;

/// Relative accuracy of a measured limit.
const ACCURACY: f64 = 1e-3;
/// Factor below and above the predicted step at which the search starts.
const FIRST_RATIO: f64 = 1.01;
/// Value of ωh that is tried if the integrator has no predicted limit.
const MOST_Z: f64 = 100.0;
/// Value of ωh that is tried with an integrator that is never stable. Heun, which grows slowest,
/// grows by 0.8 % per step there.
const UNSTABLE_Z: f64 = 0.5;
/// Largest displacement per step of a lane that counts as resting, as a fraction of the mean rest
/// length of links.
const AT_REST: f64 = 1e-6;
/// Simulated seconds of a run that decides if a step is stable.
const RUN_SECONDS: f64 = 3.0;
/// Simulated seconds of a run in which contact begins and ends. There, an energy gain may take a
/// minute to become visible.
const CONTACT_SECONDS: f64 = 60.0;
/// Relative accuracy of a limit that is measured by the energy gain of runs.
const ACCURACY_OF_RUNS: f64 = 5e-3;
/// Simulated seconds of a run if a solver holds all links, so that theory predicts no limit.
const SECONDS_WITH_SOLVER: f64 = 10.0;
/// Longest step that is tried if a solver holds all links, as a multiple of the lane's step.
const LONGEST_FACTOR: f64 = 8.0;
/// Divisor of the lane's step for the shortest step that is tried if a solver holds all links.
const SHORTEST_DIVISOR: f64 = 16.0;
/// Relative accuracy of a measured limit if a solver holds all links.
const ACCURACY_WITH_SOLVER: f64 = 0.05;

/// Measures the longest stable step in seconds by bisection. Returns 0 if no step is stable, and ∞
/// if none of the tried steps failed. `check` is called before each try.
///
/// Each step is tried with integrator, solver and substeps on the simulation in its current state,
/// from a perturbation of the fastest mode by 1e-6 of a link. The growth of a perturbation is not
/// conclusive if colliders push moving particles (contact begins and ends all the time) or if the
/// integrator's step is not linear. Then a run of three seconds must not gain energy; with contact,
/// a run of a minute must not show a gain in its energy ledger either. If a solver holds all links,
/// steps from a sixteenth to eight times the lane's own are tried in runs of ten seconds.
pub fn measure_limit<E>(
    simulation: &Simulation,
    limit: &Limit,
    mut check: impl FnMut() -> Result<(), E>,
) -> Result<f64, E> {
    let Some(mode) = &limit.mode else {
        let has_held_links = limit.links_are_held && !simulation.parts().mesh.links.is_empty();
        return if has_held_links {
            measure_with_solver(simulation, check)
        } else {
            Ok(f64::INFINITY)
        };
    };
    let settings = *simulation.settings();
    let moves = limit.colliders_push && !is_at_rest(simulation);
    let by_runs = moves || !is_linear(&settings.integrator);
    let accuracy = if by_runs { ACCURACY_OF_RUNS } else { ACCURACY };
    let substeps = f64::from(settings.substeps);
    let mut holds = |dt: f64| -> Result<bool, E> {
        check()?;
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
        // Near step 0, growth in a few hundred steps is too small to be visible.
        let is_stable = holds(UNSTABLE_Z * substeps / mode.omega)?;
        return Ok(if is_stable { f64::INFINITY } else { 0.0 });
    }
    let most = (MOST_Z * substeps / mode.omega).min(LONGEST_DT);
    if limit.dt >= most && holds(most)? {
        return Ok(f64::INFINITY);
    }
    let expected = limit.dt.min(most);
    let (mut stable, mut unstable) = (expected / FIRST_RATIO, expected * FIRST_RATIO);
    let mut ratio = FIRST_RATIO * FIRST_RATIO;
    while !holds(stable)? {
        ratio *= ratio;
        (stable, unstable) = (stable / ratio, stable);
        if stable < SHORTEST_DT {
            return Ok(0.0);
        }
    }
    while holds(unstable)? {
        ratio *= ratio;
        (stable, unstable) = (unstable, unstable * ratio);
        if stable > LONGEST_DT {
            return Ok(f64::INFINITY);
        }
    }
    while unstable / stable > 1.0 + accuracy {
        let middle = (stable + unstable) / 2.0;
        if holds(middle)? {
            stable = middle;
        } else {
            unstable = middle;
        }
    }
    Ok((stable + unstable) / 2.0)
}

/// Measures the longest stable step of a lane whose links a solver holds, like [`measure_limit`].
fn measure_with_solver<E>(
    simulation: &Simulation,
    mut check: impl FnMut() -> Result<(), E>,
) -> Result<f64, E> {
    let settings = *simulation.settings();
    let mut holds = |dt: f64| -> Result<bool, E> {
        let mut lane = simulation.clone();
        lane.configure(Settings { dt, ..settings });
        Ok(!gains_any_energy(&lane, SECONDS_WITH_SOLVER, &mut check)?)
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
    while unstable / stable > 1.0 + ACCURACY_WITH_SOLVER {
        let middle = (stable + unstable) / 2.0;
        *(if holds(middle)? { &mut stable } else { &mut unstable }) = middle;
    }
    Ok((stable + unstable) / 2.0)
}

/// True if no particle moves by more than a millionth of a link per step, by its velocity and
/// acceleration.
fn is_at_rest(simulation: &Simulation) -> bool {
    let (model, state) = (simulation.model(), simulation.state());
    let mut a = vec![DVec3::ZERO; state.x.len()];
    model.accelerations(state.t, &state.x, &state.v, &mut a);
    let greatest = |column: &[DVec3]| column.iter().map(|p| p.length()).fold(0.0, f64::max);
    let dt = simulation.settings().dt;
    let moved = greatest(&state.v) * dt + greatest(&a) * dt * dt;
    moved <= AT_REST * simulation.model().topology().links().mean_rest_length()
}
