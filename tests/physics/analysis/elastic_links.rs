//! Reference motions for errors on elastic links: with springs if the lane's solver approximates
//! springs, with rest lengths if it holds rest lengths.

use ropelab::analysis::advise::{
    Advice, AdviceQuestion, EqualBudgets, Goal, advise, equal_budgets,
};
use ropelab::analysis::describe_rigid_reference;
use ropelab::analysis::job::Work;
use ropelab::analysis::map::{Axis, MapPart, MapPlan, MappedScene, Quantity, ShownQuantity};
use ropelab::constraint::ConstraintSolver;
use ropelab::scene::Scene;
use std::cell::Cell;

/// Solvers that approximate the springs of an elastic rope, and no solver.
const ELASTIC: [&str; 6] = [
    "",
    "constraints: Xpbd(iterations: 10),",
    "constraints: Vbd(iterations: 10),",
    "constraints: Direct(),",
    "constraints: SoftStep(hertz: None),",
    "constraints: Xpbd(iterations: 1), substeps: 8,",
];
/// Solvers that hold rest lengths.
const RIGID: [&str; 3] =
    ["constraints: Relaxation(),", "constraints: Shake(),", "constraints: Rattle(),"];

/// A rope of 1 m with 1 kg at its end that falls from the horizontal. `upper` and `lower` are the
/// materials of its first and last five links.
fn pendulum(upper: &str, lower: &str, solver: &str) -> Scene {
    let text = format!(
        r#"(version: 1, name: "elastic pendulum",
            materials: [Rope(name: "upper", mass_per_metre: 0.1, damping: 0, {upper}),
                        Rope(name: "lower", mass_per_metre: 0.1, damping: 0, {lower})],
            ropes: [(name: "a", from: (0, 2, 0), to: (0.5, 2, 0), segments: 5, material: "upper"),
                    (tie_from: End("a"), name: "b", to: (1, 2, 0), segments: 5, material: "lower")],
            pins: [(of: Start("a"))], masses: [(of: End("b"), mass: 1)],
            settings: (integrator: SymplecticEuler, {solver} dt: 0.01666666666666667))"#
    );
    Scene::parse(&text, "test").unwrap_or_else(|error| panic!("{error}"))
}

/// A rope of one material.
fn uniform(material: &str, solver: &str) -> Scene {
    pendulum(material, material, solver)
}

/// Compares solvers with the same number of substeps each, on every machine: the clock advances by
/// 1 s whenever it is read, so every step seems to take 1 s.
fn choose(scene: &Scene, substeps: u32, duration: f64) -> EqualBudgets {
    thread_local!(static SECONDS: Cell<f64> = const { Cell::new(0.0) });
    let clock = || {
        SECONDS.set(SECONDS.get() + 1.0);
        SECONDS.get()
    };
    let budgets = [f64::from(substeps) / 16.0 + 1e-9];
    let settings = scene.lanes[0].settings;
    let work = Work::unwatched();
    equal_budgets(&scene.parts, &settings, &budgets, duration, &clock, &work)
        .expect("not cancelled")
}

/// Errors of the table by the names of the solvers.
fn errors(table: &EqualBudgets) -> Vec<(&'static str, f64)> {
    let row = |row: &ropelab::analysis::advise::SolverTrials| {
        (row.solver, row.spent[0].trial.expect("the budget pays for a step").error)
    };
    table.solvers.iter().map(row).collect()
}

fn error_of(table: &EqualBudgets, solver: &str) -> f64 {
    let errors = errors(table);
    errors.iter().find(|(name, _)| *name == solver).unwrap_or_else(|| panic!("{errors:?}")).1
}

#[test]
fn solvers_of_a_soft_rope_are_judged_like_its_springs() {
    let tables = ELASTIC.map(|solver| choose(&uniform("stiffness: 100", solver), 64, 1.0));
    for (table, solver) in tables.iter().zip(ELASTIC) {
        assert_eq!(errors(table), errors(&tables[0]), "{solver}");
        assert_eq!((table.error_size, &table.rigid_reference), (tables[0].error_size, &None));
    }
    let rk4 = error_of(&tables[0], "springs, RK4");
    assert!(rk4 < 1e-3, "springs are the motion of the soft rope, not {rk4}");
    let rattle = error_of(&tables[0], "RATTLE");
    assert!(rattle > 0.2, "a soft rope is no rigid one: {rattle}");
    let held = RIGID.map(|solver| choose(&uniform("stiffness: 100", solver), 64, 1.0));
    for (table, solver) in held.iter().zip(RIGID) {
        assert_eq!(errors(table), errors(&held[0]), "{solver}");
        let said = table.rigid_reference.as_deref().unwrap_or_default();
        assert!(said.contains("replaces the stiffness of the material"), "{said}");
        assert!(error_of(table, "RATTLE") < 0.01 && error_of(table, "springs, RK4") > 0.2);
    }
}

/// A weight hangs on an elastic rope that starts at its rest length.
#[test]
fn a_weight_on_an_elastic_rope_moves_by_centimetres() {
    let [elastic, held] = [ELASTIC[2], RIGID[2]].map(|solver| {
        let text = format!(
            r#"(version: 1, name: "weight",
                materials: [Rope(name: "c", mass_per_metre: 0.1, stiffness: 100, damping: 0)],
                ropes: [(name: "r", from: (0, 2, 0), to: (0, 1, 0), segments: 10, material: "c")],
                pins: [(of: Start("r"))], masses: [(of: End("r"), mass: 1)],
                settings: (integrator: SymplecticEuler, {solver} dt: 0.005))"#
        );
        let scene = Scene::parse(&text, "test").unwrap_or_else(|error| panic!("{error}"));
        choose(&scene, 32, 1.0)
    });
    // A weight of m g = 9.81 N on EA = 100 N swings by 2 m g L/EA = 0.196 m.
    assert!((0.19..0.21).contains(&elastic.error_size), "{} m", elastic.error_size);
    assert!(errors(&elastic).iter().any(|(_, error)| *error < 0.01), "{:?}", errors(&elastic));
    // On a rope of constant length nothing moves, so errors are relative to the scene's size.
    assert_eq!(held.error_size, 1.0);
    assert!(error_of(&held, "RATTLE") < 1e-6, "{:?}", errors(&held));
}

/// A rope of five soft links and five rigid ones under the direct solver, which converges to its
/// motion as steps get shorter.
#[test]
fn rigid_links_beside_elastic_ones_stay_rigid() {
    let scene = pendulum("stiffness: 100", "stiffness: 100, rigid: true", ELASTIC[3]);
    let tables = [250, 1000].map(|substeps| choose(&scene, substeps, 0.5));
    let [coarse, fine] = tables.each_ref().map(|table| error_of(table, "direct"));
    assert!(fine < 0.01 && fine < coarse / 3.0, "{coarse} and {fine}");
    assert_eq!(tables[0].rigid_reference, None);
}

/// Every lane of a rigid material is judged by rest lengths, and a stiff material gives almost the
/// same errors.
#[test]
fn a_rigid_rope_is_judged_by_its_lengths() {
    let rigid = |solver: &str| choose(&uniform("stiffness: 100, rigid: true", solver), 64, 0.5);
    let held = rigid(RIGID[0]);
    for solver in &ELASTIC[1..] {
        let table = rigid(solver);
        assert_eq!(errors(&table), errors(&held), "{solver}");
        assert_eq!(table.rigid_reference, None, "{solver}");
    }
    assert!(error_of(&held, "RATTLE") < 0.01);
    let stiff = choose(&uniform("stiffness: 1e6", ELASTIC[1]), 64, 0.5);
    let [rattle, held] = [&stiff, &held].map(|table| error_of(table, "RATTLE"));
    assert!((rattle - held).abs() < 1e-3, "{rattle} and {held}");
    assert_eq!(stiff.rigid_reference, None);
}

/// Links of 1e9 N vibrate too fast for a run of springs, so the reference holds their lengths, and
/// the answer says so.
#[test]
fn a_reference_says_if_it_holds_links_that_are_too_stiff() {
    let [stiff, shake] = [ELASTIC[1], RIGID[1]].map(|it| uniform("stiffness: 1e9", it));
    let tables = [&stiff, &shake].map(|scene| choose(scene, 16, 0.2));
    assert_eq!(errors(&tables[0]), errors(&tables[1]));
    let said = tables[0].rigid_reference.as_deref().unwrap_or_default();
    assert!(said.contains("rad/s would need too short a step"), "{said}");
    let settings = &stiff.lanes[0].settings;
    assert_eq!(describe_rigid_reference(&stiff.parts, settings).as_deref(), Some(said));
}

/// XPBD's own compliance replaces the stiffness of the material, so the reference has springs of
/// stiffness 1/compliance.
#[test]
fn compliance_of_the_solver_is_the_stiffness_of_the_reference() {
    // Links of 0.1 m with EA = 100 N have k = 1000 N/m.
    let own = choose(&uniform("stiffness: 1e5", "constraints: Xpbd(compliance: 1e-3),"), 64, 0.5);
    let springs = choose(&uniform("stiffness: 100", ELASTIC[0]), 64, 0.5);
    let sizes = [own.error_size, springs.error_size];
    assert!((sizes[0] / sizes[1] - 1.0).abs() < 1e-6, "{sizes:?}");
    let held = choose(&uniform("stiffness: 1e5", "constraints: Xpbd(compliance: 0),"), 64, 0.5);
    assert!(error_of(&held, "RATTLE") < 0.01, "compliance 0 holds lengths");
}

/// The search may choose different settings of equal merit on each machine, but never those that
/// hold the lengths of a soft rope.
#[test]
fn advice_for_a_soft_rope_keeps_its_stiffness() {
    let question = AdviceQuestion { goal: Goal::Error(0.05), budget: None, duration: 0.5 };
    let ask = |solver: &str| -> Advice {
        let scene = uniform("stiffness: 100", solver);
        let settings = scene.lanes[0].settings;
        let started = std::time::Instant::now();
        let clock = || started.elapsed().as_secs_f64();
        advise(&scene.parts, &settings, &question, &clock, &Work::unwatched())
            .expect("not cancelled")
    };
    let springs = ask(ELASTIC[0]);
    for solver in &ELASTIC[1..4] {
        let advice = ask(solver);
        let best = advice.best.expect("many settings achieve 5 %");
        let holds = |solver: ConstraintSolver| {
            matches!(
                solver,
                ConstraintSolver::Relaxation(_)
                    | ConstraintSolver::Shake(_)
                    | ConstraintSolver::Rattle(_)
            )
        };
        assert!(!holds(best.settings.solver()), "{solver}: {best:?}");
        assert_eq!(advice.error_size, springs.error_size, "{solver}");
        let mut compared = 0;
        for other in advice.rejected.iter().filter(|it| it.name != "the lane as it is") {
            let same = springs.rejected.iter().find(|it| it.name == other.name);
            let Some(same) = same else { continue };
            assert_eq!(other.trial.error, same.trial.error, "{solver}: {}", other.name);
            compared += 1;
        }
        assert!(compared > 5, "{compared}");
    }
    let words = ask(RIGID[1]).in_words(&question).details;
    assert!(words.contains("keeps elastic links at their rest lengths"), "{words}");
}

#[test]
fn a_map_of_errors_has_good_cells_for_a_soft_rope_under_xpbd() {
    let axis = |quantity, range| Axis::new(quantity, range, 2).expect("a good axis");
    let plan = |scene: &Scene| MapPlan {
        x: axis(Quantity::Dt, [1e-4, 2e-2]),
        y: axis(Quantity::Iterations, [10.0, 40.0]),
        integrators: vec![scene.lanes[0].settings.integrator],
        shown: ShownQuantity::Error { duration: 0.5, most: 0.05 },
        boundary: false,
    };
    let scene = uniform("stiffness: 100", ELASTIC[1]);
    let settings = scene.lanes[0].settings;
    let mapped = MappedScene { parts: scene.parts.clone(), settings, file: None, lane: 0 };
    let lines =
        plan(&scene).compute(&mapped, MapPart::WHOLE, &Work::unwatched()).expect("not cancelled");
    // XPBD has the error of implicit Euler, which grows with the step.
    for line in &lines {
        let [short, long] = [&line.cells[0], &line.cells[1]];
        assert!(short.holds && short.value < long.value / 3.0, "{lines:?}");
    }
}
