//! A table that keeps equal rows once.

use crate::numerics::simd::{CacheLine, lines, numbers_mut};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Table of rows of equal length. Rows that are equal bit by bit share their memory. A cloth of one
/// material then has so few distinct rows that they stay in the first-level cache.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DistinctRows {
    /// Distinct rows, one after the other, and padding up to a whole cache line.
    numbers: Vec<CacheLine>,
    distinct: usize,
    length: usize,
    /// Index of the distinct row that each row of the table equals.
    chosen: Vec<u32>,
}

impl DistinctRows {
    /// Creates the table from rows of `length` numbers, one after the other.
    pub fn new(length: usize, table: &[f64]) -> Self {
        let mut rows = Gathering::new(length);
        table.chunks_exact(length).for_each(|row| rows.push(row));
        rows.into()
    }

    /// Changes a number of the table. If other rows share the memory of its row, the row first gets
    /// a copy of its own.
    pub fn put(&mut self, number: usize, value: f64) {
        let (row, column) = (number / self.length, number % self.length);
        let mut at = self.chosen(row);
        let is_like = |(other, chosen): (usize, &u32)| *chosen as usize == at && other != row;
        if self.chosen.iter().enumerate().any(is_like) {
            at = self.copy(at);
            self.chosen[row] = at as u32;
        }
        numbers_mut(&mut self.numbers)[at * self.length + column] = value;
    }

    /// Appends a copy of a distinct row, and returns the index of the copy.
    fn copy(&mut self, row: usize) -> usize {
        let (length, copy) = (self.length, self.distinct);
        self.distinct += 1;
        let more = (self.distinct * length).saturating_sub(8 * self.numbers.len());
        self.numbers.extend(lines(more, 0.0));
        let from = row * length..(row + 1) * length;
        numbers_mut(&mut self.numbers).copy_within(from, copy * length);
        copy
    }

    /// Returns the distinct rows, one after the other.
    pub fn distinct(&self) -> &[CacheLine] {
        &self.numbers
    }

    /// Returns the index of the distinct row that a row of the table equals.
    pub fn chosen(&self, row: usize) -> usize {
        self.chosen[row] as usize
    }

    /// Returns a row of the table. The length of rows must be a multiple of 8.
    pub fn row(&self, row: usize) -> &[CacheLine] {
        &self.numbers[self.chosen(row) * self.length / 8..][..self.length / 8]
    }
}

/// Table in construction, row by row. Equal rows are stored once.
pub(crate) struct Gathering {
    length: usize,
    /// Distinct rows, one after the other.
    numbers: Vec<f64>,
    chosen: Vec<u32>,
    by_hash: HashMap<u64, u32>,
}

impl Gathering {
    /// Creates an empty table whose rows have `length` numbers.
    pub fn new(length: usize) -> Self {
        Self { length, numbers: Vec::new(), chosen: Vec::new(), by_hash: HashMap::new() }
    }

    /// Appends a row. A stored row with the same bits is reused, unless `by_hash` has another row
    /// with the same hash.
    pub fn push(&mut self, row: &[f64]) {
        let Self { length, numbers, chosen, by_hash } = self;
        let bits = |row: &[f64]| row.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
        let mut hasher = DefaultHasher::new();
        bits(row).hash(&mut hasher);
        let hash = hasher.finish();
        let at = |known: u32| known as usize * *length..(known as usize + 1) * *length;
        let known = by_hash.get(&hash).copied();
        let alike = known.filter(|known| bits(&numbers[at(*known)]) == bits(row));
        chosen.push(alike.unwrap_or_else(|| {
            let number = (numbers.len() / *length) as u32;
            numbers.extend_from_slice(row);
            by_hash.insert(hash, number);
            number
        }));
    }
}

impl From<Gathering> for DistinctRows {
    fn from(Gathering { length, numbers: gathered, chosen, .. }: Gathering) -> Self {
        let mut numbers = lines(gathered.len(), 0.0);
        numbers_mut(&mut numbers)[..gathered.len()].copy_from_slice(&gathered);
        Self { numbers, distinct: gathered.len() / length, length, chosen }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::simd::numbers;
    use itertools::Itertools;

    #[test]
    fn a_number_changes_in_one_row_only() {
        for length in [4, 8, 12, 24] {
            let mut table: Vec<f64> = (0..length).map(|i| i as f64).collect::<Vec<_>>().repeat(5);
            let mut rows = DistinctRows::new(length, &table);
            for (number, value) in [(2 * length + 3, -1.0), (0, -2.0), (2 * length, f64::NAN)] {
                rows.put(number, value);
                table[number] = value;
                for (row, expected) in table.chunks_exact(length).enumerate() {
                    let found = &numbers(rows.distinct())[rows.chosen(row) * length..][..length];
                    let bits = |numbers: &[f64]| numbers.iter().map(|n| n.to_bits()).collect_vec();
                    assert_eq!(bits(found), bits(expected), "row {row} of {length}");
                }
            }
            assert_eq!(rows.distinct, 3);
        }
    }

    #[test]
    fn rows_that_differ_in_a_sign_of_zero_are_kept_apart() {
        let table = [[1.0; 8], [0.0; 8], [1.0; 8], [-0.0; 8], [f64::NAN; 8], [f64::NAN; 8]];
        let rows = DistinctRows::new(8, &table.concat());
        assert_eq!(rows.distinct().len(), 4);
        for (number, row) in table.iter().enumerate() {
            let found = numbers(rows.row(number)).iter().map(|number| number.to_bits());
            assert!(found.eq(row.iter().map(|number| number.to_bits())), "row {number}");
        }
    }
}
