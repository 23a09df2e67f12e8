//! Prefetch queue: memory of the next pair of rows, fetched while sweeps work on the pairs before
//! it.
//!
//! A core that requests memory only when it needs the memory has to wait. A core that requests a
//! few thousand cache lines at once waits too, because it has room for two dozen requests. So one
//! line is requested with each link. docs/speed.md gives the gain.

use crate::constraint::particle_stream::MOST_PREFETCHED;
use crate::numerics::simd::{PrefetchAddress, Span};

/// Cache lines to be fetched: columns of a stream one after the other, and numbers of links.
pub struct PrefetchQueue {
    columns: [Span; MOST_PREFETCHED + 1],
}

impl PrefetchQueue {
    /// An empty queue.
    pub const NONE: Self = Self { columns: [Span::NONE; MOST_PREFETCHED + 1] };

    /// Replaces the queue by the lines of these columns.
    pub fn replace(&mut self, columns: impl Iterator<Item = Span>) {
        *self = Self::NONE;
        let columns = columns.filter(|column| !column.is_empty());
        self.columns.iter_mut().zip(columns).for_each(|(place, column)| *place = column);
    }

    /// Takes the next cache lines from the queue, at most `lines`, all of one column. If the queue
    /// is empty, returns `at_hand`, which is in the cache already. Fetching it again costs less
    /// than a second loop or a stride of 0, because a pointer that advances like the links' numbers
    /// needs no register of its own.
    ///
    /// Columns move up instead of being counted. An index would make the compiler keep the
    /// surrounding struct in memory, with all that the inner loops need of it (a tenth of a sweep).
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
