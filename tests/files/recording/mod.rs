//! Snapshots and recordings: equal events after equal states give equal bits.

pub mod arbitrary;
mod files;

use arbitrary::any_events;
use files::{error_of, read_recording, record_drag};
use glam::{DVec3, dvec3};
use proptest::prelude::*;
use ropelab::integrate::Method;
use ropelab::scene::Scene;
use ropelab::session::recording::{MAGIC_LINE, Record, Recording, Start};
use ropelab::session::{Event, History, LaneFrame, Session};
use ropelab::simulation::settings::{Command, GrabMode, Settings};
use ropelab::simulation::timing::frame_source::FrameSource;
use std::sync::Arc;

/// A swinging rope of 11 particles with a moving pin, and a cloth of 30 particles.
const SCENE: &str = r#"(
    version: 1,
    name: "rope and cloth",
    materials: [Rope(name: "cord", mass_per_metre: 0.2, stiffness: 50, damping: 0.01),
                Cloth(name: "linen", areal_density: 0.3, stretch_stiffness: 60, bend_stiffness: 1)],
    ropes: [(name: "rope", from: (0, 0, 0), to: (1, 0, 0), segments: 10, material: "cord")],
    cloths: [(name: "cloth", corner: (2, 0, 0), across: (1, 0, 0), down: (0, 0, 0.8),
              cells: (5, 4), material: "linen")],
    pins: [(of: Start("rope"), path: Swing(amplitude: (0, 0.2, 0), frequency: 1)),
           (of: Edge("cloth", Top))],
    forces: [(law: Gravity()), (law: LinearDrag(coefficient: 0.1))],
    lanes: [(name: "Verlet"), (name: "Euler", settings: (integrator: ExplicitEuler, dt: 0.002))],
)"#;

/// Obstacles that the rope and the cloth can hit.
const OBSTACLES: &str = "colliders: [(shape: Sphere(radius: 0.2), at: (0.5, -0.4, 0)),
                (shape: Box(size: (1, 0.2, 0.2)), at: (2.5, -0.4, 0.3))], lanes:";

const PARTICLES: u32 = 41;
const LINKS: u32 = 100;
/// A particle of the rope that is not pinned.
const FREE: u32 = 35;

pub fn session() -> Session {
    let scene = Scene::parse(SCENE, "scene").unwrap_or_else(|e| panic!("{e}"));
    Session::new(Arc::new(scene))
}

pub fn session_among_obstacles() -> Session {
    let text = SCENE.replace("lanes:", OBSTACLES);
    let scene = Scene::parse(&text, "scene").unwrap_or_else(|e| panic!("{e}"));
    Session::new(Arc::new(scene))
}

/// Returns the whole state of a session as text, in which equal bits give equal texts, NaN
/// included.
pub fn full_state(session: &Session) -> String {
    format!("{:?} {:?} {:?}", session.hashes(), drifts(session), session.snapshot())
}

/// Returns the change of each lane's energy since the start, as a fraction.
pub fn drifts(session: &Session) -> Vec<f64> {
    session.lanes().iter().map(|lane| lane.simulation.drift().fraction()).collect()
}

fn apply_all(session: &mut Session, events: &[Event]) -> String {
    events.iter().for_each(|event| session.apply(event));
    full_state(session)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn from_a_snapshot_the_same_events_give_the_same_bits(events in any_events(), cut in 0.0..1.0f64) {
        let (before, after) = events.split_at((cut * events.len() as f64) as usize);
        let mut session = session_among_obstacles();
        apply_all(&mut session, before);
        let kept = session.snapshot();
        let there = full_state(&session);
        let straight = apply_all(&mut session, after);
        session.restore(&kept);
        prop_assert_eq!(&full_state(&session), &there, "back at the snapshot");
        prop_assert_eq!(&apply_all(&mut session, after), &straight, "in the same session");
        let mut fresh = session_among_obstacles();
        fresh.restore(&kept);
        prop_assert_eq!(&apply_all(&mut fresh, after), &straight, "in a new session");
    }

    #[test]
    fn the_same_events_keep_the_account(events in any_events()) {
        let (mut first, mut second) = (session(), session());
        prop_assert_eq!(apply_all(&mut first, &events), apply_all(&mut second, &events));
        for lane in first.lanes() {
            let account = lane.simulation.time_account();
            let error = account.simulated + account.owed + account.dropped - account.wall;
            prop_assert!(error.abs() < 1e-9, "account are off by {} s", error);
        }
    }
}

/// Returns a clock that advances by 30 ms at each reading, so that the watchdog and time budgets
/// cut frames short.
fn ticking_clock() -> impl Fn() -> f64 + Sync {
    let ticks = std::sync::atomic::AtomicU64::new(0);
    move || ticks.fetch_add(1, std::sync::atomic::Ordering::Relaxed) as f64 * 0.03
}

#[test]
fn a_live_session_and_its_recorded_events_have_the_same_bits() {
    let (mut live, mut replayed) = (session(), session());
    let clock = ticking_clock();
    let mut cut_short = 0;
    for frame in 0..60 {
        let at = dvec3(1.0, 0.01 * f64::from(frame), 0.2);
        let command = match frame {
            2 => Command::Grab { particle: 10, mode: GrabMode::Spring, at },
            50 => Command::Release,
            _ => Command::MoveHand(at),
        };
        live.command(command.clone());
        replayed.apply(&Event::Command(Box::new(command)));
        let event = live.advance(0.016, &clock);
        replayed.apply(&event);
        let owes = |simulation: &ropelab::simulation::Simulation| {
            simulation.time_account().owed > simulation.settings().dt
        };
        cut_short += live.lanes().iter().filter(|lane| owes(&lane.simulation)).count();
    }
    assert!(cut_short > 20, "the watchdog cut {cut_short} frames short");
    assert_eq!(live.hashes(), replayed.hashes());
    assert_eq!(format!("{:?}", live.snapshot()), format!("{:?}", replayed.snapshot()));
}

#[test]
fn a_snapshot_holds_columns_and_no_lists_of_solvers() {
    let settings = Settings { integrator: Method::VelocityVerlet, ..Settings::default() };
    let scene = Arc::new(Scene::parse(SCENE, "scene").expect("a scene"));
    let mut simulation = ropelab::simulation::Simulation::new(scene.parts.clone(), settings);
    (0..10).for_each(|_| simulation.step(1e-3));
    // Two states of 48 bytes a particle. Velocity Verlet stores no further column. The additional
    // 3000 bytes are for the lane's numbers, settings and pins.
    let bytes = simulation.snapshot().bytes();
    let columns = 2 * 48 * PARTICLES as usize;
    assert!((columns..columns + 3000).contains(&bytes), "{bytes} bytes");
}

#[test]
fn the_hand_pulls_at_its_own_speed() {
    // A free particle that the hand drags at 3 m/s. If the hand's spring ignored the hand's
    // velocity, the particle would trail by 2ζv/ω = 2 · 3/60 = 0.1 m.
    let text = r#"(version: 1, name: "mass", particles: [(name: "mass", at: (0, 0, 0))],
                   settings: (dt: 0.0009765625))"#;
    let scene = Scene::parse(text, "scene").unwrap_or_else(|e| panic!("{e}"));
    let mut session = Session::new(Arc::new(scene));
    session.command(Command::Grab { particle: 0, mode: GrabMode::Spring, at: DVec3::ZERO });
    // 16 steps of 1/1024 s fill each frame exactly.
    for frame in 1..=64 {
        session.command(Command::MoveHand(dvec3(3.0 / 64.0 * f64::from(frame), 0.0, 0.0)));
        session.advance(1.0 / 64.0, &|| 0.0);
    }
    let behind = 3.0 - session.lanes()[0].simulation.state().x[0].x;
    assert!(behind.abs() < 1e-6, "{behind} m behind");
}

#[test]
fn an_exploded_lane_ignores_drags() {
    let mut session = session();
    for _ in 0..2000 {
        session.advance(0.25, &|| 0.0);
        if session.lanes()[1].simulation.explosion().is_some() {
            break;
        }
    }
    assert!(session.lanes()[1].simulation.explosion().is_some(), "explicit Euler explodes");
    assert!(session.lanes()[0].simulation.explosion().is_none());
    session.command(Command::Grab { particle: FREE, mode: GrabMode::Hard, at: DVec3::ONE });
    let [running, exploded] =
        [0, 1].map(|lane| session.lanes()[lane].simulation.model().is_pinned(FREE));
    assert!(running && !exploded);
}

/// Applies events and adds them to a history.
pub fn apply_and_note(history: &mut History, session: &mut Session, events: &[Event]) {
    for event in events {
        session.apply(event);
        history.record(event.clone(), session);
    }
}

#[test]
fn stepping_back_leads_through_the_same_states_as_stepping_forward() {
    let mut session = session();
    let mut history = History::new(&session, 1 << 30);
    let mut states = vec![session.hashes()];
    for step in 0..90 {
        if step % 40 == 20 {
            let cut = Event::Command(Box::new(Command::Cut(vec![step / 2])));
            apply_and_note(&mut history, &mut session, &[cut]);
        }
        apply_and_note(
            &mut history,
            &mut session,
            &[Event::Command(Box::new(Command::SingleStep))],
        );
        states.push(session.hashes());
    }
    let cuts =
        |session: &Session| session.lanes()[0].simulation.model().topology().cut_links().len();
    assert_eq!(cuts(&session), 2);
    for state in states.iter().rev().skip(1) {
        history.step_back(&mut session).expect("an earlier moment");
        assert_eq!(session.hashes(), *state);
    }
    assert_eq!(cuts(&session), 0, "what was cut is whole again");
    assert_eq!(history.step_back(&mut session), None);
}

#[test]
fn stepping_back_from_a_frame_undoes_its_last_step_in_every_lane() {
    let frame = |steps| Event::Frame {
        seconds: 0.016,
        lanes: [16, 8]
            .map(|most: u32| LaneFrame {
                steps: most - steps,
                left_out: steps,
                ..LaneFrame::default()
            })
            .to_vec(),
    };
    let mut session = session();
    let mut history = History::new(&session, 1 << 30);
    apply_and_note(&mut history, &mut session, &vec![frame(0); 100]);
    let mut expected = self::session();
    let events = [vec![frame(0); 99], vec![frame(3)]].concat();
    apply_all(&mut expected, &events);
    let backs: Vec<_> = (0..3).map(|_| history.step_back(&mut session).expect("earlier")).collect();
    assert_eq!(session.hashes(), expected.hashes());
    let steps = |session: &Session| session.lanes()[0].simulation.steps();
    assert_eq!(steps(&session), 100 * 16 - 3);
    assert_eq!(backs[2].replacement, Some(frame(3)));
    assert!(backs.iter().all(|back| back.events == 1));
}

#[test]
fn a_history_keeps_to_its_budget_and_its_newest_moments() {
    let mut session = session();
    let budget = 10 * session.snapshot().bytes();
    let mut history = History::new(&session, budget);
    let lanes = vec![LaneFrame { steps: 1, ..LaneFrame::default() }; 2];
    let frame = Event::Frame { seconds: 1.0 / 256.0, lanes };
    apply_and_note(&mut history, &mut session, &vec![frame; 1000]);
    let mut back = 0;
    while history.step_back(&mut session).is_some() {
        back += 1;
    }
    // At most ten snapshots with 60 frames of one step after each. Frames use memory, too, so there
    // may be fewer.
    assert!((60..=600).contains(&back), "{back} steps");
}

#[test]
fn a_recording_knows_when_somebody_went_back() {
    let (mut lines, _) = record_drag();
    let hashes = lines.pop();
    let expected = read_recording(&lines[..lines.len() - 4]).replay().0.hashes();
    lines.extend([hashes.expect("hashes"), Record::Back { events: 4 }.line()]);
    lines.push(Record::Hashes(expected.clone()).line());
    let (session, replay) = read_recording(&lines).replay();
    assert_eq!((session.hashes(), replay.difference, replay.compared), (expected, None, 1));
    let far = Record::Back { events: 1000 }.line();
    let text = error_of(&[&lines[0], &lines[1], &far[..]].concat());
    assert_eq!(text, "x.rec:3: undoes 1000 events, found only 0");
}

/// Lanes with several kinds of simulated displays run for two seconds on a display of 60 Hz.
#[test]
fn lanes_with_displays_of_their_own_keep_pace_and_replay_to_the_same_bits() {
    let mut session = session();
    let settings = *session.lanes()[0].simulation.settings();
    let sources = [
        FrameSource::Measured,
        FrameSource::Constant { rate: 144.0 },
        FrameSource::Jitter { rate: 30.0, jitter: 0.5, seed: 7 },
        FrameSource::Spike { rate: 60.0, every: 20, spike: 0.2 },
        FrameSource::Trace(Arc::from([0.01, 0.05, 0.002])),
        FrameSource::Load { rest: 0.01, step: 0.5 * settings.dt },
    ];
    session.command(Command::RemoveLane(1));
    let text = session.scene().lanes[..1].to_vec();
    let start = Start {
        program: "test".into(),
        file: "scene".into(),
        scene: SCENE.into(),
        lanes: text,
        speed: 1.0,
        paused: false,
    };
    let mut lines = MAGIC_LINE.to_owned() + &Record::Start(start).line();
    for (lane, source) in sources.into_iter().enumerate() {
        if lane > 0 {
            let command = Command::AddLane { name: "own".into(), settings };
            session.command(command.clone());
            lines += &Record::Event(Event::Command(Box::new(command))).line();
        }
        session.set_frame_source(lane, source);
    }
    for _ in 0..120 {
        lines += &Record::Event(session.advance(1.0 / 60.0, &|| 0.0)).line();
    }
    for lane in session.lanes() {
        // The lane may be late by a frame that is not due yet and by the remainder of a step.
        let late = 2.0 - lane.simulation.state().t;
        assert!(
            (-1e-9..0.2 + settings.dt).contains(&late),
            "late by {late} s, {:?}",
            lane.display.source()
        );
    }
    lines += &Record::Hashes(session.hashes()).line();
    let (replayed, replay) = Recording::read(lines.as_bytes(), "test").unwrap().replay();
    assert_eq!((replay.compared, replay.difference), (1, None));
    assert_eq!(replayed.hashes(), session.hashes());
}
