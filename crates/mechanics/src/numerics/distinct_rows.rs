//! Table that stores equal rows only once.

use crate::numerics::simd::{CacheLine, allocate_lines, numbers_mut};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Table of rows of equal length. Rows with the same bits share their memory. The rest lengths of a
/// cloth of one material then have so few distinct rows that they stay in the first-level cache.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DistinctRows {
    /// Distinct rows, one after the other, padded to whole cache lines.
    numbers: Vec<CacheLine>,
    distinct: usize,
    length: usize,
    /// For each row of the table, the index of the distinct row with the same values.
    distinct_indices: Vec<u32>,
}

impl DistinctRows {
    /// Creates the table from consecutive rows of `length` values.
    pub fn new(length: usize, table: &[f64]) -> Self {
        let mut rows = DistinctRowsBuilder::new(length);
        table.chunks_exact(length).for_each(|row| rows.push(row));
        rows.into()
    }

    /// Sets value `number` of the table, counted row by row. If other rows share the memory of its
    /// row, the row first gets its own copy.
    pub fn set(&mut self, number: usize, value: f64) {
        let (row, column) = (number / self.length, number % self.length);
        let mut at = self.distinct_index(row);
        let shares_row = |(other, distinct_indices): (usize, &u32)| {
            *distinct_indices as usize == at && other != row
        };
        if self.distinct_indices.iter().enumerate().any(shares_row) {
            at = self.copy_row(at);
            self.distinct_indices[row] = at as u32;
        }
        numbers_mut(&mut self.numbers)[at * self.length + column] = value;
    }

    fn copy_row(&mut self, row: usize) -> usize {
        let (length, copy) = (self.length, self.distinct);
        self.distinct += 1;
        let more = (self.distinct * length).saturating_sub(8 * self.numbers.len());
        self.numbers.extend(allocate_lines(more, 0.0));
        let from = row * length..(row + 1) * length;
        numbers_mut(&mut self.numbers).copy_within(from, copy * length);
        copy
    }

    pub fn distinct(&self) -> &[CacheLine] {
        &self.numbers
    }

    /// Returns the index of the distinct row that contains the numbers of a row of the table.
    pub fn distinct_index(&self, row: usize) -> usize {
        self.distinct_indices[row] as usize
    }

    /// Returns the numbers of a row of the table. The row length must be a multiple of 8.
    pub fn row(&self, row: usize) -> &[CacheLine] {
        &self.numbers[self.distinct_index(row) * self.length / 8..][..self.length / 8]
    }
}

pub(crate) struct DistinctRowsBuilder {
    length: usize,
    /// Distinct rows, one after the other.
    numbers: Vec<f64>,
    distinct_indices: Vec<u32>,
    by_hash: HashMap<u64, u32>,
}

impl DistinctRowsBuilder {
    /// Creates a builder of a table whose rows have `length` values.
    pub fn new(length: usize) -> Self {
        Self { length, numbers: Vec::new(), distinct_indices: Vec::new(), by_hash: HashMap::new() }
    }

    /// Appends a row. A row shares the memory of an earlier row with the same bits. (Rows with
    /// equal hashes but different bits may be stored more than once.)
    pub fn push(&mut self, row: &[f64]) {
        let Self { length, numbers, distinct_indices, by_hash } = self;
        let bits = |row: &[f64]| row.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
        let mut hasher = DefaultHasher::new();
        bits(row).hash(&mut hasher);
        let hash = hasher.finish();
        let at = |known: u32| known as usize * *length..(known as usize + 1) * *length;
        let known = by_hash.get(&hash).copied();
        let alike = known.filter(|known| bits(&numbers[at(*known)]) == bits(row));
        distinct_indices.push(alike.unwrap_or_else(|| {
            let number = (numbers.len() / *length) as u32;
            numbers.extend_from_slice(row);
            by_hash.insert(hash, number);
            number
        }));
    }
}

impl From<DistinctRowsBuilder> for DistinctRows {
    fn from(builder: DistinctRowsBuilder) -> Self {
        let DistinctRowsBuilder { length, numbers: distinct_numbers, distinct_indices, .. } =
            builder;
        let mut numbers = allocate_lines(distinct_numbers.len(), 0.0);
        numbers_mut(&mut numbers)[..distinct_numbers.len()].copy_from_slice(&distinct_numbers);
        Self { numbers, distinct: distinct_numbers.len() / length, length, distinct_indices }
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
                rows.set(number, value);
                table[number] = value;
                for (row, expected) in table.chunks_exact(length).enumerate() {
                    let found =
                        &numbers(rows.distinct())[rows.distinct_index(row) * length..][..length];
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
