//! Values of a grid's links that the sweeps read and write.

use super::layout::DIRECTIONS;
use crate::numerics::distinct_rows::DistinctRows;
use crate::numerics::simd::{Span, Vector};
use std::array;
use std::ops::Range;

/// Values of a grid's links, K per link, for a [`Rule`](super::super::rule::Rule). K = 1: the rest
/// length. Sweeps do not change rest lengths, so equal rows share their memory. K = 4: XPBD's rest
/// length, α̃, γ and λ.
pub struct LinkNumbers<'a, V> {
    /// Number of blocks in a row.
    pub segment: usize,
    pub rests: &'a DistinctRows,
    pub distinct: &'a [V],
    /// XPBD's four values (rest length, α̃, γ, λ) of the links that start in some rows; empty for
    /// other solvers.
    pub compliances: &'a mut [[V; 4]],
    /// Index of the first row whose links have their XPBD values in `compliances`.
    pub first_row: usize,
}

impl<V: Vector> LinkNumbers<'_, V> {
    /// Returns the index of the first value of the links that start in a row and lead in a
    /// direction.
    #[inline(always)]
    pub fn row<const K: usize>(&self, row: usize, direction: usize) -> usize {
        let number = if K == 1 {
            self.rests.distinct_index(row * DIRECTIONS + direction)
        } else {
            (row - self.first_row) * DIRECTIONS + direction
        };
        number * self.segment
    }

    /// Returns the index range in `compliances` of the links that start in `rows`.
    #[inline(always)]
    fn of_rows(&self, rows: Range<usize>) -> Range<usize> {
        if self.compliances.is_empty() {
            return 0..0;
        }
        self.row::<4>(rows.start, 0)..self.row::<4>(rows.end, 0)
    }

    /// Sets XPBD's λ to 0 for the links that start in `rows`.
    #[inline(always)]
    pub fn reset_multipliers(&mut self, rows: Range<usize>) {
        let (of_rows, zero) = (self.of_rows(rows), V::splat(0.0));
        self.compliances[of_rows].iter_mut().for_each(|link| link[3] = zero);
    }

    /// Returns the memory to prefetch for the links that start in `rows`: the values of XPBD. Rest
    /// lengths are few and remain in the cache.
    #[inline(always)]
    pub fn prefetch_span(&self, rows: Range<usize>) -> Span {
        Span::of(&self.compliances[self.of_rows(rows)])
    }

    #[inline(always)]
    pub fn load<const K: usize>(&self, at: usize) -> [V; K] {
        if K == 1 {
            [self.distinct[at]; K]
        } else {
            let link = &self.compliances[at];
            array::from_fn(
                #[inline(always)]
                |k| link[k],
            )
        }
    }

    /// Stores the K values of a link after a rule may have changed λ.
    #[inline(always)]
    pub fn store<const K: usize>(&mut self, at: usize, numbers: [V; K]) {
        if K > 1 {
            self.compliances[at].copy_from_slice(&numbers);
        }
    }
}
