//! Tables from independent programs: convergence on the oscillator, the period of the pendulum, and
//! the pendulum benchmark of SciMLBenchmarks.

use super::systems::{Oscillator, Pendulum, Run, one};
use ropelab::integrate::{DormandPrince, Method, NumericalDamping, PositionVerlet};
use std::f64::consts::{PI, TAU};

/// Half a unit of the last of `digits` decimal digits of `x`.
fn half_unit(x: f64, digits: i32) -> f64 {
    0.5001 * 10f64.powi(x.abs().log10().floor() as i32 - digits + 1)
}

/// |x(10) − cos 10| for x″ = −x, x(0) = 1, at h = 0.1, 0.025 and 0.0125.
#[test]
fn the_oscillator_errs_as_computed_elsewhere() {
    let system = Oscillator::unit();
    for (method, errors) in [
        (Method::ExplicitEuler, [5.697755e-01, 1.129656e-01, 5.441257e-02]),
        (Method::SymplecticEuler, [2.968671e-02, 6.945237e-03, 3.435960e-03]),
        (Method::VelocityVerlet, [2.276602e-03, 1.417106e-04, 3.542044e-05]),
        (
            Method::PositionVerlet(PositionVerlet::default()),
            [2.276602e-03, 1.417106e-04, 3.542044e-05],
        ),
        (
            Method::NumericalDamping(NumericalDamping::default()),
            [2.026607e-01, 5.447620e-02, 2.757647e-02],
        ),
        (Method::Midpoint, [8.117108e-03, 5.506601e-04, 1.396458e-04]),
        (Method::Rk4, [3.935337e-06, 1.713608e-08, 1.088971e-09]),
        (Method::ImplicitEuler, [3.182050e-01, 9.756633e-02, 5.056688e-02]),
        (Method::ImplicitMidpoint, [4.497622e-03, 2.832040e-04, 7.082731e-05]),
        (Method::Yoshida4, [3.604142e-05, 1.405741e-07, 8.785198e-09]),
    ] {
        for (n, expected) in std::iter::zip([100, 400, 800], errors) {
            let dt = 10.0 / f64::from(n);
            let x = Run::new(method, &system, one(1.0, 0.0), dt).steps(n).x();
            let measured = (x - 10f64.cos()).abs();
            assert!(
                (measured - expected).abs() < half_unit(expected, 7) + 1e-14, // 800 roundings
                "{method:?}, dt = {dt}: {measured:e}, not {expected:e}"
            );
        }
    }
}

#[test]
fn the_pendulum_has_the_analytic_period() {
    let strength: f64 = 9.81;
    let small = TAU / strength.sqrt();
    assert!((small - 2.00606668071065).abs() < 1e-14);
    for (degrees, ratio) in [
        (5.0_f64, 1.00047617248599),
        (10.0, 1.00190718814322),
        (30.0, 1.01740879759596),
        (60.0, 1.07318200714936),
        (90.0, 1.1803405990161),
        (150.0, 1.76220372950376),
    ] {
        let start = degrees.to_radians();
        let n = 20_000;
        for method in
            [Method::Rk4, Method::Yoshida4, Method::DormandPrince(DormandPrince::default())]
        {
            let dt = ratio * small / f64::from(n);
            let system = Pendulum::free(strength);
            let mut run = Run::new(method, &system, one(start, 0.0), dt);
            run.steps(n);
            // At the turning point the angle hardly depends on time, but the speed does, so the
            // speed measures the error in time.
            let late = run.v() / (strength * start.sin());
            assert!(late.abs() < 1e-11, "{method:?} {degrees}°: late by {late:e} s");
            assert!((run.x() - start).abs() < 1e-11, "{method:?} {degrees}°");
        }
    }
}

/// sn(u, k) by descending Landen transformation (Abramowitz & Stegun 16.4).
fn sn(u: f64, k: f64) -> f64 {
    let mut a = vec![1.0];
    let mut c = vec![k];
    let mut b = (1.0 - k * k).sqrt();
    for n in 0..6 {
        c.push((a[n] - b) / 2.0);
        a.push((a[n] + b) / 2.0);
        b = (a[n] * b).sqrt();
    }
    let mut phi = 64.0 * a[6] * u;
    for n in (1..=6).rev() {
        phi = (phi + (c[n] / a[n] * phi.sin()).asin()) / 2.0;
    }
    phi.sin()
}

#[test]
fn the_elliptic_sine_is_itself() {
    // Quarter period K(½) = π/(2 AGM(1, √¾)) = 1.685750354812596, at which sn is 1.
    assert!((sn(1.685750354812596, 0.5) - 1.0).abs() < 1e-15);
    assert!((sn(PI, 0.0) - 0.0).abs() < 1e-15);
    assert!((sn(0.5, 0.5f64.sqrt()) - 0.4707504736556573).abs() < 1e-15);
}

/// Pendulum q″ = −sin q, q(0) = 0, p(0) = 2k, 0 ≤ t ≤ 100, k = ½: largest relative errors of
/// sin(q/2) and of the energy.
#[test]
fn the_sciml_pendulum_errs_as_computed_elsewhere() {
    let k = 0.5;
    let system = Pendulum::free(1.0);
    for (method, dt, angle, energy) in [
        (Method::SymplecticEuler, 0.1, 8.561e-3, 4.94e-2),
        (Method::VelocityVerlet, 0.1, 8.561e-3, 2.297e-3),
        (Method::Rk4, 0.1, 9.450e-6, 1.00e-5),
        (Method::Yoshida4, 0.1, 9.158e-5, 2.05e-6),
        (Method::NumericalDamping(NumericalDamping::default()), 0.1, 6.17e-1, 9.92e-1),
        (Method::ExplicitEuler, 0.1, 1.50, 10.5),
        (Method::SymplecticEuler, 0.01, 8.5805e-5, 4.71e-3),
        (Method::VelocityVerlet, 0.01, 8.5805e-5, 2.292e-5),
        (Method::Rk4, 0.01, 2.452e-9, 1.32e-10),
        (Method::Yoshida4, 0.01, 9.213e-9, 2.02e-10),
        (Method::NumericalDamping(NumericalDamping::default()), 0.01, 5.69e-1, 3.52e-1),
        (Method::ExplicitEuler, 0.01, 1.20, 1.12),
    ] {
        let mut run = Run::new(method, &system, one(0.0, 2.0 * k), dt);
        let start = 2.0 * k * k - 1.0;
        let mut worst = (0.0_f64, 0.0_f64);
        for n in 1..=(100.0 / dt).round() as u32 {
            run.step();
            let now = run.v() * run.v() / 2.0 - run.x().cos();
            let exact = k * sn(f64::from(n) * dt, k);
            worst.0 = worst.0.max(((run.x() / 2.0).sin() - exact).abs());
            worst.1 = worst.1.max(((now - start) / start).abs());
        }
        let digits = |x: f64| if x < 0.1 { 3 } else { 2 };
        for (measured, expected) in [(worst.0, angle), (worst.1, energy)] {
            assert!(
                (measured - expected).abs() < half_unit(expected, digits(expected)),
                "{method:?}, dt = {dt}: {measured:e}, not {expected:e}"
            );
        }
    }
}
