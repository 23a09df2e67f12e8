//! Eigenvalues and eigenvectors of symmetric matrices.

use super::mass_product::pseudo_random;
use super::matrix::Matrix;

/// Number of bisections per eigenvalue. They narrow the interval to 1e-18 of the range of all
/// eigenvalues.
const HALVINGS: u32 = 60;
/// Number of inverse iterations per eigenvector; each gains about ten digits.
const INVERSE_ITERATIONS: u32 = 4;

/// Symmetric matrix A = Q T Qᵀ with T tridiagonal and Q a product of reflections (Householder;
/// Golub and Van Loan, Matrix Computations, §8.3.1).
#[derive(Clone, Debug)]
pub struct Tridiagonal {
    diagonal: Vec<f64>,
    off_diagonal: Vec<f64>,
    /// Vectors v of the reflections 1 − 2vvᵀ/v², in the order of application. Reflection k leaves
    /// rows 0 to k unchanged. An empty vector stands for no reflection.
    reflections: Vec<Vec<f64>>,
}

/// Returns up to `most` eigenvalues of the tridiagonal matrix T: the lowest ones, in ascending
/// order. The entries beside its diagonal are `off_diagonal`. The eigenvalues are found by counting
/// the negative pivots of T − λ (Sturm; Golub and Van Loan, §8.4.1).
pub fn lowest_of_tridiagonal(diagonal: &[f64], off_diagonal: &[f64], most: usize) -> Vec<f64> {
    let n = diagonal.len();
    let reach = |i: usize| {
        let before = if i > 0 { off_diagonal[i - 1].abs() } else { 0.0 };
        before + off_diagonal.get(i).map_or(0.0, |b| b.abs())
    };
    let least = (0..n).map(|i| diagonal[i] - reach(i)).fold(f64::INFINITY, f64::min);
    let greatest = (0..n).map(|i| diagonal[i] + reach(i)).fold(f64::NEG_INFINITY, f64::max);
    if !(least.is_finite() && greatest.is_finite()) {
        return Vec::new();
    }
    let count_below = |lambda: f64| {
        let (mut count, mut pivot) = (0, 1.0);
        for i in 0..n {
            let b = if i > 0 { off_diagonal[i - 1] } else { 0.0 };
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
            if count_below(middle) > k { high = middle } else { low = middle }
        }
        0.5 * (low + high)
    };
    (0..n.min(most)).map(eigenvalue).collect()
}

/// Maximum number of sweeps in [`eigenpairs`]. The sweeps converge quadratically.
const SWEEPS: u32 = 30;

/// Returns all eigenvalues of a symmetric matrix in descending order, with eigenvectors of length
/// 1, by Jacobi's rotations (Golub and Van Loan, §8.5.2). Multiple eigenvalues are exact to the
/// last digits. The method is fast up to about sixty rows. Empty if an entry is not finite.
pub fn eigenpairs(mut a: Matrix) -> Vec<(f64, Vec<f64>)> {
    let n = a.size();
    let mut vectors = Matrix::zero(n).shifted(1.0);
    for _ in 0..SWEEPS {
        let off_diagonal = |i: usize| (0..i).map(|j| a.at(i, j).powi(2)).sum::<f64>();
        let (off, on) = ((0..n).map(off_diagonal).sum::<f64>(), a.row_norm().powi(2));
        if !on.is_finite() {
            return Vec::new();
        }
        if off <= 1e-30 * on {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut a, &mut vectors, p, q);
            }
        }
    }
    let column = |k: usize| (a.at(k, k), (0..n).map(|i| vectors.at(i, k)).collect());
    let mut pairs: Vec<(f64, Vec<f64>)> = (0..n).map(column).collect();
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
    pairs
}

/// Rotates the matrix so that the entries (p, q) and (q, p) become zero.
fn rotate(a: &mut Matrix, vectors: &mut Matrix, p: usize, q: usize) {
    let off_diagonal = a.at(p, q);
    if off_diagonal == 0.0 {
        return;
    }
    let tau = (a.at(q, q) - a.at(p, p)) / (2.0 * off_diagonal);
    let t = tau.signum() / (tau.abs() + (1.0 + tau * tau).sqrt());
    let c = 1.0 / (1.0 + t * t).sqrt();
    let s = t * c;
    for k in 0..a.size() {
        let (x, y) = (a.at(k, p), a.at(k, q));
        a.set(k, p, c * x - s * y);
        a.set(k, q, s * x + c * y);
        let (x, y) = (vectors.at(k, p), vectors.at(k, q));
        vectors.set(k, p, c * x - s * y);
        vectors.set(k, q, s * x + c * y);
    }
    for k in 0..a.size() {
        let (x, y) = (a.at(p, k), a.at(q, k));
        a.set(p, k, c * x - s * y);
        a.set(q, k, s * x + c * y);
    }
}

impl Tridiagonal {
    /// Reduces a symmetric matrix to tridiagonal form, by reflections.
    pub fn of(mut a: Matrix) -> Self {
        let n = a.size();
        let mut reflections = Vec::with_capacity(n.saturating_sub(2));
        for k in 0..n.saturating_sub(2) {
            reflections.push(eliminate_column(&mut a, k));
        }
        let diagonal = (0..n).map(|i| a.at(i, i)).collect();
        let off_diagonal = (1..n).map(|i| a.at(i, i - 1)).collect();
        Self { diagonal, off_diagonal, reflections }
    }

    /// Returns up to `most` eigenvalues: the lowest ones, in ascending order.
    pub fn lowest_eigenvalues(&self, most: usize) -> Vec<f64> {
        lowest_of_tridiagonal(&self.diagonal, &self.off_diagonal, most)
    }

    /// Returns an eigenvector of length 1, by inverse iteration from a fixed start (Golub and Van
    /// Loan, §8.4.2). For a multiple eigenvalue, the result is one of several possible
    /// eigenvectors.
    pub fn eigenvector(&self, eigenvalue: f64) -> Vec<f64> {
        let n = self.diagonal.len();
        let mut y = pseudo_random(n.div_ceil(3)).iter().flat_map(|p| p.to_array()).collect();
        for _ in 0..INVERSE_ITERATIONS {
            y = self.solve_shifted(eigenvalue, y);
            let length = y.iter().map(|y| y * y).sum::<f64>().sqrt();
            y.iter_mut().for_each(|y| *y /= length);
        }
        for (k, v) in self.reflections.iter().enumerate().rev() {
            reflect(v, &mut y[k + 1..]);
        }
        y
    }

    /// Returns (T − λ)⁻¹ y, by elimination with row exchanges. A pivot of 0 is replaced by the
    /// rounding error of the largest entry.
    fn solve_shifted(&self, lambda: f64, mut y: Vec<f64>) -> Vec<f64> {
        let n = self.diagonal.len();
        y.truncate(n);
        let off_diagonal = |i: usize| self.off_diagonal.get(i).copied().unwrap_or(0.0);
        let greatest = |most: f64, x: &f64| most.max(x.abs());
        let size = self.diagonal.iter().chain(&self.off_diagonal).fold(lambda.abs(), greatest);
        let rounding = (f64::EPSILON * size).max(f64::MIN_POSITIVE);
        // Rows of the upper triangle: the diagonal entry and the two entries to its right.
        let mut rows: Vec<[f64; 3]> = Vec::with_capacity(n);
        let mut row = [self.diagonal.first().map_or(0.0, |d| d - lambda), off_diagonal(0), 0.0];
        for i in 0..n {
            if i + 1 < n {
                let mut below =
                    [off_diagonal(i), self.diagonal[i + 1] - lambda, off_diagonal(i + 1)];
                if below[0].abs() > row[0].abs() {
                    std::mem::swap(&mut row, &mut below);
                    y.swap(i, i + 1);
                }
                row[0] = if row[0] == 0.0 { rounding } else { row[0] };
                let factor = below[0] / row[0];
                y[i + 1] -= factor * y[i];
                let next = [below[1] - factor * row[1], below[2] - factor * row[2], 0.0];
                rows.push(std::mem::replace(&mut row, next));
            } else {
                row[0] = if row[0].abs() < rounding { rounding } else { row[0] };
                rows.push(row);
            }
        }
        for i in (0..n).rev() {
            let right = |j: usize| y.get(i + j).copied().unwrap_or(0.0);
            let [pivot, first, second] = rows[i];
            y[i] = (y[i] - first * right(1) - second * right(2)) / pivot;
        }
        y
    }
}

/// Reflects the matrix so that column k is zero below its first subdiagonal entry. Returns the
/// vector of the reflection.
fn eliminate_column(a: &mut Matrix, k: usize) -> Vec<f64> {
    let n = a.size();
    let mut v: Vec<f64> = (k + 1..n).map(|i| a.at(i, k)).collect();
    let length = v.iter().map(|v| v * v).sum::<f64>().sqrt();
    v[0] += if v[0] >= 0.0 { length } else { -length };
    let square: f64 = v.iter().map(|v| v * v).sum();
    if square == 0.0 {
        return Vec::new();
    }
    // A ← (1 − 2vvᵀ/v²) A (1 − 2vvᵀ/v²) for the remaining rows and columns, with p = A v · 2/v² and
    // w = p − v (pᵀv)/v².
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
    v
}

/// Reflects `y` in place: y ← (1 − 2vvᵀ/v²) y.
fn reflect(v: &[f64], y: &mut [f64]) {
    let square: f64 = v.iter().map(|v| v * v).sum();
    let along: f64 = v.iter().zip(&*y).map(|(v, y)| v * y).sum();
    if square > 0.0 {
        y.iter_mut().zip(v).for_each(|(y, v)| *y -= 2.0 * along / square * v);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    /// Two equal blocks on the diagonal make every eigenvalue 2 − 2 cos(kπ/(n + 1)) double, with
    /// two orthogonal eigenvectors.
    #[test]
    fn rotations_find_all_pairs_of_the_closed_form() {
        let n = 20;
        let mut a = Matrix::zero(2 * n).shifted(2.0);
        for block in [0, n] {
            for i in block + 1..block + n {
                a.set(i, i - 1, -1.0);
                a.set(i - 1, i, -1.0);
            }
        }
        let pairs = eigenpairs(a.clone());
        for (k, two) in (1..=n).rev().zip(pairs.chunks(2)) {
            let theory = 2.0 - 2.0 * (k as f64 * PI / (n + 1) as f64).cos();
            let along: f64 = two[0].1.iter().zip(&two[1].1).map(|(a, b)| a * b).sum();
            assert!(along.abs() < 1e-12, "product of two eigenvectors: {along}");
            for (value, v) in two {
                assert!((value - theory).abs() < 1e-12, "eigenvalue {value}, theory {theory}");
                for i in 0..2 * n {
                    let image: f64 = (0..2 * n).map(|j| a.at(i, j) * v[j]).sum();
                    assert!((image - value * v[i]).abs() < 1e-12);
                }
            }
        }
    }

    /// Diagonal 2 and off-diagonal −1 have the eigenvalues 2 − 2 cos(kπ/(n + 1)).
    #[test]
    fn the_second_difference_has_the_eigenvalues_of_the_closed_form() {
        let n = 40;
        let found = lowest_of_tridiagonal(&[2.0; 40], &[-1.0; 39], n);
        for (k, found) in (1..).zip(&found) {
            let theory = 2.0 - 2.0 * (f64::from(k) * PI / 41.0).cos();
            assert!((found - theory).abs() < 1e-12, "eigenvalue {found}, theory {theory}");
        }
    }

    /// If a reflection 1 − 2uuᵀ multiplies a diagonal matrix from both sides, the diagonal entries
    /// remain the eigenvalues.
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
        let tridiagonal = Tridiagonal::of(matrix);
        for (k, found) in tridiagonal.lowest_eigenvalues(n).into_iter().enumerate() {
            assert!((found - (k * k) as f64).abs() < 1e-10, "eigenvalue {k}: {found}");
            // The eigenvector of k² is column k of the reflection 1 − 2uuᵀ.
            let vector = tridiagonal.eigenvector(found);
            let sign = vector[k].signum() * turn(k, k).signum();
            for (i, entry) in vector.iter().enumerate() {
                assert!(
                    (sign * entry - turn(i, k)).abs() < 1e-12,
                    "entry {i} of eigenvector {k}: {entry}"
                );
            }
        }
    }

    #[test]
    fn of_an_eigenvalue_that_comes_twice_there_is_a_vector() {
        let mut matrix = Matrix::zero(6);
        for (i, value) in [3.0, 1.0, 3.0, 2.0, 3.0, 5.0].into_iter().enumerate() {
            matrix.set(i, i, value);
        }
        let vector = Tridiagonal::of(matrix).eigenvector(3.0);
        let length = |i: &[usize]| i.iter().map(|&i| vector[i] * vector[i]).sum::<f64>();
        assert!((length(&[0, 2, 4]) - 1.0).abs() < 1e-12 && length(&[1, 3, 5]) < 1e-24);
    }
}
