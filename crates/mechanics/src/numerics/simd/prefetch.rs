//! Prefetching: requests memory before it is needed.

/// Size of a cache line in bytes, the unit of prefetching.
const LINE: usize = 64;

/// Range of cache lines to prefetch. It is only an address range: nothing is read through it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    first: *const u8,
    lines: usize,
}

impl Span {
    /// Empty range.
    pub const NONE: Self = Self { first: std::ptr::null(), lines: 0 };

    /// Returns the cache lines that contain a slice.
    pub fn of<T>(column: &[T]) -> Self {
        let begin = column.as_ptr().cast::<u8>();
        let before = begin.addr() % LINE;
        let lines = (before + size_of_val(column)).div_ceil(LINE);
        Self { first: begin.wrapping_sub(before), lines: if column.is_empty() { 0 } else { lines } }
    }

    /// True if there are no lines to prefetch.
    pub fn is_empty(self) -> bool {
        self.lines == 0
    }

    /// Returns the address of the first line, and the range that remains after `lines`.
    #[inline(always)]
    pub fn split_at(self, lines: usize) -> (PrefetchAddress, Self) {
        let Self { first, lines: all } = self;
        let left =
            Self { first: first.wrapping_add(lines * LINE), lines: all.saturating_sub(lines) };
        (PrefetchAddress { first }, left)
    }
}

/// Address of the first of several cache lines to prefetch.
#[derive(Clone, Copy)]
pub struct PrefetchAddress {
    first: *const u8,
}

impl PrefetchAddress {
    /// Returns the address of the beginning of a slice.
    #[inline(always)]
    pub fn from<T>(column: &[T]) -> Self {
        Self { first: column.as_ptr().cast() }
    }

    /// Prefetches line `number`. Prefetching beyond the last line is harmless.
    #[inline(always)]
    pub(crate) fn prefetch_line(self, number: usize) {
        prefetch(self.line_address(number));
    }

    #[inline(always)]
    pub(crate) fn line_address(self, line: usize) -> *const u8 {
        self.first.wrapping_add(line * LINE)
    }
}

#[inline(always)]
#[cfg(all(target_arch = "x86_64", not(miri)))]
fn prefetch(at: *const u8) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: the instruction belongs to SSE, which every x86-64 processor has. No address makes it
    // fail.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
}

/// Does nothing: Rust has no stable prefetch instruction for other processors.
#[inline(always)]
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
fn prefetch(_: *const u8) {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the addresses of all lines of a column, prefetched in groups of at most `piece`
    /// lines.
    fn lines(column: &[f64], piece: usize) -> Vec<usize> {
        let mut left = Span::of(column);
        let mut found = Vec::new();
        while !left.is_empty() {
            let n = piece.min(left.lines);
            let (fetch, rest) = left.split_at(piece);
            (0..n).for_each(|line| fetch.prefetch_line(line));
            found.extend((0..n).map(|line| fetch.line_address(line).addr()));
            left = rest;
        }
        found
    }

    #[test]
    fn every_line_of_a_column_is_fetched_once() {
        let memory = super::super::allocate_lines(400, 0.0);
        let numbers = super::super::numbers(&memory);
        for (from, to) in [(0, 8), (0, 9), (7, 9), (3, 4), (5, 400), (8, 8)] {
            let column = &numbers[from..to];
            let mut expected: Vec<usize> =
                column.iter().map(|x| std::ptr::from_ref(x).addr() / LINE * LINE).collect();
            expected.dedup();
            for piece in [1, 3, 1000] {
                assert_eq!(lines(column, piece), expected, "lines of numbers {from}..{to}");
            }
        }
    }
}
