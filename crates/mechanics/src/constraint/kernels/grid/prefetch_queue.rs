//! Prefetch queue: the next pair of rows is prefetched while the kernel sweeps the pairs before it.
//!
//! Without prefetching, a core waits for each cache line. A core that requests several thousand
//! lines at once also waits, because it can have about two dozen requests in progress. The kernel
//! therefore requests one line per link correction. docs/speed.md gives the gain.

use crate::constraint::particles::MOST_PREFETCHED;
use crate::numerics::simd::{PrefetchAddress, Span};

/// Cache lines to be prefetched: first the particle columns one after the other, then the links'
/// values.
pub struct PrefetchQueue {
    columns: [Span; MOST_PREFETCHED + 1],
}

impl PrefetchQueue {
    pub const NONE: Self = Self { columns: [Span::NONE; MOST_PREFETCHED + 1] };

    /// Replaces the queue by the cache lines of these columns.
    pub fn replace(&mut self, columns: impl Iterator<Item = Span>) {
        *self = Self::NONE;
        let columns = columns.filter(|column| !column.is_empty());
        self.columns.iter_mut().zip(columns).for_each(|(place, column)| *place = column);
    }

    /// Takes the next cache lines from the queue, at most `lines`, all from one column. If the
    /// queue is empty, returns `fallback`, which is in the cache already. Prefetching `fallback`
    /// again is faster than a second loop without prefetching. An address that advances with the
    /// links' values is faster than a constant address, because it needs no additional register.
    ///
    /// When a column is used up, the later columns move forward by one place. With an index of the
    /// current column instead, the compiler would keep the surrounding struct in memory, including
    /// data of the inner loops, and a sweep would take a tenth longer.
    #[inline(always)]
    pub fn take_lines<T>(&mut self, lines: usize, fallback: &[T]) -> PrefetchAddress {
        let [first, b, c, d, e, f, g, h] = self.columns;
        if first.is_empty() {
            return PrefetchAddress::from(fallback);
        }
        let (fetch, left) = first.split_at(lines);
        if left.is_empty() {
            self.columns = [b, c, d, e, f, g, h, Span::NONE];
        } else {
            self.columns[0] = left;
        }
        fetch
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::simd::allocate_lines;

    #[test]
    fn columns_are_fetched_one_after_the_other_and_then_nothing_new() {
        let [one, other, fallback] = [10, 5, 1].map(|count| allocate_lines(8 * count, 0.0));
        let mut ahead = PrefetchQueue::NONE;
        ahead.replace([Span::of(&one), Span::NONE, Span::of(&other)].into_iter());
        let begins = [&one[0], &one[4], &one[8], &other[0], &other[4], &fallback[0], &fallback[0]];
        for begin in begins {
            assert_eq!(
                ahead.take_lines(4, &fallback).line_address(0),
                std::ptr::from_ref(begin).cast()
            );
        }
    }
}
