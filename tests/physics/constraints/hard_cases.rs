//! Hard cases: one-sided links, lengths that contradict each other, coinciding ends, positions that
//! are not finite.

use super::{Net, chain, exact_solvers, link, net, solvers};
use glam::{DVec3, dvec3};
use ropelab::constraint::{ConstraintSolver, Constraints, Particles, Root, Shake, Xpbd};
use ropelab::mesh::Link;

#[test]
fn one_sided_links_pull_and_never_push() {
    for solver in exact_solvers() {
        let root_free =
            matches!(solver, ConstraintSolver::Relaxation(r) if r.root == Root::RootFree);
        // The correction without a square root brings a link of 1.3 m to 1.3 (1 − 0.69/2.69) m. A
        // slack rope keeps its length.
        let pulled = if root_free { 1.3 * (1.0 - 0.69 / 2.69) } else { 1.0 };
        for (apart, expected) in [(0.7, 0.7), (1.3, pulled)] {
            let rope = Link { one_sided: true, ..link(0, 1, 1.0) };
            let mut x = [DVec3::ZERO, dvec3(apart, 0.0, 0.0)];
            let start = [DVec3::ZERO, DVec3::X];
            let mut links = Constraints::new(vec![rope], 2);
            let done = solver.project_and_measure(
                &mut links,
                &mut Particles::new(&[1.0; 2], &start, &mut x, 0.01),
            );
            assert!(
                (x[0].distance(x[1]) - expected).abs() < 1e-10,
                "{solver:?}, start at {apart} m"
            );
            assert!(done.residual < 1e-9, "{solver:?} {done:?}");
            if apart < 1.0 {
                assert_eq!(x[1].x, apart, "{solver:?} leaves a slack link alone");
            }
        }
    }
}

#[test]
fn xpbd_takes_back_what_a_one_sided_link_pulled_too_much() {
    // The links of 1 m have the lengths 1.2 m and 0.2 m. The first, one-sided link is corrected
    // first and pulls its ends together. The second link then pushes its ends apart, which makes
    // the first link slack. At convergence the first link must not pull.
    let one_sided = |a, b| Link { one_sided: true, ..link(a, b, 1.0) };
    let mut links = Constraints::new(vec![one_sided(0, 1), link(1, 2, 1.0)], 3);
    let start = [DVec3::ZERO, DVec3::X, 2.0 * DVec3::X];
    let mut x = [DVec3::ZERO, 1.2 * DVec3::X, 1.4 * DVec3::X];
    let solver = ConstraintSolver::Xpbd(Xpbd { iterations: 200, ..Xpbd::default() });
    let done = solver
        .project_and_measure(&mut links, &mut Particles::new(&[1.0; 3], &start, &mut x, 0.01));
    // If only the second link acts, its ends move from 1.2 m and 1.4 m to 0.8 m and 1.8 m.
    assert_eq!(links.tension(0, 0.01), 0.0);
    assert!(x[0].length() < 1e-12 && (x[1].x - 0.8).abs() < 1e-12, "{x:?} {done:?}");
}

#[test]
fn shake_reports_what_cannot_be_met() {
    // A rope of 3 m between pins 4 m apart.
    let start: Vec<_> = (0..4).map(|i| dvec3(f64::from(i) * 4.0 / 3.0, 0.0, 0.0)).collect();
    let mut x = start.clone();
    let solver = ConstraintSolver::Shake(Shake { tolerance: 1e-10, max_iterations: 50 });
    let done = solver.project_and_measure(
        &mut chain(3, 1.0),
        &mut Particles::new(&[0.0, 1.0, 1.0, 0.0], &start, &mut x, 0.01),
    );
    assert_eq!(done.iterations, 50);
    assert!(!done.converged && done.residual > 0.3, "{done:?}");
    assert!(x.iter().all(|x| x.is_finite()));
}

#[test]
fn shake_holds_links_that_turned_far_in_one_step() {
    for degrees in [0.0_f64, 30.0, 60.0, 89.0, 89.999_999, 90.0, 91.0, 179.0, 180.0] {
        for l in [1e-3, 0.5, 1.0, 1.1, 7.0, 1e6] {
            let (sin, cos) = degrees.to_radians().sin_cos();
            let mut x = [DVec3::ZERO, l * dvec3(cos, sin, 0.0)];
            let start = [DVec3::ZERO, DVec3::X];
            let shake = ConstraintSolver::Shake(Shake::default());
            let done = shake.project_and_measure(
                &mut chain(1, 1.0),
                &mut Particles::new(&[0.0, 1.0], &start, &mut x, 0.01),
            );
            assert!(done.converged && done.iterations < 30, "{degrees}° {l} m: {done:?}");
            assert!((x[1].length() - 1.0).abs() < 1.1e-10, "{degrees}° {l} m: position {}", x[1]);
        }
    }
}

#[test]
fn broken_positions_neither_hang_nor_spread() {
    for solver in solvers() {
        for broken in [DVec3::NAN, DVec3::INFINITY, DVec3::splat(1e200)] {
            let start: Vec<_> = (0..4).map(|i| dvec3(f64::from(i), 0.0, 0.0)).collect();
            let mut x = start.clone();
            x[1] = broken;
            let done = solver.project_and_measure(
                &mut chain(3, 1.0),
                &mut Particles::new(&[1.0; 4], &start, &mut x, 0.01),
            );
            assert!(done.residual == f64::INFINITY && !done.converged, "{solver:?} {done:?}");
            assert!(
                x[0].is_finite() && x[2].is_finite() && x[3].is_finite(),
                "{solver:?}: positions {x:?}"
            );
        }
    }
}

#[test]
fn coinciding_ends_are_left_alone() {
    for solver in solvers() {
        let mut x = [DVec3::ONE; 2];
        let done = solver.project_and_measure(
            &mut chain(1, 1.0),
            &mut Particles::new(&[1.0; 2], &[DVec3::ZERO; 2], &mut x, 0.01),
        );
        assert_eq!(x, [DVec3::ONE; 2], "{solver:?}");
        assert!(done.residual >= 1.0, "{solver:?} {done:?}");
    }
}

#[test]
fn nothing_to_hold_is_held() {
    for solver in solvers().into_iter().chain([ConstraintSolver::None]) {
        let mut none = Constraints::new(Vec::new(), 2);
        let mut x = [DVec3::ZERO, DVec3::X];
        let done = solver.project_and_measure(
            &mut none,
            &mut Particles::new(&[1.0; 2], &x.clone(), &mut x, 0.01),
        );
        assert!(done.converged && done.residual == 0.0, "{solver:?} {done:?}");
    }
}

#[test]
fn a_projection_gives_the_same_bits_again() {
    for solver in exact_solvers() {
        let Net { links, w, start, x } = net(0.2);
        let mut constraints = Constraints::new(links, x.len());
        let (mut first, mut second) = (x.clone(), x);
        let one = solver.project_and_measure(
            &mut constraints,
            &mut Particles::new(&w, &start, &mut first, 0.01),
        );
        let two = solver.project_and_measure(
            &mut constraints,
            &mut Particles::new(&w, &start, &mut second, 0.01),
        );
        assert_eq!((first, one), (second, two), "{solver:?}");
    }
}
