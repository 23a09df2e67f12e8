//! Springs between two runs of particles of a grid, computed vector by vector.

use super::spring_law::{LoadedSprings, SpringLaw};
use crate::force::row_vectors::{RowRun, difference};
use crate::numerics::simd::{CacheLine, Vector, dot, vectors};

/// Springs that start at one row of particles and lead in one direction.
pub(in crate::force) struct RowSprings<'a, V: Vector, const K: usize> {
    first: &'a RowRun<'a, V, K>,
    second: &'a RowRun<'a, V, K>,
    rest: &'a [V],
    /// Stiffness, damping and slack length, see [`SpringGrid`](super::spring_grid::SpringGrid).
    material: &'a [[V; 3]],
}

impl<'a, V: Vector, const K: usize> RowSprings<'a, V, K> {
    #[inline(always)]
    pub fn new(
        [rest, material]: [&'a [CacheLine]; 2],
        first: &'a RowRun<'a, V, K>,
        second: &'a RowRun<'a, V, K>,
    ) -> Self {
        let n = first.x[0].len();
        let material = vectors::<V>(material).as_chunks().0;
        Self { first, second, rest: &vectors::<V>(rest)[..n], material: &material[..n] }
    }

    /// Returns the forces on the first ends in vector `j`; 0 for springs that exert none. `d` is
    /// x(second end) − x(first end), `l` the length, `reciprocal` 1/l.
    #[inline(always)]
    fn forces(&self, law: impl SpringLaw<K>, j: usize, d: [V; 3], l: V, reciprocal: V) -> [V; 3] {
        let n = [d[0] * reciprocal, d[1] * reciprocal, d[2] * reciprocal];
        let mut differences = [n; K];
        for (k, between) in differences.iter_mut().enumerate() {
            *between = difference::<V>(&self.first.others[k], &self.second.others[k], j);
        }
        let [stiffness, damping, slack] = self.material[j];
        let pull =
            law.pull(LoadedSprings { rest: self.rest[j], stiffness, damping, l, n }, differences);
        let acts = V::and(l.is_above(slack), V::splat(f64::INFINITY).is_above(l));
        [pull[0].or_zero(acts), pull[1].or_zero(acts), pull[2].or_zero(acts)]
    }
}

/// Calls `receive` with the forces on the first ends of springs in D directions, vector by vector.
///
/// Two vectors are in the pipeline: while one waits for its square roots, the one before it
/// computes forces. (The loops use indices, because with iterators the compiler keeps small arrays
/// in memory: 1.66 instead of 1.48 ns per spring.)
#[inline(always)]
pub(in crate::force) fn compute_forces<V: Vector, const K: usize, const D: usize>(
    law: impl SpringLaw<K>,
    springs: [RowSprings<V, K>; D],
    mut receive: impl FnMut(usize, [[V; 3]; D]),
) {
    let vectors = springs[0].rest.len();
    let (zero, one) = (V::splat(0.0), V::splat(1.0));
    let (mut d, mut l) = ([[zero; 3]; D], [zero; D]);
    for t in 0..vectors + 1 {
        let mut reciprocal = [zero; D];
        for k in 0..D {
            reciprocal[k] = one / l[k];
        }
        let (mut next_d, mut next_l) = (d, l);
        if t < vectors {
            for k in 0..D {
                next_d[k] = difference::<V>(&springs[k].first.x, &springs[k].second.x, t);
            }
            for k in 0..D {
                next_l[k] = dot(next_d[k], next_d[k]).sqrt();
            }
        }
        if t > 0 {
            let mut pulls = [[zero; 3]; D];
            for k in 0..D {
                pulls[k] = springs[k].forces(law, t - 1, d[k], l[k], reciprocal[k]);
            }
            receive(t - 1, pulls);
        }
        (d, l) = (next_d, next_l);
    }
}
