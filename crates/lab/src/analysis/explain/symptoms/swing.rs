//! Swing that the integrator and the solver remove or add, measured by a precise run (a reference
//! run with shorter steps) and by an energy account.

use crate::analysis::explain::explain_job::ExplainJob;
use crate::analysis::explain::step_lengths::StepLengths;
use crate::analysis::explain::trial::{Candidate, Span, Trial};
use crate::analysis::job::Cancelled;
use crate::analysis::runs::swing_energy::{SwingChange, SwingEnergy};
use crate::analysis::runs::work::work_of_last_step;
use crate::simulation::Simulation;

/// Largest fraction of the amplitude that an integrator may remove or add per second before this
/// counts as a symptom.
pub(super) const MOST_SWING_CHANGE: f64 = 0.01;
/// Largest difference at which the energies of two runs count as equal, as a fraction of the
/// swing's energy.
const EQUAL_ENERGIES: f64 = 0.02;
/// Largest difference at which the swings of two runs decay equally fast, as a fraction of the
/// precise run's decay rate. In the precise run, only drag and dampers remove swing.
const EQUAL_RATES: f64 = 0.1;
/// Smallest energy of a swing, as a fraction of the potential energy. Less energy may be a rounding
/// error and does not count as a swing.
const ROUNDING: f64 = 1e-6;

/// Returns the change of swing that a candidate's integrator and solver cause. `shorter` is the
/// candidate's step divided by that of the precise run. `None` if both runs change the swing
/// equally, if the lane is soft, or if the precise run explodes.
///
/// The rate is the candidate's rate minus that of the precise run, in which only drag and damping
/// remove energy. In chaotic motion, drag and damping remove different amounts in the two runs.
/// Therefore the rate is limited by the rate from the candidate's energy account.
pub(super) fn swing_error(
    job: &ExplainJob,
    candidate: &Candidate,
    [own, exact]: [&Trial; 2],
    shorter: f64,
    span: Span,
) -> Result<Option<SwingChange>, Cancelled> {
    let size = own.swing.size().max(exact.swing.size());
    let potential = job.question.start.energy().potential.abs();
    // Energy that sweeps leave in constraints is not motion.
    if exact.ending.is_some() || own.softness.is_some() || size <= ROUNDING * potential {
        return Ok(None);
    }
    let is_visible = |change: &SwingChange| change.over_span().abs() > EQUAL_ENERGIES;
    let (change, precise) = (own.swing.change(size), exact.swing.change(size));
    let difference = SwingChange { rate: change.rate - precise.rate, ..change };
    let is_natural = difference.rate.abs() <= EQUAL_RATES * precise.rate.abs();
    // If the swing decays in spite of the added energy, there is no gain.
    let dies = difference.rate > 0.0 && !own.swing.lasts(size);
    if !is_visible(&difference) || is_natural || dies {
        return Ok(None);
    }
    // The loss by a projection is proportional to the step. The precise run therefore has
    // 1/`shorter` of the candidate's loss, and the difference of both runs is the fraction 1 −
    // 1/`shorter` of this loss. `extrapolation` turns the difference into the whole loss.
    let extrapolation = if shorter > 1.0 { shorter / (shorter - 1.0) } else { 1.0 };
    let error = SwingChange { rate: extrapolation * difference.rate, ..difference };
    if error.of_amplitude().abs() <= MOST_SWING_CHANGE {
        return Ok(None);
    }
    let made = run_with_energy_account(job, candidate, span)?.change_by_scheme(size);
    let least = if made.rate.abs() < error.rate.abs() { made } else { error };
    Ok(Some(least).filter(|change| made.rate * error.rate > 0.0 && is_visible(change)))
}

fn run_with_energy_account(
    job: &ExplainJob,
    candidate: &Candidate,
    span: Span,
) -> Result<SwingEnergy, Cancelled> {
    let mut simulation = Simulation::new(candidate.parts.clone(), candidate.settings);
    simulation.start_energy_account();
    let mut swing = SwingEnergy::of(&simulation);
    let mut step_lengths = StepLengths::of(job.question, &candidate.settings);
    let mut seconds = 0.0;
    while seconds < span.compared * (1.0 - 1e-9) && !job.is_over() {
        job.check()?;
        let dt = step_lengths.next_length();
        simulation.step(dt);
        job.spend(work_of_last_step(&simulation));
        simulation.add_to_energy_account();
        swing.observe(&simulation);
        seconds += dt;
    }
    Ok(swing)
}
