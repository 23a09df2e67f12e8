//! Symbolic factorisation of a sparse symmetric matrix: elimination order, fill-in and element
//! indices.
//!
//! The rows are eliminated by minimum degree (George and Liu 1989, "The evolution of the minimum
//! degree ordering algorithm", SIAM Review 31, 1): first the row that couples to the fewest other
//! rows. A rope or tree then has no fill-in, and a ring fills one column.

use std::collections::BTreeSet;
use std::ops::Range;

/// Positions of the nonzero elements of L in A = L D Lᵀ. The *place* of a row is its index in the
/// elimination order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pattern {
    /// Place of each row of A in the elimination order.
    place: Vec<u32>,
    /// Index in `rows` of the first element of each column of L. The last entry is the length of
    /// `rows`.
    starts: Vec<u32>,
    /// Places of the rows of all elements of L below the diagonal, column by column. In each column
    /// they are in ascending order.
    rows: Vec<u32>,
    /// Indices of the elements that elimination updates, column by column. For each pair of rows
    /// with an element in column k, the elimination of this column updates one element: an
    /// off-diagonal element, or the pivot if both rows are the same.
    targets: Vec<u32>,
    is_tridiagonal: bool,
}

impl Pattern {
    /// Creates the pattern of a matrix A = L D Lᵀ with `count` rows. `couplings` are the pairs of
    /// rows with a nonzero element of A. `None` if L has more than `most` elements below the
    /// diagonal.
    pub fn new(count: usize, couplings: &[[u32; 2]], most: usize) -> Option<Self> {
        let columns = least_degree_first(count, couplings, most)?;
        let mut place = vec![0; count];
        for (k, (row, _)) in (0..).zip(&columns) {
            place[*row as usize] = k;
        }
        let mut pattern = Self { place, starts: vec![0], ..Self::default() };
        for (_, below) in columns {
            let mut below: Vec<u32> =
                below.into_iter().map(|row| pattern.place[row as usize]).collect();
            below.sort_unstable();
            pattern.rows.extend(below);
            pattern.starts.push(pattern.rows.len() as u32);
        }
        pattern.find_targets();
        pattern.is_tridiagonal = pattern.couples_only_neighbours();
        Some(pattern)
    }

    fn find_targets(&mut self) {
        let mut targets = Vec::new();
        for k in 0..self.count() {
            let below = &self.rows[self.column(k)];
            for (i, &row) in below.iter().enumerate() {
                targets.push(row);
                targets.extend(below[i + 1..].iter().map(|&lower| self.slot([row, lower])));
            }
        }
        self.targets = targets;
    }

    /// Returns the number of rows.
    #[inline]
    pub fn count(&self) -> usize {
        self.place.len()
    }

    /// Returns the number of elements of L below the diagonal.
    #[inline]
    pub(crate) fn filled(&self) -> usize {
        self.rows.len()
    }

    /// Returns the indices of the elements of L below the diagonal in column `k`.
    #[inline]
    pub fn column(&self, k: usize) -> Range<usize> {
        self.starts[k] as usize..self.starts[k + 1] as usize
    }

    /// Returns the place of each row, i.e. its index in the elimination order.
    #[inline]
    pub fn places(&self) -> &[u32] {
        &self.place
    }

    /// True if the rows are eliminated in their original order and each row couples only to the
    /// next row, as in a rope.
    #[inline]
    pub(crate) fn is_tridiagonal(&self) -> bool {
        self.is_tridiagonal
    }

    fn couples_only_neighbours(&self) -> bool {
        let ascending = |list: &[u32], first: u32| (first..).zip(list).all(|(i, at)| *at == i);
        let couples_to_next = self.rows.len() + 1 == self.count() && ascending(&self.rows, 1);
        couples_to_next && ascending(&self.place, 0) && ascending(&self.starts[..self.count()], 0)
    }

    /// Returns the places of the rows of all elements of L below the diagonal, column by column.
    #[inline]
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Returns the elements that elimination updates, column by column, and in each column for each
    /// pair of its rows.
    #[inline]
    pub fn targets(&self) -> &[u32] {
        &self.targets
    }

    /// Returns the index of the element of L in this column and row, both given as places.
    fn slot(&self, [column, row]: [u32; 2]) -> u32 {
        let range = self.column(column as usize);
        let found = self.rows[range.clone()].binary_search(&row);
        debug_assert!(found.is_ok(), "elimination fills every place that it changes");
        (range.start + found.unwrap_or(0)) as u32
    }

    /// Returns the index of the off-diagonal element that couples two rows of A.
    pub fn slot_of(&self, rows: [u32; 2]) -> u32 {
        let [a, b] = rows.map(|row| self.place[row as usize]);
        self.slot([a.min(b), a.max(b)])
    }
}

/// Returns the rows in the elimination order. Each row has a list of the rows that are coupled to
/// it when it is eliminated. `None` if there are more than `most` such couplings.
fn least_degree_first(
    count: usize,
    couplings: &[[u32; 2]],
    most: usize,
) -> Option<Vec<(u32, Vec<u32>)>> {
    let mut neighbours: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); count];
    for &[a, b] in couplings {
        neighbours[a as usize].insert(b);
        neighbours[b as usize].insert(a);
    }
    let mut by_degree: BTreeSet<(usize, u32)> =
        neighbours.iter().map(BTreeSet::len).zip(0..).collect();
    let mut columns = Vec::with_capacity(count);
    let mut filled = 0;
    while let Some((_, row)) = by_degree.pop_first() {
        let below: Vec<u32> = std::mem::take(&mut neighbours[row as usize]).into_iter().collect();
        filled += below.len();
        if filled > most {
            return None;
        }
        for &a in &below {
            by_degree.remove(&(neighbours[a as usize].len(), a));
            neighbours[a as usize].remove(&row);
            neighbours[a as usize].extend(below.iter().filter(|b| **b != a));
            by_degree.insert((neighbours[a as usize].len(), a));
        }
        columns.push((row, below));
    }
    Some(columns)
}
