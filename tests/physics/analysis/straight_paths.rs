//! Explanations of balls that gain energy because they move to their impacts on straight paths.

use ropelab::analysis::explain::{Cause, ExplainQuestion, explain};
use ropelab::analysis::job::Work;
use ropelab::analysis::stability::{Limit, find_limit};
use ropelab::contact::{BallPath, ContactMethod, Swept};
use ropelab::integrate::Method;
use ropelab::scene::Scene;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;
use std::convert::Infallible;

/// A ball that falls by 1 m on a floor, with a restitution of 0.8. It should rest after 4.06 s.
const BALL: &str = r#"(version: 1, name: "ball",
    balls: [(name: "ball", at: (0, 1.1, 0), radius: 0.1, mass: 1,
             surface: (restitution: 0.8, friction: 0))],
    colliders: [(shape: Plane(), at: (0, 0, 0), surface: (restitution: 0.8, friction: 0))],
    settings: (integrator: VelocityVerlet, dt: 0.005))"#;

/// The ball ends in a cycle of five steps, in which it hops by 0.8 mm and gains 0.13 J a second.
/// After 148.7 s it has gained twice its greatest energy, although it has lost more energy to heat.
#[test]
fn energy_that_a_ball_gains_after_its_losses_is_seen_and_parabolas_cure_it() {
    let scene = Scene::parse(BALL, "test").expect("the test's scene is good");
    let start = Simulation::new(scene.parts.clone(), scene.lanes[0].settings);
    let question = ExplainQuestion::of(start, 160.0);
    let explanation =
        explain(&question, &|| 0.0, &Work::unwatched()).expect("the job is not cancelled");
    assert_eq!(explanation.cause, Cause::StraightPaths, "{}", explanation.headline);
    assert!(explanation.headline.contains("after 148.7"), "{}", explanation.headline);
    let bends = |contact: ContactMethod| matches!(contact, ContactMethod::Swept(swept) if swept.path == BallPath::Parabola);
    let cure = explanation.remedies.iter().find(|remedy| bends(remedy.settings.contact));
    assert!(cure.is_some_and(|remedy| remedy.holds), "{:?}", explanation.remedies);
}

fn limit_of(method: Method, path: BallPath) -> Limit {
    let scene = Scene::parse(BALL, "test").expect("the test's scene is good");
    let contact = ContactMethod::Swept(Swept { path, ..Swept::default() });
    let settings = Settings { integrator: method, contact, ..scene.lanes[0].settings };
    let lane = Simulation::new(scene.parts.clone(), settings);
    let Ok(limit) = find_limit(&lane, || Ok::<(), Infallible>(()));
    limit
}

/// True if the ball gains more than twice its greatest energy in two and a half minutes.
fn gains(method: Method, dt: f64) -> bool {
    let scene = Scene::parse(BALL, "test").expect("the test's scene is good");
    let settings = Settings { integrator: method, dt, ..scene.lanes[0].settings };
    let mut lane = Simulation::new(scene.parts.clone(), settings);
    lane.start_energy_account();
    while lane.state().t < 150.0 {
        lane.step(dt);
        lane.add_to_energy_account();
    }
    !lane.verdict().is_stable()
}

/// Nothing vibrates, so theory allows every step. The ball gains energy with steps of 5 ms and
/// 1/30 s under many integrators.
#[test]
fn no_integrator_is_free_of_a_limit_with_which_a_ball_hops_for_ever() {
    let mut hops = 0;
    for method in Method::all() {
        let limit = limit_of(method, BallPath::Chord);
        for dt in [0.005, 1.0 / 60.0, 1.0 / 30.0].into_iter().filter(|dt| gains(method, *dt)) {
            hops += 1;
            let said = format!("{}, {dt} s: {}", method.info().name, limit.verdict());
            assert!(limit.longest() < dt || limit.gains_down_to().is_some(), "{said}");
            assert!(!said.contains("No limit"), "{said}");
        }
    }
    assert!(hops > 10, "{hops}");
}

#[test]
fn a_ball_on_parabolas_has_no_limit_and_its_tried_steps_are_told() {
    let said = limit_of(Method::VelocityVerlet, BallPath::Parabola).verdict();
    let tried = "Runs of 60 s with steps from 1 ms to 50 ms gain no energy.";
    assert_eq!(said, format!("No limit: the lane has no springs. {tried}"));
}
