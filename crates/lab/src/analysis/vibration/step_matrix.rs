//! Step matrix of an integrator: the effect of one step on one mode of vibration.
//!
//! The matrix G(z, ξ) describes the step on x″ = −x − 2ξ x′ with dt = z = ωh, where ω is the
//! angular frequency of the mode and ξ its damping ratio. The matrix is measured by stepping the
//! integrator from the unit vectors of its state, which consists of x, v and the integrator's
//! memory.

use crate::analysis::linear::matrix::Matrix;
use crate::integrate::{Method, PositionVerlet};
use crate::numerics::state::{State, StateRef, Workspace};
use crate::numerics::system::System;
use glam::DVec3;

/// Number of steps after which the memory of every integrator is filled.
const WARM_UP: u32 = 4;
/// Growth per step above which a mode counts as growing, per radian of z. Rounding errors and
/// errors of implicit solves are smaller.
const GROWTH_PER_RADIAN: f64 = 1e-7;
/// Smallest z in the search for the limit. Midpoint and Heun, which are never stable, grow by z⁴/8
/// per step: 1e-6 per radian at this z.
const SHORTEST_Z: f64 = 0.02;
/// Largest z in the search for the limit. An integrator that is stable at this z counts as stable
/// at every z.
const LONGEST_Z: f64 = 1e3;
/// Ratio between successive values of z = ωh in the search for the limit.
const SEARCH_RATIO: f64 = 1.02;

/// Damped oscillator x″ = −x − 2ξ x′, along the first axis.
pub(super) struct DampedOscillator {
    /// Damping ratio ξ.
    pub damping: f64,
}

impl System for DampedOscillator {
    fn masses(&self) -> &[f64] {
        &[1.0]
    }

    fn accelerations(&self, _: f64, x: &[DVec3], v: &[DVec3], a: &mut [DVec3]) {
        a[0] = -x[0] - 2.0 * self.damping * v[0];
    }

    fn acceleration_jvp(&self, _: StateRef, [dx, dv]: [&[DVec3]; 2], out: &mut [DVec3]) {
        out[0] = -dx[0] - 2.0 * self.damping * dv[0];
    }
}

/// Returns the step matrix G(z, ξ) of an integrator, for x, v and the columns of its memory.
///
/// An integrator that chooses inner steps by an error estimate has no step matrix, because its step
/// is not linear. The result is then valid only for one choice of inner steps.
pub fn step_matrix(method: &Method, z: f64, xi: f64) -> Matrix {
    step_matrix_of(method, &DampedOscillator { damping: xi }, z)
}

/// Returns the matrix of a step of `h` seconds on a linear system whose particles move along the
/// first axis. Rows and columns are ordered: all x, then all v, then each column of the
/// integrator's memory.
pub(in crate::analysis) fn step_matrix_of(method: &Method, system: &dyn System, h: f64) -> Matrix {
    let method = in_double_precision(*method);
    let (scheme, count) = (method.as_integrator(), system.masses().len());
    let mut work = Workspace::default();
    let mut now = State { t: 0.0, x: vec![DVec3::X; count], v: vec![DVec3::ZERO; count] };
    let mut next = now.clone();
    for _ in 0..WARM_UP {
        scheme.step(system, now.view(), next.view_mut(), h, &mut work);
        std::mem::swap(&mut now, &mut next);
    }
    let n = (2 + work.memory().count()) * count;
    let mut matrix = Matrix::zero(n);
    let mut stepped = work.clone();
    for column in 0..n {
        let unit = |row: usize| DVec3::X * f64::from(u8::from(row == column));
        stepped.copy_memory(&work);
        for i in 0..count {
            (now.x[i], now.v[i]) = (unit(i), unit(count + i));
        }
        for (k, memory) in (2..).zip(stepped.memory_mut()) {
            (0..count).for_each(|i| memory[i] = unit(k * count + i));
        }
        scheme.step(system, now.view(), next.view_mut(), h, &mut stepped);
        for i in 0..count {
            matrix.set(i, column, next.x[i].x);
            matrix.set(count + i, column, next.v[i].x);
        }
        for (k, memory) in (2..).zip(stepped.memory()) {
            (0..count).for_each(|i| matrix.set(k * count + i, column, memory[i].x));
        }
    }
    matrix
}

/// True if a step of the integrator on a linear system is linear; false if an error estimate
/// chooses inner steps.
pub fn is_linear(method: &Method) -> bool {
    !matches!(method, Method::DormandPrince(_))
}

/// Returns the growth factor of a mode per step: the spectral radius of G(z, ξ).
pub fn growth_per_step(method: &Method, z: f64, xi: f64) -> f64 {
    step_matrix(method, z, xi).spectral_radius()
}

/// Returns the largest z = ωh up to which a mode with damping ratio `xi` does not grow. 0 means
/// that the mode grows at every step; ∞ means that it never grows.
pub fn stability_limit(method: &Method, xi: f64) -> f64 {
    if !is_linear(method) {
        // The published limit is valid for the integrator's shortest inner step.
        return method.info().stability_limit;
    }
    let grows = |z: f64| {
        let growth = growth_per_step(method, z, xi);
        growth.is_nan() || growth > 1.0 + z * GROWTH_PER_RADIAN
    };
    let mut stable = 0.0;
    let mut z = SHORTEST_Z;
    while !grows(z) {
        (stable, z) = (z, z * SEARCH_RATIO);
        if z > LONGEST_Z {
            return f64::INFINITY;
        }
    }
    if stable == 0.0 && xi <= 0.0 {
        return 0.0;
    }
    let mut unstable = z;
    for _ in 0..50 {
        let middle = (stable + unstable) / 2.0;
        if grows(middle) {
            unstable = middle;
        } else {
            stable = middle;
        }
    }
    stable
}

/// Returns the integrator in double precision. Position Verlet in single precision has the same
/// limit, but larger rounding errors.
pub(in crate::analysis) fn in_double_precision(method: Method) -> Method {
    match method {
        Method::PositionVerlet(PositionVerlet { start, .. }) => {
            Method::PositionVerlet(PositionVerlet { start, single: false })
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scheme_has_its_published_limit_without_damping() {
        for method in Method::all() {
            let (found, published) = (stability_limit(&method, 0.0), method.info().stability_limit);
            let close = (found - published).abs() < 1e-5 * published;
            assert!(found == published || close, "{method:?}: {found}, published {published}");
        }
    }

    #[test]
    fn lagged_damping_shortens_the_limit_as_its_closed_form_says() {
        for xi in [0.01, 0.1, 0.5, 1.0, 3.0, 100.0_f64] {
            // The damping force of symplectic Euler uses the velocity before the step.
            let expected = 2.0 * ((1.0 + xi * xi).sqrt() - xi);
            let found = stability_limit(&Method::SymplecticEuler, xi);
            assert!(
                (found - expected).abs() < 1e-5 * expected,
                "damping ratio {xi}: limit of ωh {found}, expected {expected}"
            );
        }
        for xi in [1e-3, 0.1, 0.5] {
            let found = stability_limit(&Method::ExplicitEuler, xi);
            assert!((found - 2.0 * xi).abs() < 1e-5, "damping ratio {xi}: limit of ωh {found}");
        }
    }

    #[test]
    fn above_its_limit_verlet_grows_by_the_greater_root() {
        // The eigenvalues of the matrix satisfy λ² − (2 − z²) λ + 1 = 0. For z > 2, the larger |λ|
        // is c + √(c² − 1) with c = z²/2 − 1.
        for (over, published) in [(1.001, 1.09356), (1.01, 1.32658), (1.05, 1.87733)] {
            for method in [Method::SymplecticEuler, Method::VelocityVerlet] {
                let growth = growth_per_step(&method, 2.0 * over, 0.0);
                assert!(
                    (growth - published).abs() < 6e-6,
                    "{method:?} at {over} times its limit grows by {growth} per step"
                );
            }
        }
    }

    #[test]
    fn implicit_schemes_damp_a_mode_as_their_closed_forms_say() {
        let z = 0.2 * std::f64::consts::PI;
        let found = growth_per_step(&Method::ImplicitEuler, z, 0.0);
        assert!((found - 1.0 / (1.0 + z * z).sqrt()).abs() < 1e-12, "growth {found} per step");
        assert!((growth_per_step(&Method::Trapezoid, z, 0.0) - 1.0).abs() < 1e-12);
    }
}
