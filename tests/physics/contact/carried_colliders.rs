//! Colliders moved by the hand: bodies that they push, carry and stop, and their speed.

use glam::{DVec3, dvec3};
use ropelab::scene::Scene;
use ropelab::session::Session;
use ropelab::simulation::settings::Command;
use std::sync::Arc;

const FRAME: f64 = 1.0 / 60.0;

/// Returns a session in which no default force acts beyond those of the scene.
fn session(parts: &str) -> Session {
    let text = format!("(version: 1, name: \"x\", {parts})");
    let scene = Scene::parse(&text, "scene").unwrap_or_else(|e| panic!("{e}"));
    Session::new(Arc::new(scene))
}

fn place(session: &Session, collider: usize) -> DVec3 {
    let simulation = &session.lanes()[0].simulation;
    simulation.collider_place(collider, simulation.state().t)
}

fn positions(session: &Session) -> &[DVec3] {
    &session.lanes()[0].simulation.state().x
}

fn grab(session: &mut Session, collider: u32, at: DVec3) {
    session.command(Command::GrabCollider { collider, at });
}

/// Moves the hand at constant speed by the vector `way`, in metres, within `frames` frames.
fn lead(session: &mut Session, way: DVec3, frames: u32) {
    let from = session.lanes()[0].simulation.hand_place().unwrap_or(DVec3::ZERO);
    for frame in 1..=frames {
        let share = f64::from(frame) / f64::from(frames);
        session.command(Command::MoveHand(from + way * share));
        session.advance(FRAME, &|| 0.0);
    }
}

fn rest(session: &mut Session, frames: u32) {
    (0..frames).for_each(|_| {
        session.advance(FRAME, &|| 0.0);
    });
}

#[test]
fn a_collider_goes_where_the_hand_goes_stays_there_and_a_new_start_puts_it_back() {
    let mut session = session(
        "particles: [(at: (9, 9, 9))], colliders: [(shape: Sphere(radius: 0.2), at: (1, 2, 3))]",
    );
    let on_it = dvec3(1.0, 2.2, 3.0);
    grab(&mut session, 0, on_it);
    rest(&mut session, 10);
    assert_eq!(place(&session, 0), dvec3(1.0, 2.0, 3.0), "taken, not moved");
    let way = dvec3(0.4, -0.3, 0.1);
    lead(&mut session, way, 30);
    // Two more frames, in which the owed steps are taken.
    rest(&mut session, 2);
    assert!(place(&session, 0).distance(dvec3(1.0, 2.0, 3.0) + way) < 1e-12);
    // The hand moves and lets go within one frame, as in a slow frame. The collider still moves to
    // the place of the release.
    session.command(Command::MoveHand(on_it));
    session.command(Command::Release);
    session.command(Command::MoveHand(DVec3::ZERO));
    rest(&mut session, 10);
    assert!(place(&session, 0).distance(dvec3(1.0, 2.0, 3.0)) < 1e-12);
    grab(&mut session, 0, on_it);
    lead(&mut session, way, 30);
    session.command(Command::Reset);
    assert_eq!(place(&session, 0), dvec3(1.0, 2.0, 3.0));
}

#[test]
fn what_has_no_end_does_not_move_and_what_does_not_exist_does_no_harm() {
    let mut session = session("particles: [(at: (9, 9, 9))], colliders: [(shape: Plane())]");
    for collider in [0, 7] {
        grab(&mut session, collider, DVec3::ZERO);
        lead(&mut session, DVec3::Y, 10);
        session.command(Command::Release);
    }
    assert_eq!(place(&session, 0), DVec3::ZERO);
}

#[test]
fn a_collider_with_a_path_holds_still_in_the_hand_and_goes_on_from_where_it_was_let_go() {
    let mut session = session(
        "particles: [(at: (9, 9, 9))], colliders: [(shape: Sphere(radius: 0.2), path: Waypoints(points: [(0, (0, 0, 0)), \
         (10, (10, 0, 0))], repeat: false))]",
    );
    rest(&mut session, 60);
    let there = place(&session, 0);
    assert!((there.x - 1.0).abs() < 0.03, "{there}");
    grab(&mut session, 0, there);
    rest(&mut session, 60);
    assert!(place(&session, 0).distance(there) < 1e-12, "{}", place(&session, 0));
    session.command(Command::Release);
    rest(&mut session, 60);
    assert!((place(&session, 0).x - there.x - 1.0).abs() < 0.03, "{}", place(&session, 0));
}

#[test]
fn a_ball_that_is_pushed_leaves_with_the_speed_of_the_hand() {
    let mut session = session(
        "balls: [(at: (0.4, 0, 0), surface: (restitution: 0, friction: 0))], forces: [], \
         colliders: [(shape: Box(size: (0.4, 1, 1)), surface: (friction: 0))]",
    );
    grab(&mut session, 0, DVec3::ZERO);
    lead(&mut session, 1.5 * DVec3::X, 60);
    let pushed = session.lanes()[0].simulation.state().v[0];
    // The tolerance is needed because a frame has 16 or 17 steps of 1 ms.
    assert!(pushed.distance(1.5 * DVec3::X) < 0.1, "{pushed}");
    session.command(Command::Release);
    let stopped = place(&session, 0);
    rest(&mut session, 60);
    assert_eq!(place(&session, 0), stopped);
    let far = positions(&session)[0].x - stopped.x;
    assert!(far > 1.3, "the ball goes on, {far} m from the box");
}

#[test]
fn what_lies_on_a_collider_is_carried_along() {
    let mut session = session(
        "particles: [(at: (0.1, 0.1, 0))], forces: [(law: Gravity())], colliders: \
         [(shape: Box(size: (1, 0.2, 1)), surface: (friction: 0.8))], \
         surfaces: [(of: All, surface: (friction: 0.8))]",
    );
    grab(&mut session, 0, DVec3::ZERO);
    // The hand must accelerate the box within one frame by no more than friction can accelerate the
    // particle on it.
    for way in [0.4 * DVec3::X, -0.4 * DVec3::X] {
        lead(&mut session, way, 240);
        let on_it = positions(&session)[0] - place(&session, 0);
        assert!(on_it.distance(dvec3(0.1, 0.1, 0.0)) < 0.01, "{on_it}");
    }
    lead(&mut session, 0.3 * DVec3::Y, 120);
    assert!((positions(&session)[0].y - 0.4).abs() < 1e-3, "lifted: {}", positions(&session)[0]);
}

/// The hand moves a collider by several metres in one frame, with a sheet, a rope, balls and beads
/// in its path.
#[test]
fn nothing_passes_a_collider_that_is_pulled_as_fast_as_it_comes() {
    for (shape, inradius) in [("Sphere(radius: 0.15)", 0.15), ("Box(size: (0.1, 0.3, 0.3))", 0.05)]
    {
        for dt in [0.001, 1.0 / 60.0] {
            let mut session = session(&format!(
                "cloths: [(name: \"sheet\", corner: (0.5, 0.5, -0.5), across: (0, 0, 1), \
                    down: (0, -1, 0), cells: (4, 4), material: \"linen\")],
                 ropes: [(name: \"rope\", from: (0.8, 0.5, 0), to: (0.8, -0.5, 0), segments: 3, \
                    material: \"cord\")],
                 materials: [Cloth(name: \"linen\", areal_density: 0.3, stretch_stiffness: 100, \
                    bend_stiffness: 0, rigid: true, one_sided: true), \
                    Rope(name: \"cord\", mass_per_metre: 0.1, stiffness: 100, rigid: true)],
                 balls: [(at: (1.2, 0.05, 0.05), radius: 0.05)],
                 particles: [(at: (1.5, 0.03, -0.02))],
                 forces: [],
                 colliders: [(shape: {shape}, surface: (friction: 0.3))],
                 surfaces: [(of: Body(\"sheet\"), radius: 0.005), (of: Body(\"rope\"), \
                    radius: 0.005)],
                 settings: (dt: {dt}, links: Constraints, integrator: SymplecticEuler, \
                    constraints: Xpbd())"
            ));
            grab(&mut session, 0, DVec3::ZERO);
            session.command(Command::MoveHand(6.0 * DVec3::X));
            let mut before = place(&session, 0);
            for frame in 0..100 {
                rest(&mut session, 1);
                let now = place(&session, 0);
                assert!(now.distance(before) < 10.0 * (FRAME + dt) + 1e-9, "{}", now - before);
                before = now;
                // The sheet and the rope wrap around the collider. Their middles stay in front of
                // it.
                let x = positions(&session);
                for (what, x) in [x[0], x[1], x[14], 0.5 * (x[28] + x[29])].iter().enumerate() {
                    let is_ahead = x.x > now.x;
                    let is_beside = x.y.abs().max(x.z.abs()) > 0.1;
                    assert!(is_ahead || is_beside, "{shape} {dt} {frame}: {what} at {x}, {now}");
                }
            }
            assert!(before.x > 1.5, "{before}");
            let overlap = session.lanes()[0].simulation.contact().deepest_overlap;
            // A sheet between the collider and a ball may be stopped by the guarantee of contact
            // while the collider moves on, and a ball may overlap a sheet by a tenth of its radius.
            // The overlap includes links and triangles: 1.3 cm at 10 m/s with steps of 1 ms, 2.9 cm
            // with 17 ms.
            let substep = (15.0 * dt).min(0.6 * inradius);
            assert!(
                overlap < substep.max(0.12 * 0.05),
                "{shape}, step {dt} s: overlap {overlap} m"
            );
        }
    }
}

#[test]
fn a_carried_collider_is_in_snapshots() {
    let mut session = session(
        "particles: [(at: (0.5, 0, 0))], forces: [], \
         colliders: [(shape: Sphere(radius: 0.2))]",
    );
    grab(&mut session, 0, DVec3::ZERO);
    lead(&mut session, 0.2 * DVec3::X, 10);
    let kept = session.snapshot();
    let there = place(&session, 0);
    lead(&mut session, 0.8 * DVec3::X, 30);
    let (hashes, end) = (session.hashes(), place(&session, 0));
    assert!(positions(&session)[0].x > 1.0, "it is pushed: {}", positions(&session)[0]);
    session.restore(&kept);
    assert_eq!(place(&session, 0), there);
    lead(&mut session, 0.8 * DVec3::X, 30);
    assert_eq!((session.hashes(), place(&session, 0)), (hashes, end));
}
