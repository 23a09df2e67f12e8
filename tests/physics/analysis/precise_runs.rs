//! Errors against precise runs where something acts between steps only, or where rigid links move
//! under drag; compared with closed forms and very fine runs.

use super::converge::study;
use crate::support::parse;
use glam::DVec3;
use ropelab::analysis::ConvergenceCurve;
use ropelab::analysis::advise::{Advice, AdviceQuestion, Goal, advise};
use ropelab::analysis::job::Work;
use ropelab::analysis::map::{Axis, MapPart, MapPlan, MappedScene, Quantity, ShownQuantity};
use ropelab::integrate::Method;
use ropelab::scene::Scene;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;

/// Gravity in m/s².
const G: f64 = 9.81;
/// Frames per second at which trials are compared.
const FRAMES_A_SECOND: f64 = 60.0;

/// A ball of restitution 0.8 that falls by 1 m on a plane.
const BOUNCE: &str = r#"(version: 1, name: "bounce",
    balls: [(at: (0, 1.1, 0), radius: 0.1, surface: (restitution: 0.8, friction: 0))],
    colliders: [(shape: Plane(), surface: (friction: 0))], forces: [(law: Gravity())])"#;

/// A mass on a soft spring that falls from the horizontal, with further settings.
fn spring(settings: &str) -> String {
    format!(
        r#"(version: 1, name: "spring",
            particles: [(at: (0, 0, 0)), (at: (1, 0, 0), mass: 0.7)],
            links: [(a: Particle(0), b: Particle(1), rest: 1, stiffness: 60)],
            pins: [(of: Particle(0))], forces: [(law: Gravity())], settings: ({settings}))"#
    )
}

/// A mass on a spring that tears while the mass falls.
const TEARING: &str = r#"(version: 1, name: "tears later",
    particles: [(at: (0, 0, 0)), (at: (0, -1, 0), mass: 0.7, velocity: (0.5, 0, 0))],
    links: [(a: Particle(0), b: Particle(1), rest: 1, stiffness: 30)],
    pins: [(of: Particle(0))], forces: [(law: Gravity())], settings: (tear: AboveStrain(0.2)))"#;

/// A double pendulum of rigid links under strong drag.
const DRAGGED: &str = r#"(version: 1, name: "dragged",
    particles: [(at: (0, 0, 0)), (at: (0.6, -0.8, 0), mass: 0.7), (at: (1.6, -0.8, 0), mass: 0.2)],
    links: [(a: Particle(0), b: Particle(1), rigid: true),
            (a: Particle(1), b: Particle(2), rigid: true)],
    pins: [(of: Particle(0))],
    forces: [(law: Gravity()), (law: LinearDrag(coefficient: 4))],
    settings: (constraints: Shake()))"#;

/// Position of the bouncing ball at time `t`, in closed form.
fn bounced(t: f64) -> DVec3 {
    let (mut since, mut speed) = (t - (2.0 / G).sqrt(), (2.0 * G).sqrt());
    if since < 0.0 {
        return DVec3::new(0.0, 1.1 - 0.5 * G * t * t, 0.0);
    }
    loop {
        speed *= 0.8;
        if since <= 2.0 * speed / G {
            return DVec3::new(0.0, 0.1 + speed * since - 0.5 * G * since * since, 0.0);
        }
        since -= 2.0 * speed / G;
    }
}

/// Positions at `count` equally spaced instants of a run with `steps` steps from one to the next.
fn run(scene: &Scene, settings: Settings, seconds: f64, count: u64, steps: u64) -> Vec<Vec<DVec3>> {
    let dt = seconds / (count * steps) as f64;
    let mut simulation = Simulation::new(scene.parts.clone(), Settings { dt, ..settings });
    let mut at_instants = Vec::new();
    for _ in 0..count {
        (0..steps).for_each(|_| simulation.step(dt));
        at_instants.push(simulation.state().x.clone());
    }
    at_instants
}

/// Positions at `count` equally spaced instants of a very fine run with leapfrog.
fn fine_run(scene: &Scene, seconds: f64, count: u64, dt: f64) -> Vec<Vec<DVec3>> {
    let settings = Settings { integrator: Method::Leapfrog, ..scene.lanes[0].settings };
    let steps = (seconds / (dt * count as f64)).ceil() as u64;
    run(scene, settings, seconds, count, steps)
}

fn largest_distance(a: &[Vec<DVec3>], b: &[Vec<DVec3>]) -> f64 {
    let pairs = a.iter().zip(b).flat_map(|(a, b)| a.iter().zip(b));
    pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

/// Asks for advice, and checks that the true error of every listed trial is within the limits that
/// the advice gives, up to `tolerance` of the goal: the precision of `truth`.
fn check_advice(
    scene: &Scene,
    goal: f64,
    frames: u64,
    truth: &[Vec<DVec3>],
    tolerance: f64,
) -> Advice {
    let duration = frames as f64 / FRAMES_A_SECOND;
    let question = AdviceQuestion { goal: Goal::Error(goal), budget: None, duration };
    let settings = scene.lanes[0].settings;
    let advice: Advice = advise(&scene.parts, &settings, &question, &|| 0.0, &Work::unwatched())
        .expect("not cancelled");
    assert_eq!(advice.end_of_errors, None, "errors are meaningful to the end");
    let uncertainty = advice.uncertainty.expect("the precise run has an uncertainty");
    assert!(uncertainty <= 0.05 * goal, "uncertainty {uncertainty}");
    let size = advice.error_size.expect("an error has a size");
    let tolerance = tolerance * goal;
    for trial in advice.recommended.iter().chain(&advice.front) {
        let steps = (1.0 / FRAMES_A_SECOND / trial.settings.dt).round() as u64;
        if (steps as f64 * trial.settings.dt * FRAMES_A_SECOND - 1.0).abs() > 1e-9 {
            continue; // steps that do not end with frames
        }
        let motion = run(scene, trial.settings, duration, frames, steps);
        let error = largest_distance(&motion, truth) / size;
        assert!(error <= trial.error_limit + tolerance, "true error {error}: {trial:?}");
        let least = 2.0 * trial.error - trial.error_limit;
        assert!(error >= least - tolerance, "true error {error}: {trial:?}");
    }
    let mut met = advice.recommended.iter().map(|trial| trial.error_limit);
    assert!(met.all(|limit| limit <= goal), "the goal limits the error with its uncertainty");
    advice
}

/// Checks every error of a study against a very fine run or a closed form at the same instants.
fn check_study(scene: &Scene, curves: &[ConvergenceCurve], truth: &[Vec<DVec3>], seconds: f64) {
    for curve in curves {
        let uncertainty = curve.uncertainty.expect("the reference has an uncertainty");
        let integrator = Method::from_name(curve.integrator).expect("a known name");
        for point in &curve.points {
            let settings = Settings { integrator, ..scene.lanes[0].settings };
            let count = truth.len() as u64;
            let steps = (seconds / (point.dt * count as f64)).round() as u64;
            let error = largest_distance(&run(scene, settings, seconds, count, steps), truth);
            let off = (point.error - error).abs();
            let most = uncertainty + 1e-3 * error + 1e-12;
            let name = curve.integrator;
            assert!(
                off <= most,
                "{name}: true error {error}, uncertainty {uncertainty}: {point:?}"
            );
        }
    }
}

#[test]
fn advice_on_a_bouncing_ball_gives_the_true_errors() {
    let truth: Vec<_> = (1..=38).map(|i| vec![bounced(f64::from(i) / FRAMES_A_SECOND)]).collect();
    let advice = check_advice(&parse(BOUNCE), 0.01, 38, &truth, 1e-6);
    assert!(advice.best.is_some(), "{:?}", advice.nearest);
}

#[test]
fn errors_of_a_bouncing_ball_are_measured_from_the_closed_form() {
    let scene = parse(BOUNCE);
    let names = ["velocity-verlet", "symplectic-euler", "midpoint", "rk4"];
    let curves = study(&scene, &names, &[0.002, 0.004, 0.008, 0.016], 0.64);
    let truth: Vec<_> = (1..=40).map(|i| vec![bounced(f64::from(i) * 0.016)]).collect();
    check_study(&scene, &curves, &truth, 0.64);
    let finest = curves[0].points.last().expect("four steps");
    assert!((1.7e-3..1.8e-3).contains(&finest.error), "{finest:?}");
}

#[test]
fn advice_under_limits_of_length_gives_the_true_errors() {
    for limit in ["strain_limit: On(0.1)", "tethers: On(1.1)"] {
        let scene = parse(&spring(limit));
        let truth = fine_run(&scene, 38.0 / FRAMES_A_SECOND, 38, 2e-6);
        let advice = check_advice(&scene, 0.005, 38, &truth, 5e-3);
        assert!(advice.best.is_some(), "{:?}", advice.nearest);
    }
}

/// A limit of length acts at the end of each substep, so every integrator has order 1.
#[test]
fn integrators_have_order_1_under_limits_of_length() {
    let dts = [0.002, 0.004, 0.008, 0.016];
    for limit in ["strain_limit: On(0.1)", "tethers: On(1.1)"] {
        let scene = parse(&spring(limit));
        let curves = study(&scene, &["velocity-verlet", "rk4", "midpoint"], &dts, 0.64);
        check_study(&scene, &curves, &fine_run(&scene, 0.64, 40, 2e-6), 0.64);
        for curve in &curves {
            let order = curve.order.expect("errors shrink evenly");
            assert!((0.85..1.15).contains(&order), "{limit}: {curve:?}");
        }
    }
}

#[test]
fn errors_of_a_tearing_link_are_the_true_ones() {
    let scene = parse(TEARING);
    let truth = fine_run(&scene, 1.0, 60, 1e-6);
    let advice = check_advice(&scene, 0.005, 60, &truth, 5e-3);
    let size = advice.error_size.expect("an error has a size");
    // A map of one row: cells at steps of 1 and 2 ms, in two substeps.
    let axis = |quantity, range, cells| Axis::new(quantity, range, cells).expect("good axes");
    let plan = MapPlan {
        x: Axis { log: false, ..axis(Quantity::Dt, [0.5e-3, 2.5e-3], 2) },
        y: Axis { log: false, ..axis(Quantity::Substeps, [1.0, 3.0], 1) },
        integrators: vec![Method::VelocityVerlet, Method::Rk4],
        shown: ShownQuantity::Error { duration: 1.0, most: 1e-3 },
        boundary: false,
    };
    let settings = scene.lanes[0].settings;
    let mapped = MappedScene { parts: scene.parts.clone(), settings, file: None, lane: 0 };
    assert_eq!([plan.x.value(0), plan.x.value(1), plan.y.value(0)], [1e-3, 2e-3, 2.0]);
    let lines = plan.compute(&mapped, MapPart::WHOLE, &Work::unwatched()).expect("not cancelled");
    for line in &lines {
        let uncertainty = line.uncertainty.expect("the reference has an uncertainty");
        let own = Settings { integrator: plan.integrators[line.panel], substeps: 2, ..settings };
        // Errors grow until the end of the run.
        let steps = [1000, 500];
        for (cell, steps) in line.cells.iter().zip(steps) {
            let error = largest_distance(&run(&scene, own, 1.0, 1, steps), &truth[59..]) / size;
            assert!(cell.value >= error - uncertainty, "{error} ± {uncertainty}: {cell:?}");
            let most = 1.2 * error + uncertainty;
            assert!(cell.value <= most, "{error} ± {uncertainty}: {cell:?}");
        }
    }
}

#[test]
fn advice_on_rigid_links_under_drag_gives_the_true_errors() {
    let scene = parse(DRAGGED);
    let truth = fine_run(&scene, 0.5, 30, 2e-5);
    let advice = check_advice(&scene, 1e-4, 30, &truth, 1e-3);
    assert!(advice.best.is_some(), "{:?}", advice.nearest);
}
