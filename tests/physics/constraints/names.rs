//! Solvers by name, as text in scene files, and errors for invalid parameters.

use super::{relaxation, solvers};
use crate::support::ron;
use ropelab::constraint::{ConstraintSolver, Relaxation, Shake, SweepOrder, Vbd, Xpbd};

#[test]
fn every_solver_survives_ron() {
    let own = Xpbd { compliance: Some(1e-6), damping: Some(0.5), ..Xpbd::default() };
    let all = solvers().into_iter().chain(ConstraintSolver::all());
    for solver in all.chain([ConstraintSolver::Xpbd(own)]) {
        let text = ron().to_string(&solver).expect("solvers can be written");
        assert_eq!(ron().from_str::<ConstraintSolver>(&text), Ok(solver), "{text}");
    }
}

#[test]
fn a_solver_is_typed_with_only_the_fields_that_matter() {
    let typed = [
        ("None", ConstraintSolver::None),
        ("Shake()", ConstraintSolver::Shake(Shake::default())),
        (
            "Relaxation(iterations: 4, order: Jacobi(damping: 0.5))",
            ConstraintSolver::Relaxation(relaxation(4, SweepOrder::Jacobi { damping: 0.5 })),
        ),
    ];
    for (text, solver) in typed {
        assert_eq!(ron().from_str::<ConstraintSolver>(text), Ok(solver));
    }
    assert!(ron().from_str::<ConstraintSolver>("Xpbd(sweeps: 3)").is_err());
}

#[test]
fn names_are_distinct_and_defaults_pass_their_check() {
    let names: Vec<_> = ConstraintSolver::all().map(|solver| solver.info().name).collect();
    assert_eq!(
        names,
        ["none", "relaxation", "xpbd", "shake", "direct", "soft-step", "rattle", "vbd"]
    );
    for solver in solvers().into_iter().chain(ConstraintSolver::all()) {
        assert_eq!(solver.check(), Ok(()));
    }
}

#[test]
fn a_solver_is_found_by_its_name_and_a_slip_gets_a_hint() {
    for solver in ConstraintSolver::all() {
        assert_eq!(ConstraintSolver::from_name(solver.info().name), Ok(solver));
    }
    assert_eq!(ConstraintSolver::from_name("XPBD"), Ok(ConstraintSolver::Xpbd(Xpbd::default())));
    let error = ConstraintSolver::from_name("relaxtion").expect_err("a slip");
    assert_eq!(error.nearest.as_deref(), Some("relaxation"));
}

#[test]
fn nonsense_is_refused_in_one_sentence() {
    let jacobi = |damping| SweepOrder::Jacobi { damping };
    let xpbd = Xpbd::default();
    let soft = |stiffness| Relaxation { stiffness, ..Relaxation::default() };
    let cases = [
        (ConstraintSolver::Relaxation(relaxation(0, SweepOrder::EndToEnd)), "iterations"),
        (ConstraintSolver::Relaxation(relaxation(100_001, SweepOrder::EndToEnd)), "100001"),
        (ConstraintSolver::Relaxation(relaxation(1, jacobi(0.0))), "Jacobi"),
        (ConstraintSolver::Relaxation(soft(1.5)), "stiffness of relaxation is 1.5"),
        (ConstraintSolver::Xpbd(Xpbd { order: jacobi(f64::NAN), ..xpbd }), "Jacobi"),
        (ConstraintSolver::Xpbd(Xpbd { compliance: Some(-1.0), ..xpbd }), "compliance of XPBD"),
        (ConstraintSolver::Xpbd(Xpbd { damping: Some(f64::NAN), ..xpbd }), "damping of XPBD"),
        (ConstraintSolver::Vbd(Vbd { iterations: 0 }), "iterations of VBD is 0"),
        (ConstraintSolver::Shake(Shake { tolerance: 0.0, max_iterations: 1 }), "tolerance"),
        (ConstraintSolver::Shake(Shake { tolerance: 1e-9, max_iterations: 0 }), "max_iterations"),
    ];
    for (solver, part) in cases {
        let said = solver.check().expect_err("nonsense");
        assert!(said.contains(part), "{said}");
    }
}
