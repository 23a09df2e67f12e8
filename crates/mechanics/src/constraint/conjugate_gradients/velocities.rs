//! Velocity projection of RATTLE in nets, by conjugate gradients.

use super::{Lines, NetSystem, Row, apply_matrix, apply_multipliers};
use crate::numerics::conjugate_gradients::{ConjugateGradients, DefiniteSystem};
use crate::numerics::sums::dot;
use glam::DVec3;

/// Ratio of the final to the initial residual at which a solve ends.
const REDUCTION: f64 = 1e-8;
const MOST_ITERATIONS: u32 = 300;
/// Largest number of solves. It is one more than nets need to reach rounding errors.
const MOST_SOLVES: u32 = 10;
/// Largest permitted rate of change of a length after all solves, as a fraction of the rate before.
const PERMITTED_RATE: f64 = 1e-6;
/// Largest fraction of its rest length by which a link may be too short and still count as taut.
const TAUT: f64 = 1e-9;

impl NetSystem {
    /// Removes the part of the velocities that would change lengths: J W Jᵀ μ = −J v, v ← v + W Jᵀ
    /// μ (J: link directions, W: inverse masses). Repeats the solve while the residual decreases.
    /// Returns true if almost no rate of change is left. Otherwise, e.g. if pins leave fewer free
    /// coordinates than links, leaves the velocities unchanged.
    #[must_use]
    pub fn project_velocities(&mut self, w: &[f64], x: &[DVec3], v: &mut [DVec3]) -> bool {
        self.before.clear();
        self.before.extend_from_slice(v);
        self.set_directions(w, x, |link, normal| {
            let d = x[link.b as usize] - x[link.a as usize];
            let speed = normal.dot(v[link.b as usize] - v[link.a as usize]);
            !link.one_sided || d.length() >= link.rest * (1.0 - TAUT) && speed > 0.0
        });
        let first = self.evaluate_speeds(v);
        let mut largest_speed = first;
        for _ in 0..MOST_SOLVES {
            if largest_speed == 0.0 || !largest_speed.is_finite() {
                break;
            }
            self.solve(REDUCTION, w);
            v.iter_mut().zip(&self.displacements).for_each(|(v, displacement)| *v += *displacement);
            let speed = self.evaluate_speeds(v);
            if speed.is_nan() || speed >= largest_speed {
                v.iter_mut()
                    .zip(&self.displacements)
                    .for_each(|(v, displacement)| *v -= *displacement);
                break;
            }
            largest_speed = speed;
        }
        let is_solved = largest_speed <= PERMITTED_RATE * first;
        if !is_solved {
            v.copy_from_slice(&self.before);
        }
        is_solved
    }

    /// Computes the residual −J v of all rows. Returns the largest rate of change of a length in
    /// m/s.
    fn evaluate_speeds(&mut self, v: &[DVec3]) -> f64 {
        let mut greatest: f64 = 0.0;
        for (residual, row) in self.residual.iter_mut().zip(&self.rows) {
            *residual = -row.normal.dot(v[row.b as usize] - v[row.a as usize]);
            greatest = greatest.max(residual.abs());
        }
        greatest
    }

    /// Solves J W Jᵀ y = residual (J: link directions, W: inverse masses) until the fraction
    /// `reduction` of the residual is left. `displacements` becomes W Jᵀ y. Returns the number of
    /// iterations.
    pub(super) fn solve(&mut self, reduction: f64, w: &[f64]) -> u32 {
        let Self { lines, rows, residual, y, direction, product, displacements, .. } = self;
        let system =
            Couplings { lines, rows, w, displacements, conditioned: &mut self.conditioned };
        let (iterations, _) = ConjugateGradients::start(system, [y, residual, direction, product])
            .reduce(reduction, MOST_ITERATIONS);
        apply_multipliers(rows, y, w, displacements);
        iterations
    }
}

/// Matrix J W Jᵀ (J: link directions, W: inverse masses) with its preconditioner.
struct Couplings<'a> {
    lines: &'a Lines,
    rows: &'a [Row],
    w: &'a [f64],
    displacements: &'a mut [DVec3],
    conditioned: &'a mut [f64],
}

impl DefiniteSystem for Couplings<'_> {
    type Element = f64;

    fn multiply(&mut self, direction: &[f64], product: &mut [f64]) {
        apply_matrix(self.rows, direction, self.w, self.displacements, product);
    }

    fn dot(&self, a: &[f64], b: &[f64]) -> f64 {
        dot(a, b)
    }

    fn precondition<'a>(&'a mut self, residual: &'a [f64]) -> (&'a [f64], f64) {
        let square = self.lines.solve(residual, self.conditioned);
        (self.conditioned, square)
    }
}
