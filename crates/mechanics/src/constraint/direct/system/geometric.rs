//! Newton's method with the geometric stiffness of taut links, for light ropes under heavy loads.
//!
//! A link of length l under tension F resists rotation like a spring of stiffness F/l across its
//! direction. The matrix J W Jᵀ does not contain this stiffness. If a particle of mass m swings
//! across its links with ωh > 1, ω² = Σ F/(m l), solves with J W Jᵀ move the particle back and
//! forth instead of converging. The matrix is that of Tournier, Nesme, Gilles and Faure (2015),
//! "Stable constrained dynamics", ACM Trans. Graph. 34, 132. Each solve here is
//!
//! ```text
//! (M + Σ F h²/l (1 − n nᵀ) + Jᵀ D J) Δx = −g − Jᵀ D (C + α̃λ),   g = M (x − free) − Jᵀ λ
//! Δλ = −D (C + α̃λ + J Δx),   D = 1/(α̃ + ε)
//! ```
//!
//! by elimination of 3 × 3 blocks, one row per particle. ε bounds D for rigid links. This bound
//! does not change the converged solution, because each solve starts from the previous λ.

use super::blocks::Geometric;
use super::{DirectSystem, MOST_HALVINGS};
use crate::constraint::multiplier::Multiplier;
use crate::constraint::particles::Particles;
use crate::numerics::block_matrix::axial_block;
use glam::DVec3;

/// Largest (ωh)² at which solves do without geometric stiffness. (ωh)² = Σ F h²/(m l), summed over
/// the links of tension F and length l at a particle of mass m.
const STIFFNESS_THRESHOLD: f64 = 1.0;
/// Ratio of ε to w_a + w_b. One solve leaves this fraction of a rigid link's error, two solves its
/// square.
const REGULARISATION: f64 = 1e-8;
const MOST_SOLVES: u32 = 12;
/// Largest relative error at which the solves end.
const SOLVED_ERROR: f64 = 1e-9;

impl DirectSystem {
    /// True if a particle swings so fast across its taut links that solves need the geometric
    /// stiffness.
    pub(super) fn is_stiff_across(&mut self, w: &[f64]) -> bool {
        let Self { geometric, links, multipliers, right, .. } = self;
        if geometric.pattern.is_none() {
            return false;
        }
        right.clear();
        right.resize(w.len(), 0.0);
        let mut greatest: f64 = 0.0;
        for (link, multiplier) in links.iter().zip(multipliers) {
            let across = (-multiplier.lambda).max(0.0) / link.rest;
            for end in [link.a as usize, link.b as usize] {
                right[end] += w[end] * across;
                greatest = greatest.max(right[end]);
            }
        }
        greatest > STIFFNESS_THRESHOLD
    }

    /// Solves with geometric stiffness, starting from `x` and the current multipliers. `free` are
    /// the positions after the free motion, without links. Returns the number of solves.
    pub(super) fn solve_across(&mut self, free: &[DVec3], particles: &mut Particles) -> u32 {
        let mut old_residual = self.squared_error(free, particles);
        for solve in 0..MOST_SOLVES {
            if old_residual <= SOLVED_ERROR * SOLVED_ERROR {
                return solve;
            }
            if !self.compute_step(particles.w, particles.x) {
                return solve;
            }
            let mut fraction = 1.0;
            let mut new_residual = f64::INFINITY;
            for _ in 0..=MOST_HALVINGS {
                self.step_to(fraction, particles.x);
                new_residual = self.squared_error(free, particles);
                if new_residual < old_residual {
                    break;
                }
                fraction *= 0.5;
            }
            if new_residual.is_nan() || new_residual >= old_residual {
                self.step_to(0.0, particles.x);
                self.squared_error(free, particles);
                return solve + 1;
            }
            old_residual = new_residual;
        }
        MOST_SOLVES
    }

    /// Returns the sum of the squares of all errors. The error of a link is the residual of its
    /// equation divided by its rest length, that of a particle is w |g| divided by the shortest
    /// rest length.
    fn squared_error(&mut self, free: &[DVec3], Particles { w, start, x, .. }: &Particles) -> f64 {
        let link_error = self.evaluate(w, start, x);
        let Self { geometric, equations, links, multipliers, .. } = self;
        let unbalanced = &mut geometric.unbalanced;
        unbalanced.clear();
        let balance = |((x, free), w): ((&DVec3, &DVec3), &f64)| match *w > 0.0 {
            true => (*x - *free) / *w,
            false => DVec3::ZERO,
        };
        unbalanced.extend(x.iter().zip(free).zip(*w).map(balance));
        for ((equation, link), multiplier) in equations.iter().zip(&*links).zip(multipliers) {
            let pull = equation.normal * multiplier.lambda;
            if pull.is_finite() {
                unbalanced[link.a as usize] += pull;
                unbalanced[link.b as usize] -= pull;
            }
        }
        let rest = links.iter().map(|link| link.rest).fold(f64::INFINITY, f64::min);
        let mut balance_error = 0.0;
        geometric.residual = 0.0;
        for (g, w) in unbalanced.iter().zip(*w) {
            let relative = w * g.length() / rest;
            balance_error += relative * relative;
            geometric.residual = geometric.residual.max(relative);
        }
        link_error + balance_error
    }

    /// Computes Δx and Δλ at `x`, from the residuals of the links and g. Returns false if the
    /// matrix is not positive definite.
    fn compute_step(&mut self, w: &[f64], x: &[DVec3]) -> bool {
        let Self { geometric, equations, links, multipliers, .. } = self;
        let Geometric { pattern: Some(pattern), slots, matrix, unbalanced, right, .. } = geometric
        else {
            return false;
        };
        matrix.reset(pattern, |i| if w[i] > 0.0 { 1.0 / w[i] } else { 1.0 });
        right.clear();
        right.extend(unbalanced.iter().map(|g| -*g));
        let all = equations.iter().zip(&*links).zip(&*multipliers).zip(&*slots);
        for (((equation, link), multiplier), slot) in all.filter(|(((it, _), _), _)| it.is_active) {
            let (a, b) = (link.a as usize, link.b as usize);
            let n = equation.normal;
            let (bound, residual) = axial_stiffness(multiplier, equation.residual, w[a] + w[b]);
            let across = (-multiplier.lambda).max(0.0) / x[a].distance(x[b]);
            let block = axial_block(n, bound - across, across);
            if w[a] > 0.0 && w[b] > 0.0 {
                matrix.couple(*slot, &block);
            }
            for (end, sign) in [(a, 1.0), (b, -1.0)] {
                if w[end] > 0.0 {
                    matrix.add_diagonal(end, &block);
                    right[end] += n * (sign * bound * residual);
                }
            }
        }
        for (right, _) in right.iter_mut().zip(w).filter(|(_, w)| **w <= 0.0) {
            *right = DVec3::ZERO;
        }
        self.before.clear();
        self.before.extend_from_slice(x);
        self.displacement.clear();
        self.displacement.resize(x.len(), DVec3::ZERO);
        if !matrix.solve(right.iter().copied(), &mut self.displacement) {
            return false;
        }
        self.lambda_before.clear();
        self.lambda_before.extend(multipliers.iter().map(|multiplier| multiplier.lambda));
        self.change.clear();
        for ((equation, link), multiplier) in equations.iter().zip(&*links).zip(&*multipliers) {
            let (a, b) = (link.a as usize, link.b as usize);
            let (bound, residual) = axial_stiffness(multiplier, equation.residual, w[a] + w[b]);
            let elongation = equation.normal.dot(self.displacement[b] - self.displacement[a]);
            let change = if equation.is_active { -bound * (residual + elongation) } else { 0.0 };
            self.change.push(change);
        }
        self.displacement.iter().all(|displacement| displacement.is_finite())
    }
}

/// Returns the stiffness D = 1/(α̃ + ε) of a link along its direction, and the residual C + α̃λ
/// that it multiplies. If the link is damped, α̃ and the residual are divided by 1 + γ.
fn axial_stiffness(
    &Multiplier { alpha, gamma, .. }: &Multiplier,
    residual: f64,
    w: f64,
) -> (f64, f64) {
    (1.0 / (alpha / (1.0 + gamma) + REGULARISATION * w), residual / (1.0 + gamma))
}
