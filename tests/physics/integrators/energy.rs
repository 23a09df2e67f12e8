//! Energy in long runs, reversibility, and conserved quantities of integrators.

use super::systems::{Chain, Oscillator, Pendulum, Run, one};
use glam::DVec3;
use ropelab::integrate::Method;

/// Energy drift of a pendulum: mean energy over the last 2000 of 40 000 steps, minus the mean over
/// the first 2000, divided by the depth of the potential well. Means are used because the energy
/// under a symplectic integrator oscillates.
fn drift(method: Method) -> f64 {
    let system = Pendulum::free(1.0);
    let mut run = Run::new(method, &system, one(1.5, 0.0), 0.1);
    let mut mean = || {
        let sum: f64 = (0..2000)
            .map(|_| {
                run.step();
                run.v() * run.v() / 2.0 - run.x().cos()
            })
            .sum();
        (run.steps, sum / 2000.0)
    };
    let (_, first) = mean();
    for _ in 0..18 {
        mean();
    }
    let (steps, last) = mean();
    assert_eq!(steps, 40_000);
    (last - first) / 2.0
}

#[test]
fn energy_drifts_unless_the_scheme_is_symplectic() {
    for method in Method::all() {
        let measured = drift(method);
        let as_published = match method {
            Method::ExplicitEuler | Method::AdamsBashforth2 | Method::Midpoint | Method::Heun => {
                measured > 1e-2
            }
            // The trapezoidal rule is conjugate to the implicit midpoint rule, so its energy does
            // not drift either.
            Method::Trapezoid => measured.abs() < 3e-5,
            // Dormand–Prince loses as much energy as its tolerance allows.
            Method::DormandPrince(_) => measured.abs() < 1e-2 && measured.abs() > 1e-7,
            _ if method.info().symplectic => measured.abs() < 3e-5,
            _ => measured < -1e-4,
        };
        assert!(as_published, "{method:?}: energy drift {measured:e}");
    }
}

#[test]
fn symplectic_euler_keeps_its_own_energy() {
    let (h, system) = (0.3, Oscillator { stiffness: 4.0, damping: 0.0 });
    let mut run = Run::new(Method::SymplecticEuler, &system, one(1.0, 0.5), h);
    let kept = |x: f64, v: f64| v * v + 4.0 * x * x - h * 4.0 * x * v;
    let start = kept(run.x(), run.v());
    for _ in 0..1000 {
        run.step();
        let now = kept(run.x(), run.v());
        assert!((now / start - 1.0).abs() < 2e-14, "{:e}", now / start - 1.0);
    }
}

#[test]
fn implicit_midpoint_keeps_the_energy_of_a_linear_spring() {
    let system = Oscillator { stiffness: 1e4, damping: 0.0 };
    let mut run = Run::new(Method::ImplicitMidpoint, &system, one(1.0, 0.0), 0.1);
    for _ in 0..10_000 {
        run.step();
        let energy = run.v() * run.v() / 1e4 + run.x() * run.x();
        assert!((energy - 1.0).abs() < 1e-10, "{:e}", energy - 1.0);
    }
}

/// Takes 500 steps with one method, reverses the velocities, and takes 500 steps with the other
/// method. Returns the distance from the start.
fn there_and_back(there: Method, back: Method) -> f64 {
    let mut chain = Chain::new(6, 50.0);
    chain.drag = 0.0;
    let start = chain.start();
    let mut run = Run::new(there, &chain, start.clone(), 0.01);
    run.steps(500);
    let far = longest_difference(&run.state.x, &start.x);
    assert!(far > 0.1, "{there:?} hardly moved: {far}");
    run.state.v.iter_mut().for_each(|v| *v = -*v);
    run.work.restart();
    run.method = back;
    run.steps(500);
    longest_difference(&run.state.x, &start.x)
}

fn longest_difference(a: &[DVec3], b: &[DVec3]) -> f64 {
    std::iter::zip(a, b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

#[test]
fn reversible_schemes_find_their_way_back() {
    // The chain is chaotic and amplifies rounding errors, and the error of the implicit solve of
    // 1e-10.
    for (method, tolerance) in [
        (Method::VelocityVerlet, 1e-9),
        (Method::Leapfrog, 1e-9),
        (Method::Yoshida4, 1e-9),
        (Method::ImplicitMidpoint, 1e-7),
        (Method::Trapezoid, 1e-7),
    ] {
        let error = there_and_back(method, method);
        assert!(error < tolerance, "{method:?}: distance from the start {error:e}");
    }
    for method in [Method::SymplecticEuler, Method::ImplicitEuler, Method::Rk4] {
        let error = there_and_back(method, method);
        assert!(error > 1e-6, "{method:?}: distance from the start {error:e}");
    }
}

#[test]
fn the_two_symplectic_eulers_undo_each_other() {
    let error = there_and_back(Method::SymplecticEuler, Method::SymplecticEulerPositionFirst);
    assert!(error < 1e-9, "{error:e}");
}
