//! Soft Step: a single link compared with theory, ropes compared with the solver's formulas, and
//! the warm start.

use crate::support::simulation;
use glam::{DVec3, dvec3};
use ropelab::constraint::{ConstraintSolver, Constraints, Particles, SoftStep};
use ropelab::integrate::Method;
use ropelab::mesh::Link;
use ropelab::numerics::system::System;
use ropelab::scene::library;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;
use std::f64::consts::TAU;

/// A rope of 1 m and 1 kg in 20 links, from the origin in the direction of `to`, with a load at its
/// end.
fn rope(to: &str, load: f64, settings: &str) -> Simulation {
    let masses = if load > 0.0 {
        format!("masses: [(of: End(\"r\"), mass: {load})],")
    } else {
        String::new()
    };
    simulation(&format!(
        r#"(version: 1, name: "rope", materials: [Rope(name: "m", mass_per_metre: 1, rigid: true)],
            ropes: [(name: "r", from: (0, 0, 0), to: {to}, segments: 20, material: "m")],
            pins: [(of: Start("r"))], forces: [(law: Gravity())], {masses}
            settings: (integrator: SymplecticEuler, contact: Off,
                dt: 0.016666666666666666, {settings}))"#
    ))
}

fn link(a: u32, b: u32) -> Link {
    Link { a, b, ..Link::UNIT }
}

/// Speed of a single link after a substep: v⁺ = (v − hω²C)/(1 + 2ζωh + h²ω²) with the stretch C,
/// whatever impulse is stored from the substep before.
#[test]
fn a_link_alone_is_implicit_euler_whatever_it_remembers() {
    let w = [0.7, 2.1];
    for (hertz, ratio, rate) in [(5.0, 1.0, 60.0), (30.0, 10.0, 240.0), (60.0, 2.0, 240.0)] {
        for remembered in [0.0, -30.0] {
            let h = 1.0 / rate;
            let solver = ConstraintSolver::SoftStep(SoftStep {
                hertz: Some(hertz),
                damping_ratio: ratio,
                ..SoftStep::default()
            });
            let mut links = Constraints::new(vec![link(0, 1)], 2);
            solver.prepare(&mut links);
            links.load_warm_start(&mut vec![remembered]);
            let start = [DVec3::ZERO, dvec3(1.01, 0.0, 0.0)];
            let (speed, omega) = (0.3, TAU * hertz);
            let mut x = [start[0], start[1] + DVec3::X * (speed * h)];
            solver.project(&mut links, &mut Particles::new(&w, &start, &mut x, h));
            let found = ((x[1] - x[0]).x - 1.01) / h;
            let damping = 2.0 * ratio * omega * h + h * h * omega * omega;
            let expected = (speed - h * omega * omega * 0.01) / (1.0 + damping);
            assert!((found - expected).abs() < 1e-12, "{hertz} Hz: {found}, not {expected}");
            let spring = solver.as_spring(&link(0, 1), 2.8, h).expect("a spring");
            assert!((spring.stiffness * 2.8 / (omega * omega) - 1.0).abs() < 1e-14);
        }
    }
}

/// A bob, released at the rest length, swings up and down on a link with the stiffness of its
/// material. The relax pass must not slow the bob down.
#[test]
fn a_link_of_its_own_stiffness_swings_as_under_implicit_euler() {
    let lane = |settings: &str| {
        simulation(&format!(
            r#"(version: 1, name: "bob",
                particles: [(name: "hook", at: (0, 0, 0)), (name: "bob", at: (0, -1, 0), mass: 2)],
                links: [(a: Body("hook"), b: Body("bob"), stiffness: 40, damping: 0.3)],
                pins: [(of: Body("hook"))], forces: [(law: Gravity())],
                settings: (contact: Off, dt: 0.016666666666666666, substeps: 4, {settings}))"#
        ))
    };
    let mut soft = lane("integrator: SymplecticEuler, constraints: SoftStep(hertz: None)");
    let mut exact = lane("integrator: ImplicitEuler, constraints: None");
    for step in 0..600 {
        soft.step(1.0 / 60.0);
        exact.step(1.0 / 60.0);
        let [x, expected] = [&soft, &exact].map(|lane| lane.state().x[1].y);
        assert!((x - expected).abs() < 1e-9, "step {step}: {x}, not {expected}");
    }
}

/// A bob on a link of angular frequency ω stretches the link by g/ω². Box2D limits 60 Hz to 15 Hz
/// with one substep of 1/60 s. Rapier (`limited: false`) has no limit.
#[test]
fn a_frequency_beyond_the_limit_is_kept_where_there_is_none() {
    for (limited, hertz) in [(true, 15.0), (false, 60.0)] {
        let mut bob = simulation(&format!(
            r#"(version: 1, name: "bob",
                particles: [(name: "hook", at: (0, 0, 0)), (name: "bob", at: (0, -1, 0), mass: 2)],
                links: [(a: Body("hook"), b: Body("bob"), rest: 1, rigid: true)],
                pins: [(of: Body("hook"))], forces: [(law: Gravity())],
                settings: (integrator: SymplecticEuler, contact: Off, dt: 0.016666666666666666,
                           constraints: SoftStep(limited: {limited})))"#
        ));
        assert_eq!(bob.solver_limit().is_some(), limited);
        (0..600).for_each(|_| bob.step(1.0 / 60.0));
        let expected = 9.81 / (TAU * hertz).powi(2);
        let sag = -1.0 - bob.state().x[1].y;
        assert!((sag / expected - 1.0).abs() < 1e-6, "{limited}: {sag}, not {expected}");
    }
}

#[test]
fn sweeps_and_relax_pass_keep_momentum() {
    let links: Vec<Link> = (0..29).map(|i| link(i, i + 1)).chain([link(3, 17)]).collect();
    let place = |i: usize| dvec3((1.3 * i as f64).sin(), (0.7 * i as f64).cos(), 0.2 * i as f64);
    let start: Vec<DVec3> = (0..30).map(place).collect();
    let w: Vec<f64> = (0..30).map(|i| 10_f64.powi(i % 7 - 3)).collect();
    let mut v: Vec<DVec3> = (0..30).map(|i| place(3 * i + 1)).collect();
    let h = 0.01;
    let mut x: Vec<DVec3> = start.iter().zip(&v).map(|(x, v)| *x + *v * h).collect();
    let momentum = |v: &[DVec3]| v.iter().zip(&w).map(|(v, w)| *v / *w).sum::<DVec3>();
    let (at_first, centre) = (momentum(&v), momentum(&x));
    let solver = ConstraintSolver::SoftStep(SoftStep { relax: 2, ..SoftStep::default() });
    let mut constraints = Constraints::new(links, 30);
    solver.project(&mut constraints, &mut Particles::new(&w, &start, &mut x, h));
    assert!((momentum(&x) - centre).length() < 1e-9);
    solver.project_velocities(&mut constraints, &w, &x, &mut v, h);
    assert!((momentum(&v) - at_first).length() < 1e-9);
}

/// At rest, the weight F below link i stretches it by F/(m_eff ω²). At 60 Hz and damping ratio 2, a
/// rope of 1 m is 27.6 mm too long without a load, and 287 mm with a load of a hundred link masses.
#[test]
fn a_hanging_rope_stretches_by_its_load_over_m_omega_squared() {
    let omega = TAU * 60.0;
    // After 50 s the rope with the heavy load has not quite come to rest.
    for (load, seconds, sum, error_of_sum) in
        [(0.05, 20, 0.027_610_022_5, 1e-8), (5.0, 50, 0.287_282_285, 4e-7)]
    {
        let mut rope = rope("(0, -1, 0)", load, "constraints: SoftStep(), substeps: 4");
        (0..60 * seconds).for_each(|_| rope.step(1.0 / 60.0));
        let (x, mass) = (rope.state().x.clone(), rope.model().masses().to_vec());
        let mut total: f64 = 0.0;
        for i in 0..20 {
            let below: f64 = mass[i + 1..].iter().sum();
            let w = if i == 0 { 0.0 } else { 1.0 / mass[i] } + 1.0 / mass[i + 1];
            let expected = below * 9.81 * w / (omega * omega);
            let stretch = x[i].distance(x[i + 1]) - 0.05;
            total += stretch;
            let error = stretch / expected - 1.0;
            assert!(error.abs() < 1e-6, "load {load}, link {i}: {stretch}, not {expected}");
        }
        assert!((total / sum - 1.0).abs() < error_of_sum, "load {load}: {total}, not {sum}");
    }
}

/// A frequency of 60 Hz is not a fixed stiffness: links of a hundredth of the mass have a hundredth
/// of the stiffness.
#[test]
fn the_same_hertz_is_softer_under_lighter_links() {
    let solver = ConstraintSolver::SoftStep(SoftStep::default());
    let k = |w: f64| solver.as_spring(&link(0, 1), w, 1.0 / 240.0).expect("a spring").stiffness;
    assert!((k(1.0) / k(100.0) - 100.0).abs() < 1e-10);
}

/// A falling rope stretches less with more substeps. The table lists the greatest stretch in % of
/// any link of a horizontal rope of 20 equal masses that falls for 10 s. An independent program
/// computed it to the given digits.
#[test]
fn a_falling_rope_stretches_as_an_independent_program_says() {
    let cases: [(&str, &[(u32, &str)]); 4] = [
        ("SoftStep()", &[(1, "222"), (2, "85.4"), (4, "41.9"), (8, "27.2"), (16, "15.9")]),
        ("SoftStep(relax: 0)", &[(1, "318"), (2, "123"), (4, "49.5"), (8, "24.8"), (16, "22.4")]),
        ("Xpbd(iterations: 1)", &[(4, "24.5"), (8, "7.32"), (16, "3.53")]),
        ("Direct(iterations: 1)", &[(4, "0.0976"), (8, "0.0241"), (16, "0.00665")]),
    ];
    let mut wrong = Vec::new();
    for (solver, row) in cases {
        for (substeps, computed) in row {
            let settings =
                format!("constraints: {solver}, substeps: {substeps}, longest_link: 100");
            let mut rope = rope("(1, 0, 0)", 0.05, &settings);
            let most = (0..600).fold(0.0_f64, |most, _| {
                rope.step(1.0 / 60.0);
                most.max(rope.stretch().max)
            });
            let digits = computed.split('.').nth(1).map_or(0, str::len) as i32;
            let found = 100.0 * most;
            let number: f64 = computed.parse().expect("a number");
            // One solve with 4 substeps gives 0.09755 %, so the last digit of 0.0976 may differ by
            // rounding.
            if (found - number).abs() > 10f64.powi(-digits) {
                wrong.push(format!("{solver}, {substeps}: {found} %, not {computed} %"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A rigid pendulum of 1 kg and 1 m is released from the horizontal. The energy that it loses in 10
/// s is given as a part of 9.81 J.
#[test]
fn a_pendulum_loses_what_an_independent_program_says() {
    for (substeps, computed) in [(1, 0.801), (4, 0.0459), (16, 0.0143)] {
        let mut pendulum = simulation(&format!(
            r#"(version: 1, name: "pendulum",
                particles: [(name: "hook", at: (0, 0, 0)), (name: "bob", at: (1, 0, 0), mass: 1)],
                links: [(a: Body("hook"), b: Body("bob"), rest: 1, stiffness: 1, rigid: true)],
                pins: [(of: Body("hook"))],
                settings: (integrator: SymplecticEuler, contact: Off, constraints: SoftStep(),
                           dt: 0.016666666666666666, substeps: {substeps}))"#
        ));
        let energy = |pendulum: &Simulation| {
            let energy = pendulum.energy();
            energy.kinetic + energy.potential
        };
        let start = energy(&pendulum);
        (0..600).for_each(|_| pendulum.step(1.0 / 60.0));
        let lost = start - energy(&pendulum);
        assert!((lost / computed - 1.0).abs() < 5e-3, "{substeps} substeps: {lost} J");
    }
}

#[test]
fn a_slack_one_sided_link_is_left_alone() {
    let solver = ConstraintSolver::SoftStep(SoftStep::default());
    let mut links = Constraints::new(vec![Link { one_sided: true, ..link(0, 1) }], 2);
    let start = [DVec3::ZERO, dvec3(0.9, 0.0, 0.0)];
    let mut x = [DVec3::ZERO, dvec3(0.95, 0.0, 0.0)];
    let before = x;
    solver.project(&mut links, &mut Particles::new(&[1.0; 2], &start, &mut x, 0.01));
    assert_eq!(x, before);
}

#[test]
fn a_snapshot_goes_on_with_the_same_bits() {
    let mut first =
        rope("(0.8, -0.5, 0)", 2.0, "constraints: SoftStep(iterations: 2), substeps: 3");
    (0..50).for_each(|_| first.step(1.0 / 60.0));
    let kept = first.snapshot();
    (0..50).for_each(|_| first.step(1.0 / 60.0));
    let expected = first.hash();
    first.restore(&kept);
    (0..50).for_each(|_| first.step(1.0 / 60.0));
    assert_eq!(first.hash(), expected);
    let mut other =
        rope("(0.8, -0.5, 0)", 2.0, "constraints: SoftStep(iterations: 2), substeps: 3");
    other.restore(&kept);
    (0..50).for_each(|_| other.step(1.0 / 60.0));
    assert_eq!(other.hash(), expected);
}

/// Links of a soft material stretch like springs of this material if no frequency is set.
#[test]
fn without_hertz_links_are_as_stiff_as_their_material() {
    for substeps in [1, 4] {
        let mut rope = simulation(&format!(
            r#"(version: 1, name: "hanging", materials: [Rope(name: "m", mass_per_metre: 1,
                    stiffness: 100, damping: 0.5)],
                ropes: [(name: "r", from: (0, 0, 0), to: (0, -1, 0), segments: 10, material: "m")],
                pins: [(of: Start("r"))], forces: [(law: Gravity()), (law: LinearDrag(coefficient: 5))],
                settings: (integrator: SymplecticEuler, contact: Off,
                    constraints: SoftStep(hertz: None, iterations: 4),
                    dt: 0.016666666666666666, substeps: {substeps}))"#
        ));
        (0..1500).for_each(|_| rope.step(1.0 / 60.0));
        let sag = -1.0 - rope.state().x[10].y;
        let expected: f64 = (0..10).map(|k| (f64::from(k) + 0.5) / 10.0 * 9.81 / 1000.0).sum();
        // The limit 0.25/h is 15 Hz for one substep, which makes the links softer than their
        // material.
        let is_limited = substeps == 1;
        assert_eq!((sag / expected - 1.0).abs() > 1e-3, is_limited, "{sag}, not {expected}");
    }
}

#[test]
fn the_limit_of_the_engines_is_said_where_it_bites() {
    let limit = |hertz: Option<f64>, substeps: u32| {
        let rope = simulation(&format!(
            r#"(version: 1, name: "rope", materials: [Rope(name: "m", mass_per_metre: 1, stiffness: 1000)],
                ropes: [(name: "r", from: (0, 0, 0), to: (0, -1, 0), segments: 10, material: "m")],
                settings: (constraints: SoftStep(hertz: {hertz:?}), dt: 0.016666666666666666,
                    substeps: {substeps}))"#
        ));
        rope.solver_limit()
    };
    assert_eq!(limit(Some(60.0), 4), None);
    let said = limit(Some(60.0), 1).expect("a limit");
    assert_eq!(said, "60 Hz acts as 15 Hz, a quarter of the substep rate");
    // The link at the free end has the highest frequency, because its end particle has half the
    // mass of the others: ω² = k (1/m_a + 1/m_b) = 10 000 N/m · 30/kg.
    assert_eq!(limit(None, 16), None);
    let said = limit(None, 1).expect("a limit");
    assert_eq!(
        said,
        "links of 87.2 Hz act as links of 15 Hz (a quarter of the substep rate), 33.8 times as \
         soft as their material"
    );
}

/// A rope laid over a ball stays outside the ball and comes to rest under every integrator whose
/// displacement contains the forces of its own substep. Explicit Euler and position-first Euler
/// move particles by the old velocity, so the stored impulse would answer forces that have not
/// acted yet.
#[test]
fn contact_runs_beside_it_and_integrators_step_with_it() {
    let moves_first = |method: &Method| {
        matches!(method, Method::ExplicitEuler | Method::SymplecticEulerPositionFirst)
    };
    for integrator in Method::all().filter(|method| !moves_first(method)) {
        let mut rope = simulation(
            r#"(version: 1, name: "ball", materials: [Rope(name: "m", mass_per_metre: 1, rigid: true, radius: 0.01)],
                ropes: [(name: "r", from: (-1, 0.35, 0), to: (1, 0.35, 0), segments: 30, material: "m")],
                forces: [(law: Gravity()), (law: LinearDrag(coefficient: 1))],
                colliders: [(at: (0, 0, 0), shape: Sphere(radius: 0.3)), (at: (0, -0.5, 0), shape: Plane())],
                settings: (constraints: SoftStep(), dt: 0.016666666666666666, substeps: 4))"#,
        );
        let settings = ropelab::simulation::settings::Settings { integrator, ..*rope.settings() };
        rope.configure(settings);
        (0..180).for_each(|_| rope.step(1.0 / 60.0));
        assert!(rope.explosion().is_none(), "{integrator:?}: {:?}", rope.explosion());
        let deepest = rope.state().x.iter().map(|x| 0.3 - x.length()).fold(0.0, f64::max);
        assert!(deepest < 0.01, "{integrator:?}: {deepest} m in the ball");
        let fastest = rope.state().v.iter().map(|v| v.length()).fold(0.0, f64::max);
        assert!(fastest < 20.0, "{integrator:?}: fastest particle {fastest} m/s");
    }
}

/// Rigid links get the relax pass even if no frequency is set. Without the pass, finer steps would
/// create energy.
#[test]
fn rigid_links_of_no_frequency_make_no_energy_in_fine_steps() {
    for substeps in [10, 200, 1000] {
        let scene = library::find("trapeze").expect("a scene").load().expect("a scene");
        let constraints =
            ConstraintSolver::SoftStep(SoftStep { hertz: None, ..SoftStep::default() });
        let settings = Settings { substeps, constraints, ..scene.lanes[0].settings };
        let mut lane = Simulation::new(scene.parts.clone(), settings);
        lane.start_energy_account();
        for _ in 0..120 {
            lane.step(settings.dt);
            lane.add_to_energy_account();
        }
        let gain = lane.balance().expect("it has an energy account").gain.fraction;
        assert!(gain < 0.01, "{substeps} substeps made {gain} of the energy");
    }
}
