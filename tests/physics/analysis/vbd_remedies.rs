//! Remedies with vertex block descent (VBD) are tried and judged like other remedies.

use super::explain::{cures_of, explained_scene, symptom};
use super::symptoms::diagnosed_with;
use ropelab::analysis::explain::{Cause, Remedy, SymptomKind};
use ropelab::constraint::ConstraintSolver;
use ropelab::scene::Scene;
use ropelab::simulation::Simulation;

/// True if a remedy changes the solver to VBD.
fn is_vbd(remedy: &&Remedy) -> bool {
    matches!(remedy.settings.solver(), ConstraintSolver::Vbd(_))
}

/// A mass of 1 kg (200 link masses) that falls and swings on a light band.
#[test]
fn vertex_block_descent_is_a_remedy_and_judged_as_all_are() {
    let text = r#"(version: 1, name: "band",
        materials: [Rope(name: "band", mass_per_metre: 0.1, stiffness: 1500, damping: 0)],
        ropes: [(name: "band", from: (0, 3, 0), to: (1, 3, 0), segments: 20, material: "band")],
        masses: [(of: End("band"), mass: 1)], pins: [(of: Start("band"))],
        forces: [(law: Gravity()), (law: LinearDrag(coefficient: 0.5))],
        settings: (integrator: SymplecticEuler, constraints: Xpbd(iterations: 10), substeps: 4, dt: 0.016666666666666666))"#;
    let explanation = explained_scene(text, 0, 3.0);
    symptom(&explanation, SymptomKind::Rubbery);
    let blocks = explanation.remedies.iter().find(is_vbd).expect("VBD is tried");
    assert!(blocks.holds, "{blocks:?}");
    let scene = Scene::parse(text, "test").expect("as before");
    let again = diagnosed_with(&scene, blocks.settings, 5.0);
    assert!(
        again.symptoms.iter().all(|it| it.kind != SymptomKind::Rubbery),
        "{:?}",
        again.symptoms
    );
}

/// A stiff rope that falls from the horizontal, with one sweep of VBD per step.
#[test]
fn too_few_sweeps_of_vbd_are_named_and_as_soft_ones_are_no_cure() {
    let text = r#"(version: 1, name: "whip", materials: [Rope(name: "m", mass_per_metre: 0.1, stiffness: 1e6)],
        ropes: [(name: "r", from: (0, 0, 0), to: (1, 0, 0), segments: 40, material: "m")],
        pins: [(of: Start("r"))],
        settings: (integrator: SymplecticEuler, constraints: Vbd(iterations: 1), dt: 0.0166666))"#;
    let explanation = explained_scene(text, 0, 5.0);
    assert_eq!(explanation.cause, Cause::Holds, "{}", explanation.headline);
    let rubbery = explanation.symptoms.iter().find(|it| it.kind == SymptomKind::Rubbery);
    let sentence = &rubbery.expect("one sweep is too soft").sentence;
    assert!(sentence.contains("1 sweep is too few"), "{sentence}");
    let cures = cures_of(&explanation);
    assert!(
        cures.iter().any(|it| it.change == "links solved directly"),
        "{:?}",
        explanation.remedies
    );
    for remedy in cures.into_iter().filter(is_vbd) {
        let scene = Scene::parse(text, "test").expect("as before");
        let mut lane = Simulation::new(scene.parts.clone(), remedy.settings);
        lane.start_energy_account();
        while lane.state().t < 60.0 && lane.explosion().is_none() {
            lane.step(remedy.settings.dt);
            lane.add_to_energy_account();
        }
        assert!(lane.verdict().is_stable(), "{}: {}", remedy.change, lane.verdict());
    }
}
