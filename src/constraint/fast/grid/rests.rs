//! Rest lengths of a grid's links.

use super::layout::{DIRECTIONS, Layout};
use crate::constraint::Link;
use crate::constraint::body::Body;
use crate::simd::{Line, lines, numbers_mut};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Rest lengths as in [`Rule`](super::super::rule::Rule): for each row and direction one number a
/// place, NaN where there is no link.
///
/// Rows that are alike are kept once: those of an even cloth stay in the nearest cache.
#[derive(Clone, Debug, PartialEq)]
pub struct Rests {
    /// The rows that differ, one after the other.
    distinct: Vec<Line>,
    /// Which of them belongs to a row and direction.
    chosen: Vec<u32>,
}

impl Rests {
    pub fn new(layout: &Layout, body: &Body, links: &[Link]) -> Self {
        let numbers_in_row = layout.row_links();
        let mut all = vec![f64::NAN; layout.numbers()];
        for &i in &body.links {
            let link = &links[i as usize];
            let place = body.place(link, layout.columns as u32).expect("a link of the grid");
            all[layout.number(place)] = if link.one_sided { -link.rest } else { link.rest };
        }
        let mut alike = Alike { numbers: Vec::new(), numbers_in_row, by_hash: HashMap::new() };
        let chosen = all.chunks_exact(numbers_in_row).map(|row| alike.place(row)).collect();
        let mut distinct = lines(alike.numbers.len(), f64::NAN);
        numbers_mut(&mut distinct)[..alike.numbers.len()].copy_from_slice(&alike.numbers);
        Self { distinct, chosen }
    }

    /// The rows that differ.
    pub fn distinct(&self) -> &[Line] {
        &self.distinct
    }

    /// Which of the distinct rows belongs to a row and direction.
    pub fn chosen(&self, row: usize, direction: usize) -> usize {
        self.chosen[row * DIRECTIONS + direction] as usize
    }
}

/// Rows that differ, so far.
struct Alike {
    numbers: Vec<f64>,
    numbers_in_row: usize,
    by_hash: HashMap<u64, u32>,
}

impl Alike {
    /// The number of a row that is the same to the last bit; of a new one if there is none (or if
    /// another row with the same hash is in the way).
    fn place(&mut self, row: &[f64]) -> u32 {
        let Self { numbers, numbers_in_row, by_hash } = self;
        let bits = || row.iter().map(|number| number.to_bits());
        let mut hasher = DefaultHasher::new();
        bits().for_each(|bits| bits.hash(&mut hasher));
        let hash = hasher.finish();
        if let Some(&number) = by_hash.get(&hash) {
            let known = &numbers[number as usize * *numbers_in_row..][..*numbers_in_row];
            if known.iter().map(|number| number.to_bits()).eq(bits()) {
                return number;
            }
        }
        let number = (numbers.len() / *numbers_in_row) as u32;
        numbers.extend_from_slice(row);
        by_hash.insert(hash, number);
        number
    }
}
