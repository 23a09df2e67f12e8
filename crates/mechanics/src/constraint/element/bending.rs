//! Bends as compliant XPBD constraints.

use crate::mesh::{Bend, Bends};
use glam::DVec3;

/// Bends as compliant constraints: C = D, the chord of [`crate::force::Bending`], with the
/// compliance α = l/EI, so that ½ C·C/α is the energy of that law. C and its multiplier λ are
/// vectors. The gradient of C with respect to a particle's position is the coefficient g of that
/// law (Macklin, Müller and Chentanez 2016, eq. 18, with α̃ = α/h²):
///
/// ```text
/// Δλ = −(D + α̃ λ)/(Σ w g² + α̃),   λ ← λ + Δλ,   x ← x + w g Δλ
/// ```
///
/// D is linear in the positions, so one correction solves its own equation exactly. Sweeps over
/// bends alone are Gauss–Seidel on a symmetric definite matrix and converge for any step size. The
/// g sum to 0, which conserves momentum. The first correction in a step is along D, which conserves
/// angular momentum. Later corrections do so at convergence, where α̃ λ = −D.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct BendConstraints {
    bends: Bends,
    /// Multiplier λ of each bend in kg·m.
    multipliers: Vec<DVec3>,
    /// Length of the substep in seconds.
    h: f64,
}

#[derive(Clone, Copy)]
struct BendCoefficients {
    /// Coefficients of the three positions in D, in 1/m.
    g: [f64; 3],
    /// α̃ = l/(EI h²) in 1/(kg·m²).
    alpha: f64,
}

impl BendCoefficients {
    fn of(bend: &Bend, h: f64) -> Self {
        let [first, last] = bend.weights();
        Self { g: [first, -(first + last), last], alpha: 1.0 / (bend.stiffness() * (h * h)) }
    }

    /// Returns the residual D + α̃ λ, which sweeps reduce to 0.
    fn equation(&self, [i, j, k]: [DVec3; 3], lambda: DVec3) -> DVec3 {
        let [g_i, _, g_k] = self.g;
        (k - j) * g_k - (j - i) * g_i + self.alpha * lambda
    }
}

impl BendConstraints {
    pub fn new(bends: &Bends) -> Self {
        let multipliers = vec![DVec3::ZERO; bends.len()];
        Self { bends: bends.clone(), multipliers, h: 0.0 }
    }

    pub fn is_empty(&self) -> bool {
        self.bends.is_empty()
    }

    pub fn bends(&self) -> &Bends {
        &self.bends
    }

    /// Sets λ = −D/α̃ at the final positions `x` of a substep of `h` seconds, for solvers that do
    /// not compute the multipliers of bends.
    pub fn set_multipliers(&mut self, x: &[DVec3], h: f64) {
        self.h = h;
        for (bend, lambda) in self.bends.iter().zip(&mut self.multipliers) {
            let coefficients = BendCoefficients::of(&bend, h);
            let chord = coefficients.equation(bend.particles.map(|i| x[i as usize]), DVec3::ZERO);
            *lambda = chord / -coefficients.alpha;
        }
    }

    /// Starts a substep of `h` seconds with λ = 0.
    pub fn begin_substep(&mut self, h: f64) {
        self.h = h;
        self.multipliers.fill(DVec3::ZERO);
    }

    /// Runs one sweep over the bends, in the order of the list.
    pub fn sweep(&mut self, w: &[f64], x: &mut [DVec3]) {
        let mut multipliers = self.multipliers.iter_mut();
        for run in self.bends.runs() {
            let coefficients = BendCoefficients::of(&run.first, self.h);
            let g_squared = coefficients.g.map(|g| g * g);
            for (bend, lambda) in run.iter().zip(&mut multipliers) {
                let particles = bend.particles.map(|i| i as usize);
                let w = particles.map(|i| w[i]);
                let residual = coefficients.equation(particles.map(|i| x[i]), *lambda);
                let resistance = w[0] * g_squared[0] + w[1] * g_squared[1] + w[2] * g_squared[2];
                let change = residual * (-1.0 / (resistance + coefficients.alpha));
                *lambda += change;
                for m in 0..3 {
                    x[particles[m]] += (w[m] * coefficients.g[m]) * change;
                }
            }
        }
    }

    /// Yields the forces f = g λ/h², in newtons, that each bend exerted on its particles in the
    /// last projection.
    pub fn forces(&self) -> impl Iterator<Item = (u32, DVec3)> {
        let was_swept = self.h > 0.0;
        let all = self.bends.iter().zip(&self.multipliers).filter(move |_| was_swept);
        all.flat_map(|(bend, lambda)| {
            let BendCoefficients { g, .. } = BendCoefficients::of(&bend, self.h);
            let force = *lambda / (self.h * self.h);
            (0..3).map(move |m| (bend.particles[m], force * g[m]))
        })
    }

    /// Returns the largest |D + α̃ λ| of all bends that have a free particle. Infinite if a value
    /// is NaN.
    pub fn residual(&self, w: &[f64], x: &[DVec3]) -> f64 {
        let mut worst = 0.0_f64;
        for (bend, lambda) in self.bends.iter().zip(&self.multipliers) {
            let particles = bend.particles.map(|i| i as usize);
            if particles.iter().any(|&i| w[i] > 0.0) {
                let coefficients = BendCoefficients::of(&bend, self.h);
                let residual = coefficients.equation(particles.map(|i| x[i]), *lambda).length();
                worst = if residual.is_nan() { f64::INFINITY } else { worst.max(residual) };
            }
        }
        worst
    }
}
