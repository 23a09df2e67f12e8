//! Global order of every integrator: for forces of x and t, under drag, and with unequal steps.

use super::systems::{Pendulum, Run, one};
use ropelab::integrate::{
    DormandPrince, GeneralizedAlpha, Method, PositionVerlet, VerletDrag, VerletStart,
};
use ropelab::numerics::state::{State, Workspace};

const END: f64 = 2.0;

/// Gives Dormand–Prince a tolerance that never rejects a step. Each step is then one inner step of
/// length dt.
fn without_step_control(method: Method) -> Method {
    match method {
        Method::DormandPrince(_) => Method::DormandPrince(DormandPrince { tolerance: 0.999 }),
        other => other,
    }
}

/// Errors of x and v at the time END. The reference is RK4 with a step so short that its error is
/// rounding.
fn errors(method: Method, system: &Pendulum, counts: [u32; 2]) -> [f64; 2] {
    let at_end = |method, n| {
        let mut run = Run::new(method, system, one(1.2, 0.7), END / f64::from(n));
        run.steps(n);
        (run.x(), run.v())
    };
    let exact = at_end(Method::Rk4, 8000);
    counts.map(|n| {
        let (x, v) = at_end(method, n);
        (x - exact.0).abs() + (v - exact.1).abs()
    })
}

fn order(method: Method, system: &Pendulum, n: u32) -> f64 {
    let [coarse, fine] = errors(method, system, [n, 2 * n]);
    (coarse / fine).log2()
}

#[test]
fn the_error_shrinks_as_published_on_a_driven_pendulum() {
    let system = Pendulum { strength: 4.0, damping: 0.0, drive: 0.5 };
    for method in Method::all().map(without_step_control) {
        let expected = f64::from(method.info().order);
        // As steps get shorter, an integrator of order 0 converges to a particle at rest. So many
        // steps are needed that the drag of each step has stopped all motion.
        let n = if expected == 0.0 { 50_000 } else { 80 };
        let measured = order(method, &system, n);
        assert!((measured - expected).abs() < 0.15, "{method:?}: {measured}, not {expected}");
    }
}

#[test]
fn the_articles_start_of_position_verlet_costs_an_order() {
    let article = PositionVerlet { start: VerletStart::Article, single: false };
    let measured = order(Method::PositionVerlet(article), &Pendulum::free(4.0), 80);
    assert!((measured - 1.0).abs() < 0.1, "{measured}");
    assert_eq!(Method::PositionVerlet(article).info().order, 1);
}

#[test]
fn the_error_shrinks_as_published_under_drag() {
    let system = Pendulum { strength: 4.0, damping: 0.6, drive: 0.0 };
    for method in Method::all().map(without_step_control) {
        if matches!(method, Method::VerletDrag(_)) {
            continue;
        }
        let expected = f64::from(method.as_integrator().order_under_drag());
        let measured = order(method, &system, 80);
        assert!((measured - expected).abs() < 0.15, "{method:?}: {measured}, not {expected}");
    }
}

#[test]
fn verlet_drag_is_first_order_if_the_drag_shrinks_with_dt() {
    let system = Pendulum { strength: 4.0, damping: 0.6, drive: 0.0 };
    let exact = Run::new(Method::Rk4, &system, one(1.2, 0.7), END / 8000.0).steps(8000).x();
    let undamped = Pendulum::free(4.0);
    let [coarse, fine] = [200, 400].map(|n| {
        let dt = END / f64::from(n);
        let method = Method::VerletDrag(VerletDrag { drag: 0.6 * dt });
        (Run::new(method, &undamped, one(1.2, 0.7), dt).steps(n).x() - exact).abs()
    });
    let measured = (coarse / fine).log2();
    assert!((measured - 1.0).abs() < 0.1, "{measured}");
}

#[test]
fn unequal_steps_leave_the_second_order_of_schemes_that_know_of_them() {
    let system = Pendulum { strength: 4.0, damping: 0.0, drive: 0.5 };
    let exact = Run::new(Method::Rk4, &system, one(1.2, 0.7), END / 8000.0).steps(8000).x();
    let error = |method: Method, pairs: u32| {
        let dt = END / f64::from(3 * pairs);
        let (mut state, mut work) = (one(1.2, 0.7), Workspace::default());
        for pair in 0..pairs {
            for (offset, length) in [(0.0, 1.0), (1.0, 2.0)] {
                let now = State { t: (f64::from(3 * pair) + offset) * dt, ..state.clone() };
                let dt = length * dt;
                method.as_integrator().step(&system, now.view(), state.view_mut(), dt, &mut work);
            }
        }
        (state.x[0].x - exact).abs()
    };
    let alpha = Method::GeneralizedAlpha(GeneralizedAlpha { rho_inf: 0.5 });
    for method in [Method::TimeCorrectedVerlet, Method::AdamsBashforth2, Method::Bdf2, alpha] {
        let measured = (error(method, 60) / error(method, 120)).log2();
        assert!((measured - 2.0).abs() < 0.15, "{method:?}: order {measured}");
    }
    // With unequal steps, position Verlet without time correction does not converge.
    let plain = Method::PositionVerlet(PositionVerlet::default());
    assert!(error(plain, 960) > 0.1, "{}", error(plain, 960));
}
