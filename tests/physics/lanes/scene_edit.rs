//! Bodies that are added and removed while a scene runs. All other bodies continue in every lane.

use crate::support::parse;
use glam::{DVec3, dvec3};
use ropelab::scene::{Scene, library};
use ropelab::session::{Event, History, MarkKind, Session, SessionMoment};
use ropelab::simulation::scene_edit::{RopeEnd, SceneEdit};
use ropelab::simulation::settings::Command;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Two tied ropes, a cloth, a net on a peg, balls, obstacles and a thrown ball.
const SCENE: &str = r#"(
    version: 1,
    name: "workshop",
    particles: [(name: "peg", at: (3, 2, 0))],
    balls: [(name: "ball", at: (0.5, 0.4, 0), radius: 0.1, spin: (0, 0, 3))],
    colliders: [(shape: Plane(normal: (0, 1, 0))), (shape: Sphere(radius: 0.2), at: (1.5, 0.2, 0))],
    cloths: [(name: "cloth", corner: (2, 1, 0), across: (0.6, 0, 0), down: (0, -0.6, 0), cells: (4, 4))],
    ropes: [
        (name: "rope", from: (0, 1, 0), to: (1, 1, 0), segments: 8),
        (name: "tail", tie_from: End("rope"), to: (1.4, 0.6, 0), segments: 4),
        (name: "hanger", tie_from: Body("peg"), tie_to: Corner("cloth", TopRight), segments: 5),
    ],
    thrown: [(at: (0, 2, 0), velocity: (1, 0, 0), mass: 0.1, radius: 0.05)],
    masses: [(of: End("tail"), mass: 0.3)],
    pins: [(of: Start("rope")), (of: Body("peg")), (of: Corner("cloth", TopLeft))],
    lanes: [
        (name: "springs", settings: (integrator: ImplicitEuler, dt: 0.002)),
        (name: "solver", settings: (integrator: PositionVerlet(), constraints: Xpbd(iterations: 10), dt: 0.002)),
    ],
)"#;

const BODIES: [&str; 6] = ["peg", "ball", "cloth", "rope", "tail", "hanger"];

fn scene() -> Arc<Scene> {
    Arc::new(parse(SCENE))
}

fn frames(session: &mut Session, count: usize) {
    for _ in 0..count {
        session.advance(1.0 / 60.0, &|| 0.0);
    }
}

/// Positions and velocities of the particles of each body, in every lane.
fn state(session: &Session) -> BTreeMap<&'static str, Vec<[DVec3; 2]>> {
    let scene = session.scene();
    let of = |name: &'static str| {
        let particles = scene.select(&format!("Body(\"{name}\")")).ok()?;
        let lanes = session.lanes().iter().map(|lane| lane.simulation.state());
        let states =
            lanes.flat_map(|s| particles.iter().map(|&i| [s.x[i as usize], s.v[i as usize]]));
        Some((name, states.collect()))
    };
    BODIES.into_iter().filter_map(of).collect()
}

fn particle(session: &Session, which: &str) -> u32 {
    session.scene().select(which).unwrap_or_else(|e| panic!("{which}: {e}"))[0]
}

fn edit(session: &mut Session, edit: SceneEdit) {
    let before = session.scene().clone();
    session.command(Command::EditScene(edit));
    assert!(!Arc::ptr_eq(&before, session.scene()), "{edit:?} changes the scene");
}

/// Deletes the body that contains the particle `which`.
fn delete(session: &mut Session, which: &str) {
    let particle = particle(session, which);
    edit(session, SceneEdit::DeleteBody(particle));
}

/// Returns a session after some steps, with a cut link in the rope and a pinned particle in the
/// cloth.
fn in_motion() -> Session {
    let mut session = Session::new(scene());
    frames(&mut session, 20);
    let ends = [particle(&session, "Node(\"rope\", 3)"), particle(&session, "Node(\"rope\", 4)")];
    let parts = session.scene().parts.clone();
    let link =
        parts.mesh.links.iter().position(|link| [link.a, link.b] == ends).expect("a link") as u32;
    session.command(Command::Cut(vec![link]));
    session.command(Command::TogglePin(particle(&session, "Knot(\"cloth\", 2, 2)")));
    frames(&mut session, 10);
    session
}

fn additions(session: &Session) -> [SceneEdit; 5] {
    let knot = particle(session, "Knot(\"cloth\", 0, 4)");
    let at = session.lanes()[0].simulation.state().x[knot as usize];
    [
        SceneEdit::AddBall { at: dvec3(-1.0, 1.0, 0.0), radius: 0.05, mass: 0.2 },
        SceneEdit::AddCloth {
            corner: dvec3(-1.0, 2.0, 0.0),
            across: dvec3(0.5, 0.0, 0.0),
            down: dvec3(0.0, -0.4, 0.0),
        },
        SceneEdit::AddRope {
            ends: [RopeEnd::At(dvec3(-1.0, 2.5, 0.0)), RopeEnd::At(dvec3(0.0, 2.5, 0.0))],
            length: 1.2,
        },
        SceneEdit::AddRope {
            ends: [RopeEnd::Particle(knot), RopeEnd::At(at - dvec3(0.3, 0.1, 0.0))],
            length: 0.4,
        },
        SceneEdit::Tie { ends: [knot, knot + 1], length: 0.15 },
    ]
}

#[test]
fn what_is_added_changes_nothing_of_what_was_there() {
    for number in 0..5 {
        let mut session = in_motion();
        let (before, t) = (state(&session), session.time());
        let added = additions(&session)[number];
        edit(&mut session, added);
        assert_eq!(state(&session), before, "{added:?}");
        assert_eq!(session.time(), t);
        for lane in session.lanes() {
            let model = lane.simulation.model();
            assert_eq!(model.topology().cut_links().len(), 1, "{added:?}");
            assert!(model.is_pinned(particle(&session, "Knot(\"cloth\", 2, 2)")), "{added:?}");
        }
        frames(&mut session, 60);
        for lane in session.lanes() {
            assert!(lane.simulation.explosion().is_none(), "{added:?}: {}", lane.name);
        }
    }
}

#[test]
fn a_rope_hangs_between_what_it_is_tied_to_in_each_lane() {
    let mut session = in_motion();
    let knot = particle(&session, "Knot(\"cloth\", 0, 4)");
    let places: Vec<DVec3> =
        session.lanes().iter().map(|lane| lane.simulation.state().x[knot as usize]).collect();
    let end = dvec3(1.8, 0.2, 0.0);
    let ends = [RopeEnd::Particle(knot), RopeEnd::At(end)];
    edit(&mut session, SceneEdit::AddRope { ends, length: 1.0 });
    let rope = session.scene().select("Body(\"new rope\")").unwrap();
    for (lane, place) in session.lanes().iter().zip(places) {
        let x = &lane.simulation.state().x;
        let first = rope.iter().find(|&&i| i != knot).copied().unwrap();
        let link = 1.0 / (rope.len() - 1) as f64;
        assert!((x[first as usize].distance(place) - link).abs() < 1e-9, "{}", lane.name);
        assert_eq!(x[*rope.last().unwrap() as usize], end);
        assert!(lane.simulation.model().is_pinned(*rope.last().unwrap()));
    }
}

/// A tie has the same length in all lanes, although its ends have different distances. The length
/// is so large that the tie is stretched in no lane.
#[test]
fn what_is_tied_begins_stretched_in_no_lane() {
    let mut session = in_motion();
    let ends = [particle(&session, "Body(\"ball\")"), particle(&session, "End(\"tail\")")];
    let distances = |session: &Session, [a, b]: [u32; 2]| -> Vec<f64> {
        let states = session.lanes().iter().map(|lane| lane.simulation.state());
        states.map(|state| state.x[a as usize].distance(state.x[b as usize])).collect()
    };
    let apart = distances(&session, ends);
    let [least, greatest] = [apart[0].min(apart[1]), apart[0].max(apart[1])];
    assert!(greatest > 1.001 * least, "the lanes differ: {apart:?}");
    edit(&mut session, SceneEdit::Tie { ends, length: least });
    let tie = session.scene().parts.mesh.links.iter().last().expect("a tie");
    assert_eq!((tie.rest, [tie.a, tie.b]), (greatest, ends));
    edit(&mut session, SceneEdit::AddRope { ends: ends.map(RopeEnd::Particle), length: least });
    let rope = session.scene().select("Body(\"new rope\")").expect("a rope");
    let links = || session.scene().parts.mesh.links.iter();
    let is_own = |i: &u32| rope.contains(i) && !ends.contains(i);
    let own: Vec<_> = links().filter(|link| is_own(&link.a) || is_own(&link.b)).collect();
    assert_eq!(own.len(), rope.len() - 1);
    for lane in session.lanes() {
        let x = &lane.simulation.state().x;
        for link in &own {
            let length = x[link.a as usize].distance(x[link.b as usize]);
            assert!(length < link.rest * (1.0 + 1e-9), "{}: length {length} m", lane.name);
        }
    }
}

/// A thrown ball that is tied continues to move as before and is held by the tie. A saved scene
/// contains the ball and the tie.
#[test]
fn a_thrown_ball_that_is_tied_becomes_a_ball_of_the_scene() {
    use ropelab::model::Throw;
    for with_rope in [false, true] {
        let mut session = in_motion();
        let scene = session.scene().parts.mesh.positions.len() as u32;
        for number in 0..3 {
            let at = dvec3(-1.0, 1.0 + f64::from(number), 0.0);
            let velocity = dvec3(-2.0, 0.0, 0.0);
            session.command(Command::Throw(Throw { at, velocity, mass: 0.1, radius: 0.05 }));
        }
        frames(&mut session, 3);
        let before = state(&session);
        let of = |session: &Session, i: u32| -> Vec<[DVec3; 2]> {
            let states = session.lanes().iter().map(|lane| lane.simulation.state());
            states.map(|state| [state.x[i as usize], state.v[i as usize]]).collect()
        };
        let (thrown, others) =
            (of(&session, scene + 1), [scene, scene + 2].map(|i| of(&session, i)));
        let end = particle(&session, "Start(\"rope\")");
        let ends = [scene + 1, end];
        edit(
            &mut session,
            match with_rope {
                true => SceneEdit::AddRope { ends: ends.map(RopeEnd::Particle), length: 0.1 },
                false => SceneEdit::Tie { ends, length: 0.1 },
            },
        );
        assert_eq!(state(&session), before, "nothing else moves");
        let ball = particle(&session, "Body(\"new ball\")");
        assert_eq!(of(&session, ball), thrown, "it goes on as it flew");
        let scene = session.scene().parts.mesh.positions.len() as u32;
        assert_eq!([scene, scene + 1].map(|i| of(&session, i)), others);
        let rope = particle(&session, "Start(\"rope\")");
        let apart = |session: &Session| {
            let [a, b] = [ball, rope].map(|i| of(session, i));
            a.iter().zip(&b).map(|(a, b)| a[0].distance(b[0])).fold(0.0, f64::max)
        };
        let length = apart(&session);
        for _ in 0..120 {
            frames(&mut session, 1);
            // The first lane has springs, which stretch.
            assert!(apart(&session) < 1.2 * length, "{} of {length} m", apart(&session));
        }
        let saved =
            Scene::parse(&session.scene().to_ron(), "saved").unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(saved.parts, session.scene().parts);
        session.command(Command::Reset);
        assert_eq!(session.lanes()[0].simulation.state().len(), saved.parts.mesh.positions.len());
    }
}

#[test]
fn a_thrown_ball_that_not_every_lane_has_cannot_be_tied() {
    use ropelab::model::Throw;
    let mut session = in_motion();
    let scene = session.scene().parts.mesh.positions.len() as u32;
    let end = particle(&session, "Start(\"rope\")");
    let tie = |ball: u32| SceneEdit::Tie { ends: [end, ball], length: 1.0 };
    assert!(session.edited_scene(&tie(scene)).is_err(), "no ball was thrown");
    for _ in 0..2 {
        let throw = Throw { at: DVec3::Y, velocity: DVec3::X, mass: 0.1, radius: 0.05 };
        session.command(Command::Throw(throw));
    }
    assert!(session.edited_scene(&tie(scene + 1)).is_ok());
    let both = SceneEdit::Tie { ends: [scene, scene + 1], length: 1.0 };
    assert!(session.edited_scene(&both).is_err(), "one of them has to be the scene's");
}

#[test]
fn a_body_that_is_added_and_deleted_leaves_the_scene_as_it_was() {
    let mut session = in_motion();
    let (before, parts) = (state(&session), session.scene().parts.clone());
    for (number, name) in ["new ball", "new cloth", "new rope", "new rope"].into_iter().enumerate()
    {
        let added = additions(&session)[number];
        edit(&mut session, added);
        let last = *session.scene().select(&format!("Body(\"{name}\")")).unwrap().last().unwrap();
        edit(&mut session, SceneEdit::DeleteBody(last));
        assert_eq!(session.scene().parts, parts, "{added:?}");
        assert_eq!(state(&session), before, "{added:?}");
    }
}

#[test]
fn ropes_keep_their_ends_where_what_they_were_tied_to_goes() {
    let mut session = in_motion();
    let tail = |session: &Session| {
        let nodes = session.scene().select("Body(\"tail\")").unwrap();
        let x = &session.lanes()[0].simulation.state().x;
        nodes.iter().map(|&i| x[i as usize]).collect::<Vec<_>>()
    };
    let mut before = tail(&session);
    delete(&mut session, "Start(\"rope\")");
    let mut after = tail(&session);
    for places in [&mut before, &mut after] {
        places.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
    assert_eq!(after, before, "its first particle is its own now");
    assert!(session.scene().select("Body(\"rope\")").is_err());
    assert_eq!(session.scene().file.masses.len(), 1);
    let hanger = session.scene().select("Body(\"hanger\")").unwrap().len();
    delete(&mut session, "Body(\"peg\")");
    assert_eq!(session.scene().select("Body(\"hanger\")").unwrap().len(), hanger);
    edit(&mut session, SceneEdit::DeleteCollider(0));
    assert_eq!(session.scene().parts.contact.colliders.len(), 1);
    frames(&mut session, 30);
    assert!(session.lanes().iter().all(|lane| lane.simulation.explosion().is_none()));
}

#[test]
fn thrown_balls_can_be_deleted_one_by_one() {
    use ropelab::model::Throw;
    let mut session = in_motion();
    let scene = session.scene().parts.mesh.positions.len() as u32;
    for number in 0..3 {
        let at = dvec3(0.0, 3.0 + f64::from(number), 0.0);
        session.command(Command::Throw(Throw { at, velocity: DVec3::X, mass: 0.1, radius: 0.05 }));
    }
    frames(&mut session, 3);
    let place =
        |session: &Session, k: u32| session.lanes()[1].simulation.state().x[(scene + k) as usize];
    let [first, last] = [place(&session, 0), place(&session, 2)];
    session.command(Command::EditScene(SceneEdit::DeleteBody(scene + 1)));
    assert_eq!(session.lanes()[1].simulation.state().len() as u32, scene + 2);
    assert_eq!([place(&session, 0), place(&session, 1)], [first, last]);
    session.command(Command::EditScene(SceneEdit::DeleteBody(scene - 1)));
    assert_eq!(session.scene().file.thrown.len(), 0, "the one of the file");
    frames(&mut session, 10);
}

#[test]
fn an_edited_scene_is_saved_and_starts_as_it_would_have_run() {
    let mut session = Session::new(scene());
    for number in 0..5 {
        let added = additions(&session)[number];
        edit(&mut session, added);
    }
    delete(&mut session, "Start(\"rope\")");
    let saved = Scene::parse(&session.scene().to_ron(), "saved").unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(saved.parts, session.scene().parts);
    let mut fresh = Session::new(session.scene().clone());
    session.command(Command::Reset);
    for session in [&mut session, &mut fresh] {
        frames(session, 30);
    }
    assert_eq!(session.hashes(), fresh.hashes());
}

#[test]
fn every_moment_around_edits_has_the_bits_of_the_straight_run() {
    let mut session = Session::new(scene());
    let mut history = History::new(&session, 1 << 24);
    let mut hashes = vec![session.hashes()];
    let mut give = |session: &mut Session, history: &mut History, command: Option<Command>| {
        let event = match command {
            Some(command) => {
                session.command(command.clone());
                Event::Command(Box::new(command))
            }
            None => session.advance(1.0 / 60.0, &|| 0.0),
        };
        history.record(event, session);
        hashes.push(session.hashes());
    };
    for frame in 0..120 {
        let number = frame / 20;
        if frame % 20 == 10 {
            let added = additions(&session);
            let peg = SceneEdit::DeleteBody(particle(&session, "Body(\"peg\")"));
            let edit = added.get(number).copied().unwrap_or(peg);
            give(&mut session, &mut history, Some(Command::EditScene(edit)));
        }
        give(&mut session, &mut history, None);
    }
    let kinds: Vec<MarkKind> = history.marks().iter().map(|mark| mark.kind).collect();
    assert_eq!(kinds, [MarkKind::Body; 6]);
    for events in [5, 30, 11, 10, 60, 55, 100, 126, 1, 116, 80] {
        history.go_to(&mut session, SessionMoment { events, missing_steps: 0 });
        assert_eq!(session.hashes(), hashes[events], "after {events} events");
    }
}

/// Every body of every library scene can be deleted, or the session returns the reason in a
/// sentence.
#[test]
fn bodies_of_every_scene_can_be_deleted() {
    for entry in library::list() {
        let scene = Arc::new(entry.load().unwrap_or_else(|e| panic!("{e}")));
        let count = scene.parts.mesh.positions.len();
        if count > 1500 {
            continue;
        }
        let mut session = Session::new(scene.clone());
        session.advance(1.0 / 60.0, &|| 0.0);
        let start = session.snapshot();
        for k in 0..6 {
            let particle = (k * (count - 1) / 5) as u32;
            let Ok(edited) = scene.edited(&SceneEdit::DeleteBody(particle), |_| None) else {
                continue;
            };
            session.command(Command::EditScene(SceneEdit::DeleteBody(particle)));
            let text = session.scene().to_ron();
            let saved =
                Scene::parse(&text, "saved").unwrap_or_else(|e| panic!("{}: {e}", entry.file));
            assert_eq!(saved.parts, edited.scene.parts, "{} without {particle}", entry.file);
            let places = &edited.scene.parts.mesh.positions;
            let from = |place: &DVec3| scene.parts.mesh.positions.contains(place);
            assert!(places.iter().all(from), "{} without {particle}", entry.file);
            session.advance(1.0 / 60.0, &|| 0.0);
            session.restore(&start);
        }
        for collider in 0..scene.parts.contact.colliders.len() as u32 {
            session.command(Command::EditScene(SceneEdit::DeleteCollider(collider)));
            session.advance(1.0 / 60.0, &|| 0.0);
            session.restore(&start);
        }
    }
}
