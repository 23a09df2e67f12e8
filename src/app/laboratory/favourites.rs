//! Single keys that change a lane: its integrator, and the number of sweeps of its solver.

use crate::constraint::ConstraintSolver;
use crate::integrate::Method;

/// Names of the integrators that the keys 1 to 8 select: the most frequently compared ones.
pub const FAVOURITES: [&str; 8] = [
    "explicit-euler",
    "symplectic-euler",
    "position-verlet",
    "velocity-verlet",
    "midpoint",
    "rk4",
    "implicit-euler",
    "dormand-prince",
];

/// Returns the integrator that a digit key selects. `key` is the digit minus 1.
pub fn favourite(key: usize) -> Option<Method> {
    Method::all().find(|method| FAVOURITES.get(key) == Some(&method.info().name))
}

/// Changes the number of sweeps of a solver: by 1 below 20 sweeps, and by a tenth at 20 or more.
pub fn scale_iterations(solver: &mut ConstraintSolver, more: bool) {
    let Some(iterations) = solver.iterations() else { return };
    let stride = (iterations / 10).max(1);
    let changed =
        if more { iterations.saturating_add(stride) } else { iterations.saturating_sub(stride) };
    solver.set_iterations(changed.clamp(1, 100_000));
}
