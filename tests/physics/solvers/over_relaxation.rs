//! Over-relaxation compared with Young's theory, and the mistake of XPBD sweeps that reset their
//! multipliers.

use glam::{DVec3, dvec3};
use ropelab::constraint::{ConstraintSolver, Constraints, Particles, Relaxation, Xpbd};
use ropelab::mesh::Link;

fn links(n: u32, rigid: bool) -> Constraints {
    let link = |i| Link { a: i, b: i + 1, stiffness: 5e4, rigid, ..Link::UNIT };
    Constraints::new((0..n).map(link).collect::<Vec<_>>(), n as usize + 1)
}

/// A straight rope of n links, pinned at its first end, with links of uneven lengths.
fn rope(n: u32) -> (Vec<f64>, Vec<DVec3>) {
    let w = (0..=n).map(|i| if i == 0 { 0.0 } else { 1.0 }).collect();
    let place = |i| f64::from(i) * 1.1 + if i == 0 { 0.0 } else { 0.05 * f64::from(i * i % 7) };
    (w, (0..=n).map(|i| dvec3(place(i), 0.0, 0.0)).collect())
}

/// A sweep multiplies the slowest error of a rope of N links by λ, where (λ + ω − 1)² = λ ω²
/// cos²(π/(2N)) with the over-relaxation ω.
#[test]
fn a_sweep_reduces_the_error_as_young_says() {
    let n = 10;
    for (omega, is_xpbd) in [(1.0, false), (1.5, false), (1.0, true), (1.5, true)] {
        let solver = match is_xpbd {
            true => ConstraintSolver::Xpbd(Xpbd { iterations: 1, omega, ..Xpbd::default() }),
            false => ConstraintSolver::Relaxation(Relaxation {
                iterations: 1,
                omega,
                ..Relaxation::default()
            }),
        };
        let ((w, mut x), mut links) = (rope(n), links(n, true));
        let start = x.clone();
        let mut left = [0.0; 2];
        for _ in 0..120 {
            solver.project(&mut links, &mut Particles::new(&w, &start, &mut x, 0.01));
            left = [left[1], x[n as usize].x - f64::from(n)];
        }
        let part = omega * (std::f64::consts::FRAC_PI_2 / f64::from(n)).cos();
        let root = 0.5 * (part + (part * part - 4.0 * (omega - 1.0)).sqrt());
        let factor = left[1] / left[0];
        assert!((factor / (root * root) - 1.0).abs() < 1e-4, "{omega}: {factor}, not {root}²");
    }
}

/// A rope of 20 links needs 14.6 sweeps for each factor of 10 in the error if the over-relaxation ω
/// is the best one. Gauss–Seidel (ω = 1) needs 373.
#[test]
fn the_best_omega_needs_a_twentieth_of_the_sweeps() {
    let n = 20;
    let best = 2.0 / (1.0 + (std::f64::consts::FRAC_PI_2 / f64::from(n)).sin());
    let left = |omega: f64| {
        let solver = ConstraintSolver::Relaxation(Relaxation {
            iterations: 200,
            omega,
            ..Relaxation::default()
        });
        let ((w, mut x), mut links) = (rope(n), links(n, true));
        let start = x.clone();
        solver
            .project_and_measure(&mut links, &mut Particles::new(&w, &start, &mut x, 0.01))
            .residual
    };
    assert!(
        left(1.0) > 1e-3 && left(best) < 1e-8,
        "errors left: {} with omega 1, {} with the best omega",
        left(1.0),
        left(best)
    );
}

#[test]
fn over_relaxed_xpbd_ends_where_xpbd_ends() {
    let n = 10;
    let end = |omega: f64, iterations: u32| {
        let solver = ConstraintSolver::Xpbd(Xpbd { iterations, omega, ..Xpbd::default() });
        let ((w, mut x), mut links) = (rope(n), links(n, false));
        let start = x.clone();
        solver.project(&mut links, &mut Particles::new(&w, &start, &mut x, 0.01));
        x
    };
    for (a, b) in end(1.0, 3000).iter().zip(end(1.6, 300)) {
        assert!((*a - b).length() < 1e-9, "positions {a} and {b}");
    }
}

/// A single link keeps the fraction 1 − κ of its excess length after n sweeps, κ = w/(w + α̃). If
/// every sweep resets the multiplier, it keeps only (1 − κ)ⁿ.
#[test]
fn xpbd_that_forgets_becomes_rigid_with_its_sweeps() {
    let w = [0.0, 1.0];
    let kept: f64 = 1.0 - 1.0 / (1.0 + 1.0 / (5e4 * 0.01 * 0.01));
    for iterations in [1, 4, 20] {
        for forgets in [false, true] {
            let solver = ConstraintSolver::Xpbd(Xpbd { iterations, forgets, ..Xpbd::default() });
            let mut x = [DVec3::ZERO, dvec3(1.2, 0.0, 0.0)];
            let start = x;
            solver.project(&mut links(1, false), &mut Particles::new(&w, &start, &mut x, 0.01));
            let expected: f64 = 0.2 * kept.powi(if forgets { iterations as i32 } else { 1 });
            let found = x[1].x - 1.0;
            assert!((found - expected).abs() < 1e-14, "{iterations}: {found}, not {expected}");
        }
    }
}

#[test]
fn an_omega_that_makes_no_sense_is_refused() {
    for omega in [0.0, 2.0, f64::NAN] {
        let relaxation = Relaxation { omega, ..Relaxation::default() };
        let message = ConstraintSolver::Relaxation(relaxation).check().expect_err("nonsense");
        assert!(message.starts_with("omega of relaxation is"), "{message}");
        let xpbd = ConstraintSolver::Xpbd(Xpbd { omega, ..Xpbd::default() });
        assert!(xpbd.check().is_err());
    }
}
