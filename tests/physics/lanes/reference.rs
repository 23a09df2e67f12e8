//! Whole simulations compared with reference solutions: pendulums, hanging beads, a stretched
//! string.

use glam::{DVec3, dvec3};
use ropelab::scene::Scene;
use ropelab::simulation::Simulation;
use std::f64::consts::{PI, SQRT_2, TAU};

/// Returns the simulation of some particles, of which the first is pinned. `rest` are further
/// fields of the scene, such as forces and settings.
fn simulation(particles: &[(DVec3, f64)], links: &str, pins: &str, rest: &str) -> Simulation {
    let particles: String = particles
        .iter()
        .map(|(p, mass)| format!("(at: ({:?}, {:?}, {:?}), mass: {mass:?}),", p.x, p.y, p.z))
        .collect();
    let text = format!(
        "(version: 1, name: \"test\", look_for: \"numbers\", particles: [{particles}], \
         links: [{links}], pins: [{pins}], {rest})"
    );
    let scene = Scene::parse(&text, "test.ron").expect("a scene");
    let settings = scene.lanes[0].settings;
    Simulation::new(scene.parts.clone(), settings)
}

/// Takes steps up to the time `t`, which must be a whole number of steps of about `dt`.
fn run(simulation: &mut Simulation, t: f64, dt: f64) {
    let steps = (t / dt).round();
    for _ in 0..steps as u64 {
        simulation.step(t / steps);
    }
    assert_eq!(simulation.explosion(), None);
}

const RIGID: &str = "rest: 1, rigid: true";

#[test]
fn the_double_pendulum_follows_its_taylor_series() {
    // Double pendulum with L₁ = L₂ = m₁ = m₂ = 1 and g = 9.81, released at 90°. Reference: angles
    // at t = 1 s and 2 s from a Taylor series with errors of 1e-22.
    let links = format!(
        "(a: Particle(0), b: Particle(1), {RIGID}), (a: Particle(1), b: Particle(2), {RIGID})"
    );
    let particles = [(DVec3::ZERO, 1.0), (DVec3::X, 1.0), (2.0 * DVec3::X, 1.0)];
    let rest = "forces: [(law: Gravity())], \
                settings: (integrator: VelocityVerlet, constraints: Shake(tolerance: 1e-13))";
    let mut simulation = simulation(&particles, &links, "(of: Particle(0))", rest);
    let angles = |simulation: &Simulation| {
        let x = &simulation.state().x;
        [x[1], x[2] - x[1]].map(|rod| rod.x.atan2(-rod.y))
    };
    let error = |found: [f64; 2], expected: [f64; 2]| {
        (found[0] - expected[0]).abs().max((found[1] - expected[1]).abs())
    };
    run(&mut simulation, 1.0, 1e-4);
    let at_1 = error(angles(&simulation), [-0.62508769980639, -1.03458508568]);
    run(&mut simulation, 1.0, 1e-4);
    let at_2 = error(angles(&simulation), [-0.48297153425175, -1.3240487123024]);
    // Error of second order: (ωh)² ≈ 1e-6 at the angular frequencies of the fall, amplified by the
    // chaos between 1 and 2 s.
    assert!(at_1 < 1e-6 && at_2 < 1e-5, "off by {at_1:e} and {at_2:e} rad");
}

#[test]
fn two_hanging_beads_swing_at_the_zeros_of_the_laguerre_polynomial() {
    // Small displacements of two hanging beads: u₁″ = (g/a)(−3u₁ + u₂), u₂″ = (g/a)(u₁ − u₂). So ω²
    // = (g/a) x, where x is a zero of the Laguerre polynomial L₂, and u₂ = (3 − x) u₁.
    let a = 0.5;
    for (x, omega) in [(2.0 - 2.0_f64.sqrt(), 3.390151900), (2.0 + 2.0_f64.sqrt(), 8.184550696)] {
        let u = [1e-5, 1e-5 * (3.0 - x)];
        let drop = |from: f64, to: f64| (a * a - (to - from) * (to - from)).sqrt();
        let first = dvec3(u[0], -drop(0.0, u[0]), 0.0);
        let second = first + dvec3(u[1] - u[0], -drop(u[0], u[1]), 0.0);
        let links = "(a: Particle(0), b: Particle(1), rest: 0.5, rigid: true), \
                     (a: Particle(1), b: Particle(2), rest: 0.5, rigid: true)";
        let rest = "forces: [(law: Gravity())], \
                    settings: (integrator: VelocityVerlet, constraints: Shake(tolerance: 1e-14))";
        let particles = [(DVec3::ZERO, 1.0), (first, 1.0), (second, 1.0)];
        let mut simulation = simulation(&particles, links, "(of: Particle(0))", rest);
        // After a quarter of the period both beads pass the vertical.
        run(&mut simulation, 0.25 * TAU / omega, 1e-4);
        let left = simulation.state().x[1].x / u[0];
        assert!(left.abs() < 1e-4, "ω = {omega}: {left} of the swing is left");
        assert!(simulation.state().x[2].x.abs() < 1e-4 * u[1].abs());
    }
}

#[test]
fn a_stretched_string_rings_at_its_textbook_tones() {
    // Stretched string of N = 3 beads of mass m at the spacing a, with the tension T = k (a − l).
    // Tone n has ω = 2 √(T/(ma)) sin(nπ/8), and its shape at bead i is sin(nπi/4).
    let (a, m, k, l, amplitude) = (0.1, 0.01, 1000.0, 0.05, 1e-6);
    let tension: f64 = k * (a - l);
    for (tone, sine) in [(1.0, 0.765366865), (2.0, SQRT_2), (3.0, 1.847759065)] {
        let shape = |i: f64| amplitude * (tone * PI * i / 4.0).sin();
        let beads: Vec<(DVec3, f64)> =
            (0..5).map(|i| (dvec3(a * f64::from(i), shape(f64::from(i)), 0.0), m)).collect();
        let links: String = (0..4)
            .map(|i| {
                format!(
                    "(a: Particle({i}), b: Particle({}), rest: {l:?}, stiffness: {k:?}),",
                    i + 1
                )
            })
            .collect();
        let rest = "forces: [], settings: (integrator: Rk4)";
        let pins = "(of: Particle(0)), (of: Particle(4))";
        let mut simulation = simulation(&beads, &links, pins, rest);
        let omega = sine * (tension / (m * a)).sqrt();
        run(&mut simulation, TAU / omega, 2e-5);
        for (i, (now, before)) in simulation.state().x.iter().zip(&beads).enumerate() {
            let error = (now.y - before.0.y).abs() / amplitude;
            assert!(error < 1e-5, "tone {tone}, bead {i}: {error:e} of the amplitude");
        }
    }
}
