//! Springs of a row, computed register after register.

use super::spring_law::{LoadedSprings, SpringLaw};
use crate::force::row_vectors::{RowRun, difference};
use crate::numerics::simd::{CacheLine, Vector, dot, vectors};

/// The springs of a row in one direction.
pub(in crate::force) struct RowSprings<'a, V: Vector, const K: usize> {
    first: &'a RowRun<'a, V, K>,
    second: &'a RowRun<'a, V, K>,
    rest: &'a [V],
    /// Stiffness, damping and slack: see [`SpringGrid`](super::spring_grid::SpringGrid).
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

    /// Returns the vectors from first to second ends, in metres.
    #[inline(always)]
    fn end_differences(&self, j: usize) -> [V; 3] {
        difference::<V>(&self.first.x, &self.second.x, j)
    }

    /// Returns the pull on the first ends; 0 where no spring acts. `d` are the vectors from first
    /// to second ends, `l` their lengths.
    #[inline(always)]
    fn pull(&self, law: impl SpringLaw<K>, j: usize, d: [V; 3], l: V, reciprocal: V) -> [V; 3] {
        let n = [d[0] * reciprocal, d[1] * reciprocal, d[2] * reciprocal];
        let mut differences = [n; K];
        for (k, between) in differences.iter_mut().enumerate() {
            *between = difference::<V>(&self.first.others[k], &self.second.others[k], j);
        }
        let [stiffness, damping, slack] = self.material[j];
        let pull =
            law.pull(LoadedSprings { rest: self.rest[j], stiffness, damping, l, n }, differences);
        let acts = V::both(l.is_above(slack), V::splat(f64::INFINITY).is_above(l));
        [pull[0].only(acts), pull[1].only(acts), pull[2].only(acts)]
    }
}

/// Calls `give` with the pulls on the first ends of the springs in D directions, vector after
/// vector.
///
/// Two vectors are in the pipeline: one waits for its roots, and the one before it pulls. (Loops
/// run over indices, because iterators keep small arrays in memory: 1.66 instead of 1.48 ns per
/// spring.)
#[inline(always)]
pub(in crate::force) fn pull<V: Vector, const K: usize, const D: usize>(
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
                next_d[k] = springs[k].end_differences(t);
            }
            for k in 0..D {
                next_l[k] = dot(next_d[k], next_d[k]).sqrt();
            }
        }
        if t > 0 {
            let mut pulls = [[zero; 3]; D];
            for k in 0..D {
                pulls[k] = springs[k].pull(law, t - 1, d[k], l[k], reciprocal[k]);
            }
            receive(t - 1, pulls);
        }
        (d, l) = (next_d, next_l);
    }
}
