//! Projection of velocities for RATTLE, by the elimination of the direct solver.

use super::{DirectSystem, Equation};
use crate::constraint::multiplier::Multiplier;
use crate::mesh::Link;
use glam::DVec3;

/// Largest number of rounds of the velocity projection. A round is one solve and one sweep.
const MOST_VELOCITY_ROUNDS: u32 = 1000;

/// Largest fraction of its rest length by which a link may be too short and still count as taut.
const TAUT: f64 = 1e-9;

impl DirectSystem {
    /// Removes velocities that would change lengths: J W Jᵀ μ = −J v, v ← v + W Jᵀ μ (J: link
    /// directions, W: inverse masses). Repeats the solve until the residual stops decreasing.
    pub fn project_velocities(&mut self, w: &[f64], x: &[DVec3], v: &mut [DVec3]) {
        self.multipliers.fill(Multiplier::default());
        self.times = None;
        let mut old_residual = f64::INFINITY;
        for round in 0..MOST_VELOCITY_ROUNDS {
            let new_residual =
                self.evaluate_speeds(round == 0, w, x, v).max(self.sweep_speeds(w, x, v));
            if !(new_residual > 0.0 && new_residual < old_residual) {
                return;
            }
            old_residual = new_residual;
            self.assemble(w);
            self.elimination.factor();
            self.elimination.solve(&self.right, &mut self.work, &mut self.change);
            let rows = self.equations.iter().zip(&self.solved).zip(&self.change);
            for ((equation, &number), change) in rows.filter(|((row, _), _)| row.is_active) {
                let link = &self.links[number as usize];
                let impulse = equation.normal * *change;
                if impulse.is_finite() {
                    v[link.a as usize] -= impulse * w[link.a as usize];
                    v[link.b as usize] += impulse * w[link.b as usize];
                }
            }
        }
    }

    /// Computes the equations of a velocity projection. In the `first` solve, one-sided links
    /// become active if they resist the rate at which their length changes. Returns the largest
    /// rate of change of a length in m/s.
    fn evaluate_speeds(&mut self, first: bool, w: &[f64], x: &[DVec3], v: &[DVec3]) -> f64 {
        let mut greatest: f64 = 0.0;
        for (equation, &number) in self.equations.iter_mut().zip(&self.solved) {
            let link = &self.links[number as usize];
            let Some((normal, residual)) = direction_and_speed(link, w, x, v) else {
                equation.is_active = false;
                continue;
            };
            let is_active =
                if first { resists_speed(link, x, residual) } else { equation.is_active };
            *equation = Equation { normal, residual, is_active };
            greatest = if is_active { greatest.max(residual.abs()) } else { greatest };
        }
        greatest
    }

    /// Runs one sweep over the velocities of the links that are not in the matrix. Returns the
    /// largest rate of change of a length before its correction, in m/s.
    fn sweep_speeds(&self, w: &[f64], x: &[DVec3], v: &mut [DVec3]) -> f64 {
        let mut greatest: f64 = 0.0;
        for &number in &self.swept {
            let link = &self.links[number as usize];
            let Some((normal, residual)) = direction_and_speed(link, w, x, v) else { continue };
            if resists_speed(link, x, residual) {
                let (a, b) = (link.a as usize, link.b as usize);
                let impulse = normal * (residual / (w[a] + w[b]));
                v[a] += impulse * w[a];
                v[b] -= impulse * w[b];
                greatest = greatest.max(residual.abs());
            }
        }
        greatest
    }
}

/// Returns the direction of a link and the rate of change of its length in m/s. `None` if the link
/// is cut, lies between two pins or has length 0.
fn direction_and_speed(link: &Link, w: &[f64], x: &[DVec3], v: &[DVec3]) -> Option<(DVec3, f64)> {
    let (a, b) = (link.a as usize, link.b as usize);
    let normal = (x[b] - x[a]).try_normalize().filter(|_| w[a] + w[b] > 0.0 && !link.is_cut())?;
    let speed = normal.dot(v[b] - v[a]);
    speed.is_finite().then_some((normal, speed))
}

/// True for a two-sided link, and for a one-sided link that is taut and getting longer.
fn resists_speed(link: &Link, x: &[DVec3], speed: f64) -> bool {
    let length = x[link.a as usize].distance(x[link.b as usize]);
    !link.one_sided || length >= link.rest * (1.0 - TAUT) && speed > 0.0
}
