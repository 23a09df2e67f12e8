//! Advice: what it recommends holds when it is run again, and what it leaves out it names.

use ropelab::analysis::advise::{Advice, AdviceQuestion, Goal, MARGIN, Trial, advise};
use ropelab::analysis::job::Work;
use ropelab::analysis::{Feed, Passed, RunPlan, run};
use ropelab::scene::{Scene, library};
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;
use std::convert::Infallible;
use std::time::Instant;

/// Five beads on stiff damped springs, swinging.
const ROPE: &str = r#"(
    version: 1, name: "rope",
    materials: [Rope(name: "cord", mass_per_metre: 1, stiffness: 200, damping: 0.1)],
    ropes: [(name: "rope", from: (0, 2, 0), to: (1, 1.8, 0), segments: 5, material: "cord")],
    pins: [(of: Start("rope"))],
)"#;

fn ask(scene: &Scene, question: &AdviceQuestion) -> Advice {
    let started = Instant::now();
    let clock = || started.elapsed().as_secs_f64();
    let settings = scene.lanes[0].settings;
    advise(&scene.parts, &settings, question, &clock, &Work::unwatched()).expect("not cancelled")
}

#[test]
fn the_best_achieves_what_was_asked_and_rivals_are_named_with_a_reason() {
    let scene = Scene::parse(ROPE, "test").expect("the test's scene is good");
    let question = AdviceQuestion { goal: Goal::Error(1e-2), budget: None, duration: 0.5 };
    let Advice { best, front, rejected, tried } = ask(&scene, &question);
    let best = best.expect("many settings achieve 1 %");
    assert!(best.error <= 1e-2 && best.margin >= Some(MARGIN), "{best:?}");
    assert_eq!(best.duration, 0.5, "it was run for the whole duration");
    assert!(tried > 20, "{tried}");
    for pair in front.windows(2) {
        assert!(pair[0].cost_per_second <= pair[1].cost_per_second);
        assert!(pair[0].error > pair[1].error, "the front falls");
    }
    let why =
        |name: &str| &rejected.iter().find(|other| other.name.starts_with(name)).expect(name).why;
    assert!(why("velocity Verlet, 1/60 s").starts_with("explodes at"), "ωh is beyond 2");
    assert!(why("implicit Euler, 1/60 s").starts_with("error"), "it takes the swing away");
}

#[test]
fn what_nothing_achieves_is_not_recommended() {
    let scene = Scene::parse(ROPE, "test").expect("the test's scene is good");
    let question = AdviceQuestion { goal: Goal::Error(1e-15), budget: None, duration: 0.1 };
    let advice = ask(&scene, &question);
    assert_eq!(advice.best, None);
    assert!(!advice.front.is_empty());
    let budget = AdviceQuestion { goal: Goal::Error(0.5), budget: Some(1e-12), duration: 0.1 };
    assert_eq!(ask(&scene, &budget).best, None);
}

#[test]
fn an_interrupted_search_recommends_the_cheapest_that_was_tried_with_margins() {
    let trial = |error: f64, cost: f64, margin: Option<f64>, duration: f64| Trial {
        settings: Settings { dt: cost, ..Settings::default() },
        duration,
        exploded_at: None,
        error,
        stretch: 0.0,
        cost_per_second: cost,
        margin,
    };
    let question = AdviceQuestion { goal: Goal::Error(0.1), budget: None, duration: 1.0 };
    let trials = [
        trial(0.05, 0.004, Some(2.0), 1.0),
        trial(0.05, 0.003, Some(1.5), 1.0),
        trial(0.05, 0.002, Some(1.0), 1.0), // no margin
        trial(0.05, 0.001, Some(2.0), 0.5), // not run to the end
        trial(0.50, 0.001, None, 1.0),      // too inexact
    ];
    let advice = Advice::of(&question, &trials);
    assert_eq!(advice.best, Some(trials[1]));
    assert_eq!(advice.front, [trials[4], trials[2]]);
}

/// Frames between 1/120 and 1/40 s that look random.
fn jitter(seed: u64) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as f64 / (1_u64 << 31) as f64
    };
    (0..97).map(|_| 1.0 / 120.0 + next() / 60.0).collect()
}

#[test]
fn the_advice_for_five_scenes_holds_on_two_displays_that_stutter() {
    for name in
        ["four-integrators", "fixed-step-rope", "numerical-damping", "pendulum", "double-pendulum"]
    {
        let entry = library::find(name).expect("it is in the library");
        let scene = entry.load().expect("scenes of the library are good");
        let question = AdviceQuestion { goal: Goal::Stretch(1.0), budget: None, duration: 0.2 };
        let best = ask(&scene, &question).best.expect(name);
        for seed in [1, 2] {
            let plan = RunPlan { duration: 0.2, feed: Feed::Frames(jitter(seed)) };
            let mut simulation = Simulation::new(scene.parts.clone(), best.settings);
            let watch = |_: &Simulation, _: Passed| Ok::<(), Infallible>(());
            let Ok(outcome) = run(&mut simulation, &plan, &|| 0.0, watch);
            assert_eq!(outcome.explosion, None, "{name}: {best:?}");
            assert!(outcome.stretch_max <= 1.0, "{name}: {}", outcome.stretch_max);
        }
    }
}
