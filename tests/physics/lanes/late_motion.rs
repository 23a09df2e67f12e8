//! Verdicts on lanes in which a large motion begins after a gain of energy.

use ropelab::integrate::Method;
use ropelab::measure::Verdict;
use ropelab::scene::Scene;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;

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
/// this energy, beside which the gain is small; formerly both lanes counted as stable then.
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
