//! Rows that all phases of a walk share.

use super::layout::PointBlock;
use super::links::LinkNumbers;
use super::prefetch_queue::PrefetchQueue;
use super::strip::Slots;
use crate::numerics::simd::Vector;

/// Rows in work, in the slots of their pairs.
pub struct RowsInWork<'a, V: Vector, R> {
    pub rule: R,
    /// Rows of the grid.
    pub rows: usize,
    /// Blocks in a row.
    pub segment: usize,
    pub slots: Slots,
    pub blocks: &'a mut [PointBlock<V>],
    /// Inverse masses, in the order of the particles in `blocks`.
    pub weights: &'a mut [V],
    /// XPBD with damping: positions at the start of the step. Otherwise empty.
    pub start: &'a mut [PointBlock<V>],
    pub links: LinkNumbers<'a, V>,
    pub prefetch: PrefetchQueue,
}

impl<V: Vector, R> RowsInWork<'_, V, R> {
    /// Index of the first block of a row.
    #[inline(always)]
    pub fn at(&self, row: usize) -> usize {
        (2 * self.slots.of(row / 2) + row % 2) * (self.segment + 1)
    }
}
