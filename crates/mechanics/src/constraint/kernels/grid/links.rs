//! Numbers of a grid's links that the sweeps read and write.

use super::layout::DIRECTIONS;
use crate::numerics::distinct_rows::DistinctRows;
use crate::numerics::simd::{Span, Vector};
use std::array;
use std::ops::Range;

/// Numbers of a grid's links for a [`Rule`](super::super::rule::Rule) that keeps K numbers per
/// link: rest lengths alone, which no sweep changes and which rows share, or XPBD's four.
pub struct LinkNumbers<'a, V> {
    /// Blocks in a row.
    pub segment: usize,
    pub rests: &'a DistinctRows,
    pub distinct: &'a [V],
    /// XPBD: the numbers of the links of some rows.
    pub compliances: &'a mut [[V; 4]],
    /// First of the rows to which `compliances` belong.
    pub first_row: usize,
}

impl<V: Vector> LinkNumbers<'_, V> {
    /// Returns the index of the first numbers of a row and direction.
    #[inline(always)]
    pub fn row<const K: usize>(&self, row: usize, direction: usize) -> usize {
        let number = if K == 1 {
            self.rests.distinct_index(row * DIRECTIONS + direction)
        } else {
            (row - self.first_row) * DIRECTIONS + direction
        };
        number * self.segment
    }

    /// Returns the range of XPBD's numbers for the links that begin in some rows.
    #[inline(always)]
    fn of_rows(&self, rows: Range<usize>) -> Range<usize> {
        if self.compliances.is_empty() {
            return 0..0;
        }
        self.row::<4>(rows.start, 0)..self.row::<4>(rows.end, 0)
    }

    /// Sets XPBD's λ to 0 for the links that begin in some rows.
    #[inline(always)]
    pub fn reset_multipliers(&mut self, rows: Range<usize>) {
        let (of_rows, zero) = (self.of_rows(rows), V::splat(0.0));
        self.compliances[of_rows].iter_mut().for_each(|link| link[3] = zero);
    }

    /// Returns the memory to prefetch for the links that begin in some rows: XPBD's numbers, which
    /// no other rows share.
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

    /// Stores the values that a rule may have changed.
    #[inline(always)]
    pub fn store<const K: usize>(&mut self, at: usize, numbers: [V; K]) {
        if K > 1 {
            self.compliances[at].copy_from_slice(&numbers);
        }
    }
}
