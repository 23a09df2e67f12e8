//! What an integrator may know about the thing it moves.

use glam::DVec3;

/// A second-order system x″ = a(t, x, x′) of point masses.
pub trait System {
    /// Mass of each particle in kilograms; 0 marks a pinned particle, which is moved by someone
    /// else and whose acceleration is always zero.
    fn masses(&self) -> &[f64];

    /// Writes the acceleration of each particle in m/s² to `a` (all slices have one length).
    fn accelerations(&self, t: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]);

    /// Writes the directional derivative ∂a/∂x·dx + ∂a/∂v·dv to `out`, at (t, x, v). Zero for
    /// pinned particles, on which the implicit solvers rely.
    ///
    /// The stiffness part may be the positive semidefinite approximation of Choi and Ko (2002),
    /// "Stable but responsive cloth": conjugate gradients need it, Newton's fixed point does not
    /// depend on it.
    #[allow(clippy::too_many_arguments)] // the mathematical signature
    fn acceleration_jvp(
        &self,
        t: f64,
        x: &[DVec3],
        v: &[DVec3],
        dx: &[DVec3],
        dv: &[DVec3],
        out: &mut [DVec3],
    );
}
