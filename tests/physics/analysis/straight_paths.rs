//! Explanations of balls that gain energy because they move to their impacts on straight paths.

use ropelab::analysis::explain::{Cause, ExplainQuestion, explain};
use ropelab::analysis::job::Work;
use ropelab::contact::{BallPath, ContactMethod};
use ropelab::scene::Scene;
use ropelab::session::Inputs;
use ropelab::simulation::Simulation;
use std::sync::Arc;

/// A ball that falls by 1 m on a floor, with a restitution of 0.8. It should rest after 4.06 s.
const BALL: &str = r#"(version: 1, name: "ball",
    balls: [(name: "ball", at: (0, 1.1, 0), radius: 0.1, mass: 1,
             surface: (restitution: 0.8, friction: 0))],
    colliders: [(shape: Plane(), at: (0, 0, 0), surface: (restitution: 0.8, friction: 0))],
    settings: (integrator: VelocityVerlet, dt: 0.005))"#;

/// The ball ends in a cycle of five steps, in which it hops by 0.8 mm and gains 0.13 J a second.
/// After 148.7 s it has gained twice its greatest energy, although it has lost more to heat.
#[test]
fn energy_that_a_ball_gains_after_its_losses_is_seen_and_parabolas_cure_it() {
    let scene = Scene::parse(BALL, "test").expect("the test's scene is good");
    let start = Simulation::new(scene.parts.clone(), scene.lanes[0].settings);
    let question = ExplainQuestion {
        start,
        inputs: Inputs::default(),
        dt: 0.005,
        frames: Arc::from([]),
        duration: 160.0,
        scene: None,
    };
    let explanation =
        explain(&question, &|| 0.0, &Work::unwatched()).expect("the job is not cancelled");
    assert_eq!(explanation.cause, Cause::StraightPaths, "{}", explanation.headline);
    assert!(explanation.headline.contains("from 148.7"), "{}", explanation.headline);
    let bends = |contact: ContactMethod| matches!(contact, ContactMethod::Swept(swept) if swept.path == BallPath::Parabola);
    let cure = explanation.remedies.iter().find(|remedy| bends(remedy.settings.contact));
    assert!(cure.is_some_and(|remedy| remedy.holds), "{:?}", explanation.remedies);
}
