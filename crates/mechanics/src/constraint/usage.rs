//! Settings with which solvers are used, searched and compared.

use super::ConstraintSolver;

/// Scheme of the free motion with which a solver is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FreeMotion {
    /// Symplectic Euler.
    SymplecticEuler,
    /// Velocity Verlet.
    VelocityVerlet,
}

impl FreeMotion {
    /// Both schemes.
    pub const BOTH: &'static [Self] = &[Self::SymplecticEuler, Self::VelocityVerlet];
    /// For solvers that are a first-order method themselves.
    pub const FIRST_ORDER: &'static [Self] = &[Self::SymplecticEuler];
}

/// Solver with its parameters, and its name in words.
#[derive(Clone, Debug, PartialEq)]
pub struct Usage {
    /// Solver and sweeps in words: "XPBD, 10 sweeps".
    pub name: &'static str,
    /// The solver with its parameters.
    pub solver: ConstraintSolver,
    /// Substeps of a frame.
    pub substeps: u32,
}

/// Settings of a solver that a search tries.
#[derive(Clone, Debug, PartialEq)]
pub struct Searched {
    /// The solver with its parameters.
    pub solver: ConstraintSolver,
    /// Numbers of sweeps that are tried at first; the solver's own number if there are none.
    pub sweeps: &'static [u32],
    /// Schemes of the free motion.
    pub motions: &'static [FreeMotion],
    /// True if only ropes and trees are worth trying.
    pub only_trees: bool,
}

/// Numbers of sweeps that are tried of solvers whose stiffness grows with them.
pub(super) const SWEEPS: &[u32] = &[1, 2, 5, 10, 20, 50, 100, 200];
