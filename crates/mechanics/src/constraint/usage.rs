//! Recommended settings of the solvers: for typical use, for the search for the best settings, and
//! for comparisons.

use super::ConstraintSolver;

/// Integrator of the free motion that precedes a projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FreeIntegrator {
    /// Symplectic Euler.
    SymplecticEuler,
    /// Velocity Verlet.
    VelocityVerlet,
}

impl FreeIntegrator {
    /// Symplectic Euler and velocity Verlet, for a search of settings.
    pub(crate) const BOTH: &'static [Self] = &[Self::SymplecticEuler, Self::VelocityVerlet];
    /// Symplectic Euler only, for solvers that are themselves of first order.
    pub(crate) const FIRST_ORDER: &'static [Self] = &[Self::SymplecticEuler];
}

/// Solver with parameters and number of substeps, and its name in words.
#[derive(Clone, Debug, PartialEq)]
pub struct CommonSettings {
    /// Name with the number of sweeps, e.g. "XPBD, 10 sweeps".
    pub name: &'static str,
    /// Solver with its parameters.
    pub solver: ConstraintSolver,
    /// Number of substeps per frame.
    pub substeps: u32,
}

/// Range of settings of one solver that a search tries.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchSettings {
    /// Solver with its parameters.
    pub solver: ConstraintSolver,
    /// Numbers of sweeps that the search tries first. Empty: only the solver's own number.
    pub sweeps: &'static [u32],
    /// Integrators of the free motion that the search tries.
    pub integrators: &'static [FreeIntegrator],
    /// True if the search skips meshes other than ropes and trees.
    pub only_trees: bool,
}

/// Numbers of sweeps to try for solvers whose links become stiffer with each sweep.
pub(super) const SWEEPS: &[u32] = &[1, 2, 5, 10, 20, 50, 100, 200];
