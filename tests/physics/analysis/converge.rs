//! Errors as functions of the step, measured on scenes and compared with independent results.

use crate::support::parse;
use ropelab::analysis::converge;
use ropelab::analysis::job::Work;
use ropelab::analysis::{Convergence, ConvergenceCurve, ReferenceKind};
use ropelab::integrate::Method;
use ropelab::scene::Scene;

/// Oscillator x″ = −x, released at x = 1. Its spring is fixed 2 m away, so that its length does not
/// reach 0.
const UNIT_OSCILLATOR: &str = r#"(
    version: 1, name: "oscillator",
    particles: [(name: "hook", at: (-2, 0, 0)), (name: "bob", at: (1, 0, 0))],
    links: [(a: Body("hook"), b: Body("bob"), rest: 2, stiffness: 1)],
    pins: [(of: Body("hook"))], forces: [],
)"#;

pub(super) fn study(
    scene: &Scene,
    names: &[&str],
    dts: &[f64],
    duration: f64,
) -> Vec<ConvergenceCurve> {
    let known = |name: &&str| Method::from_name(name).expect("the test's names are right");
    let integrators = names.iter().map(known).collect();
    let question = Convergence { integrators, dts: dts.to_vec(), duration };
    let settings = scene.lanes[0].settings;
    converge(&scene.parts, &settings, &question, &|| 0.0, &Work::unwatched())
        .expect("not cancelled")
}

/// Errors |x(10) − cos 10| for x″ = −x, x(0) = 1, from an independent program with seven digits.
#[test]
fn the_oscillator_converges_as_computed_elsewhere() {
    let table = [
        ("explicit-euler", [5.697755e-01, 1.129656e-01, 5.441257e-02]),
        ("symplectic-euler", [2.968671e-02, 6.945237e-03, 3.435960e-03]),
        ("position-verlet", [2.276602e-03, 1.417106e-04, 3.542044e-05]),
        ("velocity-verlet", [2.276602e-03, 1.417106e-04, 3.542044e-05]),
        ("numerical-damping", [2.026607e-01, 5.447620e-02, 2.757647e-02]),
        ("midpoint", [8.117108e-03, 5.506601e-04, 1.396458e-04]),
        ("rk4", [3.935337e-06, 1.713608e-08, 1.088971e-09]),
        ("implicit-euler", [3.182050e-01, 9.756633e-02, 5.056688e-02]),
        ("implicit-midpoint", [4.497622e-03, 2.832040e-04, 7.082731e-05]),
        ("yoshida-4", [3.604142e-05, 1.405741e-07, 8.785198e-09]),
    ];
    let names = table.map(|(name, _)| name);
    let curves = study(&parse(UNIT_OSCILLATOR), &names, &[0.1, 0.025, 0.0125], 10.0);
    for (curve, (name, errors)) in curves.iter().zip(table) {
        assert_eq!((curve.integrator, curve.truth), (name, ReferenceKind::ClosedForm));
        for (point, expected) in curve.points.iter().zip(errors) {
            let off = (point.end_error - expected).abs();
            // 1e-14 m is the rounding error of positions of 3 m.
            assert!(
                off <= 1e-6 * expected + 1e-14,
                "{name}, expected error {}: {point:?}",
                expected
            );
        }
    }
}

#[test]
fn orders_on_a_swinging_rope_are_the_published_ones() {
    let text = r#"(
        version: 1, name: "rope",
        materials: [Rope(name: "cord", mass_per_metre: 1, stiffness: 50, damping: 0)],
        ropes: [(name: "rope", from: (0, 2, 0), to: (1.02, 1.9, 0), length: 1, segments: 4, material: "cord")],
        pins: [(of: Start("rope"))],
    )"#;
    let names = [
        "explicit-euler",
        "symplectic-euler",
        "velocity-verlet",
        "heun",
        "rk3",
        "rk4",
        "yoshida-4",
        "implicit-euler",
        "implicit-midpoint",
        "bdf2",
    ];
    let dts = [0.004, 0.002, 0.001, 0.0005];
    for curve in study(&parse(text), &names, &dts, 0.5) {
        assert_eq!(curve.truth, ReferenceKind::DormandPrince);
        let order = curve.order.expect("nothing explodes");
        let published = f64::from(curve.published_order);
        assert!((order - published).abs() < 0.15, "{}: order {order}", curve.integrator);
        assert!(curve.holds.is_some(), "{curve:?}");
    }
}

#[test]
fn rigid_links_are_compared_with_the_scheme_itself_at_a_finer_step() {
    let text = r#"(
        version: 1, name: "pendulum",
        particles: [(name: "hook", at: (0, 2, 0)), (name: "bob", at: (0.6, 1.2, 0))],
        links: [(a: Body("hook"), b: Body("bob"), rigid: true)],
        pins: [(of: Body("hook"))], settings: (constraints: Shake()),
    )"#;
    let curves = study(&parse(text), &["velocity-verlet"], &[0.02, 0.01, 0.005], 1.0);
    assert_eq!(curves[0].truth, ReferenceKind::SameSchemeFiner);
    let order = curves[0].order.expect("nothing explodes");
    assert!((order - 2.0).abs() < 0.1, "{order}");
}

#[test]
fn a_solver_that_limits_the_order_is_named() {
    let text = r#"(
        version: 1, name: "pendulum",
        particles: [(name: "hook", at: (0, 2, 0)), (name: "bob", at: (0.6, 1.2, 0))],
        links: [(a: Body("hook"), b: Body("bob"), rigid: true)],
        pins: [(of: Body("hook"))],
        settings: (constraints: Rattle()),
    )"#;
    let curves = study(&parse(text), &["velocity-verlet", "rk4"], &[0.02, 0.01, 0.005], 1.0);
    assert_eq!(curves[0].why_less, None, "{:?}", curves[0]);
    let why = curves[1].why_less.as_deref().expect("RK4 has order 4 elsewhere");
    assert!(why.starts_with("RATTLE moves particles") && why.ends_with("only order 2."), "{why}");
}

/// Without drag and dampers, orders are compared with the published ones, also where those are
/// lower under drag.
#[test]
fn every_order_that_a_solver_limits_is_explained() {
    let names = ["velocity-verlet", "yoshida-4", "leapfrog", "rk4", "generalized-alpha"];
    for solver in ["Relaxation", "Xpbd", "Shake", "Direct", "SoftStep", "Rattle", "Vbd"] {
        let text = format!(
            r#"(version: 1, name: "pendulum",
                particles: [(name: "hook", at: (0, 2, 0)), (name: "bob", at: (0.6, 1.2, 0))],
                links: [(a: Body("hook"), b: Body("bob"), rigid: true, damping: 0.1)],
                pins: [(of: Body("hook"))], settings: (constraints: {solver}()))"#
        );
        for curve in study(&parse(&text), &names, &[0.01, 0.005, 0.0025], 0.5) {
            let is_less =
                curve.order.is_some_and(|it| it < f64::from(curve.published_order) - 0.25);
            assert_eq!(curve.why_less.is_some(), is_less, "{solver}: {curve:?}");
        }
    }
}

/// A bob that hangs from a pin on a damped spring.
const CARRIED: &str = r#"(
    version: 1, name: "carried",
    particles: [(name: "hook", at: (0, 0, 0)), (name: "bob", at: (0, -1, 0))],
    links: [(a: Body("hook"), b: Body("bob"), rest: 0.975, stiffness: 400, damping: 5)],
    pins: [(of: Body("hook"), path: Swing(amplitude: (0, 0.2, 0), frequency: 1))],
)"#;

/// The pin moves straight at constant velocity within a step. Its position is wrong by O(h²) and its
/// velocity by O(h), so RK4 has order 2, and position Verlet with dampers order 1.
#[test]
fn a_moving_pin_that_limits_the_order_is_named_under_every_integrator() {
    let names: Vec<_> = Method::all().map(|method| method.info().name).collect();
    let dts = [0.008, 0.004, 0.002, 0.001, 0.0005, 0.00025];
    let (mut wrong, mut less) = (Vec::new(), 0);
    let path = ", path: Swing(amplitude: (0, 0.2, 0), frequency: 1)";
    for (path_of_pin, damping) in [(path, "5"), (path, "0"), ("", "5"), ("", "0")] {
        let text = CARRIED.replace(path, path_of_pin);
        let text = text.replace("damping: 5", &format!("damping: {damping}"));
        for curve in study(&parse(&text), &names, &dts, 1.0) {
            let published =
                if damping == "0" { curve.published_order } else { curve.order_under_drag };
            let is_less = curve.order.is_none_or(|order| order < f64::from(published) - 0.25);
            let why = curve.why_less.as_ref().or(curve.why_no_order.as_ref());
            let names_pin = why.is_some_and(|why| why.contains("moving pin"));
            // Verlet drag has order 0 by itself. Implicit Euler reaches its order at shorter steps.
            let is_limited = is_less && published > 1 && !path_of_pin.is_empty();
            less += u32::from(is_limited && curve.order.is_some());
            if names_pin != is_limited {
                wrong.push(format!(
                    "{}, {path_of_pin:?}, damping {damping}: order {:?}, {why:?}",
                    curve.integrator, curve.order
                ));
            }
        }
    }
    assert!(wrong.is_empty() && less > 8, "{less}: {wrong:#?}");
}
