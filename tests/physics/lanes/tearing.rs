//! Tensions of links compared with closed forms, and links that tear.

use crate::support::run_steps;
use glam::dvec3;
use ropelab::integrate::Method;
use ropelab::measure::Tensions;
use ropelab::scene::{Scene, settings_from_ron};
use ropelab::session::Session;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::{Command, Settings, Tear};
use std::sync::Arc;

const G: f64 = 9.81;

fn scene(parts: &str, settings: &str) -> Scene {
    let text = format!("(version: 1, name: \"x\", {parts}, settings: {settings})");
    Scene::parse(&text, "scene").unwrap_or_else(|e| panic!("{e}"))
}

fn simulation(parts: &str, settings: &str) -> Simulation {
    let scene = scene(parts, settings);
    Simulation::new(scene.parts.clone(), scene.lanes[0].settings)
}

fn pulls(simulation: &Simulation) -> Vec<f64> {
    simulation.pulls(&mut Tensions::default()).to_vec()
}

/// A rope of five links of 0.1 kg each that hangs straight down with a weight of 2 kg.
const HANGING: &str = "materials: [Rope(name: \"cord\", mass_per_metre: 1, rigid: true)], ropes: [(name: \
                       \"rope\", from: (0, 0, 0), to: (0, -0.5, 0), segments: 5, material: \
                       \"cord\")], masses: [(of: End(\"rope\"), mass: 2)], pins: [(of: \
                       Start(\"rope\"))], forces: [(law: Gravity())]";

#[test]
fn a_held_link_pulls_with_the_weight_below_it() {
    for solver in ["Shake()", "Relaxation(iterations: 50)", "Xpbd()"] {
        let mut simulation = simulation(HANGING, &format!("(constraints: {solver}, dt: 0.001)"));
        run_steps(&mut simulation, 200);
        for (k, pull) in pulls(&simulation).iter().enumerate() {
            // Inner particles weigh 0.1 kg each.
            let below = 2.0 + 0.1 * (4 - k) as f64;
            let error = (pull / (below * G) - 1.0).abs();
            assert!(error < 1e-6, "{solver}: link {k} pulls with {pull} N, {below} kg below");
        }
    }
}

#[test]
fn the_rod_of_a_pendulum_pulls_with_weight_and_centrifugal_force() {
    let parts = "particles: [(at: (0, 0, 0)), (at: (1, 0, 0), mass: 1.5)], links: [(a: \
                 Particle(0), b: Particle(1), rigid: true)], pins: [(of: Particle(0))], forces: \
                 [(law: Gravity())]";
    let mut simulation = simulation(parts, "(constraints: Shake(), dt: 0.0001)");
    for _ in 0..20 {
        run_steps(&mut simulation, 500);
        let (x, v) = (simulation.state().x[1], simulation.state().v[1]);
        // Tension of a pendulum: T = m g cos θ + m v²/l, with the angle θ from straight down.
        let expected = 1.5 * (-G * x.y / x.length() + v.length_squared() / x.length());
        let found = pulls(&simulation)[0];
        assert!(
            (found - expected).abs() < 1e-6 * expected.abs().max(1.0),
            "tension {found} N, expected {expected} N"
        );
    }
}

#[test]
fn tensions_stay_within_reason_where_links_hold_each_other_and_sweeps_leave_them_apart() {
    let scene = Scene::open("clothesline").unwrap_or_else(|e| panic!("{e}"));
    let sweeps =
        "(constraints: Relaxation(iterations: 25, order: Coloured), substeps: 1, dt: 0.005)";
    let settings = settings_from_ron(sweeps, scene.lanes[0].settings).unwrap();
    let mut simulation = Simulation::new(scene.parts.clone(), settings);
    let rope = scene.select("Body(\"line\")").unwrap();
    let links = scene.parts.mesh.links.iter();
    let third = links.clone().position(|link| [link.a, link.b] == [rope[3], rope[4]]).unwrap();
    run_steps(&mut simulation, 400);
    simulation.cut(&[third as u32]);
    let weight = G * scene.parts.mesh.masses.iter().sum::<f64>();
    let mut largest = 0.0_f64;
    for _ in 0..25 {
        run_steps(&mut simulation, 32);
        largest = pulls(&simulation).into_iter().map(f64::abs).fold(largest, f64::max);
    }
    assert!(largest < 100.0 * weight, "{largest} N of {weight} N");
}

#[test]
fn springs_pull_with_their_stretch_and_their_dampers() {
    let parts = "particles: [(at: (0, 0, 0)), (at: (1.5, 0, 0), velocity: (2, 0, 0))], links: \
                 [(a: Particle(0), b: Particle(1), rest: 1, stiffness: 30, damping: 4)]";
    let simulation = simulation(parts, "()");
    assert_eq!(pulls(&simulation), [30.0 * 0.5 + 4.0 * 2.0]);
}

#[test]
fn a_table_bears_what_hangs_on_nothing_and_the_link_above_it_is_slack() {
    // A weight on a short, slack rope rests on a table. The table carries the whole weight, and the
    // tension is 0.
    let parts = "particles: [(at: (0, 1, 0)), (at: (0, 0, 0), mass: 2)], links: [(a: Particle(0), \
                 b: Particle(1), rest: 1, rigid: true)], pins: [(of: Particle(0))], forces: [(law: \
                 Gravity())], colliders: [(shape: Plane(normal: (0, 1, 0)))]";
    let mut simulation = simulation(parts, "(constraints: Xpbd(), dt: 0.001)");
    run_steps(&mut simulation, 300);
    let carried: f64 = simulation.last_contacts().map(|touch| touch.force.y).sum();
    let pull = pulls(&simulation)[0];
    assert!((carried + pull - 2.0 * G).abs() < 1e-6, "table {carried} N, rope {pull} N");
}

#[test]
fn a_floor_bears_the_weight_of_what_lies_on_it_under_every_scheme() {
    // Explicit Euler does not move a resting particle by the force of the same step, and
    // Adams–Bashforth 2 does so only in some steps.
    let others = ["explicit-euler", "adams-bashforth-2"];
    for method in Method::all().filter(|method| !others.contains(&method.info().name)) {
        let parts = "particles: [(at: (0, 0, 0), mass: 3)], colliders: [(shape: Plane())], forces: \
                     [(law: Gravity())]";
        let scene = scene(parts, "(dt: 0.001)");
        let settings = Settings { integrator: method, ..scene.lanes[0].settings };
        let mut simulation = Simulation::new(scene.parts.clone(), settings);
        run_steps(&mut simulation, 50);
        let force = simulation.forces_on_colliders()[0];
        let error = force.distance(dvec3(0.0, -3.0 * G, 0.0));
        assert!(error < 1e-6, "{}: force on the floor {force} N", method.info().name);
    }
}

#[test]
fn a_link_tears_where_the_weight_is_more_than_it_bears_and_holds_below() {
    for (limit, torn) in [(2.4 * G + 0.01, 0), (2.4 * G - 0.01, 1)] {
        for solver in ["Shake()", "Relaxation(iterations: 50)"] {
            let settings = format!("(constraints: {solver}, dt: 0.001, tear: AboveForce({limit}))");
            let mut simulation = simulation(HANGING, &settings);
            run_steps(&mut simulation, 100);
            assert_eq!(simulation.torn(), torn, "{solver} above {limit} N");
            let cut = simulation.model().topology().cut_links().to_vec();
            assert_eq!(cut, if torn == 0 { vec![] } else { vec![0] }, "the topmost link");
            assert_eq!(simulation.state().x[5].y < -0.51, torn == 1, "what was torn off falls");
        }
    }
}

const CLOTH: &str = "materials: [Cloth(name: \"linen\", tear_strain: 0.3)], cloths: [(name: \
                     \"cloth\", corner: (0, 0, 0), across: (1, 0, 0), down: (0, -1, 0), cells: \
                     (12, 12), material: \"linen\")], masses: [(of: Corner(\"cloth\", \
                     BottomRight), mass: 20)], pins: [(of: Edge(\"cloth\", Top))], forces: [(law: \
                     Gravity()), (law: LinearDrag(coefficient: 0.5))]";

#[test]
fn a_cloth_with_a_heavy_corner_tears_by_its_material_and_never_when_the_lane_says_so() {
    let mut tears = simulation(CLOTH, "(constraints: Xpbd(iterations: 8), dt: 0.002)");
    let mut holds = simulation(CLOTH, "(constraints: Xpbd(iterations: 8), dt: 0.002, tear: Never)");
    run_steps(&mut tears, 500);
    run_steps(&mut holds, 500);
    assert!(tears.torn() > 3, "{} links", tears.torn());
    assert_eq!(holds.torn(), 0);
    let links = tears.model().topology().links().len() as u64;
    assert!(tears.torn() < links / 2, "a crack, not dust: {} of {links}", tears.torn());
}

#[test]
fn tearing_is_part_of_snapshots_and_a_new_start_mends_everything() {
    let scene = scene(CLOTH, "(constraints: Xpbd(iterations: 8), dt: 0.002)");
    let mut session = Session::new(Arc::new(scene));
    let frames = |session: &mut Session, count: u32| {
        (0..count).for_each(|_| {
            session.advance(1.0 / 60.0, &|| 0.0);
        });
        session.hashes()
    };
    let torn = |session: &Session| session.lanes()[0].simulation.torn();
    let mut kept = vec![session.snapshot()];
    let mut hashes = vec![session.hashes()];
    for _ in 0..30 {
        hashes.push(frames(&mut session, 1));
        kept.push(session.snapshot());
    }
    let at_end = torn(&session);
    assert!(at_end > 0);
    for (k, snapshot) in kept.iter().enumerate() {
        session.restore(snapshot);
        assert_eq!(frames(&mut session, 30 - k as u32), hashes[30], "from frame {k}");
        assert_eq!(torn(&session), at_end);
    }
    session.command(Command::Reset);
    assert_eq!(torn(&session), 0);
    assert_eq!(session.lanes()[0].simulation.model().topology().cut_links().len(), 0);
}

#[test]
fn the_energy_account_calls_what_a_torn_link_stored_a_change_and_no_fault_of_the_scheme() {
    let parts = "particles: [(at: (0, 0, 0)), (at: (1, 0, 0), velocity: (1, 0, 0))], links: [(a: \
                 Particle(0), b: Particle(1), stiffness: 10)], pins: [(of: Particle(0))], forces: []";
    let mut simulation = simulation(parts, "(integrator: Rk4, dt: 0.001, tear: AboveStrain(0.2))");
    simulation.start_energy_account();
    for _ in 0..500 {
        simulation.step(1e-3);
        simulation.add_to_energy_account();
    }
    assert_eq!(simulation.torn(), 1);
    let account = simulation.balance().expect("it has an energy account");
    let stored = 0.5 * 10.0 * 0.04;
    let change = account.put_in.get("changes").copied().expect("an entry");
    assert!((change + stored).abs() < 2e-3, "{change} J of {stored} J");
    assert!(account.scheme.abs() < 1e-9, "{} J", account.scheme);
    assert_eq!(simulation.settings().tear, Tear::AboveStrain(0.2));
    let x = simulation.state().x[1];
    assert!(x.x > 1.2 && x.distance(dvec3(x.x, 0.0, 0.0)) == 0.0, "it flies on: {x}");
}

#[test]
fn a_torn_link_is_whole_again_after_a_return_to_the_start() {
    let swinging = "particles: [(at: (0, 0, 0)), (at: (0, -1, 0), mass: 0.7, velocity: (5, 0, 0))], \
                    links: [(a: Particle(0), b: Particle(1), stiffness: 300)], pins: [(of: \
                    Particle(0))], forces: [(law: Gravity())]";
    for solver in ["None", "Relaxation()", "Xpbd()", "Shake()", "Direct()", "SoftStep()", "Vbd()"] {
        let settings = format!("(constraints: {solver}, dt: 0.005, tear: AboveForce(20))");
        let mut simulation = simulation(swinging, &settings);
        run_steps(&mut simulation, 200);
        assert_eq!(simulation.torn(), 1, "{solver}: the link tears");
        let first = simulation.state().x.clone();
        simulation.rewind();
        assert_eq!(simulation.torn(), 0);
        run_steps(&mut simulation, 200);
        assert_eq!(simulation.torn(), 1, "{solver}: the link tears again");
        assert_eq!(simulation.state().x, first, "{solver}");
    }
}
