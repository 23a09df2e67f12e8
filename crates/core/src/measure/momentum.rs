//! Momentum and angular momentum.

use glam::DVec3;
use ropelab_mechanics::numerics::state::State;

/// Returns the momentum Σ m v in kg·m/s.
pub fn momentum(masses: &[f64], v: &[DVec3]) -> DVec3 {
    masses.iter().zip(v).map(|(m, v)| *v * *m).sum()
}

/// Returns the angular momentum Σ m x × v about the origin in kg·m²/s.
pub fn angular_momentum(masses: &[f64], State { x, v, .. }: &State) -> DVec3 {
    masses.iter().zip(x).zip(v).map(|((m, x), v)| x.cross(*v) * *m).sum()
}
