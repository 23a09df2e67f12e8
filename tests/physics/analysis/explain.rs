//! Explanations: causes of failures of lanes, and remedies that were tried.

use super::symptoms::diagnosed_with;
use ropelab::analysis::explain::{
    Cause, ExplainQuestion, Explanation, Outcome, Remedy, SymptomKind, explain, price_in_words,
};
use ropelab::analysis::job::Work;
use ropelab::integrate::Method;
use ropelab::measure::Verdict;
use ropelab::scene::vary::VariableScene;
use ropelab::scene::{LaneSetup, Scene, library, settings_from_ron, settings_to_ron};
use ropelab::session::Display;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;
use ropelab::simulation::timing::stepper::{Guard, Stepping};
use std::sync::Mutex;

/// A bob of 1 kg on a spring of 400 N/m (ω = 20 rad/s) that oscillates by 5 cm about its
/// equilibrium.
const BOB: &str = r#"(version: 1, name: "bob", forces: [],
    particles: [(name: "hook", at: (0, 1, 0)), (name: "bob", at: (0, 0, 0))],
    links: [(a: Body("hook"), b: Body("bob"), rest: 0.95, stiffness: 400)],
    pins: [(of: Body("hook"))])"#;

/// Question with steps of `dt` seconds, without recorded frames and without a scene file.
fn question(start: Simulation, dt: f64, duration: f64) -> ExplainQuestion {
    ExplainQuestion { dt, ..ExplainQuestion::of(start, duration) }
}

fn explained(integrator: Method, dt: f64, duration: f64) -> Explanation {
    let scene = Scene::parse(BOB, "test").expect("the test's scene is good");
    let settings = Settings { integrator, dt, ..Settings::default() };
    let start = Simulation::new(scene.parts.clone(), settings);
    let question = question(start, dt, duration);
    explain(&question, &|| 0.0, &Work::unwatched()).expect("not cancelled")
}

fn damping(explanation: &Explanation) -> &Remedy {
    let damped = |remedy: &&Remedy| remedy.settings.stiffness_damping > 0.0;
    explanation.remedies.iter().find(damped).expect("damping is tried")
}

/// Explicit Euler is stable for ωh < 2ξ with the damping ratio ξ. At ωh = 0.1 and a safety factor
/// of 0.8, ξ must be at least 0.05/0.8. The next damping ratio that is tried is 0.1.
#[test]
fn explicit_euler_is_held_by_as_much_damping_as_theory_says() {
    let explanation = explained(Method::ExplicitEuler, 0.005, 30.0);
    assert_eq!(explanation.cause, Cause::NeverStable, "{}", explanation.headline);
    let remedy = damping(&explanation);
    assert_eq!(remedy.settings.stiffness_damping, 2.0 * 0.1 / 20.0);
    assert_eq!(remedy.change, "stiffness damping β = 1e-2 s");
    assert!(remedy.holds && remedy.error > 0.01, "{remedy:?}");
}

/// With ωh = 0.1 and ξ = 0.1/1.6, explicit Euler makes ωh/(2ξ − ωh) = 4 times the initial energy,
/// and the damper takes all of it: the total energy rises by some percent at first, and then falls.
#[test]
fn a_gain_that_damping_hides_has_the_verdict_of_the_lane_and_a_cause() {
    let damped = BOB.replace("stiffness: 400", "stiffness: 400, damping: 2.5");
    let scene = Scene::parse(&damped, "test").expect("the test's scene is good");
    let settings = Settings { integrator: Method::ExplicitEuler, dt: 0.005, ..Settings::default() };
    let start = Simulation::new(scene.parts.clone(), settings);
    let mut lane = start.clone();
    lane.start_energy_account();
    for _ in 0..2000 {
        lane.step(settings.dt);
        lane.add_to_energy_account();
        assert!(lane.energy().total() < 1.1 * start.energy().total());
    }
    let Verdict::GainedEnergy(gain) = lane.verdict() else { panic!("{}", lane.verdict()) };
    let explanation = explain(&question(start, 0.005, 10.0), &|| 0.0, &Work::unwatched());
    let explanation = explanation.expect("not cancelled");
    assert_eq!(explanation.cause, Cause::DampedGain, "{}", explanation.headline);
    assert_eq!(explanation.seconds_until_end, gain.t);
    assert!(explanation.remedies.iter().any(|remedy| remedy.holds), "{:?}", explanation.remedies);
}

/// The bob moves by 0.1 m between its extremes. A pinned ball a kilometre away makes no error small.
#[test]
fn errors_of_remedies_are_parts_of_what_moves() {
    let far = BOB
        .replace("at: (0, 0, 0))]", "at: (0, 0, 0)), (name: \"far\", at: (1000, 0, 0))]")
        .replace("pins: [", "pins: [(of: Body(\"far\")), ");
    let [near, far] = [BOB, &far].map(|text| {
        let scene = Scene::parse(text, "test").unwrap_or_else(|error| panic!("{error}"));
        let settings =
            Settings { integrator: Method::ExplicitEuler, dt: 0.005, ..scene.lanes[0].settings };
        let start = Simulation::new(scene.parts.clone(), settings);
        let explanation = explain(&question(start, 0.005, 5.0), &|| 0.0, &Work::unwatched());
        explanation.expect("not cancelled").remedies
    });
    let mut compared = 0;
    for remedy in near.iter().filter(|remedy| remedy.error.is_finite()) {
        let size = remedy.error_size.expect("an error has a size");
        assert!((size - 0.1).abs() < 0.002, "{size} m");
        if let Some(other) = far.iter().find(|other| other.settings == remedy.settings) {
            assert!((other.error / remedy.error - 1.0).abs() < 1e-6, "{remedy:?} {other:?}");
            compared += 1;
        }
    }
    assert!(compared > 2, "{compared} remedies were compared");
}

/// A ball on a contact spring with ωh = 4: there is no link that a solver could hold.
#[test]
fn solvers_of_links_are_no_remedy_where_there_are_none() {
    let ball = r#"(version: 1, name: "ball", particles: [(at: (0, 1, 0), mass: 0.01)],
        surfaces: [(of: All, radius: 0.05)], colliders: [(shape: Plane())],
        settings: (dt: 0.004, contact: Penalty(damping: 0)))"#;
    let scene = Scene::parse(ball, "test").expect("the test's scene is good");
    for integrator in [Method::SymplecticEuler, Method::VelocityVerlet, Method::Rk4] {
        let settings = Settings { integrator, ..scene.lanes[0].settings };
        let start = Simulation::new(scene.parts.clone(), settings);
        let explanation = explain(&question(start, 0.004, 5.0), &|| 0.0, &Work::unwatched());
        let remedies = explanation.expect("not cancelled").remedies;
        let solved = remedies.iter().find(|remedy| !remedy.settings.solver().is_none());
        assert!(solved.is_none() && !remedies.is_empty(), "{remedies:?}");
    }
}

/// Damping shortens the longest stable step of symplectic Euler. It is tried, but does not cure.
#[test]
fn damping_does_not_lengthen_the_step_of_symplectic_euler() {
    let explanation = explained(Method::SymplecticEuler, 0.12, 5.0);
    assert_eq!(explanation.cause, Cause::StepTooLong, "{}", explanation.headline);
    assert!(!damping(&explanation).holds, "{:?}", damping(&explanation));
}

/// Velocity Verlet applies damping half a step late. At the damping ratio ξ = 0.7 it is stable up
/// to ωh = 2.86.
#[test]
fn theory_finds_the_one_damping_with_which_velocity_verlet_stands_more() {
    let explanation = explained(Method::VelocityVerlet, 0.11, 5.0);
    assert_eq!(explanation.cause, Cause::StepTooLong, "{}", explanation.headline);
    let remedy = damping(&explanation);
    assert!(remedy.holds, "{remedy:?}");
    assert_eq!(remedy.settings.stiffness_damping, 0.07);
}

/// Explanation and settings of a lane of a library scene over five seconds.
fn lives(scene: &str, lane: usize) -> (Explanation, Settings) {
    let scene = Scene::open(scene).expect("the scene is in the library");
    lives_badly(&scene, scene.lanes[lane].settings)
}

/// Cause and symptoms of a lane of a library scene over five seconds, without remedies.
fn diagnosed_lane(scene: &str, lane: usize) -> Explanation {
    let scene = Scene::open(scene).expect("the scene is in the library");
    diagnosed_with(&scene, scene.lanes[lane].settings, 5.0)
}

pub(super) fn lives_badly(scene: &Scene, settings: Settings) -> (Explanation, Settings) {
    let start = Simulation::new(scene.parts.clone(), settings);
    let dt = if settings.stepping.uses_dt() { settings.dt } else { 1.0 / 60.0 };
    let question = question(start, dt, 5.0);
    let explanation = explain(&question, &|| 0.0, &Work::unwatched()).expect("not cancelled");
    let own = explanation.remedies.iter().find(|remedy| remedy.settings == settings);
    assert_eq!(own, None, "a lane is no remedy against itself");
    (explanation, settings)
}

pub(super) fn symptom(explanation: &Explanation, kind: SymptomKind) -> f64 {
    let found = explanation.symptoms.iter().find(|symptom| symptom.kind == kind);
    found.unwrap_or_else(|| panic!("{kind:?} is not in {:?}", explanation.symptoms)).value
}

/// The scene's text states the loss of 15 % of the swing per second.
#[test]
fn the_swing_that_numerical_damping_takes_is_told_as_a_part_of_it() {
    let explanation = diagnosed_lane("numerical-damping", 0);
    let taken = symptom(&explanation, SymptomKind::LosingSwing);
    assert!((taken + 0.15).abs() < 0.01, "{taken}");
}

/// A projection along the link's direction at the end of the step multiplies the amplitude of a
/// pendulum of angular frequency ω by (1 + ω² dt²)^(−1/2) in each step.
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
    let shake = explanation.remedies.iter().find(|remedy| remedy.change == "links under SHAKE");
    assert!(shake.is_some_and(|shake| shake.holds), "{:?}", explanation.remedies);
}

/// Drag that removes 1 % of the velocity 60 times per second reduces a swing to e^(−0.3) in a
/// second.
#[test]
fn the_swing_that_drag_by_the_step_takes_is_told() {
    let explanation = diagnosed_lane("drag-by-the-step", 0);
    let taken = symptom(&explanation, SymptomKind::LosingSwing);
    assert!((taken + 0.26).abs() < 0.02, "{taken}");
}

/// Remedies against lost time let the simulation keep up with real time. No other remedies are
/// offered.
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
        let scene_again = Scene::open(scene).expect("as before");
        let healed = diagnosed_with(&scene_again, remedy.settings, 5.0);
        assert_eq!(healed.symptoms, [], "{scene}");
    }
}

/// The jittering picture of an accumulator without interpolation is remedied by another stepping
/// scheme.
#[test]
fn a_picture_that_jitters_is_offered_interpolation() {
    let (explanation, settings) = lives("interpolation", 0);
    symptom(&explanation, SymptomKind::Jittering);
    let stepping = Stepping::Interpolated;
    let offered: Vec<Settings> = explanation.remedies.iter().map(|it| it.settings).collect();
    assert_eq!(offered, [Settings { stepping, ..settings }]);
}

/// A small disturbance grows for a moment when balls collide or a load tightens a rope. Such growth
/// is no instability.
#[test]
fn what_grows_for_a_moment_only_is_no_instability() {
    for (scene, lane) in [("two-balls", 0), ("two-balls", 1), ("bridge", 2)] {
        let explanation = diagnosed_lane(scene, lane);
        assert_eq!(explanation.cause, Cause::Holds, "{scene}: {}", explanation.headline);
    }
}

/// The work of a driven pin that shakes a chain depends on the motion of the chain, in a precise
/// run as well. Losses and gains by this work are no symptoms.
#[test]
fn what_is_driven_neither_gains_nor_loses() {
    let scene = Scene::open("standing-wave").expect("the scene is in the library");
    let settings = Settings { integrator: Method::ImplicitEuler, ..scene.lanes[0].settings };
    let explanation = diagnosed_with(&scene, settings, 5.0);
    assert_eq!(explanation.symptoms, []);
}

/// A hammock without spreaders sags under its load. In the first second, runs with shorter steps
/// take in more energy when the ropes become tight, so the lane does not gain energy.
#[test]
fn what_takes_less_than_in_shorter_steps_does_not_gain() {
    let text = library::find("hammock").expect("it is in the library").text();
    let (before, spreaders) = text.split_once("    // Spreaders").expect("it has spreaders");
    let (_, after) = spreaders.split_once("    ],\n").expect("they are a list");
    let scene = Scene::parse(&format!("{before}{after}"), "hammock").expect("a scene");
    let settings = scene.lanes[0].settings;
    let start = Simulation::new(scene.parts.clone(), settings);
    let question = question(start, settings.dt, 1.0);
    let explanation = explain(&question, &|| 0.0, &Work::unwatched()).expect("not cancelled");
    assert_eq!(explanation.symptoms, []);
}

/// Explanation of the bob under velocity Verlet with a clock of which reading `n` takes
/// `seconds(n)`.
fn explained_by_clock(threads: usize, seconds: impl Fn(u64) -> f64 + Sync) -> Explanation {
    let scene = Scene::parse(BOB, "test").expect("the test's scene is good");
    let settings = Settings { integrator: Method::VelocityVerlet, dt: 0.11, ..Settings::default() };
    let start = Simulation::new(scene.parts.clone(), settings);
    let clock = Mutex::new((0, 0.0));
    let read = || {
        let (looks, now) = &mut *clock.lock().expect("no panic");
        *looks += 1;
        *now += seconds(*looks);
        *now
    };
    let question = question(start, settings.dt, 5.0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| explain(&question, &read, &Work::unwatched())).expect("not cancelled")
}

/// Counted work ends the search, so a machine that takes a second for every step tries the same
/// remedies as a fast one.
#[test]
fn every_machine_tries_the_same_remedies_with_the_same_verdicts() {
    let verdicts = |threads: usize, seconds_a_look: f64| {
        let remedies = explained_by_clock(threads, |_| seconds_a_look).remedies;
        let verdict = |remedy: Remedy| (remedy.change, remedy.outcome, remedy.error.to_bits());
        remedies.into_iter().map(verdict).collect::<Vec<_>>()
    };
    let fast = verdicts(1, 0.0);
    assert!(fast.iter().any(|(_, outcome, _)| matches!(outcome, Outcome::Cures { .. })));
    for (threads, seconds) in [(1, 1.0), (2, 1e-3), (3, 1.0)] {
        assert_eq!(verdicts(threads, seconds), fast, "{threads} threads, {seconds} s a look");
    }
}

/// The lane explodes within a few steps, of which the first are slow on a cold machine.
#[test]
fn the_cost_of_a_short_run_is_that_of_a_warm_machine() {
    let cold = 400;
    let explanation = explained_by_clock(1, |look| if look < cold { 1e-3 } else { 1e-6 });
    let a_frame = 1e-6 / 0.11 / 60.0;
    let ratio = explanation.cost_per_frame / a_frame;
    assert!((ratio - 1.0).abs() < 1e-3, "{ratio} times the cost of a warm machine");
}

/// Springs that are stretched at the start of a scene are intended, so they are no symptom.
#[test]
fn a_chain_that_begins_stretched_is_not_rubbery() {
    let explanation = diagnosed_lane("travelling-wave", 0);
    assert_eq!(explanation.symptoms, []);
}

/// Explanation of a lane of a scene text, with the frames and stepping of the scene.
pub(super) fn explained_scene(text: &str, lane: usize, duration: f64) -> Explanation {
    let scene = Scene::parse(text, "test").expect("the test's scene is good");
    explained_with(&scene, lane, scene.lanes[lane].settings, duration)
}

/// Explanation of a lane under other settings.
fn explained_with(scene: &Scene, lane: usize, settings: Settings, duration: f64) -> Explanation {
    let LaneSetup { frames, .. } = &scene.lanes[lane];
    let start = Simulation::new(scene.parts.clone(), settings);
    let question = ExplainQuestion {
        frames: Display::frame_times(frames, &settings, duration).into(),
        scene: Some(VariableScene::of(scene)),
        ..ExplainQuestion::of(start, duration)
    };
    explain(&question, &|| 0.0, &Work::unwatched()).expect("not cancelled")
}

pub(super) fn cures_of(explanation: &Explanation) -> Vec<&Remedy> {
    explanation.remedies.iter().filter(|remedy| remedy.holds).collect()
}

/// A crane's cable that explodes because of its damping and is stable without it.
#[test]
fn damping_that_explodes_a_lane_is_named_and_less_of_it_cures() {
    let text = r#"(version: 1, name: "crane",
        materials: [Rope(name: "steel", mass_per_metre: 0.4, stiffness: 20000, damping: 250)],
        ropes: [(name: "cable", from: (0, 10, 0), to: (0, 2, 0), segments: 20, material: "steel")],
        masses: [(of: End("cable"), mass: 20)],
        velocities: [(of: End("cable"), velocity: (2, 0, 0))],
        pins: [(of: Start("cable"))], settings: (integrator: SymplecticEuler, dt: 0.001))"#;
    let explanation = explained_scene(text, 0, 2.0);
    assert_eq!(explanation.cause, Cause::DampingTooStrong, "{}", explanation.headline);
    let cures = cures_of(&explanation);
    let damping = cures.iter().find(|remedy| remedy.change.starts_with("less damping"));
    let damping = damping.unwrap_or_else(|| panic!("{:?}", explanation.remedies));
    assert!(damping.change.contains("in 'steel': "), "{}", damping.change);
    assert!(damping.to_paste().starts_with("damping: "), "{}", damping.to_paste());
}

/// A spring with little damping. A remedy would have to reduce its stiffness from 400 to 1e-15 N/m,
/// so none is offered.
#[test]
fn no_material_is_changed_beyond_recognition() {
    let text = r#"(version: 1, name: "bob",
        particles: [(name: "hook", at: (0, 1, 0)), (name: "bob", at: (0, 0, 0))],
        links: [(a: Body("hook"), b: Body("bob"), rest: 0.95, stiffness: 400, damping: 0.001)],
        pins: [(of: Body("hook"))], settings: (integrator: ExplicitEuler, dt: 0.005))"#;
    let explanation = explained_scene(text, 0, 10.0);
    assert_eq!(explanation.cause, Cause::NeverStable, "{}", explanation.headline);
    let changes = explanation.remedies.iter().filter(|remedy| !remedy.scene.is_empty());
    let changes: Vec<&str> = changes.map(|remedy| remedy.change.as_str()).collect();
    assert!(changes.is_empty(), "{changes:?}");
}

/// A rope that falls on a floor with penalty contact (contact by spring forces).
#[test]
fn penalty_contact_that_explodes_a_lane_is_named() {
    let text = r#"(version: 1, name: "floor",
        materials: [Rope(name: "rope", mass_per_metre: 0.1, stiffness: 50, damping: 0.02)],
        ropes: [(name: "rope", from: (-1, 1, 0), to: (1, 1.5, 0), segments: 20, material: "rope")],
        colliders: [(shape: Plane(normal: (0, 1, 0)), surface: (friction: 0.5))],
        settings: (integrator: SymplecticEuler, contact: Penalty(stiffness: 20000, damping: 1),
                   dt: 0.002))"#;
    let explanation = explained_scene(text, 0, 5.0);
    assert_eq!(explanation.cause, Cause::ContactTooStiff, "{}", explanation.headline);
    let cures = cures_of(&explanation);
    assert!(!cures.is_empty(), "{:?}", explanation.remedies);
    // The cures are also checked by the energy account, because friction and dampers remove the
    // energy that contact makes, so the total energy does not show it.
    let scene = Scene::parse(text, "test").expect("a scene");
    for cure in cures.iter().filter(|cure| cure.scene.is_empty()) {
        let mut lane = Simulation::new(scene.parts.clone(), cure.settings);
        lane.start_energy_account();
        for _ in 0..(20.0 / cure.settings.dt) as u32 {
            lane.step(cure.settings.dt);
            lane.add_to_energy_account();
        }
        assert!(lane.verdict().is_stable(), "{}: {}", cure.change, lane.verdict());
    }
}

/// A vine whose step is the frame, on three displays: steady 60 Hz, 60 Hz with spikes, and 30 Hz.
#[test]
fn the_lanes_own_display_is_what_explodes_it() {
    let text = r#"(version: 1, name: "vine",
        materials: [Rope(name: "vine", mass_per_metre: 1.0, stiffness: 100, damping: 0.5)],
        ropes: [(name: "vine", from: (0, 2, 0), to: (0.6, 1.2, 0), segments: 4, material: "vine")],
        pins: [(of: Start("vine"))],
        settings: (integrator: PositionVerlet(), dt: 0.0166667, stepping: FrameCoupled),
        lanes: [(name: "steady", frames: Constant(rate: 60)),
                (name: "30 Hz", frames: Constant(rate: 30))])"#;
    let steady = explained_scene(text, 0, 2.0);
    assert_eq!(steady.explosion, None, "{}", steady.headline);
    let slow = explained_scene(text, 1, 2.0);
    assert_eq!(slow.cause, Cause::FrameTooLong, "{}", slow.headline);
    let cures: Vec<&str> = cures_of(&slow).iter().map(|remedy| remedy.change.as_str()).collect();
    assert!(cures.iter().any(|change| change.starts_with("fixed steps")), "{cures:?}");
    // The clamp drops half of every frame, which slows the simulation down. This is a symptom of
    // its own.
    let clamp = slow.remedies.iter().find(|remedy| remedy.change.starts_with("frames clamped"));
    let clamp = clamp.expect("it is tried");
    assert!(!clamp.holds, "{clamp:?}");
    let said = clamp.outcome.in_words();
    assert!(said.starts_with("drops ") && said.ends_with(" % of the time"), "{said}");
    let scene = Scene::parse(text, "test").expect("as before");
    let again = explained_with(&scene, 1, clamp.settings, 2.0);
    assert!(again.symptoms.iter().any(|it| it.kind == SymptomKind::SlowMotion), "{again:?}");
}

/// A step as long as the frame depends on the display. A remedy that keeps this dependence is no
/// cure.
#[test]
fn no_cure_leaves_the_step_to_the_display_under_any_integrator() {
    let text = r#"(version: 1, name: "vine",
        materials: [Rope(name: "vine", mass_per_metre: 1.0, stiffness: 100, damping: 0.1)],
        ropes: [(name: "vine", from: (0, 2, 0), to: (0.6, 1.2, 0), segments: 4, material: "vine")],
        pins: [(of: Start("vine"))], settings: (dt: 0.0166667, stepping: FrameCoupled),
        lanes: [(name: "30 Hz", frames: Constant(rate: 30))])"#;
    let scene = Scene::parse(text, "test").expect("the test's scene is good");
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for integrator in Method::all() {
        let settings = Settings { integrator, ..scene.lanes[0].settings };
        let explanation = explained_with(&scene, 0, settings, 2.0);
        let name = integrator.info().name;
        let cures = cures_of(&explanation);
        tried += explanation.remedies.len();
        let coupled = cures.iter().filter(|cure| !cure.settings.stepping.uses_dt());
        wrong.extend(coupled.map(|cure| format!("{name}: {}", cure.change)));
        if cures.is_empty() {
            wrong.push(format!("{name}, {}: nothing cures", explanation.headline));
        }
    }
    assert!(wrong.is_empty() && tried > 50, "{tried} remedies tried, wrong: {wrong:#?}");
}

/// A wrecking ball on a stiff cable under implicit midpoint at 60 Hz.
#[test]
fn implicit_midpoint_makes_energy_where_stiff_links_turn() {
    let text = r#"(version: 1, name: "wrecking ball",
        materials: [Rope(name: "steel", mass_per_metre: 1, stiffness: 500000, damping: 0)],
        ropes: [(name: "cable", from: (0, 10, 0), to: (6, 10, 0), segments: 20, material: "steel")],
        masses: [(of: End("cable"), mass: 30)], pins: [(of: Start("cable"))],
        settings: (integrator: ImplicitMidpoint, dt: 0.0166667))"#;
    let explanation = explained_scene(text, 0, 6.0);
    assert_eq!(explanation.cause, Cause::TurningLinks, "{}", explanation.headline);
    let cures = cures_of(&explanation);
    assert!(cures.iter().any(|remedy| remedy.change == "implicit Euler"), "{cures:?}");
}

/// Tethers and strain limit are part of the settings that a remedy offers for pasting.
#[test]
fn limits_of_length_are_pasted_with_the_settings() {
    let scene = Scene::open("light-band-heavy-load").expect("the scene is in the library");
    let usual = scene.lanes[0].settings;
    let own = Settings { tethers: Guard::On(1.02), strain_limit: Guard::On(0.03), ..usual };
    let read = settings_from_ron(&settings_to_ron(&own), usual);
    assert_eq!(read, Ok(own));
}

/// One fixed step per frame runs in slow motion on a display with a lower rate.
#[test]
fn one_fixed_step_a_frame_is_tied_to_its_rate() {
    let text = r#"(version: 1, name: "bob", forces: [],
        particles: [(name: "hook", at: (0, 1, 0)), (name: "bob", at: (0, 0, 0))],
        links: [(a: Body("hook"), b: Body("bob"), rest: 0.95, stiffness: 40)],
        pins: [(of: Body("hook"))], settings: (dt: 0.0166666666, stepping: FixedPerFrame),
        lanes: [(name: "60 Hz", frames: Constant(rate: 60)), (name: "30 Hz", frames: Constant(rate: 30))])"#;
    let at_home = explained_scene(text, 0, 2.0);
    assert!(symptom(&at_home, SymptomKind::TiedToRate) > 59.0);
    let slow = symptom(&explained_scene(text, 1, 2.0), SymptomKind::SlowMotion);
    assert!((slow - 0.5).abs() < 0.01, "{slow}");
}

/// Costs are displayed with few digits, even for a lane that explodes in its first step.
#[test]
fn prices_are_short() {
    let explanation = explained(Method::SymplecticEuler, 1.0, 2.0);
    for remedy in &explanation.remedies {
        let price = price_in_words(remedy.cost_per_frame, remedy.cost_ratio);
        assert!(price.chars().count() < 24, "{price}");
    }
}
