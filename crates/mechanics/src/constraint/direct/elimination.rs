//! LDLᵀ elimination of a sparse symmetric matrix with a fixed pattern and changing elements.

use crate::numerics::pattern::Pattern;

/// Largest pivot that counts as a rounding error, as a fraction of the diagonal element. The row is
/// then a linear combination of the rows before it.
const SINGULAR: f64 = 1e-12;

/// Symmetric matrix A, its factors L and D, and their pattern.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Elimination {
    pattern: Pattern,
    /// Diagonal of A, in the elimination order.
    diagonal: Vec<f64>,
    /// Pivots during the elimination, then their inverses; 0 for a row that depends on other rows.
    pivots: Vec<f64>,
    /// Elements below the diagonal in the order of the pattern: those of A, or after the
    /// factorisation those of L.
    values: Vec<f64>,
}

impl Elimination {
    /// Creates a matrix of `count` rows with off-diagonal elements for these pairs of rows. `None`
    /// if the factor L of A = L D Lᵀ has more than `most` elements below the diagonal.
    pub fn new(count: usize, couplings: &[[u32; 2]], most: usize) -> Option<Self> {
        let pattern = Pattern::new(count, couplings, most)?;
        Some(Self {
            diagonal: vec![0.0; count],
            pivots: vec![0.0; count],
            values: vec![0.0; pattern.filled()],
            pattern,
        })
    }

    /// Returns the index of the off-diagonal element of two rows, for [`Self::couple`].
    pub fn slot_of(&self, rows: [u32; 2]) -> u32 {
        self.pattern.slot_of(rows)
    }

    /// Sets all elements below the diagonal to 0.
    pub fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// Sets the diagonal element of a row to a positive value.
    pub fn set_diagonal(&mut self, row: usize, value: f64) {
        self.diagonal[self.pattern.places()[row] as usize] = value;
    }

    pub fn couple(&mut self, slot: u32, value: f64) {
        self.values[slot as usize] += value;
    }

    pub fn factor(&mut self) {
        match self.pattern.is_tridiagonal() {
            true => self.factor_tridiagonal(),
            false => self.factor_by_pattern(),
        }
    }

    fn factor_by_pattern(&mut self) {
        self.pivots.copy_from_slice(&self.diagonal);
        let mut targets = self.pattern.targets().iter();
        for k in 0..self.pivots.len() {
            let inverse = inverse_of(self.pivots[k], self.diagonal[k]);
            self.pivots[k] = inverse;
            let range = self.pattern.column(k);
            for i in range.clone() {
                let factor = self.values[i] * inverse;
                for j in i..range.end {
                    let update = factor * self.values[j];
                    let Some(&target) = targets.next() else { return };
                    let list = if j == i { &mut self.pivots } else { &mut self.values };
                    list[target as usize] -= update;
                }
                self.values[i] = factor;
            }
        }
    }

    /// Factors a tridiagonal matrix to the same bits as [`Self::factor_by_pattern`], without the
    /// index lists of the pattern.
    fn factor_tridiagonal(&mut self) {
        let mut update = 0.0;
        let last = self.values.len();
        for ((pivot, diagonal), value) in
            self.pivots.iter_mut().zip(&self.diagonal).zip(&mut self.values)
        {
            *pivot = inverse_of(diagonal - update, *diagonal);
            let factor = *value * *pivot;
            update = factor * *value;
            *value = factor;
        }
        self.pivots[last] = inverse_of(self.diagonal[last] - update, self.diagonal[last]);
    }

    /// Solves A y = b. `right` is b, `solution` becomes y, both row by row. `work` is a buffer.
    pub fn solve(&self, right: &[f64], work: &mut Vec<f64>, solution: &mut Vec<f64>) {
        match self.pattern.is_tridiagonal() {
            true => self.solve_tridiagonal(right, solution),
            false => self.solve_by_pattern(right, work, solution),
        }
    }

    fn solve_by_pattern(&self, right: &[f64], work: &mut Vec<f64>, solution: &mut Vec<f64>) {
        work.clear();
        work.resize(right.len(), 0.0);
        for (b, place) in right.iter().zip(self.pattern.places()) {
            work[*place as usize] = *b;
        }
        for k in 0..work.len() {
            let y = work[k];
            let range = self.pattern.column(k);
            for (row, factor) in self.pattern.rows()[range.clone()].iter().zip(&self.values[range])
            {
                work[*row as usize] -= factor * y;
            }
        }
        for k in (0..work.len()).rev() {
            let range = self.pattern.column(k);
            let below = self.pattern.rows()[range.clone()].iter().zip(&self.values[range]);
            let rest: f64 = below.map(|(row, factor)| factor * work[*row as usize]).sum();
            work[k] = work[k] * self.pivots[k] - rest;
        }
        solution.clear();
        solution.extend(self.pattern.places().iter().map(|place| work[*place as usize]));
    }

    /// Solves with a tridiagonal matrix to the same bits as [`Self::solve_by_pattern`], without the
    /// index lists of the pattern.
    fn solve_tridiagonal(&self, right: &[f64], solution: &mut Vec<f64>) {
        solution.clear();
        let mut above = 0.0;
        let factors = std::iter::once(&0.0).chain(&self.values);
        solution.extend(right.iter().zip(factors).map(|(b, factor)| {
            above = b - factor * above;
            above
        }));
        let mut below = -0.0;
        let factors = std::iter::once(&0.0).chain(self.values.iter().rev());
        for ((y, pivot), factor) in solution.iter_mut().zip(&self.pivots).rev().zip(factors) {
            below = *y * pivot - factor * below;
            *y = below;
        }
    }
}

/// Returns the inverse of a pivot, or 0 for a row that depends on the rows before it.
#[inline(always)]
fn inverse_of(pivot: f64, diagonal: f64) -> f64 {
    if pivot > SINGULAR * diagonal { 1.0 / pivot } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Solves a matrix with 3 on the diagonal and −1 for each coupled pair of rows. Returns the
    /// matrix and the largest error of the solution.
    fn solved(count: usize, couplings: &[[u32; 2]]) -> (Elimination, f64) {
        let mut matrix = Elimination::new(count, couplings, 10_000).unwrap();
        matrix.clear();
        (0..count).for_each(|row| matrix.set_diagonal(row, 3.0));
        for &pair in couplings {
            matrix.couple(matrix.slot_of(pair), -1.0);
        }
        matrix.factor();
        let right: Vec<f64> = (0..count).map(|i| (i * 7 % 5) as f64 - 2.0).collect();
        let (mut work, mut y) = (Vec::new(), Vec::new());
        matrix.solve(&right, &mut work, &mut y);
        let mut left: Vec<f64> = y.iter().zip(&right).map(|(y, b)| 3.0 * y - b).collect();
        for &[a, b] in couplings {
            left[a as usize] -= y[b as usize];
            left[b as usize] -= y[a as usize];
        }
        (matrix, left.iter().fold(0.0, |worst, left| left.abs().max(worst)))
    }

    #[test]
    fn ropes_and_trees_fill_nothing_and_a_ring_one_column() {
        let rope: Vec<[u32; 2]> = (0..19).map(|i| [i, i + 1]).collect();
        let (matrix, worst) = solved(20, &rope);
        assert_eq!(matrix.values.len(), 19);
        assert!(worst < 1e-15, "{worst}");
        let tree: Vec<[u32; 2]> = (1..40).map(|i| [(i - 1) / 2, i]).collect();
        let (matrix, worst) = solved(40, &tree);
        assert_eq!(matrix.values.len(), 39);
        assert!(worst < 4e-15, "{worst}");
        let ring: Vec<[u32; 2]> = (0..20).map(|i| [i, (i + 1) % 20]).collect();
        let (matrix, worst) = solved(20, &ring);
        assert_eq!(matrix.values.len(), 37);
        assert!(worst < 4e-15, "{worst}");
    }

    #[test]
    fn a_rope_is_solved_by_the_bits_of_the_pattern() {
        let rope: Vec<[u32; 2]> = (0..19).map(|i| [i, i + 1]).collect();
        let mut matrix = Elimination::new(20, &rope, 10_000).unwrap();
        assert!(matrix.pattern.is_tridiagonal());
        for row in 0..20 {
            matrix.set_diagonal(row, 2.0 + (row as f64).sin());
            rope.get(row).into_iter().for_each(|&pair| {
                matrix.couple(matrix.slot_of(pair), (row as f64).cos());
            });
        }
        let right: Vec<f64> = (0..20).map(|i| (0.7 * f64::from(i)).cos()).collect();
        let (mut work, mut y, mut expected) = (Vec::new(), Vec::new(), Vec::new());
        let mut other = matrix.clone();
        matrix.factor_tridiagonal();
        other.factor_by_pattern();
        assert_eq!(matrix, other);
        matrix.solve_tridiagonal(&right, &mut y);
        other.solve_by_pattern(&right, &mut work, &mut expected);
        assert_eq!(y, expected);
    }

    #[test]
    fn a_grid_is_solved_and_too_much_fill_is_refused() {
        let at = |i: u32, j: u32| 6 * i + j;
        let mut grid = Vec::new();
        for i in 0..6 {
            grid.extend((0..5).map(|j| [at(i, j), at(i, j + 1)]));
            grid.extend((0..5).map(|j| [at(j, i), at(j + 1, i)]));
        }
        let mut matrix = Elimination::new(36, &grid, 1000).unwrap();
        matrix.clear();
        (0..36).for_each(|row| matrix.set_diagonal(row, 5.0));
        grid.iter().for_each(|&pair| matrix.couple(matrix.slot_of(pair), -1.0));
        matrix.factor();
        let (mut work, mut y) = (Vec::new(), Vec::new());
        matrix.solve(&[1.0; 36], &mut work, &mut y);
        let mut left: Vec<f64> = y.iter().map(|y| 5.0 * y - 1.0).collect();
        for &[a, b] in &grid {
            left[a as usize] -= y[b as usize];
            left[b as usize] -= y[a as usize];
        }
        assert!(left.iter().all(|left| left.abs() < 1e-14), "{left:?}");
        assert_eq!(Elimination::new(36, &grid, 60), None);
    }

    #[test]
    fn a_row_that_says_the_same_as_another_gets_nothing() {
        let mut matrix = Elimination::new(2, &[[0, 1]], 10).unwrap();
        matrix.clear();
        (0..2).for_each(|row| matrix.set_diagonal(row, 2.0));
        matrix.couple(matrix.slot_of([0, 1]), 2.0);
        matrix.factor();
        let (mut work, mut y) = (Vec::new(), Vec::new());
        matrix.solve(&[4.0, 4.0], &mut work, &mut y);
        assert!((y[0] + y[1] - 2.0).abs() < 1e-15, "{y:?}");
    }
}
