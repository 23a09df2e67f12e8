//! Reasons why settings cannot be exported as a plain loop.

use crate::constraint::ConstraintSolver;
use thiserror::Error;

/// Reason why settings cannot be exported as a plain loop, i.e. as about thirty lines of source
/// code.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoPlainLoop {
    /// The integrator is implicit or has memory of more than one step.
    #[error(
        "{0} does not fit into a loop of thirty lines; explicit and symplectic Euler, position and \
         velocity Verlet, leapfrog, Beeman, midpoint, Heun and RK4 do"
    )]
    Integrator(&'static str),
    /// The solver does not fit into a plain loop.
    #[error(
        "{0} does not fit into a loop of thirty lines; the solvers {list} do",
        list = solvers_with_loop()
    )]
    Solver(&'static str),
    /// The solver has a parameter that the code does not support.
    #[error(
        "{solver} with {parameter} does not fit into a loop of thirty lines; without \
         {parameter} it does"
    )]
    Parameter {
        /// Title of the solver.
        solver: &'static str,
        /// Parameter as text.
        parameter: &'static str,
    },
    /// The solver's code requires that the scene is a single rope.
    #[error(
        "{0} fits into a plain loop only for one rope whose links follow each other and are all \
         constrained; this scene needs an elimination order"
    )]
    NotOneRope(&'static str),
    /// The solver's impulses depend on the forces of the substep, so it needs symplectic Euler.
    #[error(
        "{solver} with {integrator} does not fit into a plain loop; with symplectic Euler it \
         does"
    )]
    SolverUnder {
        /// Title of the solver.
        solver: &'static str,
        /// Title of the integrator.
        integrator: &'static str,
    },
    /// The integrator evaluates forces within its step, where constraints are not enforced.
    #[error(
        "{0} with constraints does not fit into a plain loop: it evaluates forces within a step, \
         where constraints are not enforced; choose velocity Verlet, which gives the same motion \
         if no force depends on velocities"
    )]
    Stages(&'static str),
}

/// Returns the names of the solvers that fit into a loop with their default parameters.
fn solvers_with_loop() -> String {
    let written = ConstraintSolver::all().filter(|solver| solver.plain_loop().is_ok());
    written.map(|solver| solver.info().name).collect::<Vec<_>>().join(", ")
}
