//! Memory that is fetched before it is needed.

/// Size of a cache line in bytes, which a processor fetches at once.
const LINE: usize = 64;

/// Cache lines of memory that will be needed soon. A span is only an address: nothing is read
/// through it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    first: *const u8,
    lines: usize,
}

impl Span {
    /// No memory.
    pub const NONE: Self = Self { first: std::ptr::null(), lines: 0 };

    /// Returns the cache lines of a column.
    pub fn of<T>(column: &[T]) -> Self {
        let begin = column.as_ptr().cast::<u8>();
        let before = begin.addr() % LINE;
        let lines = (before + size_of_val(column)).div_ceil(LINE);
        Self { first: begin.wrapping_sub(before), lines: if column.is_empty() { 0 } else { lines } }
    }

    /// True if there is nothing to fetch.
    pub fn is_empty(self) -> bool {
        self.lines == 0
    }

    /// Returns the address of the first line, and the remainder after this many lines.
    #[inline(always)]
    pub fn split_at(self, lines: usize) -> (PrefetchAddress, Self) {
        let Self { first, lines: all } = self;
        let left =
            Self { first: first.wrapping_add(lines * LINE), lines: all.saturating_sub(lines) };
        (PrefetchAddress { first }, left)
    }
}

/// Address from which cache lines are prefetched.
#[derive(Clone, Copy)]
pub struct PrefetchAddress {
    first: *const u8,
}

impl PrefetchAddress {
    /// Returns the address of the beginning of a column.
    #[inline(always)]
    pub fn from<T>(column: &[T]) -> Self {
        Self { first: column.as_ptr().cast() }
    }

    /// Prefetches a line. A number past the last line prefetches other memory, which is harmless.
    #[inline(always)]
    pub fn prefetch_line(self, number: usize) {
        prefetch(self.line_address(number));
    }

    /// Address of a line.
    #[inline(always)]
    pub fn line_address(self, line: usize) -> *const u8 {
        self.first.wrapping_add(line * LINE)
    }
}

/// Tells the processor that an address will be read soon.
#[inline(always)]
#[cfg(all(target_arch = "x86_64", not(miri)))]
fn prefetch(at: *const u8) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: the instruction is part of SSE, and no address makes it fail.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
}

/// Does nothing: the language has no such instruction for other processors yet.
#[inline(always)]
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
fn prefetch(_: *const u8) {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Addresses of the lines, in pieces of at most `piece`.
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
                assert_eq!(lines(column, piece), expected, "{from}..{to}");
            }
        }
    }
}
