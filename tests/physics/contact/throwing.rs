//! Thrown balls: they exist in every lane, disappear with a restart, and return with a snapshot.

use glam::{DVec3, dvec3};
use ropelab::contact::ContactMethod;
use ropelab::integrate::Method;
use ropelab::model::{MOST_THROWN, Throw};
use ropelab::scene::{Scene, library};
use ropelab::session::{History, Session};
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::{Command, GrabMode, Settings};
use std::sync::Arc;

const G: f64 = 9.81;

/// A rope at rest beside a floor, in two lanes.
fn session(settings: [&str; 2]) -> Session {
    let text = format!(
        "(version: 1, name: \"x\", ropes: [(name: \"rope\", from: (0, 2, 0), to: (0, 1, 0), \
         segments: 10)], pins: [(of: Start(\"rope\"))], forces: [(law: Gravity())], colliders: \
         [(shape: Plane(normal: (0, 1, 0)), surface: (friction: 0))], lanes: [(name: \"a\", \
         settings: {}), (name: \"b\", settings: {})])",
        settings[0], settings[1]
    );
    let scene = Scene::parse(&text, "scene").unwrap_or_else(|e| panic!("{e}"));
    Session::new(Arc::new(scene))
}

fn throw(at: DVec3, velocity: DVec3) -> Throw {
    Throw { at, velocity, mass: 0.5, radius: 0.1 }
}

fn frames(session: &mut Session, count: u32) {
    (0..count).for_each(|_| {
        session.advance(1.0 / 60.0, &|| 0.0);
    });
}

fn positions(session: &Session, lane: usize) -> &[DVec3] {
    &session.lanes()[lane].simulation.state().x
}

#[test]
fn a_thrown_ball_falls_as_everything_does_and_lands_on_the_floor_in_every_lane() {
    let mut session = session(["(dt: 0.001)", "(integrator: Rk4, dt: 0.002)"]);
    session.command(Command::Throw(throw(dvec3(1.0, 1.0, 0.0), dvec3(2.0, 0.0, 0.0))));
    frames(&mut session, 18);
    for lane in session.lanes() {
        let (t, x) = (lane.simulation.state().t, lane.simulation.state().x[11]);
        let expected = dvec3(1.0 + 2.0 * t, 1.0 - 0.5 * G * t * t, 0.0);
        assert!(x.distance(expected) < 1e-9, "{x} at {t} s, expected {expected}");
    }
    frames(&mut session, 300);
    for lane in 0..2 {
        let height = positions(&session, lane)[11].y;
        assert!((height - 0.1).abs() < 1e-6, "it rests on the floor, not at {height}");
    }
}

#[test]
fn a_lane_without_contact_lets_the_ball_through_and_keeps_its_setting() {
    let mut session = session(["(contact: Off)", "()"]);
    session.command(Command::Throw(throw(dvec3(1.0, 1.0, 0.0), DVec3::ZERO)));
    frames(&mut session, 60);
    assert!(positions(&session, 0)[11].y < -1.0);
    assert!(positions(&session, 1)[11].y > 0.0);
    assert_eq!(session.lanes()[0].simulation.settings().contact, ContactMethod::Off);
}

#[test]
fn a_far_ball_changes_nothing_of_the_rope_in_any_scheme() {
    for method in Method::all() {
        let settings = Settings { integrator: method, dt: 2e-4, ..Settings::default() };
        let run = |throws: bool| {
            let mut session = session(["()", "()"]);
            session.command(Command::Configure { lane: 0, settings });
            session.command(Command::Grab {
                particle: 10,
                mode: GrabMode::Spring,
                at: dvec3(0.5, 1.0, 0.0),
            });
            frames(&mut session, 5);
            if throws {
                session.command(Command::Throw(throw(dvec3(30.0, 5.0, 0.0), DVec3::ZERO)));
            }
            frames(&mut session, 5);
            positions(&session, 0)[..11].to_vec()
        };
        // Integrators with a tolerance compute errors over all particles, so a thrown ball changes
        // the result slightly.
        let tolerance =
            if method.info().implicit || method == Method::from_name("dormand-prince").unwrap() {
                1e-6
            } else {
                0.0
            };
        let alone = run(false);
        for (with, without) in run(true).iter().zip(&alone) {
            let apart = with.distance(*without);
            assert!(apart <= tolerance, "{}: off by {apart} m", method.info().name);
        }
    }
}

#[test]
fn a_ball_is_thrown_into_a_lane_where_drag_sees_what_constraints_pull_with() {
    let text = "(version: 1, name: \"x\", ropes: [(name: \"rope\", from: (0, 2, 0), to: (0, 1, 0), \
                segments: 10)], pins: [(of: Start(\"rope\"))], forces: [(law: Gravity()), (law: \
                LinearDrag(coefficient: 0.5))], settings: (constraints: Xpbd(), dt: 0.01))";
    let scene = Arc::new(Scene::parse(text, "scene").unwrap_or_else(|e| panic!("{e}")));
    let mut wrong = Vec::new();
    for integrator in Method::all() {
        let mut session = Session::new(scene.clone());
        let settings = Settings { integrator, ..scene.lanes[0].settings };
        session.command(Command::Configure { lane: 0, settings });
        frames(&mut session, 12);
        session.command(Command::Throw(throw(dvec3(1.0, 1.0, 0.0), dvec3(0.0, 0.0, 0.0))));
        let start = session.lanes()[0].simulation.state().t;
        frames(&mut session, 12);
        let state = session.lanes()[0].simulation.state();
        // Exact fall from rest: y″ = −g − c y′.
        let t = state.t - start;
        let (steps, c) = (t / settings.dt, 0.5);
        let (info, own) = match integrator {
            // `VerletDrag` also removes a fraction of the velocity in each step.
            Method::VerletDrag(scheme) => (integrator.info(), scheme.drag / settings.dt),
            _ => (integrator.info(), 0.0),
        };
        let rate = c + own;
        let fallen = G / rate * (t - (1.0 - (-rate * t).exp()) / rate);
        let found = 1.0 - state.x[11].y;
        let off = match info.name {
            // Error ½ c Σ w² dt, because each of the method's three steps w dt uses the velocity at
            // its start.
            "yoshida-4" => 0.5 * c * 6.55 * settings.dt,
            // Integrators of first order fall n (n ± 1)/2 · g dt² in n steps instead of n²/2 · g
            // dt².
            _ if info.order < 2 => 1.05 / steps,
            // Velocity Verlet uses the velocity half a step before the end, which gives the error ¼
            // c dt.
            _ => 0.25 * c * settings.dt,
        };
        assert!(steps > 18.5);
        if (found / fallen - 1.0).abs() > 1.01 * off {
            wrong.push(format!("{}: {found} m of {fallen} m after {t} s", info.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_ball_joins_as_if_it_had_always_flown() {
    let text = "(version: 1, name: \"x\", particles: [(at: (0, 0, 0))], forces: [(law: Gravity())], \
                settings: (dt: 0.01))";
    let scene = Arc::new(Scene::parse(text, "scene").unwrap_or_else(|e| panic!("{e}")));
    for integrator in Method::all() {
        let mut session = Session::new(scene.clone());
        let settings = Settings { integrator, ..scene.lanes[0].settings };
        session.command(Command::Configure { lane: 0, settings });
        frames(&mut session, 12);
        let [x, v] = [positions(&session, 0)[0], session.lanes()[0].simulation.state().v[0]];
        // A second ball is thrown beside a ball that has fallen for 12 frames, with the velocity of
        // that ball.
        session.command(Command::Throw(throw(x + 10.0 * DVec3::X, v)));
        frames(&mut session, 12);
        let apart = positions(&session, 0)[1] - positions(&session, 0)[0] - 10.0 * DVec3::X;
        let name = integrator.info().name;
        // The drag of `VerletDrag` acts on the previous step, which gives an error of ½ k a dt
        // after a throw.
        let off = match integrator {
            Method::VerletDrag(scheme) => 0.5 * scheme.drag * G * settings.dt * 0.2,
            _ => 1e-10,
        };
        assert!(apart.length() < off, "{name}: difference {apart} m");
    }
}

#[test]
fn of_more_balls_than_there_may_be_the_first_flies_again() {
    let mut session = session(["()", "()"]);
    for k in 0..MOST_THROWN + 3 {
        let at = dvec3(5.0 + 0.3 * k as f64, 5.0, 0.0);
        session.command(Command::Throw(throw(at, DVec3::ZERO)));
    }
    let x = positions(&session, 0);
    assert_eq!(x.len(), 11 + MOST_THROWN);
    assert_eq!(x[11 + 2].x, 5.0 + 0.3 * (MOST_THROWN + 2) as f64);
    assert_eq!(x[11 + 3].x, 5.0 + 0.3 * 3.0);
    frames(&mut session, 3);
    session.command(Command::Reset);
    assert_eq!(positions(&session, 0).len(), 11, "a new start takes them away");
    frames(&mut session, 3);
}

#[test]
fn going_back_takes_a_ball_away_and_forward_again_has_the_same_bits() {
    let mut session = session(["(dt: 0.01)", "(dt: 0.01, integrator: PositionVerlet)"]);
    let mut history = History::new(&session, 1 << 20);
    let live = |session: &mut Session, history: &mut History, seconds| {
        let event = session.advance(seconds, &|| 0.0);
        history.record(event, session);
    };
    live(&mut session, &mut history, 0.0101);
    let before = session.snapshot();
    let ball = Command::Throw(throw(dvec3(0.5, 1.0, 0.0), dvec3(-3.0, 0.0, 0.0)));
    session.command(ball.clone());
    history.record(ropelab::session::Event::Command(Box::new(ball.clone())), &session);
    live(&mut session, &mut history, 0.01);
    let there = session.hashes();
    assert_eq!(positions(&session, 0).len(), 12);
    history.step_back(&mut session).expect("a moment before");
    history.step_back(&mut session).expect("a moment before");
    assert_eq!(positions(&session, 0).len(), 11);
    session.restore(&before);
    session.command(ball);
    session.advance(0.01, &|| 0.0);
    assert_eq!(session.hashes(), there);
}

#[test]
fn a_number_means_the_same_ball_in_a_lane_that_came_later() {
    let mut session = session(["()", "()"]);
    session.command(Command::Throw(throw(dvec3(1.0, 1.0, 0.0), dvec3(1.0, 0.0, 0.0))));
    frames(&mut session, 5);
    session.command(Command::AddLane { name: "c".into(), settings: Settings::default() });
    assert_eq!(positions(&session, 2)[11], positions(&session, 0)[11]);
    session.command(Command::Throw(throw(dvec3(2.0, 1.0, 0.0), DVec3::ZERO)));
    let at = dvec3(2.0, 2.0, 0.0);
    session.command(Command::Grab { particle: 12, mode: GrabMode::Hard, at });
    frames(&mut session, 5);
    (0..3).for_each(|lane| assert!(positions(&session, lane)[12].distance(at) < 1e-12));
}

#[test]
fn a_ball_can_be_thrown_into_every_scene() {
    for entry in library::list() {
        let scene = entry.load().unwrap_or_else(|e| panic!("{e}"));
        let mut session = Session::new(Arc::new(scene));
        let at = positions(&session, 0)[0] + dvec3(0.0, 0.2, 3.0);
        session.command(Command::Throw(throw(at, dvec3(0.0, 0.0, -5.0))));
        frames(&mut session, 4);
        for lane in session.lanes() {
            assert!(lane.simulation.state().x.iter().all(|x| x.is_finite()), "{}", entry.name);
        }
    }
}

#[test]
fn what_was_thrown_and_taken_back_leaves_no_trace_in_any_scheme() {
    for integrator in Method::all() {
        let settings = Settings { integrator, dt: 2e-4, ..Settings::default() };
        let mut session = session(["()", "()"]);
        session.command(Command::Configure { lane: 0, settings });
        frames(&mut session, 2);
        let before = session.snapshot();
        frames(&mut session, 2);
        let without = session.hashes();
        session.restore(&before);
        session.command(Command::Throw(throw(dvec3(0.5, 1.0, 0.0), dvec3(-3.0, 0.0, 0.0))));
        frames(&mut session, 2);
        session.restore(&before);
        frames(&mut session, 2);
        assert_eq!(session.hashes(), without, "{}", integrator.info().name);
    }
}

#[test]
fn a_saved_scene_has_a_ball_that_was_pinned_in_flight_and_not_its_pin() {
    let mut session = session(["()", "()"]);
    frames(&mut session, 1);
    session.command(Command::Throw(throw(dvec3(0.5, 1.0, 0.0), DVec3::ZERO)));
    frames(&mut session, 1);
    session.command(Command::TogglePin(11));
    frames(&mut session, 1);
    assert_eq!(session.lanes()[0].simulation.model().pins().len(), 2);
    let scene = session.scene();
    let text = scene.to_ron_with(&scene.lanes, session.lanes()[0].simulation.model());
    let saved = Scene::parse(&text, "saved").unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((saved.parts.throws.len(), saved.parts.pins.len()), (1, 1));
}

#[test]
fn a_ball_is_thrown_in_the_step_that_begins_at_its_time() {
    for dt in [0.01_f64, 0.005, 0.001] {
        for tenths in 1..=9 {
            let after = f64::from(tenths) / 10.0;
            let text = format!(
                "(version: 1, name: \"x\", thrown: [(at: (5, 0, 0), velocity: (4, 0, 0), mass: 0.3, \
                 radius: 0.05, after: {after})], settings: (dt: {dt}))"
            );
            let scene = Scene::parse(&text, "scene").unwrap_or_else(|e| panic!("{e}"));
            let mut simulation = Simulation::new(scene.parts.clone(), scene.lanes[0].settings);
            (0..(1.0 / dt).round() as u32).for_each(|_| simulation.step(dt));
            let (x, expected) = (simulation.state().x[0].x, 5.0 + 4.0 * (1.0 - after));
            assert!((x - expected).abs() < 1e-9, "dt {dt} s, after {after} s: {x}, not {expected}");
        }
    }
}
