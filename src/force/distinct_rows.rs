//! A table that keeps equal rows once.

use crate::simd::{Line, lines, numbers_mut};
use std::collections::HashMap;

/// Rows of equal length. Those that are alike, bit by bit, are the same memory: a cloth of one
/// material then has so few that they stay in the cache nearest to the processor.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DistinctRows {
    numbers: Vec<Line>,
    length: usize,
    /// Where each row begins.
    starts: Vec<u32>,
}

impl DistinctRows {
    /// A table of rows of `length` numbers, a multiple of 8, which lie one after the other.
    pub fn new(length: usize, table: &[f64]) -> Self {
        let rows = || table.chunks_exact(length);
        let mut kept: HashMap<Vec<u64>, u32> = HashMap::new();
        let mut distinct: Vec<f64> = Vec::new();
        let mut starts = Vec::with_capacity(table.len() / length);
        for row in rows() {
            let bits = row.iter().map(|number| number.to_bits()).collect();
            let start = *kept.entry(bits).or_insert_with(|| {
                distinct.extend_from_slice(row);
                (distinct.len() - length) as u32
            });
            starts.push(start);
        }
        let mut numbers = lines(distinct.len(), 0.0);
        numbers_mut(&mut numbers).copy_from_slice(&distinct);
        Self { numbers, length, starts }
    }

    pub fn row(&self, row: usize) -> &[Line] {
        &self.numbers[self.starts[row] as usize / 8..][..self.length / 8]
    }
}
