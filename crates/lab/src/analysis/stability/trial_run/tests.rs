//! Tests of the runs that confirm a limit.

use super::*;
use crate::analysis::stability::scene_samples::predict_limit;
use crate::support;
use std::convert::Infallible;

#[test]
fn energy_that_is_returned_is_not_kept() {
    let borrowed: Vec<f64> = (0..400).map(|k| 30.0 * (0.3 * f64::from(k)).sin().powi(2)).collect();
    assert!(kept_energy(&borrowed, 2400.0) < 0.5, "kept energy {}", kept_energy(&borrowed, 2400.0));
    let made: Vec<f64> = (0..400).map(|k| 0.001 * f64::from(k)).collect();
    assert!(
        (kept_energy(&made, 2400.0) - 2.4).abs() < 0.01,
        "kept energy {}",
        kept_energy(&made, 2400.0)
    );
}

/// The work left for further runs corresponds to two and a half simulated minutes, which is enough
/// for three runs. The first run does not reduce this work.
#[test]
fn further_runs_end_when_their_work_is_spent() {
    let text = r#"(version: 1, name: "pair", forces: [],
        particles: [(name: "a", at: (-0.5, 0, 0), velocity: (0, -30, 0)),
                    (name: "b", at: (0.5, 0, 0), velocity: (0, 30, 0))],
        links: [(a: Body("a"), b: Body("b"), rest: 0.8, stiffness: 9000)])"#;
    let simulation = support::lane(text);
    let dt = 0.01;
    let minute = JUDGED_SECONDS / dt;
    let mut trials = Trials {
        simulation: &simulation,
        settings: simulation.settings(),
        longest: f64::INFINITY,
        hardly_damped: true,
        is_erratic: false,
        is_constrained: false,
        has_attractor: false,
        inner_steps_per_second: 0.0,
        least_steps: 1.0,
        most_work: most_work(false),
        work_left: 2.5 * minute * work_of_a_step(&simulation),
        longest_stable: 0.0,
        shortest_gaining: f64::INFINITY,
    };
    let (mut runs, mut steps) = (0, 0.0);
    let mut check = || {
        steps += 1.0;
        Ok::<(), Infallible>(())
    };
    while let Ok(Some(_)) = trials.further_run(dt, &mut check) {
        runs += 1;
        assert!(runs <= 3, "{} left", trials.work_left);
    }
    let Ok(first) = trials.first_run(dt, &mut check);
    assert!(!first.gains() && first.motion == Motion::Fast, "{first:?}");
    assert_eq!((runs, steps), (3, 3.5 * minute));
}

/// Returns the total simulated minutes of all runs that confirm a limit: their steps times the
/// predicted limit.
fn minutes_of_confirmation(text: &str) -> f64 {
    let simulation = support::lane(text);
    let mode = predict_limit(&simulation).mode.expect("links vibrate");
    let longest = 2.0 / mode.omega;
    let mut steps = 0.0;
    let mut check = || {
        steps += 1.0;
        Ok::<(), Infallible>(())
    };
    let settings = *simulation.settings();
    let predicted = PredictedLimit { longest, damping_ratio: 0.0, is_constrained: false };
    let Ok(_) = confirm_limit(&simulation, &settings, predicted, &mut check);
    steps * longest / JUDGED_SECONDS
}

/// A pulse that travels along a string, and a spinning pair: only spinning changes the vibrations.
/// When slow turns counted like fast ones, the string cost seven minutes of runs.
#[test]
fn slow_turns_need_few_further_runs() {
    let pulse = r#"(version: 1, name: "pulse", forces: [],
        materials: [Rope(name: "m", mass_per_metre: 0.5, stiffness: 6, damping: 0)],
        ropes: [(name: "r", from: (0, 0, 0), to: (4, 0, 0), length: 3, segments: 30,
                 material: "m")],
        pins: [(of: End("r")), (of: Start("r"), path: Waypoints(
            points: [(0, (0, 0, 0)), (0.3, (0, 0.15, 0)), (0.6, (0, 0, 0))],
            repeat: false))])"#;
    let pair = r#"(version: 1, name: "pair", forces: [],
        particles: [(name: "a", at: (-0.5, 0, 0), velocity: (0, -30, 0)),
                    (name: "b", at: (0.5, 0, 0), velocity: (0, 30, 0))],
        links: [(a: Body("a"), b: Body("b"), rest: 0.8, stiffness: 9000)])"#;
    let [slow, fast] = [pulse, pair].map(minutes_of_confirmation);
    assert!(slow < 2.0 && fast > 3.0, "{slow} and {fast} minutes");
}
