//! Velocities of particles that constraints hold: those of the motion, for every integrator.

use glam::DVec3;
use ropelab::integrate::Method;
use ropelab::scene::Scene;
use ropelab::simulation::Simulation;

const G: f64 = 9.81;

const SOLVERS: [&str; 3] = ["Relaxation(iterations: 50)", "Xpbd(iterations: 50)", "Shake()"];

fn simulation(text: &str, integrator: Method) -> Simulation {
    let scene = Scene::parse(text, "test").unwrap_or_else(|error| panic!("{error}"));
    let settings = scene.lanes[0].settings;
    Simulation::new(
        scene.parts.clone(),
        ropelab::simulation::settings::Settings { integrator, ..settings },
    )
}

/// A rod of 1 m and 1 kg at its end, with a speed across it in m/s, at `angle` from straight down.
fn pendulum(angle: f64, solver: &str, settings: &str, integrator: Method) -> Simulation {
    let end = DVec3::new(angle.sin(), -angle.cos(), 0.0);
    let text = format!(
        "(version: 1, name: \"pendulum\",
          particles: [(at: (0, 0, 0), mass: 1), (at: ({:?}, {:?}, 0), mass: 1)],
          links: [(a: Particle(0), b: Particle(1), rigid: true, rest: 1)],
          pins: [(of: Particle(0))],
          forces: [(law: Gravity())],
          settings: (links: Constraints, constraints: {solver}, {settings}))",
        end.x, end.y
    );
    simulation(&text, integrator)
}

/// Schemes that do not know in their first step what the rod will pull with: those that move by the
/// old velocity, and those that lose some of the step before.
const LEARN_FIRST: [&str; 5] = [
    "explicit-euler",
    "symplectic-euler-position-first",
    "adams-bashforth-2",
    "bdf2",
    "verlet-drag",
];

#[test]
fn a_mass_at_rest_on_a_rod_has_no_kinetic_energy() {
    for integrator in Method::all() {
        for solver in SOLVERS {
            for substeps in [1, 3] {
                let settings = format!("dt: 0.01, substeps: {substeps}");
                let mut lane = pendulum(0.0, solver, &settings, integrator);
                for step in 0..50 {
                    lane.step(0.01);
                    let kinetic = lane.energy().kinetic;
                    let name = integrator.scheme().info().name;
                    let knows = step >= 2 || !LEARN_FIRST.contains(&name);
                    assert!(
                        !knows || kinetic < 1e-12,
                        "{name}, {solver}, step {step}: {kinetic} J"
                    );
                }
            }
        }
    }
}

/// Greatest distance between shown velocities and central differences of the positions, in m/s,
/// in a swing from 60° over a second, after the first tenth.
fn velocity_error(integrator: Method, solver: &str, dt: f64) -> f64 {
    let settings = format!("dt: {dt:?}");
    let mut lane = pendulum(60_f64.to_radians(), solver, &settings, integrator);
    let mut seen = vec![];
    for _ in 0..(1.0 / dt).round() as usize {
        lane.step(dt);
        seen.push((lane.state().x[1], lane.state().v[1]));
    }
    let from = seen.len() / 10;
    let errors = seen.windows(3).skip(from).map(|three| {
        let [(before, _), (_, v), (after, _)] = three else { unreachable!("windows of three") };
        ((*after - *before) / (2.0 * dt)).distance(*v)
    });
    errors.fold(0.0, f64::max)
}

#[test]
fn velocities_agree_with_central_differences_to_second_order() {
    for name in ["velocity-verlet", "position-verlet", "leapfrog", "rk4", "implicit-midpoint"] {
        let integrator = Method::from_name(name).expect("a name of the list");
        for solver in SOLVERS {
            let [coarse, fine] = [0.01, 0.005].map(|dt| velocity_error(integrator, solver, dt));
            let order = (coarse / fine).log2();
            assert!(coarse < 1e-2 && order > 1.8, "{name}, {solver}: {coarse}, order {order}");
        }
    }
}

#[test]
fn the_speed_of_a_pendulum_converges_with_order_two_under_shake() {
    // Angular velocity after 1 s by RK4 at 1/100 000 s, in rad/s.
    let (mut angle, mut omega, h) = (60_f64.to_radians(), 0.0, 1e-5);
    for _ in 0..100_000 {
        let f = |angle: f64| -G * angle.sin();
        let (k1, l1) = (omega, f(angle));
        let (k2, l2) = (omega + l1 * h / 2.0, f(angle + k1 * h / 2.0));
        let (k3, l3) = (omega + l2 * h / 2.0, f(angle + k2 * h / 2.0));
        let (k4, l4) = (omega + l3 * h, f(angle + k3 * h));
        angle += (k1 + 2.0 * k2 + 2.0 * k3 + k4) * h / 6.0;
        omega += (l1 + 2.0 * l2 + 2.0 * l3 + l4) * h / 6.0;
    }
    let error = |dt: f64| {
        let settings = format!("dt: {dt:?}");
        let verlet = Method::from_name("velocity-verlet").expect("a name of the list");
        let mut lane = pendulum(60_f64.to_radians(), "Shake()", &settings, verlet);
        (0..(1.0 / dt).round() as usize).for_each(|_| lane.step(dt));
        let (x, v) = (lane.state().x[1], lane.state().v[1]);
        (x.x * v.y - x.y * v.x - omega).abs()
    };
    let [coarse, middle, fine] = [0.01, 0.005, 0.0025].map(error);
    for (coarse, fine) in [(coarse, middle), (middle, fine)] {
        let order = (coarse / fine).log2();
        assert!((order - 2.0).abs() < 0.15, "{coarse} and {fine} rad/s: order {order}");
    }
}

#[test]
fn drag_does_not_change_how_far_a_weight_stretches_a_link() {
    for integrator in Method::all() {
        let text = "(version: 1, name: \"weight\",
            particles: [(at: (0, 0, 0), mass: 1), (at: (0, -1, 0), mass: 1)],
            links: [(a: Particle(0), b: Particle(1), stiffness: 100, rest: 1)],
            pins: [(of: Particle(0))],
            forces: [(law: Gravity()), (law: LinearDrag(coefficient: 2))],
            settings: (links: Constraints, constraints: Xpbd(), dt: 0.016666666666666666))";
        let mut lane = simulation(text, integrator);
        (0..6000).for_each(|_| lane.step(1.0 / 60.0));
        let stretch = -1.0 - lane.state().x[1].y;
        let name = integrator.scheme().info().name;
        assert!((stretch / (G / 100.0) - 1.0).abs() < 1e-9, "{name}: {stretch} m");
    }
}
