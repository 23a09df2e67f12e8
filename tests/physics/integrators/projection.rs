//! Velocities of constrained particles equal those of the motion, under every integrator.

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

/// A rigid rod of 1 m with 1 kg at its end, at `angle` from straight down, with an initial speed in
/// m/s perpendicular to the rod.
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

/// Two masses at rest, one below the other on rigid links. `beside` are forces that act in addition
/// to the constraints.
fn plumb_line(solver: &str, substeps: u32, beside: &str, integrator: Method) -> Simulation {
    let text = format!(
        "(version: 1, name: \"plumb line\",
          particles: [(at: (0, 0, 0)), (at: (0, -1, 0)), (at: (0, -2, 0), mass: 2)],
          links: [(a: Particle(0), b: Particle(1), rigid: true),
                  (a: Particle(1), b: Particle(2), rigid: true)],
          pins: [(of: Particle(0))],
          {beside},
          settings: (constraints: {solver}, dt: 0.01, substeps: {substeps}))"
    );
    simulation(&text, integrator)
}

#[test]
fn masses_at_rest_on_rods_have_no_kinetic_energy() {
    let drag = "forces: [(law: Gravity()), (law: LinearDrag(coefficient: 2))]".to_owned();
    let mut besides = vec!["floor: -3".to_owned(), drag.clone()];
    for rigidity in [0.2, 200.0] {
        let bend = format!(
            "bends: [(a: Particle(0), b: Particle(1), c: Particle(2), \
             flexural_rigidity: {rigidity:?})]"
        );
        besides.extend([format!("{drag}, {bend}"), bend]);
    }
    let mut wrong = Vec::new();
    for integrator in Method::all() {
        let name = integrator.as_integrator().info().name;
        let solvers = SOLVERS.into_iter().flat_map(|solver| [(solver, 1), (solver, 3)]);
        for (solver, substeps) in solvers {
            for beside in &besides {
                let mut lane = plumb_line(solver, substeps, beside, integrator);
                for step in 0..50 {
                    lane.step(0.01);
                    let kinetic = lane.energy().kinetic;
                    // Generalized-α remembers the acceleration by a stiff bend. Each step keeps the
                    // fraction (2ρ − 1)/(2 − ρ) = ½ of it, so the motion decays within 8 steps.
                    let forgets = name == "generalized-alpha" && beside.contains("200.0");
                    if kinetic > 1e-12 && !(forgets && step < 8) {
                        wrong.push(format!(
                            "{name}, {solver}, {substeps}, {beside}, step {step}: {kinetic} J"
                        ));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Greatest difference in m/s between the reported velocities and central differences of the
/// positions, in one second of a swing from 60°, without the first tenth of a second.
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
    let names = ["velocity-verlet", "position-verlet", "leapfrog", "rk4", "implicit-midpoint"];
    for name in names.into_iter().chain(["adams-bashforth-2", "beeman"]) {
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
    // Reference: angular velocity in rad/s after 1 s by RK4 with steps of 1/100 000 s.
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
        let name = integrator.as_integrator().info().name;
        assert!((stretch / (G / 100.0) - 1.0).abs() < 1e-9, "{name}: stretch {stretch} m");
    }
}
