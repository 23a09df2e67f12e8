//! Eigenvalues of symmetric matrices.

use super::matrix::Matrix;

/// Halvings of an interval around an eigenvalue: 1e-18 of what all of them span.
const HALVINGS: u32 = 60;

/// The lowest eigenvalues of a symmetric matrix, ascending: it is reflected to tridiagonal form
/// (Householder; Golub and Van Loan, Matrix Computations, §8.3.1).
pub fn lowest_eigenvalues(matrix: Matrix, most: usize) -> Vec<f64> {
    let (diagonal, beside) = tridiagonal(matrix);
    lowest_of_tridiagonal(&diagonal, &beside, most)
}

/// The lowest eigenvalues of the tridiagonal matrix T with a diagonal and the entries `beside` it,
/// ascending, found by counting the negative pivots of T − λ (Sturm; Golub and Van Loan, §8.4.1).
pub fn lowest_of_tridiagonal(diagonal: &[f64], beside: &[f64], most: usize) -> Vec<f64> {
    let n = diagonal.len();
    let reach = |i: usize| {
        let before = if i > 0 { beside[i - 1].abs() } else { 0.0 };
        before + beside.get(i).map_or(0.0, |b| b.abs())
    };
    let least = (0..n).map(|i| diagonal[i] - reach(i)).fold(f64::INFINITY, f64::min);
    let greatest = (0..n).map(|i| diagonal[i] + reach(i)).fold(f64::NEG_INFINITY, f64::max);
    if !(least.is_finite() && greatest.is_finite()) {
        return Vec::new();
    }
    let below = |lambda: f64| {
        let (mut count, mut pivot) = (0, 1.0);
        for i in 0..n {
            let b = if i > 0 { beside[i - 1] } else { 0.0 };
            pivot = diagonal[i] - lambda - b * b / pivot;
            if pivot == 0.0 {
                pivot = f64::MIN_POSITIVE;
            }
            count += usize::from(pivot < 0.0);
        }
        count
    };
    let eigenvalue = |k: usize| {
        let (mut low, mut high) = (least, greatest);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if below(middle) > k { high = middle } else { low = middle }
        }
        0.5 * (low + high)
    };
    (0..n.min(most)).map(eigenvalue).collect()
}

/// Diagonal and the entries beside it.
fn tridiagonal(mut a: Matrix) -> (Vec<f64>, Vec<f64>) {
    let n = a.size();
    for k in 0..n.saturating_sub(2) {
        let mut v: Vec<f64> = (k + 1..n).map(|i| a.at(i, k)).collect();
        let length = v.iter().map(|v| v * v).sum::<f64>().sqrt();
        v[0] += if v[0] >= 0.0 { length } else { -length };
        let square: f64 = v.iter().map(|v| v * v).sum();
        if square == 0.0 {
            continue;
        }
        // A ← (1 − 2vvᵀ/v²) A (1 − 2vvᵀ/v²) over the rest; p = A v · 2/v², w = p − v (pᵀv)/v².
        let row = |i: usize| (0..v.len()).map(|j| a.at(k + 1 + i, k + 1 + j) * v[j]).sum::<f64>();
        let p: Vec<f64> = (0..v.len()).map(|i| 2.0 / square * row(i)).collect();
        let along = p.iter().zip(&v).map(|(p, v)| p * v).sum::<f64>() / square;
        let w: Vec<f64> = p.iter().zip(&v).map(|(p, v)| p - along * v).collect();
        for i in 0..v.len() {
            for j in 0..v.len() {
                let (row, column) = (k + 1 + i, k + 1 + j);
                a.set(row, column, a.at(row, column) - v[i] * w[j] - w[i] * v[j]);
            }
        }
        let first = if a.at(k + 1, k) >= 0.0 { -length } else { length };
        a.set(k + 1, k, first);
        a.set(k, k + 1, first);
    }
    let diagonal = (0..n).map(|i| a.at(i, i)).collect();
    let beside = (1..n).map(|i| a.at(i, i - 1)).collect();
    (diagonal, beside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    /// Diagonal 2, −1 beside it: 2 − 2 cos(kπ/(n + 1)).
    #[test]
    fn the_second_difference_has_the_eigenvalues_of_the_closed_form() {
        let n = 40;
        let found = lowest_of_tridiagonal(&[2.0; 40], &[-1.0; 39], n);
        for (k, found) in (1..).zip(&found) {
            let theory = 2.0 - 2.0 * (f64::from(k) * PI / 41.0).cos();
            assert!((found - theory).abs() < 1e-12, "{found} {theory}");
        }
    }

    /// A diagonal matrix turned by a reflection 1 − 2uuᵀ has its diagonal as eigenvalues.
    #[test]
    fn a_full_matrix_keeps_its_eigenvalues() {
        let n = 12;
        let u: Vec<f64> = (0..n).map(|i| (i as f64 + 1.0) / 650f64.sqrt()).collect();
        let turn = |i: usize, j: usize| f64::from(u8::from(i == j)) - 2.0 * u[i] * u[j];
        let mut matrix = Matrix::zero(n);
        for i in 0..n {
            for j in 0..n {
                let entry = (0..n).map(|k| turn(i, k) * (k * k) as f64 * turn(k, j)).sum();
                matrix.set(i, j, entry);
            }
        }
        let found = lowest_eigenvalues(matrix, n);
        for (k, found) in found.iter().enumerate() {
            assert!((found - (k * k) as f64).abs() < 1e-10, "{k} {found}");
        }
    }
}
