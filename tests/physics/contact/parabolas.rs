//! Balls that collide within a substep on parabolas instead of chords (article E, E7 to E10).

use crate::contact::{near, run, simulation};
use glam::{DVec3, dvec3};
use ropelab::contact::swept::Path;
use ropelab::numerics::state::State;
use ropelab::scene::library;
use ropelab::simulation::Simulation;

const G: f64 = 9.81;

/// Solves article E's equation 4. Returns the first time t ≥ 0 at which S + V t + a t²/2 falls to
/// 0.
fn first_root(s: f64, v: f64, a: f64) -> Option<f64> {
    let root = (v * v - 2.0 * a * s).sqrt();
    let roots = [(-v - root) / a, (-v + root) / a];
    roots.into_iter().filter(|t| *t >= 0.0).min_by(f64::total_cmp)
}

#[test]
fn in_one_dimension_spheres_meet_at_the_root_of_equation_4() {
    for (gap, v, a) in [
        (0.3, -0.4, 0.1),
        (0.3, -0.4, -0.5),
        (0.2, 0.5, -2.0),
        (0.1, -0.2, 0.1999999),
        (0.1, 0.0, -0.4),
        (1e-9, 0.3, -0.9),
    ] {
        let path = |reach: f64| Path {
            start: DVec3::X * (gap + reach),
            rate: DVec3::X * v,
            half_acceleration: DVec3::X * (0.5 * a),
        };
        let expected = first_root(gap, v, a).filter(|t| *t <= 1.0).unwrap();
        near(path(0.7).meets_sphere(0.7).unwrap(), expected, 1e-12);
    }
    let passes_by = Path { start: DVec3::X, rate: -DVec3::X, half_acceleration: DVec3::X };
    assert_eq!(passes_by.meets_sphere(0.2), None, "it turns back at 0.75 m");
}

/// Two balls of 1 kg, one above the other, in one step of 0.5 s. Gravity acts on the upper ball
/// only.
fn one_pulled(path: &str) -> Simulation {
    let parts = "balls: [
        (name: \"upper\", at: (0, 1.2, 0), radius: 0.1, surface: (restitution: 1, friction: 0)),
        (name: \"lower\", at: (0, 0, 0), radius: 0.1, velocity: (0, 1, 0),
         surface: (restitution: 1, friction: 0))],
        forces: [(law: Gravity(), on: Body(\"upper\"))]";
    let settings = format!("dt: 0.5, contact: Swept(path: {path}, rest: false)");
    let mut balls = simulation(parts, &settings);
    run(&mut balls, 0.5);
    balls
}

#[test]
fn balls_with_unequal_accelerations_meet_where_equation_4_says() {
    let balls = one_pulled("Parabola");
    let (t, rest) = (first_root(1.0, -1.0, -G).unwrap(), 0.5 - first_root(1.0, -1.0, -G).unwrap());
    // The balls exchange their velocities when they touch.
    let (fall, meet) = (-G * t, t);
    let upper = meet + 0.2 + rest - G * rest * rest / 2.0;
    near(balls.state().x[0].y, upper, 1e-13);
    near(balls.state().v[0].y, 1.0 - G * rest, 1e-13);
    near(balls.state().x[1].y, meet + fall * rest, 1e-13);
    near(balls.state().v[1].y, fall, 1e-13);
    // Largest distance between chord and parabola: |Δa| T²/8 with the relative acceleration Δa of
    // the balls.
    near(balls.contact().chord_error, G * 0.25 / 8.0, 1e-15);
    assert!(balls.contact().deepest_overlap < 1e-12);
    let chord = one_pulled("Chord");
    near(chord.contact().chord_error, G * 0.25 / 8.0, 1e-15);
    assert!((chord.state().x[0].y - upper).abs() > 1e-3);
}

#[test]
fn with_equal_accelerations_chord_and_parabola_give_the_same_time() {
    let parts = "balls: [
        (at: (0, 0, 0), radius: 0.25, velocity: (2, 5, 0), surface: (restitution: 1, friction: 0)),
        (at: (3, 0.2, 0), radius: 0.25, velocity: (-2, 5, 0), surface: (restitution: 1, friction: 0))]";
    let after = |path: &str| {
        let settings = format!("dt: 1, contact: Swept(path: {path}, rest: false)");
        let mut balls = simulation(parts, &settings);
        run(&mut balls, 1.0);
        assert_eq!(balls.contact().events, 1);
        assert!(balls.contact().chord_error < 1e-15);
        balls.state().clone()
    };
    let (chord, parabola) = (after("Chord"), after("Parabola"));
    for (a, b) in chord.x.iter().chain(&chord.v).zip(parabola.x.iter().chain(&parabola.v)) {
        near(a.distance(*b), 0.0, 1e-13);
    }
}

#[test]
fn where_the_chord_misses_a_graze_the_parabola_hits() {
    // A ball is thrown up past a second ball at rest. The chord passes 2 mm below the second ball;
    // the parabola, which is highest in the middle of the step, touches it.
    let [rate, half_acceleration] = [dvec3(2.0, 0.02, 0.0), dvec3(0.0, -0.02, 0.0)];
    let bent = Path { start: dvec3(-1.0, -0.302, 0.0), rate, half_acceleration };
    let chord = Path { rate: rate + half_acceleration, half_acceleration: DVec3::ZERO, ..bent };
    assert_eq!(chord.at(1.0), bent.at(1.0));
    assert_eq!(chord.meets_sphere(0.3), None);
    let t = bent.meets_sphere(0.3).unwrap();
    assert!(t > 0.4 && t < 0.5, "{t}");
    near(bent.at(t).length(), 0.3, 1e-12);
    let highest = |path: &str| {
        let parts = "balls: [(at: (-1, 0.1, 0), radius: 0.05, velocity: (2, 4.4145, 0),
                      surface: (restitution: 1, friction: 0))],
            colliders: [(shape: Plane(), surface: (friction: 0)),
                (shape: Box(size: (0.5, 0.04, 0.3)), at: (-0.1, 1.157, 0), surface: (friction: 0))]";
        let settings = format!("dt: 0.1, contact: Swept(path: {path}, rest: false)");
        let mut lob = simulation(parts, &settings);
        run(&mut lob, 0.5);
        lob.state().v[0].y
    };
    // On chords the ball rises to 1.0933 m and falls. On parabolas it hits an obstacle at 1.087 m
    // and is thrown back.
    near(highest("Chord"), 4.4145 - 0.5 * G, 1e-12);
    near(
        highest("Parabola"),
        4.4145 - 0.5 * G - 2.0 * (2.0 * G * (0.1 + 4.4145 * 4.4145 / (2.0 * G) - 1.087)).sqrt(),
        1e-9,
    );
}

#[test]
fn on_parabolas_a_ball_keeps_its_energy_however_long_the_step() {
    let scene = library::find("chord-or-parabola").unwrap().load().unwrap();
    let spread = |lane: usize| {
        let mut balls = Simulation::new(scene.parts.clone(), scene.lanes[lane].settings);
        let energy = |balls: &Simulation| {
            let State { x, v, .. } = balls.state();
            G * x[0].y + 0.5 * v[0].length_squared()
        };
        let start = energy(&balls);
        let mut worst = 0.0_f64;
        for _ in 0..1000 {
            balls.step(balls.settings().dt);
            worst = worst.max((energy(&balls) - start).abs() / start);
        }
        (worst, balls.contact().chord_error)
    };
    let (parabola, avoided) = spread(0);
    let (chord, error) = spread(1);
    assert!(parabola < 1e-9, "{parabola}");
    assert!(chord > 1e-2, "{chord}");
    near(error, G * 0.01 / 8.0, 1e-12);
    near(avoided, error, 1e-12);
}

#[test]
fn the_impulse_goes_to_way_and_velocity_alike_and_keeps_the_momentum() {
    let rows = |name: &str, x: f64, speed: f64| {
        format!(
            "(name: \"{name}\", at: ({x}, 0, -1), count: (2, 3, 4), spacing: (0.4, 0.45, 0.45),
              jitter: 0.05, speed: 6, velocity: ({speed}, 0, 0),
              surface: (restitution: 0.5, friction: 0.3))"
        )
    };
    let parts = format!(
        "balls: [{}, {}], forces: [(law: Gravity(), on: Body(\"pulled\"))]",
        rows("pulled", -0.8, 3.0),
        rows("free", 0.4, -3.0)
    );
    for integrator in ["VelocityVerlet", "SymplecticEuler", "PositionVerlet()"] {
        let settings = format!(
            "integrator: {integrator}, dt: 0.02, contact: Swept(path: Parabola, rest: false)"
        );
        let mut balls = simulation(&parts, &settings);
        let momentum = |balls: &Simulation| balls.state().v.iter().copied().sum::<DVec3>();
        let before = momentum(&balls);
        run(&mut balls, 1.0);
        let contact = balls.contact();
        assert!(contact.events > 10, "{integrator}: {contact:?}");
        assert!(contact.deepest_overlap < 1e-9 && contact.left_over == 0, "{contact:?}");
        assert!(contact.chord_error > 1e-6, "{contact:?}");
        let pulled = -DVec3::Y * (24.0 * G);
        near((momentum(&balls) - before - pulled).length(), 0.0, 1e-10);
    }
}

#[test]
fn balls_rest_on_parabolas_as_they_do_on_chords() {
    let parts = "balls: [(at: (0, 0.1, 0), count: (1, 3, 1), spacing: (0, 0.2, 0), radius: 0.1),
        (at: (1, 0.6, 0), radius: 0.1)], colliders: [(shape: Plane())]";
    for integrator in
        ["SymplecticEuler", "VelocityVerlet", "PositionVerlet()", "Rk4", "ImplicitEuler"]
    {
        let settings =
            format!("integrator: {integrator}, dt: 0.01, contact: Swept(path: Parabola)");
        let mut stack = simulation(parts, &settings);
        run(&mut stack, 5.0);
        for (x, y) in stack.state().x.iter().zip([0.1, 0.3, 0.5, 0.1]) {
            near(x.y, y, 1e-6);
        }
        let fastest = stack.state().v.iter().map(|v| v.length()).fold(0.0, f64::max);
        assert!(fastest < G * 0.01, "{integrator}: fastest ball {fastest} m/s");
        assert_eq!(stack.contact().left_over, 0, "{integrator}");
    }
}
