//! Limits from runs where theory predicts no limit or too long a step: lanes whose links a solver
//! holds, and integrators that choose inner steps.

use crate::support::simulation;
use ropelab::analysis::stability::{Limit, find_limit};
use ropelab::integrate::Method;
use ropelab::measure::Verdict;
use ropelab::scene::library;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;
use std::convert::Infallible;

fn limit_of(lane: &Simulation) -> Limit {
    let Ok(limit) = find_limit(lane, || Ok::<(), Infallible>(()));
    limit
}

fn verdict_of_a_minute(lane: &Simulation, dt: f64) -> Verdict {
    let mut lane = lane.clone();
    lane.configure(Settings { dt, ..*lane.settings() });
    lane.start_energy_account();
    while lane.state().t < 60.0 && lane.explosion().is_none() {
        lane.step(dt);
        lane.add_to_energy_account();
    }
    lane.verdict()
}

/// SHAKE holds the strings of the cradle, so nothing vibrates, but the impacts make energy with
/// steps of 50 ms and, after 15 s, of 33 ms.
#[test]
fn a_lane_whose_links_are_held_gets_the_limit_of_runs() {
    let cradle = simulation(library::find("cradle").expect("it is in the library").text());
    assert!(matches!(verdict_of_a_minute(&cradle, 0.05), Verdict::GainedEnergy(_)));
    let limit = limit_of(&cradle);
    assert!(limit.mode.is_none() && limit.predicted().is_infinite(), "{limit:?}");
    let (longest, said) = (limit.longest(), limit.verdict());
    assert!(longest < 0.0334, "{said}");
    assert!(said.starts_with("Stable up to ") && said.contains(" by a run of "), "{said}");
    let verdict = verdict_of_a_minute(&cradle, longest);
    assert!(verdict.is_stable(), "{said} {verdict}");
}

/// Formerly rounding counted as a gain at every step, and half of the integrators had no limit.
#[test]
fn a_particle_at_rest_on_a_floor_has_no_limit_under_any_integrator() {
    let text = "(version: 1, name: \"still\", particles: [(at: (0, 0, 0))],
        colliders: [(shape: Plane())])";
    let lane = simulation(text);
    for integrator in Method::all() {
        let mut lane = lane.clone();
        lane.configure(Settings { integrator, ..*lane.settings() });
        let limit = limit_of(&lane);
        let name = integrator.info().name;
        assert!(limit.longest().is_infinite(), "{name}: {}", limit.verdict());
    }
}

/// A rope of 20 rigid links that falls from the horizontal, with a load of `load` link masses.
fn loaded_rope(solver: &str, load: f64) -> Simulation {
    simulation(&format!(
        r#"(version: 1, name: "load",
            materials: [Rope(name: "m", mass_per_metre: 0.2, rigid: true)],
            ropes: [(name: "r", from: (0, 2, 0), to: (1, 2, 0), segments: 20, material: "m")],
            masses: [(of: End("r"), mass: {})], pins: [(of: Start("r"))],
            settings: (integrator: VelocityVerlet, dt: 0.016666666666666666,
                       constraints: {solver}))"#,
        0.01 * load
    ))
}

#[test]
fn the_step_that_was_tried_is_told_where_a_solver_holds_all_links() {
    let said = limit_of(&loaded_rope("Direct()", 1.0)).verdict();
    let begins = "No limit: the constraint solver constrains all links. A run of ";
    assert!(said.starts_with(begins), "{said}");
    assert!(said.contains(" with steps of up to 50 ms gains no energy."), "{said}");
}

/// With steps of 1/60 s, RATTLE misses its tolerance in 64 % of the steps and loses 75 % of the
/// energy in ten seconds.
#[test]
fn a_limit_tells_that_the_steps_of_its_run_did_not_converge() {
    let inexact = |solver, load| {
        limit_of(&loaded_rope(solver, load)).verdict().contains(" of the steps did not converge")
    };
    assert!(inexact("Rattle()", 1000.0) && inexact("Shake()", 1000.0));
    assert!(!inexact("Direct()", 1000.0));
}

/// A rope of ten links that turns about its centre with 1,200 rad/s, without gravity. By theory its
/// 1,000 inner steps suffice for 504 ms, but a step of 478 ms explodes.
#[test]
fn a_limit_of_inner_steps_is_confirmed_by_runs() {
    let knots: Vec<String> = (0..=10)
        .map(|i| {
            let x = f64::from(i) / 10.0 - 0.5;
            format!(
                "(name: \"p{i}\", at: ({x}, 0, 0), mass: 0.1, velocity: (0, {}, 0))",
                1200.0 * x
            )
        })
        .collect();
    let links: Vec<String> = (0..10)
        .map(|i| format!("(a: Body(\"p{i}\"), b: Body(\"p{}\"), stiffness: 1e5)", i + 1))
        .collect();
    let rope = simulation(&format!(
        "(version: 1, name: \"turning\", forces: [], particles: [{}], links: [{}],
          settings: (integrator: DormandPrince()))",
        knots.join(", "),
        links.join(", ")
    ));
    assert!(matches!(rope.settings().integrator, Method::DormandPrince(_)));
    let limit = limit_of(&rope);
    let predicted = limit.predicted();
    assert!((predicted / 0.504 - 1.0).abs() < 0.01, "{}", limit.verdict());
    assert!(!verdict_of_a_minute(&rope, 0.95 * predicted).is_stable());
    assert!(limit.longest() < 0.95 * predicted, "{}", limit.verdict());
    let verdict = verdict_of_a_minute(&rope, limit.longest());
    assert!(verdict.is_stable(), "{}, {verdict}", limit.verdict());
}

/// A weight on a spring, whose upper end swings by 0.3 m at 1 Hz. Linear theory allows 157 ms under
/// Yoshida's method; from 130 to 137 ms, most runs explode.
#[test]
fn a_limit_lies_below_the_resonances_of_a_drive() {
    let text = r#"(version: 1, name: "driven",
        particles: [(name: "pin", at: (0, 2, 0)), (name: "w", at: (0, 1, 0), mass: 1)],
        links: [(a: Body("pin"), b: Body("w"), stiffness: 100)],
        pins: [(of: Body("pin"), path: Swing(amplitude: (0.3, 0, 0), frequency: 1))])"#;
    let start = simulation(text);
    let mut resonant = 0;
    for method in Method::all() {
        let mut driven = start.clone();
        driven.configure(Settings { integrator: method, ..*start.settings() });
        let longest = limit_of(&driven).longest();
        if longest == 0.0 || longest > 1.0 {
            continue;
        }
        let explicit = !method.info().implicit;
        for step in [0.118, 0.131, 0.1319, 0.135, 0.1366].into_iter().filter(|_| explicit) {
            if !verdict_of_a_minute(&driven, step).is_stable() {
                resonant += 1;
                assert!(longest < step, "{}: {longest} s, {step} s", method.info().name);
            }
        }
    }
    assert!(resonant >= 15, "{resonant}");
}
