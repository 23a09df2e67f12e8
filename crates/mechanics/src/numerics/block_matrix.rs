//! Symmetric sparse matrix of 3 × 3 blocks, one row of blocks per particle, solved by elimination.

use super::pattern::Pattern;
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// Largest pivot that counts as a rounding error, as a fraction of the diagonal element. With such
/// a pivot, the matrix counts as not positive definite.
const SINGULAR: f64 = 1e-15;

/// Symmetric positive definite matrix A of 3 × 3 blocks. A solve factors A = L D Lᵀ in place (block
/// LDLᵀ), so A must be assembled again for the next solve. For a rope, A is block-tridiagonal; a
/// tree causes no fill-in. Later matrices use the same memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockMatrix {
    pattern: Arc<Pattern>,
    /// Diagonal blocks of A in the elimination order; after a solve, the inverses of the pivot
    /// blocks.
    pivots: Vec<SymmetricBlock>,
    /// Blocks below the diagonal in the order of the pattern: those of A, or after a solve those of
    /// L.
    values: Vec<DMat3>,
    work: Vec<DVec3>,
}

/// Symmetric 3 × 3 block: its six elements on and below the diagonal, column by column.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct SymmetricBlock {
    xx: f64,
    xy: f64,
    xz: f64,
    yy: f64,
    yz: f64,
    zz: f64,
}

impl SymmetricBlock {
    /// Adds the elements of `block` on and below its diagonal.
    #[inline]
    fn add(&mut self, DMat3 { x_axis: x, y_axis: y, z_axis: z }: &DMat3) {
        self.xx += x.x;
        self.xy += x.y;
        self.xz += x.z;
        self.yy += y.y;
        self.yz += y.z;
        self.zz += z.z;
    }

    /// Subtracts A Bᵀ. The caller guarantees that this product is symmetric.
    #[inline]
    fn subtract_product(&mut self, a: &DMat3, b: &DMat3) {
        let DMat3 { x_axis: p, y_axis: q, z_axis: r } = a;
        let DMat3 { x_axis: s, y_axis: t, z_axis: u } = b;
        self.xx -= p.x * s.x + q.x * t.x + r.x * u.x;
        self.xy -= p.y * s.x + q.y * t.x + r.y * u.x;
        self.xz -= p.z * s.x + q.z * t.x + r.z * u.x;
        self.yy -= p.y * s.y + q.y * t.y + r.y * u.y;
        self.yz -= p.z * s.y + q.z * t.y + r.z * u.y;
        self.zz -= p.z * s.z + q.z * t.z + r.z * u.z;
    }

    #[inline]
    fn full(&self) -> DMat3 {
        let Self { xx, xy, xz, yy, yz, zz } = *self;
        DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz))
    }

    /// Returns the inverse by LDLᵀ factorisation. `None` if the block is not positive definite.
    ///
    /// Cofactors would lose more digits: a stiff spring adds β n nᵀ to a mass m, and the rounding
    /// error of the determinant grows with β²/m².
    #[inline]
    fn inverse(&self) -> Option<Self> {
        let Self { xx, xy, xz, yy, yz, zz } = *self;
        let is_positive = |pivot: f64, diagonal: f64| pivot > SINGULAR * diagonal;
        let first = is_positive(xx, 0.0).then(|| 1.0 / xx)?;
        let (l10, l20) = (xy * first, xz * first);
        let d1 = yy - l10 * xy;
        let second = is_positive(d1, yy).then(|| 1.0 / d1)?;
        let e = yz - l20 * xy;
        let l21 = e * second;
        let d2 = zz - l20 * xz - l21 * e;
        let third = is_positive(d2, zz).then(|| 1.0 / d2)?;
        // L⁻¹ has the rows (1, 0, 0), (−l10, 1, 0) and (m, −l21, 1).
        let m = l10 * l21 - l20;
        let (b, c) = (-l10 * second, m * third);
        let d = -l21 * third;
        Some(Self {
            xx: first + b * -l10 + c * m,
            xy: b + c * -l21,
            xz: c,
            yy: second + d * -l21,
            yz: d,
            zz: third,
        })
    }
}

impl BlockMatrix {
    /// Resets the matrix to this pattern with a diagonal only. `mass` returns the diagonal value of
    /// each row.
    pub fn reset(&mut self, pattern: &Arc<Pattern>, mass: impl Fn(usize) -> f64) {
        if !Arc::ptr_eq(&self.pattern, pattern) {
            self.pattern = pattern.clone();
        }
        self.pivots.resize(pattern.count(), SymmetricBlock::default());
        for (row, place) in pattern.places().iter().enumerate() {
            let mass = mass(row);
            self.pivots[*place as usize] =
                SymmetricBlock { xx: mass, yy: mass, zz: mass, ..SymmetricBlock::default() };
        }
        self.values.clear();
        self.values.resize(pattern.filled(), DMat3::ZERO);
    }

    /// Adds a symmetric block to the diagonal block of a row. Only the elements on and below its
    /// diagonal are read.
    #[inline]
    pub fn add_diagonal(&mut self, row: usize, block: &DMat3) {
        self.pivots[self.pattern.places()[row] as usize].add(block);
    }

    /// Adds `scalar` times the unit matrix to the diagonal block of a row.
    #[inline]
    pub fn add_scalar(&mut self, row: usize, scalar: f64) {
        let pivot = &mut self.pivots[self.pattern.places()[row] as usize];
        pivot.xx += scalar;
        pivot.yy += scalar;
        pivot.zz += scalar;
    }

    /// Subtracts a symmetric block from the off-diagonal block `slot`, see [`Pattern::slot_of`].
    #[inline]
    pub fn couple(&mut self, slot: u32, block: &DMat3) {
        self.values[slot as usize] -= *block;
    }

    /// Solves A y = b. `right` yields b and `y` receives the solution, row by row; `y` may be
    /// longer. Returns false and leaves `y` unchanged if A is not positive definite.
    pub fn solve(&mut self, right: impl Iterator<Item = DVec3>, y: &mut [DVec3]) -> bool {
        self.work.clear();
        self.work.resize(self.pivots.len(), DVec3::ZERO);
        for (b, place) in right.zip(self.pattern.places()) {
            self.work[*place as usize] = b;
        }
        let is_definite = match self.pattern.is_tridiagonal() {
            true => self.eliminate_tridiagonal(),
            false => self.eliminate_by_pattern(),
        };
        if is_definite {
            self.substitute();
            for (y, place) in y.iter_mut().zip(self.pattern.places()) {
                *y = self.work[*place as usize];
            }
        }
        is_definite
    }

    /// Replaces A by L and the inverse pivots, and b by L⁻¹ b. Returns false if A is not positive
    /// definite.
    fn eliminate_by_pattern(&mut self) -> bool {
        let Self { pattern, pivots, values, work } = self;
        let mut targets = pattern.targets().iter();
        for k in 0..pivots.len() {
            let Some(inverse) = pivots[k].inverse() else { return false };
            pivots[k] = inverse;
            let (inverse, known, range) = (inverse.full(), work[k], pattern.column(k));
            for i in range.clone() {
                let factor = values[i] * inverse;
                let Some(&target) = targets.next() else { return false };
                pivots[target as usize].subtract_product(&values[i], &factor);
                for j in i + 1..range.end {
                    let Some(&target) = targets.next() else { return false };
                    let update = values[j] * factor.transpose();
                    values[target as usize] -= update;
                }
                values[i] = factor;
                work[pattern.rows()[i] as usize] -= factor * known;
            }
        }
        true
    }

    /// Eliminates a tridiagonal matrix to the same bits as [`Self::eliminate_by_pattern`], without
    /// the index lists of the pattern.
    fn eliminate_tridiagonal(&mut self) -> bool {
        let Self { pivots, values, work, .. } = self;
        let Some(last) = pivots.len().checked_sub(1) else { return true };
        for (k, value) in values.iter_mut().enumerate() {
            let Some(inverse) = pivots[k].inverse() else { return false };
            pivots[k] = inverse;
            let factor = *value * inverse.full();
            pivots[k + 1].subtract_product(value, &factor);
            let update = factor * work[k];
            work[k + 1] -= update;
            *value = factor;
        }
        let inverse = pivots[last].inverse();
        pivots[last] = inverse.unwrap_or_default();
        inverse.is_some()
    }

    /// Replaces L⁻¹ b by the solution y (back substitution).
    fn substitute(&mut self) {
        let Self { pattern, pivots, values, work } = self;
        for k in (0..work.len()).rev() {
            let mut sum = pivots[k].full() * work[k];
            let range = pattern.column(k);
            for (row, factor) in pattern.rows()[range.clone()].iter().zip(&values[range]) {
                let known = work[*row as usize];
                sum -= DVec3::new(
                    factor.x_axis.dot(known),
                    factor.y_axis.dot(known),
                    factor.z_axis.dot(known),
                );
            }
            work[k] = sum;
        }
    }
}

/// Returns the block isotropic · 1 + axial · n nᵀ, e.g. the stiffness of a spring along n.
#[inline]
pub(crate) fn axial_block(n: DVec3, axial: f64, isotropic: f64) -> DMat3 {
    let column = n * axial;
    let mut block = DMat3::from_cols(column * n.x, column * n.y, column * n.z);
    block.x_axis.x += isotropic;
    block.y_axis.y += isotropic;
    block.z_axis.z += isotropic;
    block
}

/// Returns the inverse of a symmetric block. Only the elements on and below its diagonal are read.
/// `None` if the block is not positive definite.
pub(crate) fn inverse_of_definite(block: &DMat3) -> Option<DMat3> {
    let mut own = SymmetricBlock::default();
    own.add(block);
    own.inverse().map(|inverse| inverse.full())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the block of a spring in direction number `i`.
    fn block(i: usize, stiffness: f64) -> DMat3 {
        let direction = DVec3::new(i as f64 + 1.0, 2.0, -(i as f64)).normalize();
        axial_block(direction, stiffness, 0.1 * stiffness)
    }

    /// Returns the matrix M + K of `count` particles of 1 kg and springs between these pairs of
    /// particles.
    fn matrix(count: usize, pairs: &[[u32; 2]], stiffness: f64) -> BlockMatrix {
        let pattern = Arc::new(Pattern::new(count, pairs, 10_000).unwrap());
        let mut matrix = BlockMatrix::default();
        matrix.reset(&pattern, |_| 1.0);
        for (i, &[a, b]) in pairs.iter().enumerate() {
            let block = block(i, stiffness);
            matrix.couple(pattern.slot_of([a, b]), &block);
            matrix.add_diagonal(a as usize, &block);
            matrix.add_diagonal(b as usize, &block);
        }
        matrix
    }

    /// Returns the largest error |A y − b| of a solve with the matrix A of springs between these
    /// pairs of particles.
    fn largest_error(count: usize, pairs: &[[u32; 2]], stiffness: f64) -> f64 {
        let mut matrix = matrix(count, pairs, stiffness);
        let right = |i: usize| DVec3::new((i * 7 % 5) as f64 - 2.0, i as f64 % 3.0, 1.0);
        let mut y = vec![DVec3::ZERO; count];
        assert!(matrix.solve((0..count).map(right), &mut y));
        let mut left: Vec<DVec3> = (0..count).map(|i| y[i] - right(i)).collect();
        for (i, &[a, b]) in pairs.iter().enumerate() {
            let pull = block(i, stiffness) * (y[a as usize] - y[b as usize]);
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
                let left = largest_error(20, &pairs, stiffness);
                assert!(
                    left < 1e-14 * (1.0 + 100.0 * stiffness),
                    "stiffness {stiffness}: error {left}"
                );
            }
        }
    }

    #[test]
    fn a_rope_is_eliminated_by_the_bits_of_the_pattern() {
        let rope: Vec<[u32; 2]> = (0..19).map(|i| [i, i + 1]).collect();
        let mut one = matrix(20, &rope, 300.0);
        assert!(one.pattern.is_tridiagonal());
        one.work = (0..20).map(|i| DVec3::new(f64::from(i).sin(), 1.0, -0.1)).collect();
        let mut other = one.clone();
        assert!(one.eliminate_tridiagonal() && other.eliminate_by_pattern());
        assert_eq!(one, other);
    }

    #[test]
    fn a_matrix_that_is_not_definite_is_refused() {
        let pattern = Arc::new(Pattern::new(2, &[[0, 1]], 10).unwrap());
        let mut matrix = BlockMatrix::default();
        matrix.reset(&pattern, |_| 1.0);
        matrix.couple(0, &(2.0 * DMat3::IDENTITY));
        assert!(!matrix.solve([DVec3::X; 2].into_iter(), &mut [DVec3::ZERO; 2]));
        assert_eq!(inverse_of_definite(&DMat3::from_diagonal(DVec3::new(1.0, -1.0, 1.0))), None);
        assert_eq!(
            inverse_of_definite(&DMat3::from_diagonal(DVec3::new(1.0, f64::NAN, 1.0))),
            None
        );
    }

    #[test]
    fn the_inverse_of_a_stiff_direction_keeps_its_digits() {
        let n = DVec3::new(1.0, 2.0, 2.0) / 3.0;
        let inverse = inverse_of_definite(&axial_block(n, 1e8, 1.0)).unwrap();
        let expected = axial_block(n, -1e8 / (1.0 + 1e8), 1.0);
        assert!(inverse.abs_diff_eq(expected, 1e-7), "{inverse}");
    }
}
