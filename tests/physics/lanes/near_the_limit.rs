//! Verdicts close to the longest stable step, where a stable vibration gains energy for some steps
//! and returns it; and verdicts on gains that are not returned before a large motion begins.

use ropelab::analysis::stability::predict_limit;
use ropelab::integrate::Method;
use ropelab::measure::Verdict;
use ropelab::scene::Scene;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;

/// Two undamped scenes: a mass on a spring with ω = 20 rad/s, and three free masses on two springs.
const SCENES: [&str; 2] = [
    r#"(version: 1, name: "spring", forces: [],
    particles: [(name: "hook", at: (0, 0, 0)),
        (name: "bob", at: (0, -1, 0), mass: 0.5, velocity: (0, -0.1, 0))],
    links: [(a: Body("hook"), b: Body("bob"), stiffness: 200)], pins: [(of: Body("hook"))])"#,
    r#"(version: 1, name: "free", forces: [],
    particles: [(name: "a", at: (0, 0, 0), velocity: (0.05, 0, 0)), (name: "b", at: (1, 0, 0)),
        (name: "c", at: (2, 0, 0), mass: 0.3)],
    links: [(a: Body("a"), b: Body("b"), stiffness: 500), (a: Body("b"), b: Body("c"),
        stiffness: 500)])"#,
];

/// Returns the lane after 3000 steps with a fraction of its longest stable step; `None` if the
/// integrator has no limit, or chooses its own steps.
fn at_fraction(scene: &str, integrator: Method, fraction: f64) -> Option<Simulation> {
    let scene = Scene::parse(scene, "test").unwrap_or_else(|error| panic!("{error}"));
    let settings = Settings { integrator, ..Settings::default() };
    let mut lane = Simulation::new(scene.parts, settings);
    let limit = predict_limit(&lane).dt;
    let has_one =
        limit > 0.0 && limit.is_finite() && !matches!(integrator, Method::DormandPrince(_));
    has_one.then(|| {
        let dt = fraction * limit;
        lane.configure(Settings { dt, ..settings });
        lane.start_energy_account();
        for _ in 0..3000 {
            lane.step(dt);
            lane.add_to_energy_account();
        }
        lane
    })
}

#[test]
fn linear_scenes_are_stable_below_their_limit_and_not_above_it() {
    let mut wrong = Vec::new();
    let mut compared = 0;
    for (scene, integrator) in SCENES.iter().flat_map(|s| Method::all().map(move |m| (s, m))) {
        for fraction in [0.5, 0.75, 0.9, 0.97, 1.03] {
            let Some(lane) = at_fraction(scene, integrator, fraction) else { continue };
            compared += 1;
            if lane.verdict().is_stable() != (fraction < 1.0) {
                let name = integrator.info().name;
                wrong.push(format!("{name} at {fraction}: {}", lane.verdict()));
            }
        }
    }
    assert!(compared > 2 * 5 * 8, "{compared}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A weight on a spring, and a ball on a box that leaves after 13 s, so that the ball falls.
const LATE_FALL: &str = r#"(version: 1, name: "late fall",
    particles: [(name: "hook", at: (0, 5, 0)), (name: "bob", at: (0, -0.4, 0), mass: 1)],
    links: [(a: Body("hook"), b: Body("bob"), rest: 5, stiffness: 100)],
    pins: [(of: Body("hook"))],
    balls: [(at: (5, 0.1, 0), radius: 0.1, mass: 1, surface: (restitution: 0, friction: 0))],
    colliders: [(shape: Box(size: (2, 1, 2)), at: (5, -0.5, 0),
        surface: (restitution: 0, friction: 0),
        path: Waypoints(points: [(13, (0, 0, 0)), (13.1, (0, 0, 4))], repeat: false))],
    settings: (dt: 0.05))"#;

/// Heun and midpoint make 3.4 times the energy of the weight in 8 s. At 18 s the ball has ten times
/// this energy, so the gain is relatively small. Formerly both lanes then counted as stable.
#[test]
fn a_gain_stays_in_the_verdict_when_a_body_falls_later() {
    let scene = Scene::parse(LATE_FALL, "test").expect("a valid scene");
    let mut gained = 0;
    for method in Method::all() {
        let settings = Settings { integrator: method, ..scene.lanes[0].settings };
        let mut lane = Simulation::new(scene.parts.clone(), settings);
        lane.start_energy_account();
        let mut before = None;
        while lane.state().t < 18.0 && lane.explosion().is_none() {
            lane.step(settings.dt);
            lane.add_to_energy_account();
            if before.is_none() && lane.state().t > 12.5 {
                before = Some(lane.verdict());
            }
        }
        let (name, verdict) = (method.info().name, lane.verdict());
        // Explicit Euler explodes before the ball falls.
        let Some(before) = before else { continue };
        match before {
            Verdict::GainedEnergy(gain) => {
                gained += 1;
                let Verdict::GainedEnergy(later) = verdict else {
                    panic!("{name}: {gain}, later {verdict}")
                };
                assert!(later.t == gain.t && later.fraction > 2.0, "{name}: {gain}, {later}");
            }
            other => assert_eq!(other.is_stable(), verdict.is_stable(), "{name}: {verdict}"),
        }
    }
    assert!(gained >= 2, "{gained}");
}
