//! Small dense matrices for Krylov methods and step matrices.

/// Square matrix, stored row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    n: usize,
    rows: Vec<f64>,
}

/// Number of squarings in [`Matrix::dominant`]. A to the power 2^40 separates moduli that differ by
/// 1e-11.
const SQUARINGS: u32 = 40;

impl Matrix {
    /// Creates an n × n matrix of zeros.
    pub fn zero(n: usize) -> Self {
        Self { n, rows: vec![0.0; n * n] }
    }

    /// Returns the number of rows, which equals the number of columns.
    pub fn size(&self) -> usize {
        self.n
    }

    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.rows[row * self.n + column]
    }

    pub fn set(&mut self, row: usize, column: usize, value: f64) {
        self.rows[row * self.n + column] = value;
    }

    /// Returns the matrix with `by` added to every diagonal entry.
    pub fn shifted(mut self, by: f64) -> Self {
        (0..self.n).for_each(|i| self.rows[i * self.n + i] += by);
        self
    }

    /// Returns the largest sum of moduli in a row, an upper bound for the moduli of all eigenvalues
    /// (Gershgorin).
    pub fn row_norm(&self) -> f64 {
        self.rows
            .chunks(self.n.max(1))
            .map(|row| row.iter().map(|a| a.abs()).sum())
            .fold(0.0, f64::max)
    }

    /// Returns the largest modulus of an eigenvalue; NaN if an entry is not finite.
    pub fn spectral_radius(&self) -> f64 {
        self.dominant().0
    }

    /// Returns the spectral radius ρ = lim ‖Aᵏ‖^(1/k) (Gelfand) at k = 2^40, by squaring, and the
    /// longest column of Aᵏ scaled to length 1. The column is an eigenvector of the dominant
    /// eigenvalue, or a vector in the plane of a dominant pair. It is zero if ρ = 0.
    pub fn dominant(&self) -> (f64, Vec<f64>) {
        let (mut power, mut log_radius, mut weight) = (self.clone(), 0.0, 1.0);
        for _ in 0..SQUARINGS {
            let norm = power.row_norm();
            if norm == 0.0 {
                return (0.0, vec![0.0; self.n]);
            }
            if !norm.is_finite() {
                return (f64::NAN, vec![0.0; self.n]);
            }
            log_radius += weight * norm.ln();
            weight /= 2.0;
            power.rows.iter_mut().for_each(|a| *a /= norm);
            power = power.squared();
        }
        let length = |column: usize| (0..self.n).map(|i| power.at(i, column).powi(2)).sum::<f64>();
        let greatest = (0..self.n).max_by(|&a, &b| length(a).total_cmp(&length(b))).unwrap_or(0);
        let size = length(greatest).sqrt();
        let vector = (0..self.n).map(|i| power.at(i, greatest) / size).collect();
        (log_radius.exp(), vector)
    }

    /// Solves A x = b in place by A = L Lᵀ (Cholesky); consumes the matrix. Returns false if A is
    /// not positive definite; `b` is then undefined.
    pub fn solve_definite(mut self, b: &mut [f64]) -> bool {
        let n = self.n;
        for i in 0..n {
            let (above, row) = self.rows.split_at_mut(i * n);
            let row = &mut row[..n];
            for j in 0..i {
                let other = &above[j * n..];
                let sum: f64 = (0..j).map(|k| row[k] * other[k]).sum();
                row[j] = (row[j] - sum) / other[j];
            }
            let square = row[i] - row[..i].iter().map(|entry| entry * entry).sum::<f64>();
            if square.is_nan() || square <= 0.0 {
                return false;
            }
            row[i] = square.sqrt();
            let sum: f64 = (0..i).map(|k| row[k] * b[k]).sum();
            b[i] = (b[i] - sum) / row[i];
        }
        for i in (0..n).rev() {
            b[i] /= self.at(i, i);
            for k in 0..i {
                b[k] -= self.at(i, k) * b[i];
            }
        }
        true
    }

    fn squared(&self) -> Self {
        let n = self.n;
        let mut square = Self::zero(n);
        for i in 0..n {
            for k in 0..n {
                let (a, from) = (self.at(i, k), &self.rows[k * n..][..n]);
                let to = &mut square.rows[i * n..][..n];
                to.iter_mut().zip(from).for_each(|(to, from)| *to += a * from);
            }
        }
        square
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix<const N: usize>(rows: [[f64; N]; N]) -> Matrix {
        Matrix { n: N, rows: rows.concat() }
    }

    #[test]
    fn the_spectral_radius_is_that_of_the_closed_form() {
        let turned = matrix([[0.6, -0.8], [0.8, 0.6]]);
        assert!((turned.spectral_radius() - 1.0).abs() < 1e-12);
        let sheared = matrix([[0.5, 1e6], [0.0, 0.5]]);
        assert!((sheared.spectral_radius() - 0.5).abs() < 1e-9, "a defective eigenvalue");
        let mirrored = matrix([[1.0, 0.0, 0.0], [0.0, -1.25, 0.0], [0.0, 3.0, 1.2]]);
        assert!((mirrored.spectral_radius() - 1.25).abs() < 1e-12);
        assert_eq!(matrix([[0.0, 1.0], [0.0, 0.0]]).spectral_radius(), 0.0);
    }

    #[test]
    fn a_definite_system_is_solved_and_an_indefinite_one_refused() {
        let mut b = [1.0, 2.0, 3.0];
        let a = matrix([[4.0, 2.0, 0.0], [2.0, 5.0, -1.0], [0.0, -1.0, 3.0]]);
        assert!(a.clone().solve_definite(&mut b));
        let product = |i: usize| (0..3).map(|j| a.at(i, j) * b[j]).sum::<f64>();
        assert!((0..3).all(|i| (product(i) - (i + 1) as f64).abs() < 1e-14), "solution {b:?}");
        assert!(!matrix([[1.0, 2.0], [2.0, 1.0]]).solve_definite(&mut [0.0, 0.0]));
    }

    #[test]
    fn the_dominant_vector_is_an_eigenvector() {
        let (radius, v) = matrix([[2.0, 1.0], [1.0, 2.0]]).dominant();
        assert!((radius - 3.0).abs() < 1e-12);
        assert!(
            (v[0] - v[1]).abs() < 1e-12 && (v[0] * v[0] - 0.5).abs() < 1e-12,
            "eigenvector {v:?}"
        );
    }
}
