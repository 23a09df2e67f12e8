//! Tests of the sentences about links that are too long, because of the solver or a soft material.

use super::*;
use crate::support;
use std::sync::atomic::AtomicU64;

/// Returns residual, strain and stated reason for a rope with this stiffness under a solver. The
/// rope carries 1 kg at its end and falls from a horizontal start.
fn words_about(stiffness: f64, settings: &str) -> String {
    let text = format!(
        "(version: 1, name: \"band\", materials: [Rope(name: \"band\", mass_per_metre: 0.1, \
         stiffness: {stiffness}, damping: 0)], ropes: [(name: \"band\", from: (0, 3, 0), to: (1, \
         3, 0), segments: 20, material: \"band\")], masses: [(of: End(\"band\"), mass: 1)], \
         pins: [(of: Start(\"band\"))], forces: [(law: Gravity()), (law: LinearDrag(coefficient: \
         0.5))], settings: (integrator: SymplecticEuler, dt: 0.016666666666666666, {settings}))"
    );
    let question = ExplainQuestion::of(support::lane(&text), 2.0);
    let (parts, settings) = (question.start.parts().clone(), *question.start.settings());
    let candidate = Candidate { parts, settings };
    let span = Span { compared: 2.0, all: 2.0 };
    let spent = &AtomicU64::new(0);
    let job = ExplainJob {
        question: &question,
        check: &|| Ok(()),
        clock: &|| 0.0,
        spent,
        end: u64::MAX,
        keeps_account: false,
    };
    let own = Trial::of(&job, &candidate, span).expect("not cancelled");
    format!("{:.3} of {:.3}: {}", own.residual, own.stretch, why_rubbery(settings.solver(), &own))
}

#[test]
fn sweeps_are_blamed_for_softness_only_where_they_leave_it() {
    let mut wrong = Vec::new();
    for (stiffness, solver, sign) in [
        (1500.0, "constraints: Xpbd(iterations: 10), substeps: 4", "10 sweeps are too few"),
        (1500.0, "constraints: Xpbd(iterations: 1), substeps: 12", "1 sweep is too few"),
        (60.0, "constraints: Direct(iterations: 2)", "the material is too soft"),
        (60.0, "constraints: Xpbd(iterations: 1000)", "the material is too soft"),
        (60.0, "constraints: Vbd(iterations: 300)", "the material is too soft"),
        (60.0, "links: Springs, substeps: 20", "its springs are soft"),
    ] {
        let words = words_about(stiffness, solver);
        if !words.contains(sign) {
            wrong.push(format!("{solver}: {words}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
