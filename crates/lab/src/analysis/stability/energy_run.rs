//! Energy gain of a lane (one simulation of the scene with its own settings) in a run. An energy
//! account measures it: energy added from outside, energy removed, and energy created by the
//! integrator.
//!
//! Near its stability limit, a symplectic integrator lets the energy of a vibration oscillate. The
//! energy that it adds temporarily is called borrowed energy.

use crate::analysis::linear::mass_product::pseudo_random;
use crate::measure::{EnergyAccount, EnergyGain, Verdict};
use crate::simulation::Simulation;

/// Energy counts as gained if a whole run adds at least this multiple of the energy that its first
/// quarter adds. Borrowed energy is as large in the first quarter as later.
const LEAST_GROWTH_OF_GAIN: f64 = 1.5;
/// Largest borrowed energy, as a fraction of the kinetic and elastic energy that the scene can
/// have. Symplectic Euler borrows 50 times this energy at 0.96 of its limit.
const MOST_BORROWED: f64 = 50.0;
/// Minimum number of steps of a run that looks for an energy gain.
const LEAST_STEPS: f64 = 600.0;
/// Maximum number of steps of a run that looks for an energy gain.
const MOST_STEPS: f64 = 20_000.0;
/// Steps from one check of the energy account to the next in a long run.
const STEPS_BETWEEN_CHECKS: u64 = 64;
/// Largest displacement of a particle along each axis at the start, as a fraction of the mean rest
/// length of the links.
const PERTURBATION: f64 = 1e-6;

/// Returns a slightly perturbed copy of a lane, without the mouse drag. Its energy account starts
/// at this state.
pub(super) fn perturbed_copy(simulation: &Simulation) -> Simulation {
    let mut lane = simulation.clone();
    lane.release();
    perturb(&mut lane);
    lane.start_energy_account();
    lane
}

/// Returns true if a slightly perturbed run from the current state explodes or gains energy by its
/// energy account. Every gain counts, even one that may be borrowed. `check` is called after every
/// step.
pub fn gains_any_energy<E>(
    simulation: &Simulation,
    seconds: f64,
    check: &mut dyn FnMut() -> Result<(), E>,
) -> Result<bool, E> {
    let steps = (seconds / simulation.settings().dt).ceil() as u64;
    // A gain above this limit cannot be borrowed, so it will last.
    let is_lasting = |gain: EnergyGain| gain.fraction > MOST_BORROWED;
    let has_gained = |step: u64, lane: &Simulation| {
        let gain = || lane.energy_account().and_then(EnergyAccount::energy_gain);
        step.is_multiple_of(STEPS_BETWEEN_CHECKS) && gain().is_some_and(is_lasting)
    };
    let lane = run_perturbed(simulation, steps, check, has_gained)?;
    Ok(lane.is_none_or(|lane| matches!(lane.verdict(), Verdict::GainedEnergy(_))))
}

/// Returns true if a slightly perturbed run from the current state explodes, or gains energy that
/// is not borrowed. `check` is called after every step.
pub fn gains_energy<E>(
    simulation: &Simulation,
    seconds: f64,
    check: &mut dyn FnMut() -> Result<(), E>,
) -> Result<bool, E> {
    let steps = (seconds / simulation.settings().dt).clamp(LEAST_STEPS, MOST_STEPS) as u64;
    let mut first_quarter = 0.0;
    let lane = run_perturbed(simulation, steps, check, |step, lane| {
        if step == steps / 4 {
            first_quarter = lane.balance().map_or(0.0, |balance| balance.gain.joules);
        }
        false
    })?;
    let Some(lane) = lane else { return Ok(true) };
    let Verdict::GainedEnergy(gain) = lane.verdict() else { return Ok(false) };
    Ok(gain.fraction > MOST_BORROWED || gain.joules > LEAST_GROWTH_OF_GAIN * first_quarter)
}

/// Runs a slightly perturbed copy of a lane, and returns the copy after the last step. `None` if
/// the copy explodes or `has_gained` returns true. `has_gained` is called after each step with the
/// index of the step, from 0.
fn run_perturbed<E>(
    simulation: &Simulation,
    steps: u64,
    check: &mut dyn FnMut() -> Result<(), E>,
    mut has_gained: impl FnMut(u64, &Simulation) -> bool,
) -> Result<Option<Simulation>, E> {
    let mut lane = perturbed_copy(simulation);
    let dt = lane.settings().dt;
    for step in 0..steps {
        lane.step(dt);
        check()?;
        if lane.explosion().is_some() {
            return Ok(None);
        }
        lane.add_to_energy_account();
        if has_gained(step, &lane) {
            return Ok(None);
        }
    }
    Ok(Some(lane))
}

fn perturb(lane: &mut Simulation) {
    let size = PERTURBATION * lane.model().topology().links().mean_rest_length();
    let mut snapshot = lane.snapshot();
    let noise = pseudo_random(lane.state().len());
    let free = lane.model().inverse_masses();
    if let Some(x) = snapshot.columns_mut().next() {
        for ((x, noise), w) in x.iter_mut().zip(noise).zip(free) {
            if *w > 0.0 && w.is_finite() {
                *x += size * noise;
            }
        }
    }
    lane.restore(&snapshot);
}
