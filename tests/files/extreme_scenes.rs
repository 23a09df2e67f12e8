//! Small scenes with numbers of any size and any settings, and analyses of them. Explosions are
//! allowed, but nothing panics, every step ends, and a cancelled analysis ends soon.
//!
//! The test tries [`CASES`] cases. `ROPELAB_EXTREME_SECONDS=60` tries further cases for 60 seconds.

#![allow(clippy::unwrap_used)] // helpers of tests, too

use crate::mutated_scenes::apply_every_command;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use ropelab::analysis::converge;
use ropelab::analysis::explain::{self, ExplainQuestion};
use ropelab::analysis::job::{Job, JobEnd, JobPool, Work};
use ropelab::analysis::map::{Axis, MapPart, MapPlan, MappedScene, Quantity, ShownQuantity};
use ropelab::analysis::stability;
use ropelab::analysis::stability::growth::Growth;
use ropelab::analysis::{Convergence, ModalScene};
use ropelab::constraint::ConstraintSolver;
use ropelab::contact::{BallPath, ContactMethod, Discrete, PairSearch, SelfContact, Swept};
use ropelab::integrate::Method;
use ropelab::scene::Scene;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::{LinkMode, Settings, Tear};
use ropelab::simulation::timing::stepper::Guard;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Number of cases without `ROPELAB_EXTREME_SECONDS`.
const CASES: u32 = 60;

/// Upper limit of the time for twenty-five steps of a lane with some dozen particles. They take
/// milliseconds, unless a step never ends; the limit has room for unoptimised builds on busy
/// machines.
const LONGEST_STEPS: Duration = Duration::from_secs(120);

/// Time after which an analysis is cancelled, and upper limit of the time until a cancelled
/// analysis ends.
const TIME_BEFORE_CANCELLATION: Duration = Duration::from_millis(300);
const LONGEST_CANCELLATION: Duration = Duration::from_secs(120);

/// Scenes that once made a step panic, abort or allocate without end.
const ONCE_BROKEN: &[&str] = &[
    // Empty bounding boxes met infinite ones.
    r#"(version: 1, name: "Linked rings", particles: [(at: (0, 0, 0)), (at: (0, 0, 0))],
        drawn_ropes: [(particles: [0, 1])], surfaces: [(of: All, itself: true)],
        forces: [(law: Gravity()), (law: LinearDrag(coefficient: 1e12))])"#,
    // Squares of distances overflowed to infinity, which left a grid without cells.
    r#"(version: 1, name: "A sheet tears", pins: [(of: Numbers([0]))],
        forces: [(law: QuadraticDrag())], settings: (contact: Discrete()),
        balls: [(at: (0, 0, 0), count: (1, 2, 1), velocity: (0, 1e15, 0))])"#,
    // Every ball overlaps all others.
    r#"(version: 1, name: "crowd", balls: [(at: (0, 0, 0), radius: 1e3, spacing: (1, 1, 1),
        count: (20, 20, 20))])"#,
    r#"(version: 1, name: "crowd", balls: [(at: (0, 0, 0), radius: 1e3, spacing: (1, 1, 1),
        count: (20, 20, 20))], settings: (contact: Discrete()))"#,
    // Every link of the cloth overlaps all others.
    r#"(version: 1, name: "thick", cloths: [(name: "c", corner: (0, 0, 0), across: (1, 0, 0),
        down: (0, 0, 1), cells: (60, 60))], surfaces: [(of: All, radius: 1e3, itself: true)])"#,
    r#"(version: 1, name: "on it", cloths: [(name: "c", corner: (0, 0, 0), across: (1, 0, 0),
        down: (0, 0, 1), cells: (60, 60))], balls: [(at: (0, 0, 0), radius: 1e3, count: (10, 5, 5),
        spacing: (1, 1, 1))])"#,
];

/// Numbers of any size, everyday numbers, and the ends of the accepted range. They are boxed,
/// because unoptimised code copies a scene's whole tree of numbers several times onto the stack,
/// which overflows.
fn number() -> BoxedStrategy<f64> {
    prop_oneof![
        4 => (-15.0..15.0f64).prop_map(|e| 10f64.powf(e)),
        6 => (-2.0..2.0f64).prop_map(|e| 10f64.powf(e)),
        1 => select(vec![1e-15, 1e15, 1.0]),
    ]
    .boxed()
}

fn coordinate() -> BoxedStrategy<f64> {
    prop_oneof![
        2 => number(),
        2 => number().prop_map(|x| -x),
        1 => Just(0.0),
    ]
    .boxed()
}

fn point() -> impl Strategy<Value = String> {
    [coordinate(), coordinate(), coordinate()]
        .prop_map(|[x, y, z]| format!("({x:e}, {y:e}, {z:e})"))
}

fn body() -> impl Strategy<Value = String> {
    prop_oneof![
        (point(), point(), 1..12u32, number(), number()).prop_map(|(a, b, n, k, m)| format!(
            "materials: [Rope(name: \"m\", stiffness: {k:e}, mass_per_metre: {m:e})],
             ropes: [(name: \"a\", from: {a}, to: {b}, segments: {n}, material: \"m\")]"
        )),
        (point(), point(), point(), 1..6u32, 1..6u32, number(), number()).prop_map(
            |(a, b, c, n, m, k, d)| format!(
                "materials: [Cloth(name: \"m\", stretch_stiffness: {k:e}, damping: {d:e})],
                 cloths: [(name: \"a\", corner: {a}, across: {b}, down: {c}, cells: ({n}, {m}),
                     material: \"m\")]"
            )
        ),
        (point(), point(), 1..4u32, 1..4u32, number(), number()).prop_map(
            |(a, v, n, m, r, w)| format!(
                "balls: [(name: \"a\", at: {a}, velocity: {v}, count: ({n}, {m}, 2), radius: {r:e},
                     mass: {w:e})]"
            )
        ),
        (point(), point(), number(), number()).prop_map(|(a, b, k, m)| format!(
            "particles: [(name: \"a\", at: {a}, mass: {m:e}), (at: {b}), (at: {a})],
             links: [(a: Particle(0), b: Particle(1), stiffness: {k:e}, rest: 1)],
             bends: [(a: Particle(0), b: Particle(1), c: Particle(2), rest: (1, 1),
                 flexural_rigidity: {k:e})],
             drawn_ropes: [(particles: [0, 1])]"
        )),
    ]
}

fn collider() -> impl Strategy<Value = String> {
    let shape = prop_oneof![
        Just("Plane()".to_owned()),
        number().prop_map(|r| format!("Sphere(radius: {r:e})")),
        (number(), number()).prop_map(|(r, l)| format!("Capsule(radius: {r:e}, length: {l:e})")),
        (number(), number()).prop_map(|(a, b)| format!("Box(size: ({a:e}, {b:e}, {a:e}))")),
        (number(), number()).prop_map(|(r, l)| format!("Cylinder(radius: {r:e}, length: {l:e})")),
    ];
    (shape, point(), number(), point()).prop_map(|(shape, at, friction, belt)| {
        format!("(shape: {shape}, at: {at}, belt: {belt}, surface: (friction: {friction:e}))")
    })
}

fn law() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("Gravity()".to_owned()),
        point().prop_map(|g| format!("Gravity(g: {g})")),
        number().prop_map(|c| format!("LinearDrag(coefficient: {c:e})")),
        number().prop_map(|c| format!("QuadraticDrag(coefficient: {c:e})")),
        number().prop_map(|c| format!("Wind(drag: {c:e})")),
    ]
}

fn scene_text() -> impl Strategy<Value = String> {
    let list = |of: BoxedStrategy<String>, most| prop::collection::vec(of, 0..most);
    let surface = (prop::option::of(number()), any::<bool>(), any::<bool>(), number());
    (body(), list(collider().boxed(), 3), list(law().boxed(), 4), surface, any::<bool>()).prop_map(
        |(body, colliders, laws, (radius, itself, between, friction), is_pinned)| {
            let radius = radius.map_or(String::new(), |r| format!("radius: {r:e}, "));
            let laws: String = laws.iter().map(|law| format!("(law: {law}), ")).collect();
            let pins = if is_pinned { "pins: [(of: Particle(0))]," } else { "" };
            format!(
                "(version: 1, name: \"x\", {body}, colliders: [{}], forces: [{laws}], {pins}
                 surfaces: [(of: All, {radius}itself: {itself}, between: {between},
                     surface: (friction: {friction:e}))])",
                colliders.join(", ")
            )
        },
    )
}

fn contact() -> impl Strategy<Value = ContactMethod> {
    use SelfContact::{Guarantee, Off, Particles, Repulsion};
    let pairs = select(vec![PairSearch::Grid, PairSearch::AllPairs]);
    let itself = select(vec![Off, Particles, Repulsion, SelfContact::Swept, Guarantee]);
    let path = select(vec![BallPath::Chord, BallPath::Parabola]);
    let events = select(vec![0, 1, 100, 10_000]);
    prop_oneof![
        1 => select(ContactMethod::all().collect::<Vec<_>>()),
        1 => (pairs.clone(), any::<bool>())
            .prop_map(|(pairs, rest)| ContactMethod::Discrete(Discrete { pairs, rest })),
        4 => (events, pairs, any::<bool>(), itself, path).prop_map(
            |(most_events, pairs, rest, itself, path)| ContactMethod::Swept(Swept {
                most_events,
                pairs,
                rest,
                itself,
                path,
            })
        ),
    ]
}

fn settings() -> impl Strategy<Value = Settings> {
    let integrator = select(Method::all().collect::<Vec<_>>());
    let solver = select(ConstraintSolver::all().collect::<Vec<_>>());
    let tear = prop_oneof![Just(Tear::AsMaterial), number().prop_map(Tear::AboveStrain)];
    let guard = |decades: Range<f64>| {
        let value = decades.prop_map(|e| 10f64.powf(e));
        (value, any::<bool>()).prop_map(|(value, on)| match on {
            true => Guard::On(value),
            false => Guard::Off(value),
        })
    };
    let limits = (guard(0.0..3.0), guard(-12.0..3.0));
    let times = ((-6.0..0.0f64).prop_map(|e| 10f64.powf(e).max(1e-6)), 1..4u32);
    (integrator, solver, contact(), (tear, limits), times, 1..20u32).prop_map(
        |(integrator, constraints, contact, (tear, limits), (dt, substeps), iterations)| {
            let mut settings = Settings {
                integrator,
                constraints,
                contact,
                tear,
                tethers: limits.0,
                strain_limit: limits.1,
                dt,
                substeps,
                links: LinkMode::Constraints,
                ..Settings::default()
            };
            if constraints.is_none() {
                settings.links = LinkMode::Springs;
            } else if constraints.iterations().is_some() {
                settings.constraints.set_iterations(iterations);
            }
            settings
        },
    )
}

/// Steps a scene and analyses it on a thread of its own. Fails if this panics or takes too long.
fn try_scene(text: &str, settings: Option<Settings>, analysis: Option<u8>) {
    let Ok(mut scene) = Scene::parse(text, "extreme") else { return };
    if let Some(settings) = settings.filter(|settings| settings.check().is_ok()) {
        scene.lanes[0].settings = settings;
    }
    scene.warnings();
    let (finished, has_finished) = channel();
    let shown = format!("{text}\n{:?}\n{analysis:?}", scene.lanes[0].settings);
    let examined = scene.clone();
    let thread = std::thread::spawn(move || {
        apply_every_command(scene, 0);
        let _ = finished.send(());
    });
    let lived = has_finished.recv_timeout(LONGEST_STEPS);
    assert_ne!(lived, Err(RecvTimeoutError::Timeout), "a step takes too long\n{shown}");
    assert!(thread.join().is_ok(), "a step panics\n{shown}");
    if let Some(kind) = analysis {
        cancel_analysis(examined, kind, &shown);
    }
}

/// Starts an analysis, cancels it and waits for its end. `kind` modulo 6 selects the analysis.
fn cancel_analysis(scene: Scene, kind: u8, shown: &str) {
    let pool = JobPool::new(1, || ());
    let settings = scene.lanes[0].settings;
    let parts = scene.parts.clone();
    let start = Simulation::new(parts.clone(), settings);
    match kind % 6 {
        0 => cancel_and_wait(
            pool.start(move |work: &Work<()>| {
                let predicted = stability::predict_limit(&start);
                stability::measure_limit(&start, &predicted, || work.check())
            }),
            shown,
        ),
        1 => cancel_and_wait(pool.start(move |_: &Work<()>| Ok(Growth::of(&start))), shown),
        2 => cancel_and_wait(
            pool.start(move |work: &Work<()>| {
                let modes = ModalScene::of(&parts);
                let measured = modes.map(|modes| modes.measure(&settings, 3, &|| work.check()));
                measured.transpose()
            }),
            shown,
        ),
        3 => {
            let integrators = vec![settings.integrator];
            let question = Convergence { integrators, dts: vec![1e-2, 5e-3], duration: 0.02 };
            let job = move |work: &Work<_>| converge(&parts, &settings, &question, &|| 0.0, work);
            cancel_and_wait(pool.start(job), shown);
        }
        4 => {
            let axis = |quantity, ends| Axis::new(quantity, ends, 2).unwrap();
            let plan = MapPlan {
                x: axis(Quantity::Dt, [1e-3, 1e-2]),
                y: axis(Quantity::Stiffness, [1.0, 1e3]),
                integrators: vec![settings.integrator],
                shown: ShownQuantity::Growth,
                boundary: false,
            };
            let mapped_scene = MappedScene { parts, settings, file: None, lane: 0 };
            if plan.check(&mapped_scene).is_ok() {
                cancel_and_wait(
                    pool.start(move |work| plan.compute(&mapped_scene, MapPart::WHOLE, work)),
                    shown,
                );
            }
        }
        _ => {
            // `explain` simulates a display for half a second, which takes minutes with steps of 1
            // µs. Steps of at least 1 ms keep the test short.
            let dt = settings.dt.max(1e-3);
            let start = Simulation::new(parts, Settings { dt, ..settings });
            let question = ExplainQuestion { dt, ..ExplainQuestion::of(start, 3.0 * dt) };
            // This clock advances by a millisecond at each reading, so that trials end soon on any
            // machine.
            let readings = AtomicU64::new(0);
            let clock = move || 1e-3 * readings.fetch_add(1, Ordering::Relaxed) as f64;
            cancel_and_wait(
                pool.start(move |work| explain::explain(&question, &clock, work)),
                shown,
            );
        }
    }
}

/// Cancels a job and waits for its end.
fn cancel_and_wait<P: Send + 'static, R: Send + 'static>(mut job: Job<P, R>, shown: &str) {
    std::thread::sleep(TIME_BEFORE_CANCELLATION);
    job.cancel();
    let started = Instant::now();
    loop {
        match job.result() {
            Some(Err(end @ (JobEnd::Failed | JobEnd::NoThreads(_)))) => {
                panic!("an analysis fails: {end}\n{shown}")
            }
            Some(_) => return,
            None => std::thread::sleep(Duration::from_millis(5)),
        }
        assert!(started.elapsed() < LONGEST_CANCELLATION, "an analysis does not end\n{shown}");
    }
}

#[test]
fn explosion_is_data_whatever_the_numbers() {
    let wanted = std::env::var("ROPELAB_EXTREME_SECONDS").ok();
    let seconds = wanted.as_ref().map_or(0, |text| text.parse().unwrap());
    let until = Instant::now() + Duration::from_secs(seconds);
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let case = (scene_text(), settings(), any::<u8>());
    for number in 0.. {
        if number >= CASES && Instant::now() >= until {
            return;
        }
        let (text, settings, kind) = case.new_tree(&mut runner).unwrap().current();
        // An analysis takes a hundred times as long as the steps, so only every fourth case has
        // one.
        try_scene(&text, Some(settings), number.is_multiple_of(4).then_some(kind));
    }
}

#[test]
fn scenes_that_once_broke_the_laboratory_end_with_a_verdict() {
    for text in ONCE_BROKEN {
        assert!(Scene::parse(text, "broke").is_ok(), "{text}");
        for kind in 0..6 {
            // Scenes with crowds are too large for analyses in an unoptimised build.
            let is_small = text.len() < 300 && !text.contains("crowd");
            try_scene(text, None, is_small.then_some(kind));
            if !is_small {
                break;
            }
        }
    }
}
