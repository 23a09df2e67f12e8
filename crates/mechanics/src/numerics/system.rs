//! Interface between an integrator and the system that it moves.

use super::block_matrix::BlockMatrix;
use super::state::Now;
use glam::DVec3;

/// Scratch columns with unspecified content, one entry per particle.
pub type ScratchColumns<'a> = [&'a mut [DVec3]; 3];

/// A second-order system x″ = a(t, x, x′) of point masses.
pub trait System {
    /// Mass of each particle in kilograms. 0 marks a pinned particle, which is not moved by the
    /// integrator and whose acceleration is always zero.
    fn masses(&self) -> &[f64];

    /// Writes the acceleration of each particle in m/s² to `a` (all slices have one length).
    fn accelerations(&self, t: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]);

    /// Writes the directional derivative ∂a/∂x·dx + ∂a/∂v·dv to `out`, with `d` = [dx, dv]. The
    /// derivative is zero for pinned particles; implicit solvers rely on this.
    ///
    /// The stiffness part may be the positive semidefinite approximation of Choi and Ko (2002),
    /// "Stable but responsive cloth". Conjugate gradients need the approximation, and the fixed
    /// point of Newton's method does not depend on it.
    fn acceleration_jvp(&self, at: Now, d: [&[DVec3]; 2], out: &mut [DVec3]);

    /// Writes the matrix M − cx ∂f/∂x − cv ∂f/∂v of an implicit step, with the derivatives of
    /// [`Self::acceleration_jvp`] and f = M a, as blocks. `factors` are cx in s² and cv in s.
    /// Particles beyond the rows of the matrix have their mass and nothing else.
    ///
    /// Returns false if elimination would fill too much or the blocks are unknown. The caller then
    /// uses conjugate gradients.
    fn blocks(
        &self,
        _at: Now,
        _factors: [f64; 2],
        _: ScratchColumns,
        _matrix: &mut BlockMatrix,
    ) -> bool {
        false
    }
}
