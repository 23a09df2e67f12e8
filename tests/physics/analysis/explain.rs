//! Remedies that were tried: damping.

use ropelab::analysis::explain::{Cause, ExplainQuestion, Explanation, Remedy, explain};
use ropelab::analysis::job::Work;
use ropelab::integrate::Method;
use ropelab::scene::Scene;
use ropelab::session::Inputs;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;

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
