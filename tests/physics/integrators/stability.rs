//! Oscillator under every integrator: stability limits, amplitudes and periods of table 4.1 and of
//! similar tables.

use super::systems::{Oscillator, Run, one};
use ropelab::integrate::{GeneralizedAlpha, Method, PositionVerlet, VerletDrag};
use std::f64::consts::TAU;

/// Upper bound of |(x, v)| in a stable run. Stable Verlet reaches 1/√(1 − z²/4), which equals this
/// bound at 1e-6 below its limit z = ωh = 2.
const BOUND: f64 = 1e3;

/// Number of steps in which every integrator exceeds the bound at 1e-4 above its limit. RK3 grows
/// most slowly, by 4e-5 per step, i.e. by e^8 in this number of steps.
const STEPS: u32 = 200_000;

fn grows(method: Method, system: &Oscillator, dt: f64, steps: u32) -> bool {
    let mut run = Run::new(method, system, one(1.0, 0.3), dt);
    for _ in 0..steps {
        run.step();
        if run.x().hypot(run.v()).partial_cmp(&BOUND) != Some(std::cmp::Ordering::Less) {
            return true;
        }
    }
    false
}

/// Step dt from which the solution grows, found by bisection between 0 and 4.
fn limit(method: Method, system: &Oscillator) -> f64 {
    let (mut stable, mut unstable) = (0.0, 4.0);
    while unstable - stable > 1e-5 {
        let middle = (stable + unstable) / 2.0;
        if grows(method, system, middle, STEPS) {
            unstable = middle;
        } else {
            stable = middle;
        }
    }
    stable
}

/// Modulus and phase of the dominant pair of eigenvalues λ, from successive positions: x_{n+1}² −
/// x_n x_{n+2} shrinks by exactly |λ|² per step. All other eigenvalues have decayed after the first
/// 20 steps.
fn modulus_and_phase(method: Method, z: f64) -> (f64, f64) {
    let system = Oscillator::unit();
    let mut run = Run::new(method, &system, one(1.0, 0.3), z);
    run.steps(20);
    let x: [f64; 4] = std::array::from_fn(|_| {
        run.step();
        run.x()
    });
    let determinant = (x[2] * x[2] - x[1] * x[3]) / (x[1] * x[1] - x[0] * x[2]);
    let trace = (x[0] * x[3] - x[1] * x[2]) / (x[0] * x[2] - x[1] * x[1]);
    let modulus = determinant.sqrt();
    (modulus, (trace / (2.0 * modulus)).acos())
}

#[test]
fn the_stability_limit_is_the_published_one() {
    let system = Oscillator::unit();
    for method in Method::all() {
        let expected = method.info().stability_limit;
        if matches!(method, Method::DormandPrince(_)) {
            continue; // below: its limit is that of its inner steps
        } else if expected == 0.0 {
            for z in [0.2, 0.5, 1.0, 2.0] {
                assert!(grows(method, &system, z, STEPS), "{method:?} at {z}");
            }
        } else if expected.is_infinite() {
            for z in [0.1, 1.0, 2.0, 10.0, 1e3] {
                assert!(!grows(method, &system, z, 10_000), "{method:?} at {z}");
            }
        } else {
            let measured = limit(method, &system);
            assert!((measured - expected).abs() < 2e-4, "{method:?}: {measured}, not {expected}");
        }
    }
}

#[test]
fn dormand_prince_is_stable_as_long_as_its_shortest_inner_step_is() {
    let method = Method::from_name("dormand-prince").unwrap();
    let system = Oscillator::unit();
    let limit = method.info().stability_limit;
    assert!((limit - 997.190).abs() < 0.001);
    assert!(!grows(method, &system, 1.0, 1000));
    assert!(!grows(method, &system, 0.99 * limit, 1000));
    assert!(grows(method, &system, 1.02 * limit, 1000));
}

#[test]
fn verlet_with_drag_is_stable_below_the_root_of_4_minus_2k() {
    for (drag, expected) in [(0.01, 1.99499373), (0.2, 1.89736660)] {
        let measured = limit(Method::VerletDrag(VerletDrag { drag }), &Oscillator::unit());
        assert!((measured - expected).abs() < 2e-5, "drag {drag}: limit {measured}");
    }
}

#[test]
fn viscous_damping_shrinks_the_limit_of_symplectic_euler() {
    for zeta in [0.0, 0.1, 0.5, 1.0, 2.0_f64] {
        let expected = 2.0 * ((1.0 + zeta * zeta).sqrt() - zeta);
        for method in [Method::SymplecticEuler, Method::SymplecticEulerPositionFirst] {
            let measured = limit(method, &Oscillator::damped(zeta));
            assert!(
                (measured - expected).abs() < 2e-5,
                "{method:?}, damping ratio {zeta}: limit {measured}"
            );
        }
    }
}

#[test]
fn explicit_euler_is_stable_below_two_zeta() {
    // Just above the limit, the amplitude grows per step by only z/2 times the relative excess: to
    // 1e3 in 200 000 steps at an excess of 3.5e-4.
    for zeta in [0.1, 0.2, 0.5] {
        let measured = limit(Method::ExplicitEuler, &Oscillator::damped(zeta));
        assert!((measured - 2.0 * zeta).abs() < 4e-4, "damping ratio {zeta}: limit {measured}");
    }
}

#[test]
fn runge_kutta_limits_on_the_real_axis_are_the_textbooks() {
    let drag_only = Oscillator { stiffness: 0.0, damping: 1.0 };
    for (method, expected) in [
        (Method::ExplicitEuler, 2.0),
        (Method::Midpoint, 2.0),
        (Method::Heun, 2.0),
        (Method::Rk3, 2.51274533),
        (Method::Rk4, 2.78529356),
    ] {
        let measured = limit(method, &drag_only);
        assert!((measured - expected).abs() < 5e-5, "{method:?}: {measured}, not {expected}");
    }
}

/// Table 4.1: fraction of the amplitude that remains after a step.
fn published_modulus(method: Method, z: f64) -> Option<f64> {
    let square = match method {
        Method::ExplicitEuler => 1.0 + z.powi(2),
        Method::NumericalDamping(_) => 1.0 - z.powi(2) / 2.0,
        Method::VerletDrag(_) => 0.99,
        Method::Midpoint | Method::Heun => 1.0 + z.powi(4) / 4.0,
        Method::Rk3 => 1.0 - z.powi(4) / 12.0 + z.powi(6) / 36.0,
        Method::Rk4 => 1.0 - z.powi(6) / 72.0 + z.powi(8) / 576.0,
        Method::ImplicitEuler => 1.0 / (1.0 + z.powi(2)),
        Method::AdamsBashforth2
        | Method::DormandPrince(_)
        | Method::Bdf2
        | Method::GeneralizedAlpha(_) => return None,
        _ => 1.0,
    };
    Some(square.sqrt())
}

#[test]
fn each_step_leaves_the_published_amplitude() {
    for method in Method::all() {
        for z in [0.1, 0.5, 1.0, 1.3] {
            let Some(expected) = published_modulus(method, z) else {
                continue;
            };
            let (measured, _) = modulus_and_phase(method, z);
            assert!((measured - expected).abs() < 1e-11, "{method:?} at {z}: {measured}");
        }
    }
    assert_eq!(
        published_modulus(Method::from_name("verlet-drag").unwrap(), 1.0),
        Some(0.99f64.sqrt())
    );
}

#[test]
fn all_forms_of_verlet_share_one_period() {
    let position = Method::PositionVerlet(PositionVerlet::default());
    for method in [
        position,
        Method::TimeCorrectedVerlet,
        Method::VelocityVerlet,
        Method::Leapfrog,
        Method::Beeman,
        Method::SymplecticEuler,
    ] {
        for (z, expected) in [(0.1, 0.999583), (0.5, 0.989393), (1.0, 0.954930), (1.9, 0.758038)] {
            let (_, phase) = modulus_and_phase(method, z);
            assert!((z / phase - expected).abs() < 5.1e-7, "{method:?} at {z}: {}", z / phase);
        }
    }
}

#[test]
fn implicit_euler_turns_by_the_arc_tangent() {
    for z in [0.1, 0.527046, 1.0, 1.3_f64] {
        let (_, phase) = modulus_and_phase(Method::ImplicitEuler, z);
        assert!((phase - z.atan()).abs() < 1e-11, "z = {z}: phase {phase} rad");
    }
    // The spring of the XPBD paper, ω² = 1000 s⁻², at 60 Hz.
    let (modulus, phase) = modulus_and_phase(Method::ImplicitEuler, 1000f64.sqrt() / 60.0);
    assert!((modulus - 0.884652).abs() < 5.1e-7 && (phase - 0.485050).abs() < 5.1e-7);
}

#[test]
fn a_second_leaves_the_published_amplitude() {
    let kept = |method, rate: f64| modulus_and_phase(method, TAU / rate).0.powf(rate);
    for (method, expected) in [
        (Method::from_name("numerical-damping").unwrap(), [0.717, 0.848, 0.921, 0.990]),
        (Method::ImplicitEuler, [0.525, 0.721, 0.849, 0.980]),
        (Method::ExplicitEuler, [1.904, 1.387, 1.179, 1.020]),
        (Method::from_name("verlet-drag").unwrap(), [0.860, 0.740, 0.547, 0.0066]),
    ] {
        for (rate, expected) in std::iter::zip([30.0, 60.0, 120.0, 1000.0], expected) {
            let measured = kept(method, rate);
            assert!((measured - expected).abs() < 5.1e-4, "{method:?} at {rate} Hz: {measured}");
        }
    }
    assert!((kept(Method::Rk4, 30.0) - 0.99998).abs() < 5e-6);
    assert!((kept(Method::Rk4, 60.0) - 0.9999995).abs() < 1e-7);
}

#[test]
fn generalized_alpha_leaves_rho_of_what_it_cannot_resolve() {
    let system = Oscillator { stiffness: 1e12, damping: 0.0 };
    for rho_inf in [0.5, 0.8, 1.0] {
        let method = Method::GeneralizedAlpha(GeneralizedAlpha { rho_inf });
        let mut run = Run::new(method, &system, one(1.0, 0.0), 1.0);
        let early = run.steps(100).x().abs();
        let late = run.steps(100).x().abs();
        // A double root ρ gives ρⁿ times a polynomial in n, hence the tolerance of 1.5 %.
        let measured = (late / early).powf(0.01);
        assert!((measured / rho_inf - 1.0).abs() < 0.015, "ρ∞ = {rho_inf}: measured {measured}");
    }
}
