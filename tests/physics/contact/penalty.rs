//! Penalty contact (contact by spring forces) compared with numerical derivatives, closed forms,
//! and the largest stable step.

use crate::contact::{near, run, simulation};
use crate::support::slope;
use glam::{DVec3, dvec3};
use ropelab::analysis::stability::{measure_limit, predict_limit};
use ropelab::contact::{ContactMethod, Penalty, Swept};
use ropelab::integrate::Method;
use ropelab::mesh::Links;
use ropelab::numerics::state::{State, StateRef};
use ropelab::numerics::system::System;
use ropelab::scene::library;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;
use std::convert::Infallible;

const G: f64 = 9.81;

/// One particle of 2 kg with a radius of 5 cm that overlaps a collider.
fn inside(shape: &str, at: DVec3, friction: f64, contact: &str) -> Simulation {
    let parts = format!(
        "particles: [(at: ({}, {}, {}), mass: 2)],
         surfaces: [(of: All, radius: 0.05, surface: (friction: {friction}))],
         colliders: [(shape: {shape}, surface: (friction: {friction}))], forces: []",
        at.x, at.y, at.z
    );
    simulation(&parts, &format!("contact: {contact}"))
}

const SHAPES: [(&str, DVec3); 4] = [
    ("Plane(normal: (-0.6, 0.8, 0))", dvec3(0.3, 0.24, 0.1)),
    ("Box(size: (0.6, 0.4, 0.8), turned: (10, 20, 30))", dvec3(0.02, 0.19, 0.03)),
    ("Sphere(radius: 0.5)", dvec3(0.3, 0.3, -0.2)),
    ("Cylinder(radius: 0.3, length: 1, along: (0, 0.6, 0.8))", dvec3(0.2, 0.05, 0.1)),
];

/// Acceleration of the only particle.
fn acceleration(lane: &Simulation, x: DVec3, v: DVec3) -> DVec3 {
    let mut a = [DVec3::ZERO];
    lane.model().accelerations(0.0, &[x], &[v], &mut a);
    a[0]
}

#[test]
fn the_force_is_the_slope_of_its_potential() {
    for (shape, x) in SHAPES {
        let lane = inside(shape, x, 0.0, "Penalty(stiffness: 700, damping: 0)");
        let energy = |x: DVec3| {
            let state = State { t: 0.0, x: vec![x], v: vec![DVec3::ZERO] };
            lane.model().energy(&state, &Links::default()).elastic
        };
        assert!(energy(x) > 0.0, "{shape}: inside");
        let along = |axis: DVec3| slope(1e-4, |s| energy(x + axis * s));
        let expected = -DVec3::new(along(DVec3::X), along(DVec3::Y), along(DVec3::Z));
        let force = 2.0 * acceleration(&lane, x, DVec3::ZERO);
        assert!(
            (force - expected).length() < 1e-8 * force.length(),
            "{shape}: force {force}, expected {expected}"
        );
    }
}

/// Jacobian-vector product of the only particle, as implicit integrators use it.
fn jvp(lane: &Simulation, [x, v]: [DVec3; 2], [dx, dv]: [DVec3; 2]) -> DVec3 {
    let mut da = [DVec3::ZERO];
    lane.model().acceleration_jvp(StateRef { t: 0.0, x: &[x], v: &[v] }, [&[dx], &[dv]], &mut da);
    da[0]
}

#[test]
fn the_derivative_is_that_of_the_force() {
    let contact = "Penalty(stiffness: 700, damping: 3, slip: 0.1)";
    let normal = dvec3(-0.6, 0.8, 0.0);
    let (shape, x) = SHAPES[0];
    for (friction, v) in [
        // Velocities without friction in all directions, and with friction along the surface, below
        // and above the slip speed.
        (0.0, dvec3(0.2, -0.3, 0.1)),
        (0.6, dvec3(0.04, 0.03, 0.02)),
        (0.6, dvec3(0.4, 0.3, -0.2)),
    ] {
        let lane = inside(shape, x, friction, contact);
        for (dx, dv) in [
            (dvec3(0.3, 0.1, -0.2), dvec3(-0.5, 0.2, 0.4)),
            (dvec3(0.8, 0.6, 0.3), dvec3(0.1, 0.9, -0.7)),
        ] {
            let along = |d: DVec3| if friction > 0.0 { d - normal * normal.dot(d) } else { d };
            let [dx, dv] = [dx, dv].map(along);
            let expected = slope(1e-4, |s| acceleration(&lane, x + dx * s, v + dv * s));
            let found = jvp(&lane, [x, v], [dx, dv]);
            assert!(
                (found - expected).length() < 1e-7,
                "friction {friction}, velocity {v}: derivative {found}, expected {expected}"
            );
        }
        // The matrix is symmetric and negative definite, as conjugate gradients require.
        let [a, b] = [dvec3(0.3, 0.1, -0.2), dvec3(-0.5, 0.2, 0.4)];
        let both = |d: DVec3| [d, d];
        near(jvp(&lane, [x, v], both(a)).dot(b), jvp(&lane, [x, v], both(b)).dot(a), 1e-12);
        assert!(jvp(&lane, [x, v], both(a)).dot(a) < 0.0);
    }
    // On curved bodies only the derivative along the normal is exact. The Jacobian ignores the
    // rotation of the normal.
    for (shape, x) in &SHAPES[2..] {
        let lane = inside(shape, *x, 0.0, contact);
        let out = acceleration(&lane, *x, DVec3::ZERO).normalize();
        let expected = slope(1e-4, |s| acceleration(&lane, *x + out * s, out * s));
        let found = jvp(&lane, [*x, DVec3::ZERO], [out, out]);
        assert!(
            (found - expected).length() < 1e-7,
            "{shape}: derivative {found}, expected {expected}"
        );
    }
}

/// A ball of 1 kg on a frictionless floor, held from above by a spring of stiffness `spring`. The
/// ball starts `above` metres above its position of equilibrium.
fn resting(stiffness: f64, spring: f64, above: f64, integrator: &str) -> Simulation {
    let depth = G / stiffness - above;
    let parts = format!(
        "balls: [(name: \"ball\", at: (0, {}, 0), radius: 0.1,
                  surface: (friction: 0))],
         particles: [(name: \"hook\", at: (0, 1, 0))], colliders: [(shape: Plane(), surface: (friction: 0))],
         links: [(a: Body(\"hook\"), b: Body(\"ball\"), stiffness: {spring}, damping: 0, rest: {})],
         pins: [(of: Body(\"hook\"))]",
        0.1 - depth,
        0.9 + depth,
    );
    let contact = format!("Penalty(stiffness: {stiffness}, damping: 0)");
    simulation(&parts, &format!("integrator: {integrator}, dt: 0.001, contact: {contact}"))
}

#[test]
fn the_limit_of_the_step_knows_what_touches() {
    for (integrator, spring) in
        [("SymplecticEuler", 1e-3), ("VelocityVerlet", 1e-3), ("SymplecticEuler", 3e3)]
    {
        let ball = resting(1e4, spring, 0.0, integrator);
        let limit = predict_limit(&ball);
        // Stability limit: h < 2 √(m/(k + k_c)), with the stiffness k of the spring and k_c of the
        // contact.
        near(limit.dt / (2.0 / (1e4 + spring).sqrt()), 1.0, 1e-6);
        let Ok(measured) = measure_limit(&ball, &limit, || Ok::<(), Infallible>(()));
        near(measured / limit.dt, 1.0, 0.01);
    }
    // The ball starts 1 µm above its equilibrium. It stays there with stable steps, and hops with
    // unstable ones.
    let furthest = |dt: f64| {
        let mut ball = resting(1e4, 1e-3, 1e-6, "SymplecticEuler");
        let before = ball.state().x[1].y;
        let mut furthest = 0.0_f64;
        for _ in 0..2000 {
            ball.step(dt);
            furthest = furthest.max((ball.state().x[1].y - before).abs());
        }
        furthest
    };
    let [below, above] = [0.0198, 0.0202].map(furthest);
    assert!(below < 2e-5 && above > 1e-3, "2 √(m/k) = 20 ms: {below} {above}");
    let mut lane = resting(1e4, 3e3, 0.0, "SymplecticEuler");
    lane.configure(Settings {
        contact: ContactMethod::Swept(Swept::default()),
        ..*lane.settings()
    });
    near(predict_limit(&lane).dt / (2.0 / 3e3_f64.sqrt()), 1.0, 1e-6);
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (penalty, what) in [
        (Penalty { stiffness: 0.0, ..Penalty::default() }, "stiffness"),
        (Penalty { damping: -1.0, ..Penalty::default() }, "damping"),
        (Penalty { slip: f64::NAN, ..Penalty::default() }, "slip"),
    ] {
        let error = ContactMethod::Penalty(penalty).check().unwrap_err();
        assert!(error.starts_with(what), "{error}");
    }
    assert_eq!(ContactMethod::Penalty(Penalty::default()).check(), Ok(()));
}

#[test]
fn a_lane_in_which_nothing_touches_yet_says_so() {
    let parts = "balls: [(at: (0, 1, 0), radius: 0.1)], colliders: [(shape: Plane())]";
    let limit = predict_limit(&simulation(parts, "contact: Penalty()"));
    assert!(limit.dt.is_infinite() && limit.verdict().contains("nothing touches a collider"));
}

#[test]
fn what_rests_lies_as_deep_as_its_weight_over_the_stiffness() {
    let parts = "balls: [(at: (0, 0.1, 0), radius: 0.1, mass: 2)],
        particles: [(at: (1, 0.02, 0), mass: 0.5)], colliders: [(shape: Plane())]";
    for (integrator, dt) in [
        ("SymplecticEuler", 1e-3),
        ("VelocityVerlet", 1e-3),
        ("Rk4", 1e-3),
        ("ImplicitEuler", 0.01),
        ("Bdf2", 0.01),
        ("ImplicitMidpoint", 0.002),
    ] {
        let contact = "Penalty(stiffness: 2000, damping: 40)";
        let settings = format!("integrator: {integrator}, dt: {dt}, contact: {contact}");
        let mut lane = simulation(parts, &settings);
        run(&mut lane, 4.0);
        let [particle, ball] = [lane.state().x[0].y, lane.state().x[1].y];
        near((0.1 - ball) / (2.0 * G / 2000.0), 1.0, 1e-6);
        near(-particle / (0.5 * G / 2000.0), 1.0, 1e-6);
        let forces: Vec<f64> = lane.last_contacts().map(|touch| touch.force.y).collect();
        near(forces.iter().sum::<f64>(), 2.5 * G, 1e-4);
    }
}

#[test]
fn friction_creeps_below_its_limit_and_slides_beyond() {
    // Creep on an incline of tan α = 3/4: m g sin α = μ N s(u), where s = (2 − u/ε) u/ε is the
    // friction law at the speed u with the slip speed ε. Hence u = ε (1 − √(1 − tan α/μ)).
    let settled = |friction: f64, seconds: f64| {
        let parts = format!(
            "particles: [(at: (0, 0, 0))], surfaces: [(of: All, surface: (friction: {friction}))],
             colliders: [(shape: Plane(normal: (-0.6, 0.8, 0)), surface: (friction: {friction}))]"
        );
        let contact = "Penalty(stiffness: 1e4, damping: 100, slip: 0.02)";
        let settings = format!("integrator: SymplecticEuler, dt: 0.0005, contact: {contact}");
        let mut particle = simulation(&parts, &settings);
        run(&mut particle, seconds);
        particle.state().v[0].length()
    };
    near(settled(1.0, 2.0), 0.02 * (1.0 - 0.25_f64.sqrt()), 1e-9);
    // Sliding speed g (sin α − μ cos α) t, reduced slightly by the start.
    near(settled(0.5, 2.0), 2.0 * G * (0.6 - 0.5 * 0.8), 0.02);
}

#[test]
fn the_energy_account_contains_what_dampers_and_friction_take_out() {
    let parts = "balls: [(at: (0, 0.3, 0), radius: 0.1, velocity: (1, 0, 0),
        surface: (friction: 0.3))], colliders: [(shape: Plane(), surface: (friction: 0.3))]";
    let contact = "Penalty(stiffness: 2000, damping: 20)";
    let mut ball =
        simulation(parts, &format!("integrator: VelocityVerlet, dt: 0.0002, contact: {contact}"));
    ball.start_energy_account();
    let start = ball.energy().total();
    // The force is not smooth in a step in which contact begins or ends, so the error is
    // proportional to the step.
    for _ in 0..60_000 {
        ball.step(5e-5);
        ball.add_to_energy_account();
    }
    let balance = ball.balance().unwrap();
    let lost = start - ball.energy().total();
    assert!(lost > 2.0, "{lost} J");
    near(balance.taken_out["contact"] / lost, 1.0, 2e-3);
}

/// A rope on a floor alternates between sticking and slipping from step to step. This makes neither
/// energy nor heat. The bound allows for energy made by bounces at half of the longest stable step.
#[test]
fn friction_that_holds_a_rope_is_no_heat() {
    let parts =
        "materials: [Rope(name: \"r\", mass_per_metre: 0.0615, stiffness: 120.3, damping: 0)],
        ropes: [(from: (-1, 0.6614, 0), to: (1, 1.4015, 0.1), segments: 8, material: \"r\")],
        colliders: [(shape: Plane(), surface: (friction: 0.8))]";
    for dt in [0.001, 0.0005] {
        let settings = format!(
            "integrator: SymplecticEuler, dt: {dt}, contact: Penalty(stiffness: 5931, damping: 0)"
        );
        let mut lane = simulation(parts, &settings);
        lane.start_energy_account();
        for _ in 0..(60.0 / dt) as u32 {
            lane.step(dt);
            lane.add_to_energy_account();
        }
        let gain = lane.balance().expect("it has an energy account").gain;
        assert!(gain.fraction < 1.0, "{dt} s: {gain:?}");
    }
}

#[test]
fn a_lane_goes_on_from_a_snapshot_and_from_a_change_of_contact() {
    let parts = "ropes: [(from: (-0.5, 0.2, 0), to: (0.5, 0.3, 0), segments: 10)],
        balls: [(at: (0, 0.5, 0.5))],
        colliders: [(shape: Plane(), path: Swing(amplitude: (0, 0.05, 0), frequency: 1))]";
    let mut lane =
        simulation(parts, "integrator: PositionVerlet(), dt: 0.0005, contact: Penalty()");
    run(&mut lane, 0.3);
    let snapshot = lane.snapshot();
    run(&mut lane, 0.2);
    let hash = lane.hash();
    let contact = ContactMethod::Swept(Swept::default());
    lane.configure(Settings { contact, ..*lane.settings() });
    run(&mut lane, 0.2);
    lane.restore(&snapshot);
    run(&mut lane, 0.2);
    assert_eq!(lane.hash(), hash);
}

#[test]
fn the_rope_explodes_on_springs_where_it_rests_swept() {
    let scene = library::find("penalty-or-projection").unwrap().load().unwrap();
    let lane = |k: usize| Simulation::new(scene.parts.clone(), scene.lanes[k].settings);
    let [mut swept, mut wild, mut fine, mut implicit] = [lane(0), lane(1), lane(2), lane(3)];
    let before = predict_limit(&wild).dt;
    assert!(before > 0.002, "it holds while it falls: {before}");
    (0..500).for_each(|_| wild.step(0.002));
    assert!(wild.explosion().is_some());
    for lane in [&mut swept, &mut fine, &mut implicit] {
        run(lane, 6.0);
        let fastest = lane.state().v.iter().map(|v| v.length()).fold(0.0, f64::max);
        assert!(fastest < 0.05, "{:?}: fastest particle {fastest} m/s", lane.settings().contact);
    }
    // The overlap includes links and triangles. Measured: 2e-7 m.
    assert!(swept.contact().deepest_overlap < 1e-6);
    // While the rope touches the floor, the longest stable step is less than half of the step
    // without contact.
    let limit = predict_limit(&fine);
    assert!(limit.dt < 0.5 * before && limit.dt > 0.0005, "{limit:?}");
    assert_eq!(fine.settings().integrator, Method::SymplecticEuler);
}
