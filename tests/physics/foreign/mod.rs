//! Promises of the program, checked on sixty generated scenes: no step that is predicted to be
//! stable gains energy, no lane with good settings gets an alarm, and no remedy that was found to
//! work fails later.
//!
//! By default only a few scenes are checked, for seconds. `ROPELAB_LONG=1`, which `check.sh --long`
//! sets, checks all of them for whole minutes.

mod kinds;

use crate::support::{is_long, sample};
use kinds::{Dice, KINDS};
use ropelab::analysis::explain::{Cause, ExplainQuestion, explain};
use ropelab::analysis::job::Work;
use ropelab::analysis::stability::growth::confirmed_growth;
use ropelab::constraint::ConstraintSolver;
use ropelab::contact::{ContactMethod, Penalty};
use ropelab::integrate::Method;
use ropelab::measure::Verdict;
use ropelab::scene::Scene;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::{LinkMode, Settings};
use std::convert::Infallible;

/// Number of generated scenes of each kind.
const VARIANTS: u64 = 6;

/// Known failures in the check of all scenes, with their reasons. A failure that is not in this
/// list fails the test. So does an entry of this list whose failure no longer occurs.
const KNOWN: &[(&str, &str)] = &[];

/// One generated scene.
struct Foreign {
    name: String,
    kind: &'static str,
    number: u64,
    lane: Simulation,
}

/// All generated scenes, or only the first scene of each kind.
fn scenes() -> impl Iterator<Item = Foreign> {
    let variants = if is_long() { VARIANTS } else { 1 };
    (0..variants)
        .flat_map(|variant| (0_u64..).zip(KINDS).map(move |(k, kind)| (variant, k, kind)))
        .map(|(variant, k, (kind, parts))| {
            let number = variant * KINDS.len() as u64 + k;
            let parts = parts(&mut Dice::new(number + 1));
            let text = format!("(version: 1, name: \"{kind}\", {parts})");
            let scene = Scene::parse(&text, kind).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let mut settings = scene.lanes[0].settings;
            if kind == "penalty" {
                let stiffness = 2e4;
                settings.contact = ContactMethod::Penalty(Penalty {
                    stiffness,
                    damping: 1.0,
                    ..Penalty::default()
                });
            }
            let lane = Simulation::new(scene.parts.clone(), settings);
            Foreign { name: format!("{kind} {variant}"), kind, number, lane }
        })
}

/// Returns `count` integrators to check with a scene. Different scenes get different integrators.
fn methods_of(foreign: &Foreign, count: usize) -> Vec<Method> {
    let all: Vec<_> = Method::all().collect();
    (0..count).map(|k| all[(foreign.number as usize * 7 + k * 5) % all.len()]).collect()
}

/// Longest step in seconds that the program predicts to be stable.
fn called_limit(lane: &Simulation, integrator: Method) -> f64 {
    let settings = Settings { integrator, ..*lane.settings() };
    let Ok(limit) = sample(lane).confirmed_limit(&settings, || Ok::<(), Infallible>(()));
    limit.longest()
}

/// Frame lengths with one spike, as fractions of the longest frame.
const SPIKES: [f64; 5] = [0.4, 0.4, 0.4, 0.4, 1.0];

/// Steps in seconds of a lane whose step is the frame, shortened until they are predicted to be
/// stable as a sequence. A sequence of steps may be unstable although each length alone is stable.
fn called_stable_with_spikes(lane: &Simulation, integrator: Method, dt: f64) -> Vec<f64> {
    let settings = Settings { integrator, ..*lane.settings() };
    let samples = sample(lane);
    let mut steps = SPIKES.map(|part| part * dt);
    let grows = |steps: &[f64]| {
        let Ok(growth) = samples.growth_under(&settings, steps, || Ok::<(), Infallible>(()));
        growth.is_some_and(|growth| growth.doubling.is_some())
    };
    while grows(&steps) && steps[4] > 1e-3 * dt {
        steps = steps.map(|h| 0.9 * h);
    }
    steps.to_vec()
}

/// Verdict after `seconds` seconds of steps, whose lengths in seconds repeat the list `steps`.
fn verdict_after(lane: &mut Simulation, steps: &[f64], seconds: f64) -> Verdict {
    lane.start_energy_account();
    for dt in steps.iter().cycle() {
        lane.step(*dt);
        if lane.explosion().is_some() || lane.state().t >= seconds {
            break;
        }
        lane.add_to_energy_account();
    }
    lane.verdict()
}

/// Fails if a failure is not listed as known, or if a known failure no longer occurs.
fn judge(promise: &str, failures: &[(String, String)]) {
    let is_known = |place: &String| KNOWN.iter().any(|(known, _)| known == place);
    let (known, new): (Vec<_>, Vec<_>) = failures.iter().partition(|(place, _)| is_known(place));
    for (place, what) in &known {
        println!("known: {place}: {what}");
    }
    let mended = |(place, _): &&(&str, &str)| {
        place.starts_with(promise) && !known.iter().any(|(found, _)| found == place)
    };
    let list: Vec<_> = new.iter().map(|(place, what)| format!("{place}: {what}")).collect();
    assert!(new.is_empty(), "{} failures:\n{}", new.len(), list.join("\n"));
    if is_long() {
        let mended: Vec<_> = KNOWN.iter().filter(mended).collect();
        assert!(mended.is_empty(), "no longer fail: {mended:?}");
    }
}

#[test]
fn no_step_that_is_called_stable_gains_energy() {
    let (count, seconds, most_steps): (usize, f64, f64) =
        if is_long() { (4, 60.0, 400_000.0) } else { (1, 6.0, 20_000.0) };
    let mut failures = Vec::new();
    for foreign in scenes() {
        for integrator in methods_of(&foreign, count) {
            let longest = called_limit(&foreign.lane, integrator);
            if longest == 0.0 {
                continue;
            }
            let dt = (0.95 * longest).min(1.0 / 60.0);
            let steps = if foreign.kind == "spikes" {
                called_stable_with_spikes(&foreign.lane, integrator, dt)
            } else {
                vec![dt]
            };
            let settings = Settings { integrator, dt, ..*foreign.lane.settings() };
            let mut lane = Simulation::new(foreign.lane.parts().clone(), settings);
            let verdict = verdict_after(&mut lane, &steps, seconds.min(most_steps * dt));
            if matches!(verdict, Verdict::GainedEnergy(_) | Verdict::Exploded(_)) {
                let name = integrator.info().name;
                let place = format!("limit: {}, {name}", foreign.name);
                failures.push((place, format!("{dt:.3e} of {longest:.3e} s: {verdict}")));
            }
        }
    }
    judge("limit", &failures);
}

/// Settings that are expected to cause no alarm: springs at half of the longest stable step, a
/// direct solver, and XPBD with many small substeps. Both solvers make 10 iterations, because nets
/// need them: two direct solves leave a residual of 139 % of a link on a cape.
fn healthy_settings(foreign: &Foreign) -> Vec<Settings> {
    let integrator = Method::SymplecticEuler;
    let own = Settings { integrator, ..*foreign.lane.settings() };
    let springs = Settings { dt: (0.5 * called_limit(&foreign.lane, integrator)).min(0.01), ..own };
    let mut all = vec![springs];
    if foreign.kind != "penalty" {
        for (name, dt, substeps) in [("direct", 0.004, 1), ("xpbd", 1.0 / 60.0, 20)] {
            let mut constraints = ConstraintSolver::from_name(name).expect("a solver");
            constraints.set_iterations(10);
            let links = LinkMode::Constraints;
            // Bends remain forces under a solver, so the step must stay below their stability
            // limit.
            let held = Settings { constraints, links, dt, substeps, ..own };
            let lane = Simulation::new(foreign.lane.parts().clone(), held);
            let dt = dt.min(0.5 * called_limit(&lane, integrator));
            all.push(Settings { dt, ..held });
        }
    }
    all
}

#[test]
fn no_healthy_lane_carries_an_alarm() {
    let seconds = if is_long() { 20.0 } else { 2.0 };
    let mut failures = Vec::new();
    for foreign in scenes() {
        for settings in healthy_settings(&foreign) {
            let solver = settings.solver().info().name;
            let place = format!("alarm: {}, {solver}", foreign.name);
            let mut lane = Simulation::new(foreign.lane.parts().clone(), settings);
            let Ok(growth) = confirmed_growth(&lane, || Ok::<(), Infallible>(()));
            let verdict = verdict_after(&mut lane, &[settings.dt], seconds);
            if let Some(growth) = growth {
                failures.push((place, format!("grows {}-fold a step", growth.per_step)));
            } else if !verdict.is_stable() {
                failures.push((place, verdict.to_string()));
            }
        }
    }
    judge("alarm", &failures);
}

/// Shortest time in seconds for which a remedy was tried.
const TRIED: f64 = 20.0;

#[test]
fn no_remedy_that_holds_fails_when_it_runs_five_times_as_long() {
    let every = if is_long() { 3 } else { 8 };
    let mut failures = Vec::new();
    for foreign in scenes().filter(|foreign| foreign.number % every == 1) {
        let integrator = Method::SymplecticEuler;
        let dt = (1.3 * called_limit(&foreign.lane, integrator)).min(0.2);
        let settings = Settings { integrator, dt, ..*foreign.lane.settings() };
        let start = Simulation::new(foreign.lane.parts().clone(), settings);
        let question = ExplainQuestion { dt, ..ExplainQuestion::of(start, 5.0) };
        let begun = std::time::Instant::now();
        let clock = || begun.elapsed().as_secs_f64() * if is_long() { 1.0 } else { 10.0 };
        let explanation = explain(&question, &clock, &Work::unwatched()).expect("not cancelled");
        if explanation.cause == Cause::Holds {
            continue;
        }
        let longer = 5.0 * TRIED.max(10.0 * explanation.seconds_until_end);
        let seconds = if is_long() { longer } else { 30.0 };
        for remedy in explanation.remedies.iter().filter(|remedy| remedy.holds) {
            let mut lane = Simulation::new(foreign.lane.parts().clone(), remedy.settings);
            let verdict = verdict_after(&mut lane, &[remedy.settings.dt], seconds);
            if matches!(verdict, Verdict::GainedEnergy(_) | Verdict::Exploded(_)) {
                let place = format!("remedy: {}, {}", foreign.name, remedy.change);
                failures.push((place, verdict.to_string()));
            }
        }
    }
    judge("remedy", &failures);
}
