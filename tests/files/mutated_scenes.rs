//! Scenes with a few changed words, like typing errors or attacks. Each scene is read, checked,
//! exported, stepped and edited. Nothing panics, and exported scenes are accepted again.
//!
//! The test tries one round of cases a thread. `ROPELAB_MUTATION_SECONDS=60` tries further rounds
//! for 60 seconds of computing time, that is for 30 seconds in two threads.

#![allow(clippy::unwrap_used)] // helpers of tests, too

use glam::{DVec3, dvec3};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use ropelab::model::Throw;
use ropelab::scene::{Scene, library};
use ropelab::session::{Event, LaneFrame, Session};
use ropelab::simulation::settings::{Command, GrabMode, Settings};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant};

const CASES_A_ROUND: u32 = 150;
const THREADS: u8 = 2;

/// Upper limit of particles × sweeps × substeps of scenes that are stepped.
const WORTH_STEPPING: u64 = 20_000;

/// Files with which the program once stalled or overflowed, or which it accepted although they make
/// no sense.
const ONCE_BROKEN: &[&str] = &[
    r#"(version: 1, name: "x", ropes: [(from: (0,0,0), to: (1e160,0,0))])"#,
    r#"(version: 1, name: "x", ropes: [(from: (0,0,0), to: (0,-1,0), length: 3)])"#,
    r#"(version: 1, name: "x", ropes: [(from: (0,0,0), to: (1,0,0), length: 1000, segments: 257)])"#,
    r#"(version: 1, name: "x", particles: [(at: (0,0,0), mass: 5e-324)], floor: 1e308)"#,
    r#"(version: 1, name: "x", materials: [Rope(name: "m", stiffness: 1e308, damping: 1e308)],
        ropes: [(from: (0,0,0), to: (1,0,0), material: "m")])"#,
    r#"(version: 1, name: "x", cloths: [(corner: (0,0,0), across: (1,0,0), down: (0,1,0), cells: (9,9))],
        forces: [(law: Gravity(), on: Any([All, All, Any([All])]))])"#,
    r#"(version: 1, name: "x", ropes: [(from: (0,0,0), to: (1,0,0))],
        lanes: [(settings: (constraints: Relaxation(iterations: 100000), substeps: 1000))])"#,
    r#"(version: 1, name: "x", balls: [(radius: 0.1, at: (0,0,0)), (radius: 0.1, at: (0,0,0))])"#,
    r#"(version: 1, name: "x", ropes: [(from: (-1e308,0,0), to: (1e308,0,0))])"#,
    r#"(version: 1, name: "x", ropes: [(from: (0,0,0), to: (0,0,0), length: 5e-324)])"#,
    r#"(version: 1, name: "x", materials: [Rope(name: "m", mass_per_metre: 5e-324, stiffness: 5e-324)],
        ropes: [(from: (0,0,0), to: (1,0,0), material: "m")])"#,
    r#"(version: 1, name: "x", cloths: [(corner: (0,0,0), across: (1e150,0,0), down: (0,0,1e150)),
        (corner: (0,0,0), across: (1e-150,0,0), down: (0,0,1e-150))])"#,
    r#"(version: 1, name: "x", ropes: [(from: (0,0,0), to: (1,0,0), length: 3, segments: 300)])"#,
    // A spring turned inside out by the trapezoidal rule, a rope on which SHAKE gave up, and a
    // tolerance that Dormand–Prince missed.
    r#"(version: 1, name: "x", particles: [(at: (0,0,0)), (at: (1.05,0,0), mass: 1)],
        links: [(a: Particle(0), b: Particle(1), stiffness: 1e6, rest: 1)], pins: [(of: Particle(0))],
        forces: [], settings: (links: Springs, integrator: Trapezoid, dt: 0.016666666666666666))"#,
    r#"(version: 1, name: "x", materials: [Rope(name: "m", rigid: true)],
        ropes: [(from: (0,0,0), to: (4,0,0), segments: 100, material: "m")], forces: [(law: Gravity())],
        settings: (links: Constraints, constraints: Shake(), dt: 0.005))"#,
    r#"(version: 1, name: "x", particles: [(at: (0,0,0)), (at: (1.5,0,0))],
        links: [(a: Particle(0), b: Particle(1), stiffness: 8.1e7, rest: 1)], pins: [(of: Particle(0))],
        settings: (links: Springs, integrator: DormandPrince(), dt: 0.1))"#,
    // Adams–Bashforth on rigid links with drag, and bends in a lane with constraints.
    r#"(version: 1, name: "x", particles: [(at: (0,0,0)), (at: (0,-1,0)), (at: (0,-2,0), mass: 2)],
        links: [(a: Particle(0), b: Particle(1), rigid: true), (a: Particle(1), b: Particle(2), rigid: true)],
        bends: [(a: Particle(0), b: Particle(1), c: Particle(2), flexural_rigidity: 200)],
        pins: [(of: Particle(0))], forces: [(law: Gravity()), (law: LinearDrag(coefficient: 2))],
        settings: (integrator: AdamsBashforth2, constraints: Xpbd(), dt: 0.01))"#,
    r#"(version: 1, name: "a\u{1b}]0;owned\u{7}\u{202e}", particles: [(at: (0,0,0))],
        lanes: [(name: "\u{1b}[31m")])"#,
    "\u{feff}(version: 1, name: \"x\", particles: [(at: (0,0,0))])",
];

/// Small versions of files with which the program once stalled because of their size.
fn stalling_files() -> Vec<String> {
    let all = "All, ".repeat(40);
    let cloth =
        "cloths: [(name: \"c\", corner: (0,0,0), across: (1,0,0), down: (0,1,0), cells: (4,4))]";
    let star = |i: u32| format!("(a: Particle(0), b: Particle({i}))");
    let ends: String = (1..60).map(|i| format!("(at: ({i},1,0)), ")).collect();
    let links: Vec<_> = (1..60).map(star).collect();
    let texts = [
        format!("{cloth}, forces: [{}]", "(law: Gravity()), ".repeat(40)),
        format!("{cloth}, forces: [(law: Gravity(), on: Any([{all}]))]"),
        format!("{cloth}, masses: [{}]", "(of: All, mass: 1), ".repeat(40)),
        format!("{cloth}, pins: [(of: Start(\"{}\"))]", "a".repeat(3000)),
        format!("floor: {}1{}", "Some(".repeat(200), ")".repeat(200)),
        format!("{}: 1", "x".repeat(3000)),
        format!(
            "particles: [(at: (0,0,0)), {ends}], links: [{}], settings: (links: Constraints, \
             constraints: Relaxation(order: Coloured))",
            links.join(", ")
        ),
        "ropes: [".to_owned() + &"(from:(0,0,0),to:(1,0,0),length:2,segments:2),".repeat(30) + "]",
    ];
    texts.map(|text| format!("(version: 1, name: \"x\", {text})")).into()
}

/// Splits a text into words, white space and single other characters.
fn split_words(text: &str) -> Vec<String> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || "_.+-".contains(c) => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut words: Vec<String> = Vec::new();
    let mut last = 2;
    for c in text.chars() {
        match words.last_mut() {
            Some(word) if kind(c) == last && last < 2 => word.push(c),
            _ => words.push(c.to_string()),
        }
        last = kind(c);
    }
    words
}

static SEEDS: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let scenes = library::list();
    let texts = scenes.iter().map(|entry| entry.text()).chain(ONCE_BROKEN.iter().copied());
    texts.map(split_words).chain(stalling_files().iter().map(|text| split_words(text))).collect()
});

/// Words of all seeds, without repetitions.
static VOCABULARY: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut all: Vec<String> = SEEDS.iter().flatten().cloned().collect();
    all.sort();
    all.dedup();
    all
});

/// Change of a text. Places are fractions of the number of words.
#[derive(Clone, Debug)]
enum Change {
    /// Replaces the first number after the place.
    Number(f64, String),
    /// Replaces a word by a word of any seed.
    Word(f64, prop::sample::Index),
    Delete(f64, usize),
    Repeat(f64, usize),
    Swap(f64, f64),
    /// Ends the text at this place.
    End(f64),
}

fn any_change() -> impl Strategy<Value = Change> {
    let place = || 0.0..1.0f64;
    let sizes = (-18.0f64..18.0).prop_map(|e| format!("{:e}", 10f64.powf(e)));
    let special = prop::sample::select(vec![
        "0",
        "-1",
        "1",
        "2",
        "1e308",
        "-1e308",
        "5e-324",
        "inf",
        "NaN",
        "-0.0",
        "997",
        "4294967295",
        "18446744073709551616",
    ]);
    let number = prop_oneof![sizes, special.prop_map(str::to_owned)];
    prop_oneof![
        8 => (place(), number).prop_map(|(at, n)| Change::Number(at, n)),
        4 => (place(), any::<prop::sample::Index>()).prop_map(|(at, w)| Change::Word(at, w)),
        2 => (place(), 1..12usize).prop_map(|(at, n)| Change::Delete(at, n)),
        2 => (place(), 1..60usize).prop_map(|(at, n)| Change::Repeat(at, n)),
        2 => (place(), place()).prop_map(|(a, b)| Change::Swap(a, b)),
        1 => place().prop_map(Change::End),
    ]
}

fn apply_change(words: &mut Vec<String>, change: &Change) {
    let place = |share: f64| (share * words.len() as f64) as usize;
    let run = |at: usize, n: usize| at..(at + n).min(words.len());
    match change {
        _ if words.is_empty() => {}
        Change::Number(at, number) => {
            let is_number = |word: &String| word.parse::<f64>().is_ok();
            let found = words[place(*at)..].iter().position(is_number);
            if let Some(ahead) = found {
                let at = place(*at) + ahead;
                words[at].clone_from(number);
            }
        }
        Change::Word(at, word) => {
            let at = place(*at);
            words[at].clone_from(word.get(&VOCABULARY));
        }
        Change::Delete(at, n) => {
            let run = run(place(*at), *n);
            words.drain(run);
        }
        Change::Repeat(at, n) => {
            let at = place(*at);
            let again = words[run(at, *n)].to_vec();
            words.splice(at..at, again);
        }
        Change::Swap(a, b) => {
            let (a, b) = (place(*a), place(*b));
            words.swap(a, b);
        }
        Change::End(at) => {
            let at = place(*at);
            words.truncate(at);
        }
    }
}

fn any_text() -> impl Strategy<Value = String> {
    let changes = prop::collection::vec(any_change(), 0..4);
    (0..SEEDS.len(), changes).prop_map(|(seed, changes)| {
        let mut words = SEEDS[seed].clone();
        changes.iter().for_each(|next| apply_change(&mut words, next));
        words.concat()
    })
}

fn try_scene(text: &str, particle: u32) -> Result<(), TestCaseError> {
    let scene = match Scene::parse(text, "mutated") {
        Ok(scene) => scene,
        Err(error) => {
            prop_assert!(error.to_string().chars().count() < 2000, "{error}");
            return Ok(());
        }
    };
    let particles = scene.parts.mesh.positions.len() as u64;
    if particles <= 5000 {
        let again = Scene::parse(&scene.to_ron(), "export").map_err(|e| e.to_string());
        prop_assert_eq!(again.as_ref(), Ok(&scene));
    }
    let work = |settings: &Settings| {
        let sweeps = settings.constraints.iterations().unwrap_or(1).max(1);
        u64::from(settings.substeps).saturating_mul(sweeps.into())
    };
    let most = scene.lanes.iter().map(|lane| work(&lane.settings)).max().unwrap_or(1);
    if particles.saturating_mul(most) <= WORTH_STEPPING {
        apply_every_command(scene, particle);
    }
    Ok(())
}

/// Applies commands of every kind to a scene, each followed by five steps: drags, cuts, pins, a
/// throw, and a reset.
pub fn apply_every_command(scene: Scene, particle: u32) {
    let links = scene.parts.mesh.links.len() as u32;
    let at = scene.parts.mesh.positions.get(particle as usize).copied().unwrap_or_default();
    let mut session = Session::new(Arc::new(scene));
    let five = LaneFrame { steps: 5, ..LaneFrame::default() };
    let lanes = vec![five; session.lanes().len()];
    let frame = Event::Frame { seconds: 0.1, lanes };
    session.apply(&frame);
    session.command(Command::Grab { particle, mode: GrabMode::Hard, at });
    session.command(Command::MoveHand(at + dvec3(0.3, -0.2, 0.1)));
    session.apply(&frame);
    session.command(Command::GrabCollider { collider: 0, at });
    session.command(Command::MoveHand(at + dvec3(-0.3, 0.2, 0.1)));
    session.apply(&frame);
    session.command(Command::Release);
    session.command(Command::Cut((0..links.min(3)).collect()));
    session.command(Command::TogglePin(particle));
    let ball = Throw { at: at + DVec3::Y, velocity: 5.0 * DVec3::NEG_Y, mass: 0.1, radius: 0.05 };
    session.command(Command::Throw(ball));
    session.apply(&frame);
    session.command(Command::Reset);
    session.apply(&frame);
}

fn run_round(number: u8) {
    let config =
        ProptestConfig { cases: CASES_A_ROUND, failure_persistence: None, ..Default::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[number; 32]);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let outcome =
        runner.run(&(any_text(), 0..50u32), |(text, particle)| try_scene(&text, particle));
    if let Err(failure) = outcome {
        panic!("round {number}: {failure}");
    }
}

#[test]
fn no_scene_however_it_was_typed_makes_the_laboratory_panic() {
    let wanted = std::env::var("ROPELAB_MUTATION_SECONDS").ok();
    let seconds: f64 = wanted.map_or(0.0, |text| text.parse().unwrap());
    let until = Instant::now() + Duration::from_secs_f64(seconds / f64::from(THREADS));
    let run_rounds = |first| {
        for number in (first..=u8::MAX).step_by(THREADS.into()) {
            run_round(number);
            if Instant::now() >= until {
                return;
            }
        }
    };
    thread::scope(|scope| {
        (0..THREADS).for_each(|first| drop(scope.spawn(move || run_rounds(first))));
    });
}

#[test]
fn every_seed_is_understood_or_refused_as_it_stands() {
    for seed in SEEDS.iter() {
        try_scene(&seed.concat(), 1).unwrap();
    }
}
