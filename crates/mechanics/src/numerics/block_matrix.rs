//! A symmetric matrix of 3 × 3 blocks, one row of blocks a particle, and its solution by
//! elimination.

use super::pattern::Pattern;
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// Pivot over its diagonal element up to which the matrix does not count as definite.
const SINGULAR: f64 = 1e-15;

/// A and then L of A = L D Lᵀ, with blocks of 3 × 3 numbers (block LDLᵀ): block-tridiagonal for a
/// rope, without fill for a tree. Its room grows in the first step of a lane and is used again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockMatrix {
    pattern: Arc<Pattern>,
    /// Blocks on the diagonal of A, by place; then inverses of the pivots.
    pivots: Vec<DMat3>,
    /// Blocks below the diagonal, in the order of the pattern: of A, then of L.
    values: Vec<DMat3>,
    work: Vec<DVec3>,
}

impl BlockMatrix {
    /// Zeros in this pattern.
    pub fn begin(&mut self, pattern: &Arc<Pattern>) {
        if !Arc::ptr_eq(&self.pattern, pattern) {
            self.pattern = pattern.clone();
        }
        self.pivots.clear();
        self.pivots.resize(pattern.count(), DMat3::ZERO);
        self.values.clear();
        self.values.resize(pattern.filled(), DMat3::ZERO);
    }

    /// Number of rows of blocks.
    pub fn count(&self) -> usize {
        self.pivots.len()
    }

    /// Adds to the block of a row on the diagonal.
    pub fn add_diagonal(&mut self, row: usize, block: DMat3) {
        self.pivots[self.pattern.places()[row] as usize] += block;
    }

    /// Adds a symmetric block where two rows couple: [`Pattern::slot_of`] says where that is.
    pub fn couple(&mut self, slot: u32, block: DMat3) {
        self.values[slot as usize] += block;
    }

    /// Eliminates: A → L and inverse pivots. False if A is not positive definite.
    pub fn factor(&mut self) -> bool {
        let Self { pattern, pivots, values, .. } = self;
        let mut targets = pattern.targets().iter();
        for k in 0..pivots.len() {
            let Some(inverse) = inverse_of_definite(&pivots[k]) else { return false };
            pivots[k] = inverse;
            let range = pattern.column(k);
            for i in range.clone() {
                let share = values[i] * inverse;
                let across = share.transpose();
                for j in i..range.end {
                    let change = values[j] * across;
                    let Some(&target) = targets.next() else { return false };
                    let list = if j == i { &mut *pivots } else { &mut *values };
                    list[target as usize] -= change;
                }
                values[i] = share;
            }
        }
        true
    }

    /// Solves A y = b after [`Self::factor`], b and y by rows; `y` may be longer.
    pub fn solve(&mut self, right: impl Iterator<Item = DVec3>, y: &mut [DVec3]) {
        let Self { pattern, pivots, values, work } = self;
        work.clear();
        work.resize(pivots.len(), DVec3::ZERO);
        for (b, place) in right.zip(pattern.places()) {
            work[*place as usize] = b;
        }
        for k in 0..work.len() {
            let known = work[k];
            let range = pattern.column(k);
            for (row, share) in pattern.rows()[range.clone()].iter().zip(&values[range]) {
                work[*row as usize] -= *share * known;
            }
        }
        for k in (0..work.len()).rev() {
            let mut sum = pivots[k] * work[k];
            let range = pattern.column(k);
            for (row, share) in pattern.rows()[range.clone()].iter().zip(&values[range]) {
                let known = work[*row as usize];
                sum -= DVec3::new(
                    share.x_axis.dot(known),
                    share.y_axis.dot(known),
                    share.z_axis.dot(known),
                );
            }
            work[k] = sum;
        }
        for (y, place) in y.iter_mut().zip(pattern.places()) {
            *y = work[*place as usize];
        }
    }
}

/// α 1 + β n nᵀ.
pub fn along_and_all(n: DVec3, along: f64, all: f64) -> DMat3 {
    let column = n * along;
    let mut block = DMat3::from_cols(column * n.x, column * n.y, column * n.z);
    block.x_axis.x += all;
    block.y_axis.y += all;
    block.z_axis.z += all;
    block
}

/// Inverse of a symmetric block by LDLᵀ, of which the part below the diagonal is read. `None` if it
/// is not positive definite.
///
/// By elimination and not by cofactors: a stiff spring adds β n nᵀ to masses, and the determinant
/// of that loses β²/m² roundings.
pub(crate) fn inverse_of_definite(block: &DMat3) -> Option<DMat3> {
    let DMat3 { x_axis: x, y_axis: y, z_axis: z } = *block;
    let is_positive = |pivot: f64, diagonal: f64| pivot > SINGULAR * diagonal;
    let first = is_positive(x.x, 0.0).then(|| 1.0 / x.x)?;
    let (l10, l20) = (x.y * first, x.z * first);
    let d1 = y.y - l10 * x.y;
    let second = is_positive(d1, y.y).then(|| 1.0 / d1)?;
    let e = y.z - l20 * x.y;
    let l21 = e * second;
    let d2 = z.z - l20 * x.z - l21 * e;
    let third = is_positive(d2, z.z).then(|| 1.0 / d2)?;
    // Rows of L⁻¹ are (1, 0, 0), (−l10, 1, 0) and (m, −l21, 1).
    let m = l10 * l21 - l20;
    let (b, c) = (-l10 * second, m * third);
    let d = -l21 * third;
    let xy = b + c * -l21;
    Some(DMat3::from_cols(
        DVec3::new(first + b * -l10 + c * m, xy, c),
        DVec3::new(xy, second + d * -l21, d),
        DVec3::new(c, d, third),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Largest |A y − b| of a matrix that springs between these pairs make.
    fn left(count: usize, pairs: &[[u32; 2]], stiffness: f64) -> f64 {
        let pattern = Arc::new(Pattern::new(count, pairs, 10_000).unwrap());
        let mut matrix = BlockMatrix::default();
        matrix.begin(&pattern);
        (0..count).for_each(|row| matrix.add_diagonal(row, DMat3::IDENTITY));
        let direction = |i: usize| DVec3::new(i as f64 + 1.0, 2.0, -(i as f64)).normalize();
        let block = |i: usize| along_and_all(direction(i), stiffness, 0.1 * stiffness);
        for (i, &[a, b]) in pairs.iter().enumerate() {
            matrix.couple(pattern.slot_of([a, b]), -block(i));
            matrix.add_diagonal(a as usize, block(i));
            matrix.add_diagonal(b as usize, block(i));
        }
        assert!(matrix.factor());
        let right = |i: usize| DVec3::new((i * 7 % 5) as f64 - 2.0, i as f64 % 3.0, 1.0);
        let mut y = vec![DVec3::ZERO; count];
        matrix.solve((0..count).map(right), &mut y);
        let mut left: Vec<DVec3> = (0..count).map(|i| y[i] - right(i)).collect();
        for (i, &[a, b]) in pairs.iter().enumerate() {
            let pull = block(i) * (y[a as usize] - y[b as usize]);
            left[a as usize] += pull;
            left[b as usize] -= pull;
        }
        left.iter().map(|left| left.length()).fold(0.0, f64::max)
    }

    #[test]
    fn ropes_trees_rods_and_rings_are_solved_to_rounding() {
        let rope: Vec<[u32; 2]> = (0..19).map(|i| [i, i + 1]).collect();
        let tree: Vec<[u32; 2]> = (1..20).map(|i| [(i - 1) / 2, i]).collect();
        let ring: Vec<[u32; 2]> = (0..20).map(|i| [i, (i + 1) % 20]).collect();
        let rod: Vec<[u32; 2]> =
            (0..18).flat_map(|i| [[i, i + 1], [i, i + 2]]).chain([[18, 19]]).collect();
        for pairs in [rope, tree, ring, rod] {
            for stiffness in [0.0, 1.0, 1e6] {
                let left = left(20, &pairs, stiffness);
                assert!(left < 1e-14 * (1.0 + 100.0 * stiffness), "{stiffness}: {left}");
            }
        }
    }

    #[test]
    fn a_matrix_that_is_not_definite_is_refused() {
        let pattern = Arc::new(Pattern::new(2, &[[0, 1]], 10).unwrap());
        let mut matrix = BlockMatrix::default();
        matrix.begin(&pattern);
        (0..2).for_each(|row| matrix.add_diagonal(row, DMat3::IDENTITY));
        matrix.couple(0, 2.0 * DMat3::IDENTITY);
        assert!(!matrix.factor());
        assert_eq!(inverse_of_definite(&DMat3::from_diagonal(DVec3::new(1.0, -1.0, 1.0))), None);
        assert_eq!(
            inverse_of_definite(&DMat3::from_diagonal(DVec3::new(1.0, f64::NAN, 1.0))),
            None
        );
    }

    #[test]
    fn the_inverse_of_a_stiff_direction_keeps_its_digits() {
        let n = DVec3::new(1.0, 2.0, 2.0) / 3.0;
        let inverse = inverse_of_definite(&along_and_all(n, 1e8, 1.0)).unwrap();
        let expected = along_and_all(n, -1e8 / (1.0 + 1e8), 1.0);
        assert!(inverse.abs_diff_eq(expected, 1e-7), "{inverse}");
    }
}
