//! Energy gain of a lane in a run, by its books.

use crate::analysis::linear::mass_product::pseudo_random;
use crate::measure::{EnergyBooks, EnergyGain, Verdict};
use crate::simulation::Simulation;

/// Factor on the greatest energy made in the first quarter of a run that its books must exceed in
/// the end for a gain to count. Near its limit a symplectic scheme borrows many times the energy of
/// a vibration, and gives it back.
const MADE_MORE: f64 = 1.5;
/// No vibration borrows more than this: 50 times is the amount that symplectic Euler borrows at
/// 0.96 of its limit.
const MOST_BORROWED: f64 = 50.0;
/// Steps of a run at least and at most.
const LEAST_STEPS: f64 = 600.0;
const MOST_STEPS: f64 = 20_000.0;
/// Steps between two checks of the books in a long run.
const STEPS_BETWEEN: u64 = 64;
/// Every particle is pushed by up to this part of a mean rest length.
const PUSH: f64 = 1e-6;

/// A copy of a lane with free hand, pushed a little, whose books begin here.
fn pushed(simulation: &Simulation) -> Simulation {
    let mut lane = simulation.clone();
    lane.release();
    push(&mut lane);
    lane.open_books();
    lane
}

/// Runs a lane from its current state with a small push, and returns true if its verdict is bad: it
/// explodes, or its books show a gain of energy, however much of it the lane may give back. `check`
/// is called after every step.
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

/// Runs a lane from its present state, pushed a little, and returns whether it explodes or makes
/// energy from nothing. `check` is called after every step.
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
