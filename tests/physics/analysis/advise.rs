//! Advice: recommended settings are stable when they are run again, and excluded settings are
//! listed with reasons.

use ropelab::analysis::advise::{
    Advice, AdviceQuestion, EndOfErrors, Goal, MARGIN, MOST_AMPLITUDE_LOSS, Trial, advise,
    equal_budgets,
};
use ropelab::analysis::job::Work;
use ropelab::analysis::run;
use ropelab::analysis::{RunEvent, RunPlan, TimeSource};
use ropelab::constraint::ConstraintSolver;
use ropelab::integrate::Method;
use ropelab::numerics::random::Random;
use ropelab::scene::{Scene, library};
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;
use std::convert::Infallible;
use std::time::Instant;

/// Five swinging beads on stiff damped springs.
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
    let Advice { best, front, rejected, tried, .. } = ask(&scene, &question);
    let best = best.expect("many settings achieve 1 %");
    assert!(best.error <= 1e-2 && best.margin >= Some(MARGIN), "{best:?}");
    assert_eq!(best.duration, 0.5, "it was run for the whole duration");
    assert!(tried > rejected.len(), "{tried}: more than the rivals");
    for pair in front.windows(2) {
        assert!(pair[0].cost_per_second <= pair[1].cost_per_second);
        assert!(pair[0].error > pair[1].error, "the front falls");
    }
    let why =
        |name: &str| &rejected.iter().find(|other| other.name.starts_with(name)).expect(name).why;
    // ωh is 2.3, above the limit 2. The error is already too large before the explosion at 0.25 s.
    let unstable = why("velocity Verlet, 1 step");
    assert!(
        unstable.starts_with("unstable, its step is 1.16 times the longest stable one: error"),
        "{unstable}"
    );
    let settings =
        Settings { integrator: Method::VelocityVerlet, dt: 1.0 / 60.0, ..scene.lanes[0].settings };
    let mut lane = Simulation::new(scene.parts.clone(), settings);
    (0..30).for_each(|_| lane.step(settings.dt));
    assert!(lane.explosion().is_some(), "it does explode");
    assert!(why("implicit Euler, 1 step").starts_with("error"), "it takes the swing away");
    assert!(!why("the lane as it is").is_empty(), "it is among the rivals");
}

#[test]
fn what_nothing_achieves_is_not_recommended() {
    let scene = Scene::parse(ROPE, "test").expect("the test's scene is good");
    let question = AdviceQuestion { goal: Goal::Error(1e-15), budget: None, duration: 0.1 };
    let advice = ask(&scene, &question);
    assert_eq!(advice.best, None);
    let nearest = advice.nearest.expect("something lives to the end");
    assert!(nearest.why.starts_with("error"), "{}", nearest.why);
    let budget = AdviceQuestion { goal: Goal::Error(0.5), budget: Some(1e-12), duration: 0.1 };
    assert_eq!(ask(&scene, &budget).best, None);
}

/// Trial of a second without an explosion, of this error and this cost per second.
fn trial(error: f64, cost: f64) -> Trial {
    Trial {
        settings: Settings::default(),
        duration: 1.0,
        exploded_at: None,
        error,
        error_limit: error,
        stretch: 0.0,
        cost_per_second: cost,
        worst_frame: cost / 60.0,
        work: 1.0,
        swing_taken: None,
        made: None,
        margin: None,
    }
}

#[test]
fn an_interrupted_search_recommends_the_cheapest_that_was_tried_with_margins() {
    let trial = |error: f64, cost: f64, margin: Option<f64>, duration: f64| {
        let settings = Settings { dt: cost, ..Settings::default() };
        Trial { settings, duration, margin, ..trial(error, cost) }
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
    // The cheaper trials of the front are listed with the reasons against them.
    let objection = |trial| Advice::objection(&question, trial);
    assert_eq!(objection(&trials[4]).unwrap(), "error 50 %, the goal is 10 %");
    assert!(objection(&trials[2]).unwrap().starts_with("unstable with 1.5 times its step"));
    assert_eq!(objection(&trials[1]), None);
}

/// Measured times vary from run to run. Of settings within 10 % of the cheapest cost, those with
/// the least counted work are recommended; with equal work, those with the smallest error; then the
/// order of the catalogue decides.
#[test]
fn nearly_equal_costs_are_decided_by_work_error_and_catalogue() {
    let trial = |name: &str, cost: f64, work: f64, error: f64| {
        let integrator = Method::from_name(name).expect("a method");
        let settings = Settings { integrator, ..Settings::default() };
        Trial { settings, work, margin: Some(2.0), ..trial(error, cost) }
    };
    let question = AdviceQuestion { goal: Goal::Error(0.1), budget: None, duration: 1.0 };
    let best = |trials: &[Trial]| {
        let advice = Advice::of(&question, trials);
        assert_eq!(advice.recommended.first().copied(), advice.best);
        advice.best.expect("all trials are good").settings.integrator.info().name
    };
    let dearer = trial("rk4", 1.2e-3, 100.0, 0.01);
    let by_work = |cost| [trial("midpoint", cost, 300.0, 0.01), dearer];
    let less = trial("heun", 1.05e-3, 200.0, 0.09);
    for cost in [1.0e-3, 1.049e-3, 1.051e-3, 1.1e-3] {
        let mut trials = by_work(cost).to_vec();
        trials.push(less);
        assert_eq!(best(&trials), "heun", "cost {cost}");
    }
    for cost in [0.96e-3, 1.05e-3] {
        let exact = trial("rk4", cost, 200.0, 0.08);
        assert_eq!(best(&[less, exact]), "rk4", "cost {cost}");
        let same = trial("midpoint", cost, 200.0, 0.09);
        assert_eq!(best(&[less, same]), "midpoint", "cost {cost}");
        assert_eq!(best(&[same, less]), "midpoint", "cost {cost}");
    }
    // Costs that differ by a tenth are not equal.
    assert_eq!(best(&[trial("rk4", 1.0e-3, 900.0, 0.05), dearer]), "rk4");
}

/// A child of 35 kg on a swing whose ropes relaxation leaves far too elastic.
const SWING: &str = r#"(
    version: 1, name: "swing with a child",
    materials: [Rope(name: "r", mass_per_metre: 0.3, stiffness: 50000, rigid: true)],
    ropes: [(name: "swing", from: (0, 3, 0), to: (2, 1.5, 0), segments: 24, material: "r")],
    masses: [(of: End("swing"), mass: 35)],
    pins: [(of: Start("swing"))],
    settings: (integrator: PositionVerlet(), constraints: Relaxation(iterations: 8), dt: 0.0166667),
)"#;

/// With drag by the step and thousands of steps per second, every length is kept, because almost
/// nothing moves. Such settings are not recommended.
#[test]
fn honey_is_no_answer_to_stretch() {
    let scene = Scene::parse(SWING, "test").expect("the test's scene is good");
    let question = AdviceQuestion { goal: Goal::Stretch(0.05), budget: None, duration: 2.0 };
    let advice = ask(&scene, &question);
    let best = advice.best.expect("substeps hold the ropes");
    assert!(best.settings.integrator.info().order > 0, "{best:?}");
    assert!(best.swing_taken.is_some_and(|taken| taken < MOST_AMPLITUDE_LOSS), "{best:?}");
    let start = best_swing(&scene, &best.settings);
    assert!(start > 2.0, "the child swings with {start} m/s at most");
}

/// Greatest speed of the child in two seconds.
fn best_swing(scene: &Scene, settings: &Settings) -> f64 {
    let mut simulation = Simulation::new(scene.parts.clone(), *settings);
    let mut most = 0.0_f64;
    for _ in 0..(2.0 / settings.dt).round() as u32 {
        simulation.step(settings.dt);
        most = most.max(simulation.state().v.last().map_or(0.0, |v| v.length()));
    }
    most
}

/// A fishing line of beads of 0.06 g with a fish of 2 kg. The direct solver keeps its length with
/// one substep, sweeps only with many substeps. The machine decides which of them is the cheapest.
#[test]
fn a_mass_ratio_of_thirty_thousand_can_be_held() {
    let scene = Scene::parse(
        r#"(version: 1, name: "fishing line",
            materials: [Rope(name: "line", mass_per_metre: 0.001, stiffness: 500, rigid: true)],
            ropes: [(name: "line", from: (0, 3, 0), to: (1.5, 3, 0), segments: 25, material: "line")],
            masses: [(of: End("line"), mass: 2)], pins: [(of: Start("line"))],
            settings: (integrator: PositionVerlet(), constraints: Relaxation(iterations: 10),
                       dt: 0.0166667))"#,
        "test",
    );
    let scene = scene.expect("the test's scene is good");
    let question = AdviceQuestion { goal: Goal::Stretch(0.05), budget: None, duration: 2.0 };
    let advice = ask(&scene, &question);
    let best = advice.best.unwrap_or_else(|| panic!("{:?}", advice.in_words(&question)));
    assert!(best.stretch <= 0.05, "{best:?}");
    let swept = matches!(
        best.settings.constraints,
        ConstraintSolver::Relaxation(_) | ConstraintSolver::Xpbd(_)
    );
    assert!(!swept || best.settings.substeps > 10, "{best:?}");
}

/// A rigid double pendulum with drag. Under SHAKE and drag, velocity Verlet has order 1 and
/// position Verlet order 2, so a few substeps of position Verlet suffice.
#[test]
fn under_drag_a_few_steps_of_second_order_are_recommended() {
    let scene = Scene::parse(
        r#"(version: 1, name: "pendulum",
            particles: [(at: (0, 0, 0)), (at: (0.6, -0.8, 0), mass: 0.7),
                        (at: (1.6, -0.8, 0), mass: 0.2)],
            links: [(a: Particle(0), b: Particle(1), rigid: true),
                    (a: Particle(1), b: Particle(2), rigid: true)],
            pins: [(of: Particle(0))], settings: (constraints: Shake()),
            forces: [(law: Gravity()), (law: LinearDrag(coefficient: 4))])"#,
        "test",
    );
    let scene = scene.expect("the test's scene is good");
    let question = AdviceQuestion { goal: Goal::Error(3e-4), budget: None, duration: 2.0 };
    let best = ask(&scene, &question).best.expect("many settings achieve this error");
    let substeps_per_second = f64::from(best.settings.substeps) / best.settings.dt;
    assert!(substeps_per_second <= 600.0, "{best:?}");
    assert!(best.error_limit <= 3e-4, "{best:?}");
}

/// A double pendulum is chaotic, so its error has no meaning after some seconds. The advice says
/// so.
#[test]
fn chaos_is_told_with_its_time() {
    let scene = library::find("double-pendulum").expect("it is in the library");
    let scene = scene.load().expect("scenes of the library are good");
    let question = AdviceQuestion { goal: Goal::Error(0.01), budget: None, duration: 12.0 };
    let advice = ask(&scene, &question);
    let seconds = advice.predictable_for.expect("it is chaotic");
    assert!((0.5..12.0).contains(&seconds), "{seconds}");
    assert!(advice.in_words(&question).details.contains("chaotic"));
    assert!(advice.best.is_some(), "what can be foretold can be computed");
}

/// A clamped rod whose bends allow SHAKE no step beyond 97 µs. The precise reference run must use
/// shorter steps.
#[test]
fn the_reference_of_a_stiff_rod_lives() {
    let scene = Scene::parse(
        r#"(version: 1, name: "rod",
            materials: [Rope(name: "m", mass_per_metre: 0.2, damping: 0, flexural_rigidity: 1,
                             rigid: true)],
            ropes: [(name: "r", from: (0, 0, 0), to: (1, 0, 0), segments: 49, material: "m")],
            pins: [(of: Any([Node("r", 0), Node("r", 1)]))],
            masses: [(of: End("r"), mass: 0.004)],
            forces: [(law: LinearDrag(coefficient: 4)), (law: Gravity(g: (0, -75, 0)), on: End("r"))],
            settings: (integrator: SymplecticEuler, constraints: Xpbd(), dt: 0.001, contact: Off))"#,
        "test",
    );
    let scene = scene.expect("the test's scene is good");
    let question = AdviceQuestion { goal: Goal::Error(0.01), budget: None, duration: 0.25 };
    let advice = ask(&scene, &question);
    let words = advice.in_words(&question);
    assert_eq!(advice.predictable_for, None, "{words:?}");
    assert!(advice.best.is_some(), "{words:?}");
}

/// A stiff rod of EI = 1e9 N·m² whose bends explode at every step of the precise reference run.
#[test]
fn a_precise_run_that_explodes_is_not_called_chaotic() {
    let scene = Scene::parse(
        r#"(version: 1, name: "stiff",
            materials: [Rope(name: "m", mass_per_metre: 0.001, damping: 0, flexural_rigidity: 1e9,
                             rigid: true)],
            ropes: [(name: "r", from: (0, 0, 0), to: (1, 0, 0), segments: 9, material: "m")],
            pins: [(of: Start("r"))], velocities: [(of: End("r"), velocity: (0, 1, 0))],
            settings: (integrator: SymplecticEuler, constraints: Xpbd(), dt: 0.001, contact: Off))"#,
        "test",
    );
    let scene = scene.expect("the test's scene is good");
    let question = AdviceQuestion { goal: Goal::Error(0.01), budget: None, duration: 10.0 };
    let words = ask(&scene, &question).in_words(&question);
    assert!(words.details.contains("the precise run explodes"), "{words:?}");
}

/// Frames between 1/120 and 1/40 s that look random.
fn jitter(seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    (0..97).map(|_| random.between(1.0 / 120.0, 1.0 / 40.0)).collect()
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
            let plan = RunPlan { duration: 0.2, feed: TimeSource::Frames(jitter(seed)) };
            let mut simulation = Simulation::new(scene.parts.clone(), best.settings);
            let watch = |_: &Simulation, _: RunEvent| Ok::<(), Infallible>(());
            let Ok(outcome) = run(&mut simulation, &plan, &|| 0.0, watch);
            assert_eq!(outcome.explosion, None, "{name}: {best:?}");
            assert!(outcome.stretch_max <= 1.0, "{name}: largest strain {}", outcome.stretch_max);
        }
    }
}

/// A spider's thread whose links vibrate with 2e6 rad/s.
const THREAD: &str = r#"(version: 1, name: "thread",
    materials: [Rope(name: "silk", mass_per_metre: 2e-8, stiffness: 0.02, damping: 1e-9)],
    ropes: [(name: "t", from: (0, 0.01, 0), to: (0.01, 0.01, 0), segments: 10, material: "silk")],
    masses: [(of: End("t"), mass: 1e-6)], pins: [(of: Start("t"))],
    settings: (integrator: VelocityVerlet, dt: 1e-4))"#;

/// A thousand inner steps of the reference within 1/240 s are too few for the thread.
#[test]
fn errors_on_a_stiff_thread_are_measured_against_a_stable_reference() {
    let scene = Scene::parse(THREAD, "test").expect("the test's scene is good");
    let question = AdviceQuestion { goal: Goal::Error(1e-2), budget: None, duration: 0.05 };
    let advice = ask(&scene, &question);
    assert_ne!(advice.end_of_errors, Some(EndOfErrors::ReferenceExplodes), "{:?}", advice.rejected);
    let errors = advice.rejected.iter().filter(|it| it.why.starts_with("error"));
    assert!(errors.count() > 0 || advice.best.is_some(), "{:?}", advice.rejected);
}

/// Springs of a thread would need 25,000 substeps a frame, and the answer says that they were left
/// out.
#[test]
fn settings_that_are_not_tried_are_named_with_the_reason() {
    let scene = Scene::parse(THREAD, "test").expect("the test's scene is good");
    let question = AdviceQuestion { goal: Goal::Stretch(1e-2), budget: None, duration: 0.05 };
    let advice = ask(&scene, &question);
    let words = advice.in_words(&question).details;
    let springs = advice.not_tried.iter().find(|it| it.why.contains("1000 substeps"));
    let names = &springs.expect("a reason").names;
    assert!(names.iter().any(|name| name == "velocity Verlet"), "{names:?}");
    assert!(
        words.contains("Not tried: ") && words.contains("others, because stability would need"),
        "{words}"
    );
}

/// A duration of three years needs more work than the search may do: nothing runs.
#[test]
fn the_search_is_bounded_by_counted_work() {
    let scene = Scene::parse(ROPE, "test").expect("the test's scene is good");
    let question = AdviceQuestion { goal: Goal::Stretch(1e-2), budget: None, duration: 1e8 };
    let advice = ask(&scene, &question);
    let words = advice.in_words(&question);
    assert_eq!((advice.tried, &*words.headline), (0, "No settings were tried."));
    assert!(words.details.contains("a shorter duration needs less"), "{words:?}");
    let names: Vec<&String> = advice.not_tried.iter().flat_map(|it| &it.names).collect();
    assert!(names.iter().any(|name| *name == "the lane as it is"), "{names:?}");
}

/// A pinned ball a kilometre away does not make errors of the rope small. `advise` and `choose`
/// divide them by the same length.
#[test]
fn errors_are_parts_of_what_moves() {
    let far = ROPE.replace(
        "    pins: [(of: Start(\"rope\"))],",
        "    particles: [(name: \"far\", at: (1000, 0, 0))],
    pins: [(of: Start(\"rope\")), (of: Body(\"far\"))],",
    );
    let question = AdviceQuestion { goal: Goal::Error(1e-2), budget: None, duration: 0.5 };
    let [near, far] = [ROPE, &far].map(|text| {
        let scene = Scene::parse(text, "test").unwrap_or_else(|error| panic!("{error}"));
        let advice = ask(&scene, &question);
        let words = advice.in_words(&question).details;
        assert!(words.contains(", the size of the motion"), "{words}");
        let size = advice.error_size.expect("errors were measured");
        let (settings, started) = (scene.lanes[0].settings, Instant::now());
        let clock = || started.elapsed().as_secs_f64();
        let (duration, work) = (question.duration, Work::unwatched());
        let chosen = equal_budgets(&scene.parts, &settings, &[1e-3], duration, &clock, &work);
        let chosen = chosen.expect("not cancelled").error_size;
        assert!((chosen / size - 1.0).abs() < 1e-6, "{chosen} m in `choose`, {size} m");
        size
    });
    assert!((0.3..1.5).contains(&near), "{near} m");
    assert!((far / near - 1.0).abs() < 0.01, "{far} m, not {near} m");
}
