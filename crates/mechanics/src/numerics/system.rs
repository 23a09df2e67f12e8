//! Interface between an integrator and the mechanical system that it steps.

use super::block_matrix::BlockMatrix;
use super::state::StateRef;
use glam::DVec3;

/// Three scratch columns with one entry per particle. Their content is unspecified before and after
/// a call.
pub type ScratchColumns<'a> = [&'a mut [DVec3]; 3];

/// Second-order system x″ = a(t, x, x′) of point masses.
pub trait System {
    /// Returns the mass of each particle in kilograms; 0 = pinned. The integrator does not move
    /// pinned particles, and their acceleration is always zero.
    fn masses(&self) -> &[f64];

    /// Writes the acceleration of each particle in m/s² to `a`. All slices have the same length.
    fn accelerations(&self, t: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]);

    /// Writes the directional derivative ∂a/∂x·dx + ∂a/∂v·dv to `out`, with `d` = [dx, dv]. The
    /// derivative is zero for pinned particles; implicit integrators rely on this.
    ///
    /// The derivative of stiff forces may be the positive semidefinite approximation of Choi and Ko
    /// (2002), "Stable but responsive cloth". Conjugate gradients need this approximation. It does
    /// not change the solution of Newton's method.
    fn acceleration_jvp(&self, at: StateRef, d: [&[DVec3]; 2], out: &mut [DVec3]);

    /// Writes the matrix M − cx ∂f/∂x − cv ∂f/∂v of an implicit step as 3 × 3 blocks, with f = M a
    /// and the derivatives of [`Self::acceleration_jvp`]. `factors` is [cx, cv] in s² and s.
    /// Particles after the last row of the matrix interact with no other particle, and are solved
    /// by their masses alone.
    ///
    /// Returns false if elimination would cause too much fill-in, or if the system cannot compute
    /// blocks. The caller then uses conjugate gradients.
    fn blocks(
        &self,
        _at: StateRef,
        _factors: [f64; 2],
        _: ScratchColumns,
        _matrix: &mut BlockMatrix,
    ) -> bool {
        false
    }
}
