//! What lanes suffer from, and remedies that were tried.

use ropelab::analysis::explain::{
    Cause, ExplainQuestion, Explanation, Remedy, SymptomKind, explain,
};
use ropelab::analysis::job::Work;
use ropelab::integrate::Method;
use ropelab::scene::{Scene, library};
use ropelab::session::Inputs;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;
use ropelab::simulation::stepper::Stepping;

/// A bob of 1 kg on a spring of 400 N/m, ω = 20 rad/s, that bounces 5 cm about its rest.
const BOB: &str = r#"(version: 1, name: "bob", forces: [],
    particles: [(name: "hook", at: (0, 1, 0)), (name: "bob", at: (0, 0, 0))],
    links: [(a: Body("hook"), b: Body("bob"), rest: 0.95, stiffness: 400)],
    pins: [(of: Body("hook"))])"#;

fn explained(integrator: Method, dt: f64, duration: f64) -> Explanation {
    let scene = Scene::parse(BOB, "test").expect("the test's scene is good");
    let settings = Settings { integrator, dt, ..Settings::default() };
    let start = Simulation::new(scene.parts.clone(), settings);
    let question = ExplainQuestion { start, inputs: Inputs::default(), dt, duration };
    explain(&question, &|| 0.0, &Work::unwatched()).expect("not cancelled")
}

fn damping(explanation: &Explanation) -> &Remedy {
    let damped = |remedy: &&Remedy| remedy.settings.stiffness_damping > 0.0;
    explanation.remedies.iter().find(damped).expect("damping is tried")
}

/// It stands ωh < 2ξ: at ωh = 0.1 the ratio must be 0.05/0.8, and the next that is tried is 0.1.
#[test]
fn explicit_euler_is_held_by_as_much_damping_as_theory_says() {
    let explanation = explained(Method::ExplicitEuler, 0.005, 30.0);
    assert_eq!(explanation.cause, Cause::NeverStable, "{}", explanation.sentence);
    let remedy = damping(&explanation);
    assert_eq!(remedy.settings.stiffness_damping, 2.0 * 0.1 / 20.0);
    assert_eq!(remedy.change, "stiffness damping β = 1e-2 s");
    assert!(remedy.holds && remedy.error > 0.01, "{remedy:?}");
}

/// Damping shortens what symplectic Euler stands: it is tried, and is no remedy.
#[test]
fn damping_does_not_lengthen_the_step_of_symplectic_euler() {
    let explanation = explained(Method::SymplecticEuler, 0.12, 5.0);
    assert_eq!(explanation.cause, Cause::StepTooLong, "{}", explanation.sentence);
    assert!(!damping(&explanation).holds, "{:?}", damping(&explanation));
}

/// Velocity Verlet, whose damping lags by half a step, stands ωh = 2.86 at ξ = 0.7.
#[test]
fn theory_finds_the_one_damping_with_which_velocity_verlet_stands_more() {
    let explanation = explained(Method::VelocityVerlet, 0.11, 5.0);
    assert_eq!(explanation.cause, Cause::StepTooLong, "{}", explanation.sentence);
    let remedy = damping(&explanation);
    assert!(remedy.holds, "{remedy:?}");
    assert_eq!(remedy.settings.stiffness_damping, 0.07);
}

/// A lane of a scene of the library over five seconds.
fn lives(scene: &str, lane: usize) -> (Explanation, Settings) {
    let scene = Scene::open(scene).expect("the scene is in the library");
    lives_badly(&scene, scene.lanes[lane].settings)
}

fn lives_badly(scene: &Scene, settings: Settings) -> (Explanation, Settings) {
    let start = Simulation::new(scene.parts.clone(), settings);
    let dt = if settings.stepping.uses_dt() { settings.dt } else { 1.0 / 60.0 };
    let question = ExplainQuestion { start, inputs: Inputs::default(), dt, duration: 5.0 };
    let explanation = explain(&question, &|| 0.0, &Work::unwatched()).expect("not cancelled");
    let own = explanation.remedies.iter().find(|remedy| remedy.settings == settings);
    assert_eq!(own, None, "a lane is no remedy against itself");
    (explanation, settings)
}

fn symptom(explanation: &Explanation, kind: SymptomKind) -> f64 {
    let found = explanation.symptoms.iter().find(|symptom| symptom.kind == kind);
    found.unwrap_or_else(|| panic!("{kind:?} is not in {:?}", explanation.symptoms)).value
}

/// The scene says so: 15 % of the swing each second.
#[test]
fn the_swing_that_numerical_damping_takes_is_told_as_a_part_of_it() {
    let (explanation, _) = lives("numerical-damping", 0);
    let taken = symptom(&explanation, SymptomKind::LosingSwing);
    assert!((taken + 0.15).abs() < 0.01, "{taken}");
}

/// A projection along the link where it ends leaves the amplitude (1 + ω² dt²)^(−1/2) of a step.
#[test]
fn the_swing_that_a_projection_takes_is_that_of_theory() {
    const PENDULUM: &str = r#"(version: 1, name: "pendulum",
        particles: [(name: "hook", at: (0, 0, 0)), (name: "bob", at: (0.1, -0.9949874, 0))],
        links: [(a: Body("hook"), b: Body("bob"), rigid: true)],
        pins: [(of: Body("hook"))], forces: [(law: Gravity())],
        settings: (constraints: Xpbd(), dt: 0.01))"#;
    let scene = Scene::parse(PENDULUM, "test").expect("the test's scene is good");
    let (explanation, settings) = lives_badly(&scene, scene.lanes[0].settings);
    let taken = symptom(&explanation, SymptomKind::LosingSwing);
    let dt = settings.dt;
    let theory = (1.0 + 9.81 * dt * dt).powf(-0.5 / dt) - 1.0;
    assert!((taken / theory - 1.0).abs() < 0.06, "{taken}, not {theory}");
    let shake = explanation.remedies.iter().find(|remedy| remedy.change == "links held by SHAKE");
    assert!(shake.is_some_and(|shake| shake.holds), "{:?}", explanation.remedies);
}

/// Drag that takes 1 % of the velocity 60 times a second takes e^(−0.3) of a swing.
#[test]
fn the_swing_that_drag_by_the_step_takes_is_told() {
    let (explanation, _) = lives("drag-by-the-step", 0);
    let taken = symptom(&explanation, SymptomKind::LosingSwing);
    assert!((taken + 0.26).abs() < 0.02, "{taken}");
}

/// What is offered against lost time keeps it, and nothing else is offered.
#[test]
fn lost_time_is_kept_by_what_is_offered_against_it() {
    for (scene, lane) in [("lost-remainders", 0), ("lost-remainders", 1), ("frame-clamp", 0)] {
        let (explanation, settings) = lives(scene, lane);
        assert!(symptom(&explanation, SymptomKind::SlowMotion) > 0.1, "{scene}");
        let [remedy] = &explanation.remedies[..] else {
            panic!("{scene}: {:?}", explanation.remedies);
        };
        let Settings { stepping, guards, .. } = remedy.settings;
        assert_eq!(Settings { stepping, guards, ..settings }, remedy.settings, "{scene}");
        let (healed, _) = lives_badly(&Scene::open(scene).expect("as before"), remedy.settings);
        assert_eq!(healed.symptoms, [], "{scene}");
    }
}

/// The picture of an accumulator without interpolation is mended by another stepping.
#[test]
fn a_picture_that_jitters_is_offered_interpolation() {
    let (explanation, settings) = lives("interpolation", 0);
    symptom(&explanation, SymptomKind::Jittering);
    let stepping = Stepping::Interpolated;
    let offered: Vec<Settings> = explanation.remedies.iter().map(|it| it.settings).collect();
    assert_eq!(offered, [Settings { stepping, ..settings }]);
}

/// Balls that collide, and a rope that a load draws tight, make a push grow for a moment.
#[test]
fn what_grows_for_a_moment_only_is_no_instability() {
    for (scene, lane) in [("two-balls", 0), ("two-balls", 1), ("bridge", 2)] {
        let (explanation, _) = lives(scene, lane);
        assert_eq!(explanation.cause, Cause::Holds, "{scene}: {}", explanation.sentence);
    }
}

/// What the hand that shakes a chain puts in depends on how the chain moves, in a precise run as well.
#[test]
fn what_is_driven_neither_gains_nor_loses() {
    let scene = Scene::open("standing-wave").expect("the scene is in the library");
    let settings = Settings { integrator: Method::ImplicitEuler, ..scene.lanes[0].settings };
    let (explanation, _) = lives_badly(&scene, settings);
    assert_eq!(explanation.symptoms, []);
}

/// A hammock without spreaders takes its load: in its first second shorter steps take more, when its
/// ropes are drawn tight, and the lane adds nothing.
#[test]
fn what_takes_less_than_in_shorter_steps_does_not_gain() {
    let text = library::find("hammock").expect("it is in the library").text();
    let (before, spreaders) = text.split_once("    // Spreaders").expect("it has spreaders");
    let (_, after) = spreaders.split_once("    ],\n").expect("they are a list");
    let scene = Scene::parse(&format!("{before}{after}"), "hammock").expect("a scene");
    let settings = scene.lanes[0].settings;
    let start = Simulation::new(scene.parts.clone(), settings);
    let question =
        ExplainQuestion { start, inputs: Inputs::default(), dt: settings.dt, duration: 1.0 };
    let explanation = explain(&question, &|| 0.0, &Work::unwatched()).expect("not cancelled");
    assert_eq!(explanation.symptoms, []);
}

/// Springs that are stretched from the start are meant to be.
#[test]
fn a_chain_that_begins_stretched_is_not_rubbery() {
    let (explanation, _) = lives("travelling-wave", 0);
    assert_eq!(explanation.symptoms, []);
}
