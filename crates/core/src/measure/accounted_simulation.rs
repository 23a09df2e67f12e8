//! Data of a simulation that the energy account and the tensions need.

use crate::model::Model;
use ropelab_mechanics::constraint::ConstraintSolver;
use ropelab_mechanics::mesh::Links;

/// Model, solver and constraints of a simulation in one step, as the energy account needs them.
#[derive(Clone, Copy)]
pub struct AccountedSimulation<'a> {
    /// Masses, springs, forces and pins in the step.
    pub model: &'a Model,
    /// Constraint solver; [`ConstraintSolver::None`] if all links are springs.
    pub solver: ConstraintSolver,
    /// Length of the substep in seconds.
    pub h: f64,
    /// Links that the solver treats as constraints.
    pub constraints: &'a Links,
}
