//! Buffers for the pairs of rows that are being swept.

use super::layout::PointBlock;
use super::links::LinkNumbers;
use super::prefetch_queue::PrefetchQueue;
use super::strip::Slots;
use crate::numerics::simd::Vector;

/// Pairs of rows that are being swept, each in a slot of the buffers, with the data of their links.
pub struct ActiveRows<'a, V: Vector, R> {
    pub rule: R,
    pub rows: usize,
    /// Number of blocks in a row.
    pub segment: usize,
    pub slots: Slots,
    pub blocks: &'a mut [PointBlock<V>],
    /// Inverse masses, in the order of `blocks`.
    pub weights: &'a mut [V],
    /// Positions at the start of the step, for XPBD with damping; otherwise empty.
    pub start: &'a mut [PointBlock<V>],
    pub links: LinkNumbers<'a, V>,
    pub prefetch: PrefetchQueue,
}

impl<V: Vector, R> ActiveRows<'_, V, R> {
    /// Returns the index in `blocks` of the first block of a row.
    #[inline(always)]
    pub fn first_block(&self, row: usize) -> usize {
        (2 * self.slots.of(row / 2) + row % 2) * (self.segment + 1)
    }
}
