//! A table that keeps equal rows once.

use crate::simd::{Line, lines, numbers_mut};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Rows of equal length. Those that are alike, bit by bit, are the same memory: a cloth of one
/// material then has so few that they stay in the cache nearest to the processor.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DistinctRows {
    /// The rows that differ, one after the other, and what fills up the last line.
    numbers: Vec<Line>,
    length: usize,
    /// Which of them each row of the table is.
    chosen: Vec<u32>,
}

impl DistinctRows {
    /// A table of rows of `length` numbers, which lie one after the other.
    pub fn new(length: usize, table: &[f64]) -> Self {
        let mut distinct = Distinct { rows: Vec::new(), by_hash: HashMap::new() };
        let chosen = table.chunks_exact(length).map(|row| distinct.place(row)).collect();
        let mut numbers = lines(distinct.rows.len() * length, 0.0);
        for (row, to) in distinct.rows.iter().zip(numbers_mut(&mut numbers).chunks_mut(length)) {
            to.copy_from_slice(row);
        }
        Self { numbers, length, chosen }
    }

    /// The rows that differ, one after the other.
    pub fn distinct(&self) -> &[Line] {
        &self.numbers
    }

    /// Which of the distinct rows a row is.
    pub fn chosen(&self, row: usize) -> usize {
        self.chosen[row] as usize
    }

    /// A row whose length is a multiple of 8.
    pub fn row(&self, row: usize) -> &[Line] {
        &self.numbers[self.chosen(row) * self.length / 8..][..self.length / 8]
    }
}

/// Rows that differ, so far.
struct Distinct<'a> {
    rows: Vec<&'a [f64]>,
    by_hash: HashMap<u64, u32>,
}

impl<'a> Distinct<'a> {
    /// The number of a row that is the same to the last bit; of a new one if there is none, or if
    /// another row with the same hash is in the way.
    fn place(&mut self, row: &'a [f64]) -> u32 {
        let bits = |row: &'a [f64]| row.iter().map(|number| number.to_bits());
        let mut hasher = DefaultHasher::new();
        bits(row).for_each(|bits| bits.hash(&mut hasher));
        let hash = hasher.finish();
        let known = self.by_hash.get(&hash).copied();
        if let Some(number) = known
            && bits(self.rows[number as usize]).eq(bits(row))
        {
            return number;
        }
        let number = self.rows.len() as u32;
        self.rows.push(row);
        self.by_hash.insert(hash, number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::numbers;

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
