//! Force of damped springs and its derivative, for SIMD vectors of one spring per element.

use crate::force::row_vectors::minus;
use crate::numerics::simd::{Vector, dot};

/// Springs that exert a force, one per element, with the terms that the force and its derivative
/// share.
pub(in crate::force) struct LoadedSprings<V> {
    pub rest: V,
    pub stiffness: V,
    pub damping: V,
    /// Length in metres.
    pub l: V,
    /// Unit vector from the first to the second end.
    pub n: [V; 3],
}

/// Computes the vector that a spring adds at its first end and subtracts at its second: its force,
/// or a directional derivative. `differences` are the differences of K columns, second end minus
/// first end. The operations are those of the plain loop, in the same order.
pub(in crate::force) trait SpringLaw<const K: usize>: Copy + Send + Sync {
    fn pull<V: Vector>(self, spring: LoadedSprings<V>, differences: [[V; 3]; K]) -> [V; 3];
}

/// Force of [`crate::force::Springs`]. Its one additional column contains the velocities v.
#[derive(Clone, Copy)]
pub(in crate::force) struct SpringForce;

impl SpringLaw<1> for SpringForce {
    #[inline(always)]
    fn pull<V: Vector>(self, spring: LoadedSprings<V>, [dv]: [[V; 3]; 1]) -> [V; 3] {
        let LoadedSprings { rest, stiffness, damping, l, n } = spring;
        let tension = stiffness * (l - rest) + damping * dot(dv, n);
        [tension * n[0], tension * n[1], tension * n[2]]
    }
}

/// Directional derivative of the force of [`crate::force::Springs`] along position changes dx and
/// velocity changes dv, its two additional columns.
#[derive(Clone, Copy)]
pub(in crate::force) struct SpringDerivative;

impl SpringLaw<2> for SpringDerivative {
    #[inline(always)]
    fn pull<V: Vector>(self, spring: LoadedSprings<V>, [dx, dv]: [[V; 3]; 2]) -> [V; 3] {
        let LoadedSprings { rest, stiffness, damping, l, n } = spring;
        let stretch = dot(n, dx);
        let along = [n[0] * stretch, n[1] * stretch, n[2] * stretch];
        let across = minus(dx, along);
        let sideways = V::splat(1.0) - rest / l;
        let sideways = sideways.or_zero(sideways.is_above(V::splat(0.0)));
        let damped = damping * dot(n, dv);
        [
            stiffness * (along[0] + sideways * across[0]) + damped * n[0],
            stiffness * (along[1] + sideways * across[1]) + damped * n[1],
            stiffness * (along[2] + sideways * across[2]) + damped * n[2],
        ]
    }
}
