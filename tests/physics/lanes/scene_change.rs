//! Gravity and materials that change while a scene runs: changes act at once in all lanes, and a
//! replay gives the same bits.

use crate::support::parse;
use ropelab::scene::Scene;
use ropelab::scene::dials::{Dial, DialKind, dials_of, with_bodies_of};
use ropelab::scene::typed::made_bodies::BodyPlace;
use ropelab::scene::vary::VariableScene;
use ropelab::session::{Event, History, MarkKind, Session, SessionMoment};
use ropelab::simulation::scene_edit::SceneEdit;
use ropelab::simulation::settings::Command;
use std::sync::Arc;

/// A rope of an unnamed material, a rope of a real material and a cloth, without gravity, far above
/// a floor.
const SCENE: &str = r#"(
    version: 1,
    name: "mixed",
    materials: [Cloth(name: "towel", areal_density: 0.4)],
    ropes: [
        (name: "plain", from: (0, 1, 0), to: (1, 1, 0), segments: 8),
        (name: "climber", from: (0, 2, 0), to: (1, 2, 0), segments: 6, material: "climbing-rope"),
    ],
    cloths: [(name: "cloth", corner: (2, 1, 0), across: (1, 0, 0), down: (0, -1, 0), cells: (4, 4), material: "towel")],
    colliders: [(shape: Plane(normal: (0, 1, 0)), at: (0, -50, 0))],
    pins: [(of: Start("plain")), (of: Start("climber")), (of: Edge("cloth", Top))],
    forces: [],
    lanes: [
        (name: "springs", settings: (integrator: ImplicitEuler, dt: 0.002)),
        (name: "solver", settings: (integrator: PositionVerlet(), constraints: Xpbd(iterations: 3), dt: 0.001)),
    ],
)"#;

fn scene() -> Arc<Scene> {
    Arc::new(parse(SCENE))
}

fn dial(scene: &Scene, material: Option<&str>, kind: DialKind) -> Dial {
    let groups = dials_of(scene);
    let group = groups.iter().find(|group| group.material.as_deref() == material);
    let dials = group.unwrap_or_else(|| panic!("{material:?} in {groups:?}")).dials.iter();
    dials.clone().find(|dial| dial.kind == kind).cloned().expect("a dial")
}

fn turn(dial: &Dial, value: f64) -> Command {
    Command::ChangeScene(dial.turned_to(value))
}

fn frames(session: &mut Session, count: usize) -> Vec<Event> {
    (0..count).map(|_| session.advance(1.0 / 60.0, &|| 0.0)).collect()
}

fn value(session: &Session, dial: &Dial) -> f64 {
    dial.value(&VariableScene::spelled_out(session.scene()))
}

#[test]
fn gravity_acts_at_once_in_all_lanes_and_time_goes_on() {
    let scene = scene();
    let gravity = dial(&scene, None, DialKind::Gravity);
    assert_eq!(gravity.own, 0.0);
    let mut session = Session::new(scene);
    frames(&mut session, 10);
    let t = session.lanes()[0].simulation.state().t;
    let tip = |session: &Session, lane: usize| session.lanes()[lane].simulation.state().x[33];
    let before = [0, 1].map(|lane| tip(&session, lane).y);
    session.command(turn(&gravity, 1.62));
    assert_eq!(session.lanes()[0].simulation.state().t, t);
    assert_eq!(value(&session, &gravity), 1.62);
    frames(&mut session, 20);
    for lane in [0, 1] {
        let pull = session.lanes()[lane].simulation.model().gravity();
        assert_eq!(pull.to_array(), [0.0, -1.62, 0.0]);
        assert!(tip(&session, lane).y < before[lane] - 0.02, "lane {lane} falls");
    }
}

#[test]
fn a_change_gives_the_physics_of_a_scene_that_has_it_from_the_start() {
    let scene = scene();
    let changes = [
        (None, DialKind::Gravity, 9.81),
        (Some("rope"), DialKind::AxialStiffness, 333.0),
        (Some("rope"), DialKind::AxialDamping, 0.25),
        (Some("climbing-rope"), DialKind::MassPerMetre, 0.11),
        (Some("towel"), DialKind::ArealDensity, 0.2),
        (Some("towel"), DialKind::StretchStiffness, 500.0),
        (Some("towel"), DialKind::ClothRigidity, 1e-3),
    ];
    let mut session = Session::new(scene.clone());
    for (material, kind, number) in changes {
        session.command(turn(&dial(&scene, material, kind), number));
    }
    // The change comes before the first step, so the session must behave like a new session of the
    // changed scene.
    let mut fresh = Session::new(session.scene().clone());
    let saved = Scene::parse(&session.scene().to_ron(), "saved").unwrap_or_else(|e| panic!("{e}"));
    let mut saved = Session::new(Arc::new(saved));
    for session in [&mut session, &mut fresh, &mut saved] {
        frames(session, 30);
    }
    assert_eq!(session.hashes(), fresh.hashes());
    assert_eq!(session.hashes(), saved.hashes());
}

/// Two bars lie on an incline with a slope of 3 : 4. A friction of 0.8 keeps a bar in place, a
/// friction of 0.6 does not.
const SLOPE: &str = r#"(
    version: 1,
    name: "slope",
    materials: [Rope(name: "rubber"), Rope(name: "ice")],
    ropes: [
        (name: "left", from: (0, 0, 0), to: (0, 0, 0.1), segments: 1, material: "rubber"),
        (name: "right", from: (0, 0, 1), to: (0, 0, 1.1), segments: 1, material: "ice"),
    ],
    colliders: [(shape: Plane(normal: (-0.6, 0.8, 0)), at: (0, 0, 0), surface: (friction: 0.8))],
    surfaces: [(of: Body("left"), radius: 0, surface: (friction: 0.8))],
)"#;

#[test]
fn friction_of_each_material_has_a_dial() {
    let scene = Arc::new(Scene::parse(SLOPE, "slope").unwrap_or_else(|e| panic!("{e}")));
    let [rubber, ice] =
        ["rubber", "ice"].map(|it| dial(&scene, Some(it), DialKind::SurfaceFriction));
    // The friction of the rubber rope is given in the scene. The ice rope has no surface of its own
    // and therefore the default friction.
    assert_eq!([rubber.own, ice.own], [0.8, 0.3]);
    let mut session = Session::new(scene);
    session.command(turn(&ice, 0.0));
    frames(&mut session, 30);
    let state = session.lanes()[0].simulation.state();
    // The friction of a contact is the geometric mean of both surfaces, so a friction of 0 on one
    // surface means frictionless sliding at 0.6 g.
    let slid = 0.5 * 0.6 * 9.81 * state.t * state.t;
    let along = |i: usize| state.x[i].with_z(0.0).length();
    assert!((along(2) / slid - 1.0).abs() < 0.02, "{} beside {slid} m", along(2));
    assert!(along(0) < 1e-3, "{} m", along(0));
    session.command(turn(&rubber, 0.0));
    frames(&mut session, 30);
    assert!(session.lanes()[0].simulation.state().x[0].with_z(0.0).length() > 0.5);
}

/// Three cords of one material hang from pegs beside a ball; two of them share a surface.
const CORDS: &str = r#"(
    version: 1,
    name: "cords",
    materials: [Rope(name: "cord", stiffness: 200)],
    balls: [(name: "ball", at: (5, 0, 0))],
    ropes: [
        (name: "left", from: (0, 0, 0), to: (0, -1, 0), segments: 5, material: "cord"),
        (name: "middle", from: (1, 0, 0), to: (1, -1, 0), segments: 5, material: "cord"),
        (from: (2, 0, 0), to: (2, -1, 0), segments: 5, material: "cord"),
    ],
    surfaces: [(of: Any([Body("left"), Body("middle")]), surface: (friction: 0.5))],
    pins: [(of: Start("left")), (of: Start("middle")), (of: Particle(13))],
)"#;

#[test]
fn a_rope_gets_its_own_material_and_changes_alone() {
    let scene = Arc::new(Scene::parse(CORDS, "cords").unwrap_or_else(|e| panic!("{e}")));
    let mut session = Session::new(scene.clone());
    let mut plain = session.clone();
    frames(&mut session, 10);
    frames(&mut plain, 10);
    let own = |session: &mut Session, place: usize| {
        let particle = session
            .scene()
            .own_particle(BodyPlace { list: "ropes", index: place })
            .expect("a particle");
        session.command(Command::EditScene(SceneEdit::OwnMaterial(particle)));
    };
    for place in [2, 1] {
        own(&mut session, place);
        frames(&mut session, 10);
        frames(&mut plain, 10);
        assert_eq!(session.hashes(), plain.hashes(), "a copy of a material moves nothing");
    }
    let groups = dials_of(session.scene());
    let names: Vec<_> = groups.iter().filter_map(|group| group.material.as_deref()).collect();
    assert_eq!(names, ["cord", "rope 3", "middle"]);
    let before = session.scene().clone();
    own(&mut session, 1);
    assert!(Arc::ptr_eq(&before, session.scene()), "what is its own stays so");
    // The dials show the numbers of the opened scene as their base values (`own`), whatever has
    // been changed since.
    let base = with_bodies_of(&scene, session.scene()).expect("a scene with the same materials");
    let stiffness = dial(&base, Some("middle"), DialKind::AxialStiffness);
    session.command(turn(&stiffness, 20.0));
    assert_eq!((stiffness.own, value(&session, &stiffness)), (200.0, 20.0));
    let friction = dial(&base, Some("middle"), DialKind::SurfaceFriction);
    session.command(turn(&friction, 0.0));
    let shared = dial(session.scene(), Some("cord"), DialKind::SurfaceFriction);
    assert_eq!((friction.own, value(&session, &friction), shared.own), (0.5, 0.0, 0.5));
    session.command(turn(&dial(&base, Some("rope 3"), DialKind::AxialStiffness), 400.0));
    frames(&mut session, 60);
    frames(&mut plain, 60);
    let length = |session: &Session, rope: u32| {
        let x = &session.lanes()[0].simulation.state().x;
        let first = (1 + 6 * rope) as usize;
        (first..first + 5).map(|i| x[i].distance(x[i + 1])).sum::<f64>()
    };
    let [left, middle, right] = [0, 1, 2].map(|rope| length(&session, rope));
    assert!(
        middle > left + 1e-3 && right < left,
        "lengths of the cords: middle {middle} m, left {left} m, right {right} m"
    );
    assert_eq!(length(&plain, 0), left, "the others have not changed");
    let saved = Scene::parse(&session.scene().to_ron(), "saved").unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(saved.parts, session.scene().parts);
    // The dial for segments also belongs to a single rope.
    let segments = dial(&base, Some("middle"), DialKind::Segments);
    session.command(turn(&segments, 10.0));
    assert_eq!(session.lanes()[0].simulation.state().len(), 1 + 6 + 11 + 6);
}

#[test]
fn wind_blows_in_scenes_that_have_none_and_goes_without_a_trace() {
    let rope = "(version: 1, name: \"still\", \
        ropes: [(name: \"r\", from: (0, 0, 0), to: (1, 0, 0), segments: 4)], \
        pins: [(of: Start(\"r\"))], forces: [(law: Gravity())])";
    let cloth = rope.replace("ropes: [(name: \"r\", from: (0, 0, 0), to: (1, 0, 0), segments: 4)]",
        "cloths: [(name: \"r\", corner: (0, 0, 0), across: (0, 0, 1), down: (0, -1, 0), cells: (3, 3))]")
        .replace("Start(\"r\")", "Edge(\"r\", Top)");
    for text in [rope, &cloth] {
        let scene = Arc::new(Scene::parse(text, "still").unwrap_or_else(|e| panic!("{e}")));
        let wind = dial(&scene, None, DialKind::Wind);
        assert_eq!((wind.own, scene.parts.forces.len()), (0.0, 1));
        let mut session = Session::new(scene.clone());
        session.command(turn(&dial(&scene, None, DialKind::Gravity), 1.62));
        assert_eq!(session.scene().parts.forces.len(), 1, "no wind comes with other numbers");
        let mut still = session.clone();
        session.command(turn(&wind, 12.0));
        assert_eq!(value(&session, &wind), 12.0);
        frames(&mut session, 30);
        frames(&mut still, 30);
        let x = |session: &Session| {
            let x = &session.lanes()[0].simulation.state().x;
            x.iter().map(|x| x.x).sum::<f64>()
        };
        assert!(x(&session) > x(&still) + 0.05, "{} beside {}", x(&session), x(&still));
        let saved = Scene::parse(&session.scene().to_ron(), "saved").expect("a scene");
        assert_eq!(saved.parts.forces, session.scene().parts.forces);
        session.command(turn(&wind, 0.0));
        assert_eq!(session.scene().parts.forces.len(), 1);
    }
}

#[test]
fn turning_back_gives_the_scene_that_was_opened() {
    let scene = scene();
    let mut session = Session::new(scene.clone());
    for group in dials_of(&scene) {
        for dial in group.dials {
            session.command(turn(&dial, dial.range[1]));
            assert_eq!(value(&session, &dial), dial.range[1], "{dial:?}");
            session.command(turn(&dial, dial.own));
            assert_eq!(value(&session, &dial), dial.own, "{dial:?}");
        }
    }
    let mut fresh = Session::new(scene);
    session.command(Command::Reset);
    frames(&mut session, 30);
    frames(&mut fresh, 30);
    assert_eq!(session.hashes(), fresh.hashes());
}

#[test]
fn segments_start_the_scene_again_and_cuts_go_on_through_other_changes() {
    let scene = scene();
    let segments = dial(&scene, Some("rope"), DialKind::Segments);
    let mut session = Session::new(scene.clone());
    frames(&mut session, 10);
    session.command(Command::Cut(vec![3]));
    session.command(turn(&dial(&scene, Some("rope"), DialKind::AxialStiffness), 50.0));
    let cut =
        |session: &Session| session.lanes()[1].simulation.model().topology().cut_links().len();
    assert_eq!(cut(&session), 1);
    let particles = session.lanes()[0].simulation.state().len();
    session.command(turn(&segments, 20.0));
    assert_eq!(session.lanes()[0].simulation.state().len(), particles + 12);
    assert_eq!((session.time(), cut(&session)), (0.0, 0));
    // A rope must have links, so a command for 0 segments is ignored.
    let before = session.scene().clone();
    let none = segments.turned_to(20.0).into_iter().map(|mut number| {
        number.value = Some(0.0);
        number
    });
    session.command(Command::ChangeScene(none.collect()));
    assert!(Arc::ptr_eq(&before, session.scene()));
}

#[test]
fn every_moment_around_changes_has_the_bits_of_the_straight_run() {
    let scene = scene();
    let gravity = dial(&scene, None, DialKind::Gravity);
    let segments = dial(&scene, Some("rope"), DialKind::Segments);
    let mut session = Session::new(scene);
    let mut history = History::new(&session, 1 << 24);
    let mut hashes = vec![session.hashes()];
    for frame in 0..200 {
        let command = match frame {
            20..50 => Some(turn(&gravity, 0.2 * f64::from(frame - 19))),
            100 => Some(turn(&segments, 11.0)),
            150 => Some(turn(&gravity, 0.0)),
            _ => None,
        };
        if let Some(command) = command {
            session.command(command.clone());
            history.record(Event::Command(Box::new(command)), &session);
            hashes.push(session.hashes());
        }
        let event = session.advance(1.0 / 60.0, &|| 0.0);
        history.record(event, &session);
        hashes.push(session.hashes());
    }
    let kinds: Vec<MarkKind> = history.marks().iter().map(|mark| mark.kind).collect();
    assert_eq!(kinds, [MarkKind::Scene, MarkKind::Restart, MarkKind::Scene], "a drag is one mark");
    for events in [10, 30, 45, 79, 130, 131, 140, 183, 190, 232, 25, 132] {
        history.go_to(&mut session, SessionMoment { events, missing_steps: 0 });
        assert_eq!(session.hashes(), hashes[events], "after {events} events");
    }
}
