//! Tests of limits and the sentences about them, by comparison with measured limits.

use super::*;
use crate::analysis::stability::measured_limit::measure_limit;
use crate::analysis::stability::scene_samples::predict_limit;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use crate::support;
use std::convert::Infallible;
use std::f64::consts::PI;

const SPRING: &str = r#"(version: 1, name: "spring", forces: [],
        particles: [(name: "hook", at: (0, 2, 0)), (name: "bob", at: (0, 1, 0), mass: 0.5)],
        links: [(a: Body("hook"), b: Body("bob"), stiffness: 2000)], pins: [(of: Body("hook"))])"#;

fn chain(damping: f64) -> String {
    format!(
        r#"(version: 1, name: "chain", forces: [],
            materials: [Rope(name: "cord", mass_per_metre: 0.2, stiffness: 500, damping: {damping})],
            ropes: [(name: "rope", from: (0, 0, 0), to: (3, 0, 0), segments: 100, material: "cord")],
            pins: [(of: Start("rope"))])"#
    )
}

const CLOTH: &str = r#"(version: 1, name: "cloth", forces: [],
        materials: [Cloth(name: "linen", bend_stiffness: 0, damping: 0)],
        cloths: [(name: "cloth", corner: (0, 2, 0), across: (1, 0, 0), down: (0, -1, 0),
                  cells: (29, 29), material: "linen")],
        pins: [(of: Edge("cloth", Top))])"#;

/// Scene of two masses (1 : 100) with only a spring between them.
const UNEQUAL: &str = r#"(version: 1, name: "unequal", forces: [],
        particles: [(name: "light", at: (0, 2, 0), mass: 0.01), (name: "heavy", at: (0, 1, 0))],
        links: [(a: Body("light"), b: Body("heavy"), stiffness: 300)])"#;

fn lane(scene: &str, integrator: Method) -> Simulation {
    let scene = support::scene(scene);
    let settings = Settings { integrator, ..Settings::default() };
    Simulation::new(scene.parts.clone(), settings)
}

fn mode(scene: &str) -> FastestMode {
    let simulation = lane(scene, Method::VelocityVerlet);
    FastestMode::of(simulation.model(), simulation.state(), None).unwrap()
}

/// Returns ω of the fastest mode of a chain of n equal links of stiffness k with one fixed end. The
/// masses are m, except for the last one, m/2: 2√(k/m) sin((2n − 1)π/(4n)).
fn chain_omega(k: f64, m: f64, n: f64) -> f64 {
    2.0 * (k / m).sqrt() * ((2.0 * n - 1.0) * PI / (4.0 * n)).sin()
}

#[test]
fn the_fastest_mode_has_the_frequency_of_its_closed_form() {
    assert!((mode(SPRING).omega - 4000f64.sqrt()).abs() < 1e-9);
    assert!((mode(UNEQUAL).omega - (300.0 * (100.0 + 1.0f64)).sqrt()).abs() < 1e-9);
    // A link of 0.03 m has k = EA/l. Half of its mass acts on each end.
    let expected = chain_omega(500.0 / 0.03, 0.2 * 0.03, 100.0);
    let found = mode(&chain(0.0));
    assert!((found.omega / expected - 1.0).abs() < 2e-3, "{} not {expected}", found.omega);
    assert!(found.omega <= expected * (1.0 + 1e-12), "a Ritz value stays below");
    assert!((0.999..1.01).contains(&(found.omega_cautious / expected)), "{found:?}");
}

#[test]
fn the_damping_ratio_is_that_of_the_fastest_mode() {
    // Each link has stiffness k and damping c, so C = (c/k) K, and the damping ratio of a mode
    // is ξ = cω/(2k).
    let found = mode(&chain(0.02));
    let expected = 0.02 / 500.0 * found.omega / 2.0;
    assert!((found.damping_ratio / expected - 1.0).abs() < 1e-6, "{}", found.damping_ratio);
}

#[test]
fn stiffness_damping_of_a_lane_is_seen_and_shortens_the_limit() {
    let mut simulation = lane(SPRING, Method::SymplecticEuler);
    let (omega, undamped) = (4000f64.sqrt(), predict_limit(&simulation).dt);
    let stiffness_damping = 2.0 * 0.3 / omega;
    simulation.configure(Settings { stiffness_damping, ..*simulation.settings() });
    let limit = predict_limit(&simulation);
    let xi = limit.mode.as_ref().unwrap().damping_ratio;
    assert!((xi - 0.3).abs() < 1e-9, "{xi}");
    assert!(limit.dt < 0.9 * undamped, "{} not below {undamped}", limit.dt);
    let Ok(measured) = measure_limit(&simulation, &limit, || Ok::<(), Infallible>(()));
    assert!((measured / limit.dt - 1.0).abs() < 0.01, "{measured}, not {}", limit.dt);
}

#[test]
fn a_scene_without_springs_has_no_limit() {
    let scene = r#"(version: 1, name: "ball", particles: [(name: "ball", at: (0, 2, 0))])"#;
    let limit = predict_limit(&lane(scene, Method::SymplecticEuler));
    assert_eq!((limit.mode, limit.dt), (None, f64::INFINITY));
}

/// Creates a flag that flutters in a wind parallel to its surface.
fn flag(settings: &str) -> Simulation {
    let text = format!(
        r#"(version: 1, name: "flag",
            materials: [Cloth(name: "linen", bend_stiffness: 0, damping: 0)],
            cloths: [(name: "flag", corner: (0, 2, 0), across: (1, 0, 0), down: (0, -1, 0),
                      cells: (6, 6), material: "linen")],
            pins: [(of: Edge("flag", Left))],
            forces: [(law: Gravity()), (law: FaceWind(velocity: (9, 0, 3)), on: All)],
            settings: ({settings}, substeps: 10, dt: 0.01))"#
    );
    support::lane(&text)
}

/// Flutter is physical: it grows at the same rate with every integrator and step.
#[test]
fn flutter_in_the_wind_sets_no_limit() {
    for method in [Method::SymplecticEuler, Method::VelocityVerlet, Method::Rk4] {
        let mut free = flag("integrator: VelocityVerlet");
        free.configure(Settings { integrator: method, ..*free.settings() });
        let limit = predict_limit(&free);
        let omega = limit.mode.as_ref().expect("links vibrate").omega;
        let z = limit.dt / f64::from(limit.substeps) * omega;
        assert!(z > 0.9 * method.info().stability_limit, "{method:?}: ωh = {z}");
    }
}

#[test]
fn wind_sets_no_limit_where_a_solver_holds_the_links() {
    let mut held = flag("constraints: Xpbd(iterations: 1)");
    (0..100).for_each(|_| held.step(0.01));
    let limit = predict_limit(&held);
    assert!(limit.mode.is_none() && limit.longest() > 0.1, "{limit:?}");
    assert!(limit.verdict().contains("constraint solver constrains"), "{}", limit.verdict());
}

#[test]
fn substeps_lengthen_the_limit_of_the_step() {
    let mut simulation = lane(SPRING, Method::VelocityVerlet);
    assert!((predict_limit(&simulation).dt - 2.0 / 4000f64.sqrt()).abs() < 1e-6);
    simulation.configure(Settings { substeps: 5, ..*simulation.settings() });
    assert!((predict_limit(&simulation).dt - 10.0 / 4000f64.sqrt()).abs() < 1e-6);
}

fn measured(scene: &str, integrator: Method) -> (f64, f64) {
    let simulation = lane(scene, integrator);
    let limit = predict_limit(&simulation);
    let Ok(measured) = measure_limit(&simulation, &limit, || Ok::<(), Infallible>(()));
    (limit.dt, measured)
}

fn assert_within_a_percent(scene: &str, methods: impl Iterator<Item = Method>) {
    let mut seen = 0;
    for method in methods.filter(is_linear) {
        let (predicted, measured) = measured(scene, method);
        if predicted > 0.0 && predicted.is_finite() {
            seen += 1;
            let ratio = measured / predicted;
            assert!((ratio - 1.0).abs() < 0.01, "{method:?}: {measured}, not {predicted}");
        }
    }
    assert!(seen > 0, "no method had a limit");
}

#[test]
fn predicted_and_measured_limits_agree_on_one_spring() {
    assert_within_a_percent(SPRING, Method::all());
}

#[test]
fn predicted_and_measured_limits_agree_on_unequal_masses() {
    assert_within_a_percent(UNEQUAL, Method::all());
}

#[test]
fn predicted_and_measured_limits_agree_on_a_chain_of_100() {
    assert_within_a_percent(&chain(0.0), Method::all());
}

/// The links of this chain are not under tension, so nothing resists sideways displacements and
/// the chain drifts. Drift is not growth.
#[test]
fn predicted_and_measured_limits_agree_on_a_damped_chain() {
    assert_within_a_percent(&chain(0.02), Method::all());
}

#[test]
fn predicted_and_measured_limits_agree_on_a_cloth_with_shear() {
    let few = ["symplectic-euler", "velocity-verlet", "rk4", "numerical-damping"];
    assert_within_a_percent(CLOTH, few.iter().map(|name| Method::from_name(name).unwrap()));
}

#[test]
fn a_limit_that_only_damping_gives_is_told_as_such() {
    let of = |scene: &str, integrator| predict_limit(&lane(scene, integrator)).verdict();
    let explicit = of(&chain(0.02), Method::ExplicitEuler);
    let told = "but unstable without damping";
    assert!(explicit.starts_with("Stable up to ") && explicit.contains(told), "{explicit}");
    let symplectic = of(&chain(0.02), Method::SymplecticEuler);
    assert!(symplectic.starts_with("Stable up to ") && !symplectic.contains(told), "{symplectic}");
}

/// The weak drag alone would limit the step to half an hour, far above the longest permitted step.
#[test]
fn drag_limits_no_step_beyond_the_longest_that_can_be_set() {
    let verdict = |drag: f64| {
        let text = format!(
            "(version: 1, name: \"held\", materials: [Rope(name: \"m\", rigid: true)], \
             ropes: [(name: \"r\", from: (0, 1, 0), to: (1, 1, 0), material: \"m\")], \
             pins: [(of: Start(\"r\"))], forces: [(law: LinearDrag(coefficient: {drag}))], \
             settings: (integrator: SymplecticEuler, constraints: Xpbd()))"
        );
        predict_limit(&support::lane(&text)).verdict()
    };
    assert_eq!(verdict(1e-3), "No limit: the constraint solver constrains all links.");
    assert!(verdict(40.0).ends_with("drag allows steps up to 50 ms."), "{}", verdict(40.0));
}

/// Chain of stretched, damped links without damping of sideways motion. With N segments of length
/// a, tension T, masses m and n = N − 1, ω of its fastest transverse mode is 2 √(T/(a m))
/// sin(nπ/(2N)). Explicit Euler makes this mode grow by √(1 + ω²h²) per step.
#[test]
fn explicit_euler_is_never_stable_where_sideways_nothing_damps() {
    let text = r#"(version: 1, name: "string", forces: [],
            materials: [Rope(name: "cord", mass_per_metre: 0.5, stiffness: 40, damping: 0.5)],
            ropes: [(name: "rope", from: (0, 1, 0), to: (4, 1, 0), length: 3, segments: 12, material: "cord")],
            pins: [(of: Start("rope")), (of: End("rope"))])"#;
    let (a, k, m): (f64, f64, f64) = (1.0 / 3.0, 40.0 / 0.25, 0.125);
    let tension = k * (a - 0.25);
    let omega = 2.0 * (tension / (a * m)).sqrt() * (11.0 * PI / 24.0).sin();
    let simulation = lane(text, Method::ExplicitEuler);
    let limit = predict_limit(&simulation);
    assert_eq!(limit.dt, 0.0, "{limit:?}");
    let h = simulation.settings().dt;
    let expected = 2f64.ln() * h / (0.5 * (1.0 + (omega * h).powi(2)).ln());
    let found = limit.doubling.expect("it grows");
    assert!((found / expected - 1.0).abs() < 0.01, "{found} s, not {expected}");
    let verdict = limit.verdict();
    assert!(verdict.starts_with("Unstable at every step"), "{verdict}");
    assert!(verdict.contains("the vibration doubles every"), "{verdict}");
}

#[test]
fn schemes_without_a_limit_are_measured_to_have_none() {
    let alpha = Method::GeneralizedAlpha(GeneralizedAlpha::default());
    for method in [Method::ImplicitEuler, Method::Trapezoid, alpha] {
        assert_eq!(measured(SPRING, method), (f64::INFINITY, f64::INFINITY), "{method:?}");
    }
    let trapezoid = predict_limit(&lane(SPRING, Method::Trapezoid));
    let where_links_turn = 2.0 / 4000f64.sqrt();
    assert!((trapezoid.longest() / where_links_turn - 1.0).abs() < 1e-6, "{trapezoid:?}");
    let implicit = predict_limit(&lane(SPRING, Method::ImplicitEuler));
    assert_eq!(implicit.longest(), f64::INFINITY);
    for method in [Method::ExplicitEuler, Method::Heun, Method::AdamsBashforth2] {
        assert_eq!(measured(SPRING, method), (0.0, 0.0), "{method:?}");
    }
}
