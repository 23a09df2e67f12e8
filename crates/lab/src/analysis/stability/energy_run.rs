//! Energy gain of a lane in a run, according to the ledger of energy (its books).

use crate::analysis::linear::mass_product::pseudo_random;
use crate::measure::{EnergyBooks, EnergyGain, Verdict};
use crate::simulation::Simulation;

/// Factor by which the energy added at the end of a run must exceed the energy added in its first
/// quarter to count as a gain. Near its limit, a symplectic integrator borrows many times the
/// energy of a vibration and returns it.
const MADE_MORE: f64 = 1.5;
/// Upper limit of borrowed energy, as a fraction of the energy in the ledger: symplectic Euler
/// borrows 50 times at 0.96 of its limit.
const MOST_BORROWED: f64 = 50.0;
/// Lower limit of the number of steps of a run.
const LEAST_STEPS: f64 = 600.0;
/// Upper limit of the number of steps of a run.
const MOST_STEPS: f64 = 20_000.0;
/// Number of steps between two checks of the ledger in a long run.
const STEPS_BETWEEN: u64 = 64;
/// Largest initial displacement per coordinate of a particle, as a fraction of the mean rest
/// length.
const PUSH: f64 = 1e-6;

/// Returns a copy of a lane without the hand, slightly perturbed, whose ledger of energy begins at
/// this state.
pub(super) fn pushed(simulation: &Simulation) -> Simulation {
    let mut lane = simulation.clone();
    lane.release();
    push(&mut lane);
    lane.open_books();
    lane
}

/// Returns true if a run from the current state, slightly perturbed, explodes or gains energy by
/// the ledger. Every gain counts, even if the lane may return it later. `check` is called after
/// every step.
pub fn goes_wrong<E>(
    simulation: &Simulation,
    seconds: f64,
    check: &mut dyn FnMut() -> Result<(), E>,
) -> Result<bool, E> {
    let mut lane = pushed(simulation);
    let dt = lane.settings().dt;
    for step in 0..(seconds / dt).ceil() as u64 {
        lane.step(dt);
        check()?;
        if lane.explosion().is_some() {
            return Ok(true);
        }
        lane.enter_in_books();
        // A gain this large is never returned.
        let wild = |gain: EnergyGain| gain.fraction > MOST_BORROWED;
        if step % STEPS_BETWEEN == 0 && lane.books().and_then(EnergyBooks::gained).is_some_and(wild)
        {
            return Ok(true);
        }
    }
    Ok(matches!(lane.verdict(), Verdict::GainedEnergy(_)))
}

/// Returns true if a run from the current state, slightly perturbed, explodes or gains energy that
/// it does not return. `check` is called after every step.
pub fn gains_energy<E>(
    simulation: &Simulation,
    seconds: f64,
    check: &mut dyn FnMut() -> Result<(), E>,
) -> Result<bool, E> {
    let mut lane = pushed(simulation);
    let dt = lane.settings().dt;
    let steps = (seconds / dt).clamp(LEAST_STEPS, MOST_STEPS) as u64;
    let mut first_quarter = 0.0;
    for step in 0..steps {
        lane.step(dt);
        check()?;
        if lane.explosion().is_some() {
            return Ok(true);
        }
        lane.enter_in_books();
        if step == steps / 4 {
            first_quarter = lane.balance().map_or(0.0, |balance| balance.gain.joules);
        }
    }
    let Verdict::GainedEnergy(gain) = lane.verdict() else { return Ok(false) };
    Ok(gain.fraction > MOST_BORROWED || gain.joules > MADE_MORE * first_quarter)
}

fn push(lane: &mut Simulation) {
    let size = PUSH * lane.model().topology().links().mean_rest_length();
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
