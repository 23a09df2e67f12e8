//! Effects of single keys on a lane: integrators of the digit keys, and the number of sweeps.

use crate::constraint::ConstraintSolver;
use crate::integrate::Method;

/// Names of the integrators of the keys 1 to 8: those that are compared most often.
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

/// Returns the integrator of a digit key; the key 1 is 0.
pub fn favourite(key: usize) -> Option<Method> {
    Method::all().find(|method| FAVOURITES.get(key) == Some(&method.info().name))
}

/// Changes the number of sweeps of a solver: by 1 below 20 sweeps, by a tenth above.
pub fn scale_iterations(solver: &mut ConstraintSolver, more: bool) {
    let Some(iterations) = solver.iterations() else { return };
    let stride = (iterations / 10).max(1);
    let changed =
        if more { iterations.saturating_add(stride) } else { iterations.saturating_sub(stride) };
    solver.set_iterations(changed.clamp(1, 100_000));
}
