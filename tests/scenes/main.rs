//! Claims that the library scenes make in captions and readings, measured without a window.

#![allow(clippy::unwrap_used)] // helpers of tests, too

mod contact;
mod first_scenes;
mod shapes_and_waves;
mod solvers;

use glam::DVec3;
use ropelab::scene::{Scene, library};
use ropelab::session::Session;
use ropelab::simulation::Simulation;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

/// Returns the first reading in the first lane: the measured value and the prediction of its
/// formula.
fn first_reading(session: &Session) -> [f64; 2] {
    session.scene().annotations.readings[0].values(&session.lanes()[0].simulation)
}

fn open_session(name: &str) -> Session {
    let scene = library::find(name).unwrap().load().unwrap_or_else(|error| panic!("{error}"));
    Session::new(Arc::new(scene))
}

/// Runs a session for `seconds` on a display of `hz` frames a second.
fn run(session: &mut Session, hz: f64, seconds: f64) {
    for _ in 0..(hz * seconds).round() as u32 {
        session.advance(1.0 / hz, &|| 0.0);
    }
}

fn simulation_of<'a>(session: &'a Session, name: &str) -> &'a Simulation {
    let lane = session.lanes().iter().find(|lane| lane.name == name);
    &lane.unwrap_or_else(|| panic!("no lane \"{name}\"")).simulation
}

fn position_of(simulation: &Simulation, particle: usize) -> DVec3 {
    simulation.state().x[particle]
}

#[track_caller]
fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "found {found}, expected {expected}");
}

#[test]
fn every_scene_loads_and_says_what_to_look_for() {
    let scenes = library::list();
    assert!(scenes.len() >= 17, "{} scenes", scenes.len());
    let titles: BTreeSet<_> = scenes.iter().map(|entry| &entry.title).collect();
    assert_eq!(titles.len(), scenes.len(), "each scene has its own title");
    for entry in &scenes {
        let scene = entry.load().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(scene.name, entry.title);
        assert_eq!(scene.look_for, entry.look_for);
        assert!(entry.text().starts_with("// Look for: "), "{}", entry.file);
        let words = scene.look_for.split_whitespace().count();
        assert!((3..=20).contains(&words), "{}: {words} words in the caption", entry.file);
        let number = &entry.file[..2];
        assert!(number.parse::<u32>().is_ok(), "{} has no number", entry.file);
    }
    assert_eq!(library::default_scene(), scenes[0]);
}

/// Captions contain the words that users search for when their rope has the defect of the scene.
#[test]
fn captions_say_what_people_search_for() {
    let scenes = library::list();
    let finds = |words: &str| -> Vec<&str> {
        let found = scenes.iter().filter(|scene| scene.look_for.to_lowercase().contains(words));
        found.map(|scene| scene.name).collect()
    };
    assert_eq!(finds("explodes after alt-tab"), ["frame-coupled-rope"]);
    assert_eq!(finds("my rope stretches"), ["heavy-load", "never-more-than-five-percent"]);
    assert_eq!(finds("same number, other mesh"), ["half-on-four-meshes"]);
}

#[test]
fn scenes_are_found_by_name_by_number_and_name_and_by_path() {
    let entry = library::find("pendulum").unwrap();
    for name in ["Pendulum", entry.file, entry.file.trim_end_matches(".ron")] {
        assert_eq!(library::find(name).unwrap(), entry, "{name}");
    }
    let scene = Scene::open("double pendulum").unwrap();
    assert_eq!(scene.name, "Double pendulum");
    let path = format!("scenes/{}", entry.file);
    assert_eq!(Scene::open(&path).unwrap().name, "Pendulum");
    assert_eq!(entry.path_on_disk().unwrap().to_string_lossy().replace('\\', "/"), path);
}

#[test]
fn every_scene_survives_export_and_import() {
    for entry in library::list() {
        let scene = entry.load().unwrap();
        let again = Scene::parse(&scene.to_ron(), "export").unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(scene, again, "{}", entry.file);
    }
}

#[test]
fn a_restored_scene_repeats_its_hashes() {
    for entry in library::list() {
        let scene = Arc::new(entry.load().unwrap());
        for lane in &scene.lanes {
            let mut simulation = Simulation::new(scene.parts.clone(), lane.settings);
            let start_again = simulation.snapshot();
            let mut run_and_hash = || {
                let start = simulation.hash();
                (0..5).for_each(|_| simulation.step(lane.settings.dt));
                let end = simulation.hash();
                simulation.restore(&start_again);
                [start, end, simulation.steps()]
            };
            assert_eq!(run_and_hash(), run_and_hash(), "{}, lane {}", entry.name, lane.name);
        }
    }
}

#[test]
fn a_rope_joins_what_it_is_tied_to_and_keeps_the_mass() {
    let text = "(version: 1, name: \"joined\",
        materials: [Rope(name: \"cord\", mass_per_metre: 2)],
        particles: [(name: \"knot\", at: (0, 1, 0), mass: 5)],
        ropes: [
            (name: \"upper\", from: (0, 2, 0), tie_to: Body(\"knot\"), segments: 4, material: \"cord\"),
            (name: \"lower\", tie_from: End(\"upper\"), to: (0, 0, 0), segments: 2, material: \"cord\"),
        ],
        masses: [(of: End(\"lower\"), mass: 7)],
    )";
    let scene = Scene::parse(text, "joined").unwrap();
    assert_eq!(scene.parts.mesh.positions.len(), 1 + 4 + 2);
    assert_eq!(scene.parts.mesh.masses[0], 5.0 + 0.25 + 0.5);
    assert_eq!(scene.parts.mesh.masses.last(), Some(&7.0));
    assert_eq!(scene.parts.mesh.ropes[1].particles, [0, 5, 6]);
}

#[test]
fn a_constraint_solver_that_is_named_is_in_force() {
    let text = "(version: 1, name: \"x\", particles: [(at: (0, 0, 0))],
        settings: (constraints: Xpbd(iterations: 3)),
        lanes: [(name: \"a\"), (name: \"b\", settings: (constraints: None)),
                (name: \"c\", settings: (links: Springs))])";
    let scene = Scene::parse(text, "x").unwrap();
    let none = ropelab::constraint::ConstraintSolver::None;
    let solvers: Vec<bool> = scene.lanes.iter().map(|l| l.settings.solver() != none).collect();
    assert_eq!(solvers, [true, false, false]);
}

#[test]
fn every_formula_of_a_lane_is_met_where_it_is_shown() {
    // Simulated seconds, and tolerance in the unit of the reading.
    for (scene, seconds, tolerance) in [
        ("numerical-damping", 5.0, 0.005),
        ("jakobsens-exercise", 5.0, 1e-12),
        ("frame-clamp", 5.0, 1e-3),
        ("three-projections", 5.0, 0.005),
        ("lost-remainders", 5.0, 1e-3),
    ] {
        let mut session = open_session(scene);
        run(&mut session, 60.0, seconds);
        for lane in session.lanes() {
            let readings = &session.scene().annotations.readings;
            let own: Vec<_> = readings.iter().filter(|r| r.is_shown_in(&lane.name)).collect();
            assert_eq!(own.len(), 1, "{scene}, {}", lane.name);
            let [measured, predicted] = own[0].values(&lane.simulation);
            assert_near(measured, predicted, tolerance);
        }
    }
    let mut session = open_session("f32-stops-falling");
    run(&mut session, 60.0, 1.3);
    let reading = session.scene().annotations.readings[0].clone();
    let [measured, predicted] = reading.values(simulation_of(&session, "64 bits"));
    assert_near(measured, predicted, 1e-6);
    assert_eq!(reading.values(simulation_of(&session, "32 bits"))[0], 0.0);
}

/// Reading of the height in the scene, checked after every second.
#[test]
fn contact_on_parabolas_returns_the_ball_to_1_m_and_contact_on_chords_does_not() {
    let mut session = open_session("chord-or-parabola");
    let reading = session.scene().annotations.readings[0].clone();
    let mut farthest = [0.0_f64; 2];
    for _ in 0..8 {
        run(&mut session, 60.0, 1.0);
        for (away, name) in farthest.iter_mut().zip(["parabola, 100 ms", "chord, 100 ms"]) {
            let [measured, predicted] = reading.values(simulation_of(&session, name));
            *away = away.max((measured - predicted).abs());
        }
    }
    assert!(farthest[0] < 1e-9 && farthest[1] > 0.05, "{farthest:?}");
}

/// Returns the hashes of every lane after 100 steps, one line each.
fn hashes_after_100_steps() -> String {
    let mut text = String::new();
    for entry in library::list() {
        let scene = Arc::new(entry.load().unwrap());
        for lane in &scene.lanes {
            let mut simulation = Simulation::new(scene.parts.clone(), lane.settings);
            for _ in 0..100 {
                if simulation.explosion().is_none() {
                    simulation.step(lane.settings.dt);
                }
            }
            writeln!(text, "{:016x} {}: {}", simulation.hash(), entry.name, lane.name).unwrap();
        }
    }
    text
}

/// Hashes are equal in debug and release builds and on every machine. `UPDATE=1` rewrites the file.
#[test]
fn every_scene_has_its_hash_after_100_steps() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/hashes.txt");
    let found = hashes_after_100_steps();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
    let changed: Vec<_> =
        found.lines().filter(|line| !golden.lines().any(|g| g == *line)).collect();
    assert!(found == golden, "changed, new or gone (UPDATE=1 writes the file again): {changed:#?}");
}

#[test]
fn every_scene_is_the_same_on_one_thread_and_on_two() {
    let on_threads = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut hashes = Vec::new();
            for entry in library::list() {
                let mut session = Session::new(Arc::new(entry.load().unwrap()));
                run(&mut session, 60.0, 0.25);
                hashes.extend(session.lanes().iter().map(|lane| lane.simulation.hash()));
            }
            hashes
        })
    };
    assert_eq!(on_threads(1), on_threads(2));
}
