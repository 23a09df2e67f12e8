//! Numerical damping and period error of integrators, compared with independent values from the
//! step matrices.

use ropelab::analysis::vibration::damping::Dissipation;
use ropelab::integrate::{GeneralizedAlpha, Method, NumericalDamping, PositionVerlet};

/// Damping ratio and period error in %, with a step of a tenth of the period.
#[test]
fn schemes_damp_and_delay_as_computed_elsewhere() {
    let alpha = |rho_inf| Method::GeneralizedAlpha(GeneralizedAlpha { rho_inf });
    for (method, damping, error) in [
        (Method::SymplecticEuler, 0.0, -1.6934),
        (Method::PositionVerlet(PositionVerlet::default()), 0.0, -1.6934),
        (Method::VelocityVerlet, 0.0, -1.6934),
        (Method::Rk4, 0.000647, 0.1122),
        (Method::ImplicitEuler, 0.296569, 12.0033),
        (Method::Trapezoid, 0.0, 3.2075),
        (Method::ImplicitMidpoint, 0.0, 3.2075),
        (Method::Bdf2, 0.034426, 10.2061),
        (alpha(1.0), 0.0, 3.2075),
        (alpha(0.8), 0.000157, 3.3828),
        (alpha(0.5), 0.003780, 4.6715),
        (alpha(0.0), 0.054988, 12.3206),
        (Method::NumericalDamping(NumericalDamping::default()), 0.164849, -5.7909),
    ] {
        let found = Dissipation::of(&method, 0.1).expect("it vibrates");
        let name = method.info().name;
        assert!((found.damping_ratio - damping).abs() < 6e-7, "{name}: {found:?}");
        assert!((100.0 * found.period_error - error).abs() < 6e-5, "{name}: {found:?}");
    }
}

#[test]
fn beyond_its_limit_a_scheme_does_not_vibrate() {
    // Symplectic Euler is stable up to ωh = 2, i.e. h/T = 1/π with the period T.
    assert!(Dissipation::of(&Method::SymplecticEuler, 0.31).is_some());
    assert_eq!(Dissipation::of(&Method::SymplecticEuler, 0.33), None);
}
