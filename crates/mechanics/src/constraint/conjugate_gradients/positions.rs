//! Position projection of SHAKE in nets: Newton's method, with BiCGSTAB for the linear equations.

use super::{NetSystem, apply_matrix, apply_multipliers};
use crate::constraint::particles::Particles;
use crate::numerics::columns::axpy;
use crate::numerics::sums::dot;
use glam::DVec3;

/// Ratio of the final to the initial residual at which the linear solve of a Newton step ends.
const REDUCTION: f64 = 0.02;
const MOST_ITERATIONS: u32 = 50;
/// Largest number of Newton steps. After these, sweeps take over.
const MOST_STEPS: u32 = 30;
/// A Newton step is poor if it leaves more than this fraction of the smallest error so far. The
/// first steps are poor if links turn far.
const POOR_STEP: f64 = 0.7;
/// Largest number of consecutive poor steps. After these, sweeps take over.
const MOST_POOR: u32 = 4;

impl NetSystem {
    /// Projects the positions by SHAKE: finds multipliers along the links' directions at the start
    /// of the step for which all lengths are within the tolerance. Returns the number of
    /// iterations. `None` if Newton's method does not converge within `most` iterations or a link
    /// turns by a right angle; `x` is then undefined.
    pub fn shake(&mut self, tolerance: f64, most: u32, particles: &mut Particles) -> Option<u32> {
        let &mut Particles { w, start, ref mut x, .. } = particles;
        if !self.can_reach_lengths(w) {
            return None;
        }
        self.set_directions(w, start, |_, _| true);
        let (mut least, mut poor, mut iterations) = (f64::INFINITY, 0, 0);
        for _ in 0..=MOST_STEPS {
            let error = self.evaluate_squared_lengths(start, x)?;
            if error <= 2.0 * tolerance {
                return Some(iterations.max(1));
            }
            poor = if error <= POOR_STEP * least { 0 } else { poor + 1 };
            if error.is_nan() || poor > MOST_POOR || iterations >= most {
                return None;
            }
            least = least.min(error);
            iterations += self.solve_turned((most - iterations).min(MOST_ITERATIONS), w);
            x.iter_mut().zip(&self.displacements).for_each(|(x, displacement)| *x += *displacement);
        }
        None
    }

    /// Restores the lengths of all links along their current directions, by Newton's method. Used
    /// if links turn so far that multipliers along their initial directions fail. Returns the
    /// number of iterations. `None` if the tolerance is not reached; `x` is then undefined.
    pub fn restore_lengths(&mut self, tolerance: f64, particles: &mut Particles) -> Option<u32> {
        let &mut Particles { w, ref mut x, .. } = particles;
        if !self.can_reach_lengths(w) {
            return None;
        }
        let (mut least, mut poor, mut iterations) = (f64::INFINITY, 0, 0);
        for _ in 0..=MOST_STEPS {
            self.set_directions(w, x, |_, _| true);
            let error = self.evaluate_lengths(x);
            if error <= tolerance {
                return Some(iterations);
            }
            poor = if error <= POOR_STEP * least { 0 } else { poor + 1 };
            if !error.is_finite() || poor > MOST_POOR {
                return None;
            }
            least = least.min(error);
            iterations += self.solve(REDUCTION, w);
            x.iter_mut().zip(&self.displacements).for_each(|(x, displacement)| *x += *displacement);
        }
        None
    }

    /// True if all links are two-sided, and there are at most as many links as free coordinates. (A
    /// cloth with rigid diagonals has more links.)
    fn can_reach_lengths(&self, w: &[f64]) -> bool {
        // `zip` skips thrown balls: they are at the end of `w`, and `displacements` has no entries
        // for them.
        let free = w.iter().zip(&self.displacements).filter(|(w, _)| **w > 0.0).count();
        self.links.len() <= 3 * free && !self.links.iter().any(|link| link.one_sided)
    }

    /// Computes the residual L − l of all rows. Returns the largest |l − L|/L.
    fn evaluate_lengths(&mut self, x: &[DVec3]) -> f64 {
        let mut greatest: f64 = 0.0;
        for ((residual, row), link) in self.residual.iter_mut().zip(&self.rows).zip(&self.links) {
            if row.normal == DVec3::ZERO {
                *residual = 0.0;
                continue;
            }
            *residual = link.rest - row.normal.dot(x[row.b as usize] - x[row.a as usize]);
            let relative = residual.abs() / link.rest;
            greatest = if relative > greatest || relative.is_nan() { relative } else { greatest };
        }
        greatest
    }

    /// Computes the residual −(l² − L²)/(2L) and the gradient of all rows. Returns the largest |l²
    /// − L²|/L². `None` if a link has turned by a right angle or a length is not finite.
    fn evaluate_squared_lengths(&mut self, start: &[DVec3], x: &[DVec3]) -> Option<f64> {
        let mut greatest: f64 = 0.0;
        let rows = self.residual.iter_mut().zip(&mut self.rows).zip(&self.links);
        for ((residual, row), link) in rows {
            let (a, b) = (row.a as usize, row.b as usize);
            if row.normal == DVec3::ZERO {
                *residual = 0.0;
                continue;
            }
            let d = x[b] - x[a];
            if (start[b] - start[a]).dot(d) <= 0.0 {
                return None;
            }
            let excess = d.length_squared() - link.rest * link.rest;
            let relative = excess.abs() / (link.rest * link.rest);
            greatest = if relative > greatest || relative.is_nan() { relative } else { greatest };
            *residual = -0.5 * excess / link.rest;
            row.gradient = d / link.rest;
        }
        greatest.is_finite().then_some(greatest)
    }

    /// Solves G W Jᵀ y = residual by BiCGSTAB, with the current gradients G and the links'
    /// directions J at the start of the step. `displacements` becomes W Jᵀ y. Returns the number of
    /// iterations.
    fn solve_turned(&mut self, most: u32, w: &[f64]) -> u32 {
        let Self { lines, rows, residual, y, direction, conditioned, product, .. } = self;
        let Self { shadow, conditioned_residual, product_of_residual, displacements, .. } = self;
        y.fill(0.0);
        shadow.copy_from_slice(residual);
        direction.copy_from_slice(residual);
        let mut along = dot(shadow, residual);
        let target = REDUCTION * REDUCTION * along;
        let mut iterations = 0;
        while iterations < most {
            iterations += 1;
            lines.solve(direction, conditioned);
            apply_matrix(rows, conditioned, w, displacements, product);
            let step = along / dot(shadow, product);
            if !step.is_finite() {
                break;
            }
            axpy(step, conditioned, y);
            axpy(-step, product, residual);
            if dot(residual, residual) <= target {
                break;
            }
            lines.solve(residual, conditioned_residual);
            apply_matrix(rows, conditioned_residual, w, displacements, product_of_residual);
            let square = dot(product_of_residual, product_of_residual);
            let smoothing = dot(product_of_residual, residual) / square;
            if !smoothing.is_finite() {
                break;
            }
            axpy(smoothing, conditioned_residual, y);
            axpy(-smoothing, product_of_residual, residual);
            let next = dot(shadow, residual);
            let beta = next / along * (step / smoothing);
            if dot(residual, residual) <= target || !beta.is_finite() {
                break;
            }
            for ((direction, product), residual) in
                direction.iter_mut().zip(&*product).zip(&*residual)
            {
                *direction = residual + beta * (*direction - smoothing * product);
            }
            along = next;
        }
        apply_multipliers(rows, y, w, displacements);
        iterations
    }
}
