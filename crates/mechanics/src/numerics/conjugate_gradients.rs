//! Method of conjugate gradients (Hestenes and Stiefel 1952, J. Res. Natl. Bur. Stand. 49, 409).

use super::columns::{axpy, aypx};
use bytemuck::{Pod, Zeroable};

/// Linear equations A y = b. The matrix A must be symmetric and positive definite in the inner
/// product [`Self::dot`].
pub trait DefiniteSystem {
    /// Element of a column: `f64` or `DVec3`.
    type Element: Pod;

    /// Computes `product` = A `direction`.
    fn multiply(&mut self, direction: &[Self::Element], product: &mut [Self::Element]);

    /// Returns the inner product ⟨a, b⟩.
    fn dot(&self, a: &[Self::Element], b: &[Self::Element]) -> f64;

    /// Returns the preconditioned residual z, an approximation of A⁻¹ r, and ⟨r, z⟩. By default
    /// there is no preconditioner: z = r.
    fn precondition<'a>(&'a mut self, residual: &'a [Self::Element]) -> (&'a [Self::Element], f64) {
        (residual, self.dot(residual, residual))
    }
}

/// State of a solve between two iterations.
pub struct ConjugateGradients<'a, S: DefiniteSystem> {
    system: S,
    /// Approximate solution.
    pub y: &'a mut [S::Element],
    residual: &'a mut [S::Element],
    direction: &'a mut [S::Element],
    product: &'a mut [S::Element],
    /// Square of the residual r in the norm of the preconditioner: ⟨r, z⟩.
    pub square: f64,
}

impl<'a, S: DefiniteSystem> ConjugateGradients<'a, S> {
    /// Starts a solve at y = 0. `residual` must contain the right-hand side b; `direction` and
    /// `product` are buffers. All columns have the same length.
    pub fn start(
        mut system: S,
        [y, residual, direction, product]: [&'a mut [S::Element]; 4],
    ) -> Self {
        y.fill(S::Element::zeroed());
        let (conditioned, square) = system.precondition(residual);
        direction.copy_from_slice(conditioned);
        Self { system, y, residual, direction, product, square }
    }

    /// Runs one iteration. Returns the growth of ⟨b, y⟩. Returns `None` and leaves `y` and
    /// `residual` unchanged if A is not positive definite along the search direction.
    pub fn iterate(&mut self) -> Option<f64> {
        self.system.multiply(self.direction, self.product);
        let curvature = self.system.dot(self.direction, self.product);
        if curvature.is_nan() || curvature <= 0.0 {
            return None;
        }
        let step = self.square / curvature;
        let growth = step * self.square;
        axpy(step, self.direction, self.y);
        axpy(-step, self.product, self.residual);
        let (conditioned, square) = self.system.precondition(self.residual);
        aypx(square / self.square, conditioned, self.direction);
        self.square = square;
        Some(growth)
    }

    /// Iterates until the fraction `reduction` of the residual is left, but at most `most` times.
    /// Ends early if A is not positive definite along the search direction. Returns the number of
    /// iterations and ⟨b, y⟩.
    pub fn reduce(&mut self, reduction: f64, most: u32) -> (u32, f64) {
        let target = reduction * reduction * self.square;
        let mut product = 0.0;
        for iteration in 1..=most {
            let Some(growth) = self.iterate() else { return (iteration, product) };
            product += growth;
            if self.square.is_nan() || self.square <= target {
                return (iteration, product);
            }
        }
        (most, product)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::sums::dot;

    struct Dense([[f64; 3]; 3]);

    impl DefiniteSystem for Dense {
        type Element = f64;

        fn multiply(&mut self, direction: &[f64], product: &mut [f64]) {
            product.iter_mut().zip(&self.0).for_each(|(p, row)| *p = dot(row, direction));
        }

        fn dot(&self, a: &[f64], b: &[f64]) -> f64 {
            dot(a, b)
        }
    }

    #[test]
    fn as_many_iterations_as_unknowns_solve_the_equations() {
        let matrix = [[4.0, 1.0, 0.0], [1.0, 3.0, -1.0], [0.0, -1.0, 2.0]];
        let right = [1.0, -2.0, 3.0];
        let [mut y, mut residual, mut direction, mut product] = [right; 4];
        let columns = [&mut y[..], &mut residual, &mut direction, &mut product];
        let (iterations, along) =
            ConjugateGradients::start(Dense(matrix), columns).reduce(1e-12, 10);
        assert_eq!(iterations, 3);
        for (row, right) in matrix.iter().zip(right) {
            assert!((dot(row, &y) - right).abs() < 1e-14, "{y:?}");
        }
        assert!((along - dot(&right, &y)).abs() < 1e-14, "{along}");
    }

    #[test]
    fn a_direction_without_positive_curvature_ends_the_solve() {
        let matrix = [[1.0, 0.0, 0.0], [0.0, -3.0, 0.0], [0.0, 0.0, 1.0]];
        let right = [1.0; 3];
        let [mut y, mut residual, mut direction, mut product] = [right; 4];
        let columns = [&mut y[..], &mut residual, &mut direction, &mut product];
        let mut solve = ConjugateGradients::start(Dense(matrix), columns);
        assert_eq!(solve.reduce(1e-12, 10), (1, 0.0));
        assert_eq!((y, residual), ([0.0; 3], right));
    }
}
