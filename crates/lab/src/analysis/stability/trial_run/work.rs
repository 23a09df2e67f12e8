//! Work of runs, in force evaluations × particles. Runs are limited by this count, not by computing
//! time, so answers do not depend on the machine.

use crate::constraint::ConstraintSolver;
use crate::simulation::Simulation;

/// Maximum work of a run, in force evaluations × particles.
const MOST_WORK: f64 = 4e6;
/// Maximum work of a run of an erratic lane (which gains energy at unpredictable times), in force
/// evaluations × particles.
const MOST_WORK_OF_ERRATIC: f64 = 1.6e7;
/// Work of contact in a substep, in force evaluations.
const WORK_OF_CONTACT: f64 = 30.0;
/// Work of an implicit integrator per force evaluation, in plain force evaluations. It includes
/// solving the equations.
const WORK_OF_EQUATIONS: f64 = 100.0;
/// Work of the energy account in a step, in force evaluations.
const WORK_OF_ENERGY_ACCOUNT: f64 = 4.0;
/// Number of sweeps that counts for a solver that sweeps until it meets a tolerance.
const SWEEPS_TO_TOLERANCE: f64 = 100.0;
/// Number of sweeps that counts for a direct solution of all links.
const SWEEPS_OF_DIRECT_SOLUTION: f64 = 10.0;
/// Largest actual work of a run, as a multiple of its largest estimated work. The estimate is far
/// too small for an implicit integrator with long steps on stiff links: implicit Euler on the
/// clothesline with steps of 50 ms needs about 10,000 evaluations per step instead of 100.
pub(super) const MOST_COUNTED: f64 = 50.0;

pub(super) fn most_work(is_erratic: bool) -> f64 {
    if is_erratic { MOST_WORK_OF_ERRATIC } else { MOST_WORK }
}

/// Returns the work of a step, in force evaluations × particles. Sweeps are not counted.
pub(in crate::analysis) fn work_of_a_step(lane: &Simulation) -> f64 {
    let info = lane.settings().integrator.info();
    let solves = if info.implicit { WORK_OF_EQUATIONS } else { 1.0 };
    let contact = if lane.model().geometry().is_empty() { 0.0 } else { WORK_OF_CONTACT };
    let substep = f64::from(info.evaluations) * solves + contact;
    let step = substep * f64::from(lane.settings().substeps) + WORK_OF_ENERGY_ACCOUNT;
    step * lane.state().len().max(1) as f64
}

pub(in crate::analysis) fn sweeps_of_substep(solver: &ConstraintSolver) -> f64 {
    match solver.iterations() {
        _ if solver.is_none() => 0.0,
        _ if solver.has_tolerance() => SWEEPS_TO_TOLERANCE,
        None => SWEEPS_OF_DIRECT_SOLUTION,
        Some(sweeps) => f64::from(sweeps),
    }
}

/// Returns the work of a step, in force evaluations × particles and sweeps × links.
pub(in crate::analysis) fn work_with_sweeps(lane: &Simulation) -> f64 {
    let links = lane.parts().mesh.links.len() as f64;
    let sweeps = sweeps_of_substep(&lane.settings().solver());
    work_of_a_step(lane) + sweeps * links * f64::from(lane.settings().substeps)
}
