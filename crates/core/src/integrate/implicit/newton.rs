//! Solver that the implicit integrators share: Newton's method, with elimination of blocks on ropes
//! and trees and with matrix-free conjugate gradients on other systems.

use glam::DVec3;
use itertools::izip;
use ropelab_mechanics::numerics::block_matrix::BlockMatrix;
use ropelab_mechanics::numerics::columns::{advance, axpy};
use ropelab_mechanics::numerics::conjugate_gradients::{ConjugateGradients, DefiniteSystem};
use ropelab_mechanics::numerics::state::{SolveReport, StateRef};
use ropelab_mechanics::numerics::sums::mass_dot;
use ropelab_mechanics::numerics::system::System;

/// Number of scratch columns that [`Equation::solve`] needs.
pub(in crate::integrate) const COLUMNS: usize = 9;

/// Convergence tolerance: residual in the mass-weighted norm, as a fraction of the residual before
/// the first iteration.
const TOLERANCE: f64 = 1e-10;
/// Second convergence criterion: displacement by a Newton correction, as a fraction of the largest
/// coordinate. Near rest, the residual before the first iteration is a rounding error, so the first
/// criterion cannot be met.
const NEGLIGIBLE: f64 = 1e-12;
/// Third convergence criterion: displacement by a Newton correction, as a fraction of the largest
/// coordinate after free motion. Positions carry the rounding error of this coordinate.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Number of Newton iterations before a solve fails.
const NEWTON_LIMIT: u32 = 30;
/// Largest number of halvings of a Newton correction that increases the energy.
const HALVINGS: u32 = 20;
/// Largest slope of the energy permitted at the end of a correction δ, as a fraction of the slope
/// ⟨r, δ⟩ at its start and with the opposite sign. A correction may thus overshoot the energy
/// minimum along δ.
const OVERSHOOT: f64 = 0.9;
/// Factor by which conjugate gradients reduce the linear residual in each Newton iteration. With
/// this factor a linear force needs two Newton iterations.
const LINEAR_TOLERANCE: f64 = 1e-6;
/// Largest number of conjugate-gradient iterations in each Newton iteration. A truncated solve
/// still gives a descent direction.
const LINEAR_LIMIT: u32 = 300;

/// Equation acc = a(t, x₀ + cx·acc, v₀ + cv·acc) for the unknown accelerations `acc`. One step of
/// each implicit integrator leads to an equation of this form.
pub(in crate::integrate) struct Equation<'a> {
    pub system: &'a dyn System,
    /// Time of the force in seconds.
    pub t: f64,
    /// Positions at the start of the step, the initial guess of the solve.
    pub from: &'a [DVec3],
    /// Positions at time `t` if the accelerations were zero.
    pub x0: &'a [DVec3],
    /// Velocities at time `t` if the accelerations were zero.
    pub v0: &'a [DVec3],
    /// Factor cx: displacement per acceleration, in s².
    pub cx: f64,
    /// Factor cv: velocity change per acceleration, in s.
    pub cv: f64,
}

impl Equation<'_> {
    /// Solves for `acc`, starting from the old positions. If the solve does not converge, the
    /// report says so and `acc` is the last accepted value.
    ///
    /// The equation of a stiff spring may have a second root with the spring in the opposite
    /// direction. The physical root is the one that tends to the old positions as the step shrinks.
    /// A solve that started from acc = 0 (the free motion) found the second root of one spring (ωh
    /// = 17, trapezoidal rule) at strains above 5 %; from the old positions the solve finds the
    /// physical root even at a strain of 50 %.
    ///
    /// Each Newton iteration solves (I − cv·D − cx·K) δ = r with the residual r = a − acc; the
    /// matrix is symmetric in the inner product Σ m a·b. For conservative forces −r is the gradient
    /// of an energy, so the slope ⟨r, δ⟩ distinguishes uphill from downhill. The iteration applies
    /// the longest of δ, δ/2, δ/4, … that reduces the residual or ends at a slope within
    /// [`OVERSHOOT`].
    ///
    /// Measured with implicit Euler on the chain of the tests (20 particles of 0.1 to 0.5 kg, k =
    /// 1e5 N/m) in 300 steps of 1/60 s: with the exact Jacobian 2 solves fail, 13 if a step must
    /// reduce the residual, and 157 without halving. With the definite Jacobian these numbers are
    /// 6, 12 and 6.
    pub fn solve(
        &self,
        acc: &mut [DVec3],
        scratch: &mut [Vec<DVec3>; COLUMNS],
        matrix: &mut BlockMatrix,
    ) -> SolveReport {
        let masses = self.system.masses();
        let [x, v, r, delta, trial, linear @ ..] = scratch;
        for (acc, m, from, x0) in izip!(&mut *acc, masses, self.from, self.x0) {
            *acc = if *m == 0.0 { DVec3::ZERO } else { (*from - *x0) / self.cx };
        }
        let first = self.residual(acc, x, v, r);
        let rounding = ROUNDING * longest(self.x0);
        let mut report = SolveReport::default();
        let mut norm = first;
        let mut is_negligible = false;
        while norm > TOLERANCE * first && !is_negligible && report.newton < NEWTON_LIMIT {
            report.newton += 1;
            let eliminated = self.eliminate([x, v, r], delta, linear, matrix);
            let (iterations, slope) = eliminated
                .map(|slope| (0, slope))
                .unwrap_or_else(|| self.conjugate_gradients([x, v], r, delta, linear));
            report.linear += iterations;
            let negligible = (NEGLIGIBLE * longest(x)).max(rounding);
            is_negligible = self.cx * longest(delta) <= negligible;
            let mut fraction = 1.0;
            let mut accepted = false;
            for _ in 0..HALVINGS {
                advance(acc, fraction, delta, trial);
                let next = self.residual(trial, x, v, r);
                let is_downhill = next < norm || mass_dot(masses, r, delta) >= -OVERSHOOT * slope;
                if next.is_finite() && is_downhill {
                    acc.copy_from_slice(trial);
                    norm = next;
                    accepted = true;
                    break;
                }
                fraction /= 2.0;
            }
            if !accepted {
                break;
            }
        }
        report.residual = if first > 0.0 { norm / first } else { 0.0 };
        report.failed = !first.is_finite() || (norm > TOLERANCE * first && !is_negligible);
        report
    }

    /// Writes the state that follows from the accelerations `acc` to `x` and `v`, and the residual
    /// a − acc to `r`. Returns the mass-weighted norm of `r`.
    fn residual(&self, acc: &[DVec3], x: &mut [DVec3], v: &mut [DVec3], r: &mut [DVec3]) -> f64 {
        advance(self.x0, self.cx, acc, x);
        advance(self.v0, self.cv, acc, v);
        self.system.accelerations(self.t, x, v, r);
        axpy(-1.0, acc, r);
        mass_dot(self.system.masses(), r, r).sqrt()
    }

    /// Solves (I − cv·D − cx·K) δ = r at (x, v) by elimination of 3 × 3 blocks, and returns the
    /// slope ⟨r, δ⟩. `None` if elimination would fill too much or the matrix is not definite.
    fn eliminate(
        &self,
        [x, v, r]: [&[DVec3]; 3],
        delta: &mut [DVec3],
        [one, two, three, _]: &mut [Vec<DVec3>; 4],
        matrix: &mut BlockMatrix,
    ) -> Option<f64> {
        let (masses, factors) = (self.system.masses(), [self.cx, self.cv]);
        let at = StateRef { t: self.t, x, v };
        if !self.system.blocks(at, factors, [one, two, three], matrix) {
            return None;
        }
        delta.copy_from_slice(r);
        if !matrix.solve(izip!(masses, r).map(|(m, r)| *m * *r), delta) {
            return None;
        }
        Some(mass_dot(masses, r, delta)).filter(|slope| slope.is_finite())
    }

    /// Solves (I − cv·D − cx·K) δ = r at (x, v); `r` serves as a buffer and is overwritten. Returns
    /// the number of iterations and the slope ⟨r, δ⟩.
    fn conjugate_gradients(
        &self,
        [x, v]: [&[DVec3]; 2],
        r: &mut [DVec3],
        delta: &mut [DVec3],
        [p, ap, dx, dv]: &mut [Vec<DVec3>; 4],
    ) -> (u32, f64) {
        let linearised = Linearised { equation: self, at: StateRef { t: self.t, x, v }, dx, dv };
        let mut solve = ConjugateGradients::start(linearised, [&mut *delta, &mut *r, p, ap]);
        let square = solve.square;
        let (iterations, slope) = solve.reduce(LINEAR_TOLERANCE, LINEAR_LIMIT);
        if slope == 0.0 {
            // The matrix is not positive definite along the first direction, the energy gradient.
            // The solve returns this direction.
            delta.copy_from_slice(r);
            return (iterations, square);
        }
        (iterations, slope)
    }
}

/// Matrix I − cv·D − cx·K of an equation at a state.
struct Linearised<'a> {
    equation: &'a Equation<'a>,
    at: StateRef<'a>,
    dx: &'a mut [DVec3],
    dv: &'a mut [DVec3],
}

impl DefiniteSystem for Linearised<'_> {
    type Element = DVec3;

    fn multiply(&mut self, p: &[DVec3], ap: &mut [DVec3]) {
        let Equation { system, cx, cv, .. } = *self.equation;
        for (dx, dv, p) in izip!(&mut *self.dx, &mut *self.dv, p) {
            *dx = cx * *p;
            *dv = cv * *p;
        }
        system.acceleration_jvp(self.at, [self.dx, self.dv], ap);
        for (ap, p) in izip!(ap, p) {
            *ap = *p - *ap;
        }
    }

    fn dot(&self, a: &[DVec3], b: &[DVec3]) -> f64 {
        mass_dot(self.equation.system.masses(), a, b)
    }
}

fn longest(column: &[DVec3]) -> f64 {
    column.iter().map(|x| x.length_squared()).fold(0.0, f64::max).sqrt()
}
