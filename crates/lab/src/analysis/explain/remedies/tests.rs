//! Tests of the budgets of trials: every machine tries the same changes, and reports the same
//! changes as not tried.

use super::*;
use crate::analysis::explain::{MORE_WORK_TO_FINISH, MOST_WORK_OF_REMEDIES, explain};
use crate::analysis::job::Work;
use crate::scene::vary::VariableScene;
use crate::simulation::Simulation;
use crate::support;

/// Rope with too much damping, which explodes. Four weaker dampings are tried in order.
const OVERDAMPED: &str = r#"(version: 1, name: "crane",
    materials: [Rope(name: "steel", mass_per_metre: 0.4, stiffness: 20000, damping: 2500)],
    ropes: [(name: "cable", from: (0, 10, 0), to: (0, 2, 0), segments: 8, material: "steel")],
    masses: [(of: End("cable"), mass: 20)],
    velocities: [(of: End("cable"), velocity: (2, 0, 0))],
    pins: [(of: Start("cable"))], settings: (integrator: SymplecticEuler, dt: 0.001))"#;

fn question() -> ExplainQuestion {
    let scene = support::scene(OVERDAMPED);
    let start = Simulation::new(scene.parts.clone(), scene.lanes[0].settings);
    let variable = Some(VariableScene::of(&scene));
    ExplainQuestion { scene: variable, ..ExplainQuestion::of(start, 2.0) }
}

/// Returns the remedies that are found with this budget on this number of threads.
fn tried(
    question: &ExplainQuestion,
    why: &Explanation,
    budget: u64,
    more: u64,
    threads: usize,
) -> Vec<Remedy> {
    let (check, spent) = (&|| Ok(()), &AtomicU64::new(0));
    let job =
        ExplainJob { question, check, clock: &|| 0.0, spent, end: budget, keeps_account: false };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| try_all(&job, &Work::unwatched(), why, more)).expect("not cancelled")
}

fn verdicts(remedies: &[Remedy]) -> Vec<(&str, Outcome)> {
    remedies.iter().map(|remedy| (remedy.change.as_str(), remedy.outcome)).collect()
}

#[test]
fn what_the_budget_leaves_out_is_not_tried_and_has_not_failed() {
    let question = &question();
    let why = &explain(question, &|| 0.0, &Work::unwatched()).expect("not cancelled");
    let whole = tried(question, why, MOST_WORK_OF_REMEDIES, MORE_WORK_TO_FINISH, 2);
    assert_eq!(verdicts(&whole), verdicts(&why.remedies));
    assert!(whole.iter().all(|remedy| !remedy.outcome.is_open()), "{:?}", verdicts(&whole));
    let mut after_failures = 0;
    for budget in (0..40).map(|parts| 200 * parts) {
        let remedies = tried(question, why, budget, budget, 1);
        let on_more_threads = tried(question, why, budget, budget, 3);
        assert_eq!(verdicts(&remedies), verdicts(&on_more_threads), "budget {budget}");
        let untried = remedies.iter().filter(|remedy| remedy.outcome == Outcome::NotTried);
        if budget == 0 {
            assert_eq!(untried.count(), remedies.len(), "{:?}", verdicts(&remedies));
            continue;
        }
        // Any budget suffices for the first step of each series.
        after_failures += untried.count();
        for remedy in &remedies {
            let same = whole.iter().find(|it| it.change == remedy.change);
            let explodes = matches!(remedy.outcome, Outcome::Explodes { .. });
            assert!(!explodes || same.is_none_or(|it| !it.holds), "{budget}: {remedy:?}");
        }
    }
    assert!(after_failures > 0, "no budget ended between two changes of a series");
}
