//! Work of runs. The work, not the computing time, limits an explanation and decides between
//! settings of nearly equal cost, so every machine gives the same answer.
//!
//! The unit is the force evaluation of a particle or of a link. An adaptive integrator or solver
//! counts its actual iterations, which are the same on every machine.

use crate::simulation::Simulation;

/// Typical work of one thread in a second: about 10 ns per unit on an AMD EPYC. Budgets are
/// multiples of this work.
pub(in crate::analysis) const WORK_OF_A_SECOND: u64 = 100_000_000;
/// Work of a step apart from forces, sweeps and contact: the energy check and the call.
const WORK_OF_A_STEP: u64 = 50;
/// Work of the measurements after a step, in force evaluations.
const EVALUATIONS_OF_MEASUREMENTS: u64 = 4;
/// Work of contact in a substep, in force evaluations.
const EVALUATIONS_OF_CONTACT: u64 = 40;

/// Returns the work of the last step of a simulation, and of the measurements after it.
pub(in crate::analysis) fn work_of_last_step(simulation: &Simulation) -> u64 {
    let (settings, solve) = (simulation.settings(), simulation.solve());
    let (info, solver) = (settings.integrator.info(), settings.solver());
    let particles = simulation.state().len() as u64;
    let links = simulation.parts().mesh.links.len() as u64;
    let substeps = u64::from(settings.substeps);
    let evaluations = match info.implicit {
        true => u64::from(solve.newton) + u64::from(solve.linear),
        false => u64::from(info.evaluations) * u64::from(solve.parts).max(substeps),
    };
    let has_contact = !simulation.model().geometry().is_empty();
    let contact = if has_contact { EVALUATIONS_OF_CONTACT * substeps } else { 0 };
    let sweeps = substeps * u64::from(simulation.sweeps());
    WORK_OF_A_STEP
        + (evaluations + EVALUATIONS_OF_MEASUREMENTS) * (particles + links)
        + contact * particles
        + solver.work_of_a_sweep() * sweeps * links
}
