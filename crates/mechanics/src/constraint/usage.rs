//! Settings of solvers for typical use, for the search for the best settings, and for comparisons.

use super::ConstraintSolver;

/// Integrator of the free motion before the solver's projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FreeMotion {
    /// Symplectic Euler.
    SymplecticEuler,
    /// Velocity Verlet.
    VelocityVerlet,
}

impl FreeMotion {
    /// Both integrators.
    pub const BOTH: &'static [Self] = &[Self::SymplecticEuler, Self::VelocityVerlet];
    /// Integrators for solvers that are of first order themselves.
    pub const FIRST_ORDER: &'static [Self] = &[Self::SymplecticEuler];
}

/// Solver with its parameters, and its name in words.
#[derive(Clone, Debug, PartialEq)]
pub struct Usage {
    /// Solver and sweeps in words: "XPBD, 10 sweeps".
    pub name: &'static str,
    /// The solver with its parameters.
    pub solver: ConstraintSolver,
    /// Substeps per frame.
    pub substeps: u32,
}

/// Settings of a solver that a search tries.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchSettings {
    /// The solver with its parameters.
    pub solver: ConstraintSolver,
    /// Numbers of sweeps that the search tries first. Empty: the search tries the solver's own
    /// number.
    pub sweeps: &'static [u32],
    /// Integrators of the free motion that the search tries.
    pub motions: &'static [FreeMotion],
    /// True if only ropes and trees are worth trying.
    pub only_trees: bool,
}

/// Numbers of sweeps to try for solvers whose links become stiffer with every sweep.
pub(super) const SWEEPS: &[u32] = &[1, 2, 5, 10, 20, 50, 100, 200];
