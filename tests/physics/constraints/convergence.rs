//! Relaxation: convergence of its sweeps compared with theory.

use super::Body;
use super::CLOTH;
use super::{chain, relaxation};
use glam::{DVec3, dvec3};
use ropelab::constraint::{ConstraintSolver, Constraints, Particles, SweepOrder};
use ropelab::mesh::{ClothMaterial, Mesh};
use ropelab::numerics::random::Random;

/// Factor by which one sweep reduces the slowest error of a straight rope of `n` links with equal
/// masses, pinned at its first end. Measured over two sweeps, because the slowest errors of
/// Jacobi's method come in a pair of opposite signs.
fn slowest_factor(n: usize, order: SweepOrder) -> f64 {
    let mut links = chain(n, 1.0);
    let mut w = vec![1.0; n + 1];
    w[0] = 0.0;
    // The initial error is close to the slowest error, so that other errors need not be removed
    // first.
    let stretch = |i: usize| 1e-2 * (std::f64::consts::PI * i as f64 / (2 * n) as f64).sin();
    let mut x: Vec<_> = (0..=n).map(|i| dvec3(i as f64 + stretch(i), 0.0, 0.0)).collect();
    let start = x.clone();
    let solver = |sweeps| ConstraintSolver::Relaxation(relaxation(sweeps, order));
    // The next slowest errors decrease faster by the factor e^(−2π²/n²) per sweep with
    // Gauss–Seidel, and by its square root with Jacobi. After 2n² sweeps they are at most e⁻¹⁹ of
    // the slowest error.
    solver(2 * (n * n) as u32).project(&mut links, &mut Particles::new(&w, &start, &mut x, 0.01));
    let before = x[n].x - n as f64;
    solver(2).project(&mut links, &mut Particles::new(&w, &start, &mut x, 0.01));
    ((x[n].x - n as f64) / before).sqrt()
}

#[test]
fn gauss_seidel_from_the_pin_converges_as_theory_says() {
    let table = [
        (5, 0.90450850),
        (10, 0.97552826),
        (20, 0.99384417),
        (40, 0.99845867),
        (50, 0.99901336),
        (100, 0.99975328),
    ];
    for (n, printed) in table {
        let factor = slowest_factor(n, SweepOrder::EndToEnd);
        let theory = (std::f64::consts::PI / (2 * n) as f64).cos().powi(2);
        assert!((theory - printed).abs() < 0.5e-8);
        assert!((factor - printed).abs() < 0.6e-8, "N = {n}: {factor:.9}, theory {theory:.9}");
    }
}

#[test]
fn red_black_converges_like_end_to_end() {
    for n in [5, 20, 100] {
        let factor = slowest_factor(n, SweepOrder::Coloured);
        let theory = (std::f64::consts::PI / (2 * n) as f64).cos().powi(2);
        assert!((factor - theory).abs() < 1e-8, "N = {n}: {factor:.9}, theory {theory:.9}");
    }
}

#[test]
fn jacobi_needs_twice_the_sweeps_of_gauss_seidel() {
    for n in [5, 20, 100] {
        let factor = slowest_factor(n, SweepOrder::Jacobi { damping: 1.0 });
        let theory = (std::f64::consts::PI / (2 * n) as f64).cos();
        assert!((factor - theory).abs() < 1e-8, "N = {n}: {factor:.9}, theory {theory:.9}");
    }
}

/// Greatest distance between a cloth that hangs by two corners and its mirror image after 50 steps,
/// over all particles.
fn asymmetry(order: SweepOrder) -> f64 {
    let mut mesh = Mesh::default();
    let grid = mesh.cloth(DVec3::NEG_X, 2.0 * DVec3::X, 2.0 * DVec3::Z, [8, 8], &CLOTH);
    let pins = [grid.at(0, 0) as usize, grid.at(8, 0) as usize];
    let solver = ConstraintSolver::Relaxation(relaxation(10, order));
    let mut cloth = Body::new(solver, mesh.links, mesh.positions, &pins);
    for _ in 0..50 {
        cloth.step(0.01);
    }
    let x = |column, row| cloth.state.x[grid.at(column, row) as usize];
    let mut greatest = 0.0_f64;
    for row in 0..9 {
        for column in 0..9 {
            let mirrored = x(8 - column, row) * dvec3(-1.0, 1.0, 1.0);
            greatest = greatest.max(x(column, row).distance(mirrored));
        }
    }
    greatest
}

#[test]
fn gauss_seidel_breaks_mirror_symmetry_and_jacobi_keeps_it() {
    for order in [SweepOrder::EndToEnd, SweepOrder::BackAndForth, SweepOrder::Coloured] {
        assert!(asymmetry(order) > 1e-3, "{order:?}: asymmetry {} m", asymmetry(order));
    }
    // Jacobi's method adds corrections in a different order on the mirrored side. The rounding
    // errors grow over 500 sweeps.
    let jacobi = asymmetry(SweepOrder::Jacobi { damping: 1.0 });
    assert!(jacobi < 1e-11, "{jacobi}");
}

#[test]
fn jacobi_does_not_blow_up_on_a_cloth() {
    let mut mesh = Mesh::default();
    mesh.cloth(
        DVec3::ZERO,
        DVec3::X,
        DVec3::Z,
        [10, 10],
        &ClothMaterial { bend_stiffness: 1.0, ..CLOTH },
    );
    let mut random = Random::new(12);
    let start = mesh.positions;
    let mut x: Vec<_> = start.iter().map(|x| *x + 0.03 * random.point(1.0)).collect();
    let w = vec![1.0; x.len()];
    let mut links = Constraints::new(mesh.links, x.len());
    let order = SweepOrder::Jacobi { damping: 1.0 };
    let solver = ConstraintSolver::Relaxation(relaxation(100, order));
    let before = links.residual(&w, &x);
    let after =
        solver.project_and_measure(&mut links, &mut Particles::new(&w, &start, &mut x, 0.01));
    assert!(after.residual < 0.1 * before, "residual {before} before, {after:?}");
}
