//! RATTLE: velocities do not change the links' lengths, the order is 2, and a pendulum keeps its
//! energy.

use crate::support;
use glam::DVec3;
use ropelab::scene::Scene;
use ropelab::simulation::Simulation;

/// A scene under RATTLE.
fn simulation(mesh: &str, dt: f64) -> Simulation {
    let text = format!(
        r#"(version: 1, name: "rattle", materials: [Rope(name: "m", mass_per_metre: 1, rigid: true)],
            {mesh} forces: [(law: Gravity())],
            settings: (integrator: VelocityVerlet, constraints: Rattle(tolerance: 1e-13), contact: Off,
                dt: {dt}))"#
    );
    support::simulation(&text)
}

fn rope(segments: u32, dt: f64) -> Simulation {
    rope_on_pin(segments, "Still", dt)
}

/// A rope whose pin moves along `path`.
fn rope_on_pin(segments: u32, path: &str, dt: f64) -> Simulation {
    let mesh = format!(
        r#"ropes: [(name: "r", from: (0, 0, 0), to: (0.8, -0.6, 0), segments: {segments}, material: "m")],
           pins: [(of: Start("r"), path: {path})],"#
    );
    simulation(&mesh, dt)
}

/// Greatest rate of change of a link's length in m/s.
fn greatest_speed(simulation: &Simulation) -> f64 {
    let state = simulation.state();
    let speed = |[a, b]: [usize; 2]| {
        (state.x[b] - state.x[a]).normalize().dot(state.v[b] - state.v[a]).abs()
    };
    let links = simulation.model().topology().links().iter();
    links.map(|link| speed([link.a as usize, link.b as usize])).fold(0.0, f64::max)
}

#[test]
fn no_length_has_a_speed_after_a_step() {
    let mut rope = rope(10, 2e-3);
    for _ in 0..1000 {
        rope.step(2e-3);
        assert!(greatest_speed(&rope) < 1e-12, "{}", greatest_speed(&rope));
    }
    assert!(rope.projection().residual < 1e-12);
}

/// Formerly velocities were of first order under a moving pin, because its velocity was the mean
/// over the last step.
#[test]
fn positions_and_velocities_are_of_second_order() {
    for path in [
        "Still",
        "Swing(amplitude: (0.2, 0, 0), frequency: 0.7)",
        "Waypoints(points: [(0, (0, 0, 0)), (1, (0.3, 0.5, 0))], repeat: false)",
    ] {
        velocities_are_of_second_order(path);
    }
}

fn velocities_are_of_second_order(path: &str) {
    let end = |steps: u32| {
        let dt = 0.5 / f64::from(steps);
        let mut rope = rope_on_pin(3, path, dt);
        (0..steps).for_each(|_| rope.step(dt));
        let state = rope.state();
        (state.x.clone(), state.v.clone())
    };
    let off =
        |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    let (truth_x, truth_v) = end(16_000);
    let error = |steps: u32| {
        let (x, v) = end(steps);
        [off(&x, &truth_x), off(&v, &truth_v)]
    };
    let (coarse, fine) = (error(250), error(500));
    for (coarse, fine) in coarse.iter().zip(fine) {
        let order = (coarse / fine).log2();
        assert!(
            (1.9..2.1).contains(&order),
            "{path}: order {order} from the errors {coarse} and {fine}"
        );
    }
}

#[test]
fn a_rigid_pendulum_keeps_its_energy_over_a_hundred_thousand_steps() {
    let mut pendulum = rope(1, 0.01);
    let start = pendulum.energy().total();
    let mut worst = [0.0_f64; 2];
    for step in 0..100_000 {
        pendulum.step(0.01);
        let half = usize::from(step >= 50_000);
        worst[half] = worst[half].max((pendulum.energy().total() - start).abs());
    }
    assert!(worst[0] < 5e-3, "{worst:?}");
    assert!(worst[1] < 1.05 * worst[0], "it does not drift: {worst:?}");
}

/// A net that falls and is held by its pins. Its velocities are solved by conjugate gradients.
#[test]
fn no_length_of_a_net_has_a_speed_after_a_step() {
    let text = r#"(version: 1, name: "net",
        materials: [Cloth(name: "net", areal_density: 0.1, stretch_stiffness: 1000, shear_stiffness: 0,
            bend_stiffness: 0, damping: 0, rigid: true)],
        cloths: [(name: "c", corner: (0, 2, 0), across: (1, 0, 0), down: (0, 0, 1), cells: (12, 12),
            material: "net")],
        pins: [(of: Edge("c", Top))], forces: [(law: Gravity())],
        settings: (integrator: VelocityVerlet, constraints: Rattle(), contact: Off, dt: 0.002))"#;
    let scene = Scene::parse(text, "net.ron").expect("a scene");
    let mut net = Simulation::new(scene.parts.clone(), scene.lanes[0].settings);
    let start = net.energy().total();
    for _ in 0..200 {
        net.step(2e-3);
        assert!(greatest_speed(&net) < 1e-12, "{}", greatest_speed(&net));
    }
    assert_eq!(net.unconverged().steps, 0);
    assert!(net.projection().residual < 1e-9);
    let gained = net.energy().total() - start;
    assert!(gained.abs() < 1e-3, "{gained} J of 1 J");
}
