//! Largest eigenvalues of a symmetric operator on displacements, by Lanczos steps.

use super::mass_product::normalise;
use super::matrix::Matrix;
use super::symmetric::eigenpairs;
use crate::numerics::sums::mass_dot;
use glam::DVec3;

/// Approximate eigenvalue with its eigenvector: one displacement per particle, of length 1 in the
/// inner product Σ m a·b.
#[derive(Clone, Debug)]
pub(in crate::analysis) struct RitzPair {
    pub value: f64,
    pub vector: Vec<DVec3>,
    /// Length of A φ − λ φ. An exact eigenvalue lies within this distance of `value`.
    pub residual: f64,
}

/// Returns the `count` largest Ritz pairs, in descending order, of an operator that is symmetric in
/// the inner product Σ m a·b (Lanczos with full reorthogonalisation). `start` must not lie in the
/// operator's null space. Returns nothing if `start` has length 0.
pub(in crate::analysis) fn largest_ritz_pairs(
    mass: &[f64],
    start: Vec<DVec3>,
    steps: usize,
    count: usize,
    mut apply: impl FnMut(&[DVec3], &mut [DVec3]),
) -> Vec<RitzPair> {
    let n = mass.len();
    let mut u = start;
    u.iter_mut().zip(mass).filter(|(_, m)| **m == 0.0).for_each(|(u, _)| *u = DVec3::ZERO);
    if normalise(mass, &mut u).is_none() {
        return Vec::new();
    }
    let (mut basis, mut alpha, mut beta) = (vec![u], Vec::new(), Vec::new());
    let mut w = vec![DVec3::ZERO; n];
    let mut residual = 0.0;
    for k in 0..steps {
        w.fill(DVec3::ZERO);
        apply(&basis[k], &mut w);
        alpha.push(mass_dot(mass, &basis[k], &w));
        orthogonalise(mass, &basis, &mut w);
        residual = mass_dot(mass, &w, &w).sqrt();
        let scale = alpha.iter().fold(0.0, |most: f64, a| most.max(a.abs()));
        if residual <= 1e-12 * scale || k + 1 == steps {
            break;
        }
        beta.push(residual);
        if normalise(mass, &mut w).is_none() {
            break;
        }
        basis.push(w.clone());
    }
    let pairs = eigenpairs(tridiagonal(&alpha, &beta));
    let pair = |(value, ritz): (f64, Vec<f64>)| {
        let mut vector = vec![DVec3::ZERO; n];
        for (q, s) in basis.iter().zip(&ritz) {
            vector.iter_mut().zip(q).for_each(|(vector, q)| *vector += *s * *q);
        }
        normalise(mass, &mut vector)?;
        let residual = residual * ritz.last().map_or(0.0, |s| s.abs());
        Some(RitzPair { value, vector, residual })
    };
    pairs.into_iter().take(count).filter_map(pair).collect()
}

/// Subtracts from `w` its projection on the basis. Two passes make rounding errors negligible
/// (Parlett 1980, The Symmetric Eigenvalue Problem, section 6.9).
pub(in crate::analysis) fn orthogonalise(mass: &[f64], basis: &[Vec<DVec3>], w: &mut [DVec3]) {
    for _ in 0..2 {
        for q in basis {
            let along = mass_dot(mass, q, w);
            w.iter_mut().zip(q).for_each(|(w, q)| *w -= along * *q);
        }
    }
}

fn tridiagonal(diagonal: &[f64], off_diagonal: &[f64]) -> Matrix {
    let n = diagonal.len();
    let mut matrix = Matrix::zero(n);
    for (i, a) in diagonal.iter().enumerate() {
        matrix.set(i, i, *a);
    }
    for (i, b) in off_diagonal.iter().enumerate().take(n.saturating_sub(1)) {
        matrix.set(i, i + 1, *b);
        matrix.set(i + 1, i, *b);
    }
    matrix
}
