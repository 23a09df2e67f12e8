//! Pendulums and hanging chains under every solver.

use super::Body;
use super::{G, link, relaxation};
use glam::{DVec3, dvec3};
use ropelab::constraint::{ConstraintSolver, Constraints, Particles, Shake, SweepOrder, Xpbd};
use ropelab::mesh::{Link, Links};

/// Greatest angle |θ| in the last of 20 small swings at dt = 1e-3, divided by that in the first
/// swing.
fn amplitude_kept(solver: ConstraintSolver) -> f64 {
    let dt = 1e-3;
    let period = 2.006_066_680_710_65; // 2π √(1 m / 9.81 m/s²)
    let x = vec![DVec3::ZERO, dvec3(0.05_f64.sin(), -0.05_f64.cos(), 0.0)];
    let mut pendulum = Body::new(solver, vec![link(0, 1, 1.0)], x, &[0]);
    let steps = (20.5 * period / dt) as usize;
    let mut greatest = 0.0_f64;
    for i in 0..steps {
        pendulum.step(dt);
        if i as f64 * dt > 19.75 * period {
            greatest = greatest.max(pendulum.state.x[1].x.atan2(-pendulum.state.x[1].y));
        }
    }
    greatest / 0.05
}

#[test]
fn shake_keeps_the_swing_of_a_pendulum() {
    let kept = amplitude_kept(ConstraintSolver::Shake(Shake::default()));
    // The largest angle lies between two samples, so the sampled maximum is up to 1 − (ω dt)²/8 = 1
    // − 1.2e-6 of it.
    assert!((kept - 1.0).abs() < 1e-5, "{kept}");
}

#[test]
fn projection_along_the_new_direction_damps_a_pendulum_like_implicit_euler() {
    // After the N steps of 20 swings the amplitude is (1 + ω²dt²)^(−N/2) = 0.8214.
    let theory = (1.0_f64 + 9.81e-6).powf(-20.0 * 2_006.066_680_710_65 / 2.0);
    for solver in [
        ConstraintSolver::Relaxation(relaxation(1, SweepOrder::EndToEnd)),
        ConstraintSolver::Xpbd(Xpbd::default()),
    ] {
        let kept = amplitude_kept(solver);
        assert!((kept - theory).abs() < 1e-3, "{solver:?} {kept}, theory {theory}");
        assert!((kept - 0.82).abs() < 0.005);
    }
}

/// A chain of `n` rigid links with a total length of 1.5 m, at rest between pins 1 m apart. It
/// starts as a V with straight sides.
fn hanging_chain(n: usize, solver: ConstraintSolver) -> Body {
    let rest = 1.5 / n as f64;
    let depth = (0.75_f64 * 0.75 - 0.25).sqrt();
    let place = |i: usize| {
        let side = i.min(n - i) as f64 / (n / 2) as f64;
        dvec3(i as f64 / n as f64, -depth * side, 0.0)
    };
    let links: Links = (0..n).map(|i| link(i, i + 1, rest)).collect();
    let mut body = Body::new(solver, links, (0..=n).map(place).collect(), &[0, n]);
    // Drag of 6/s reduces a slow swing to the fraction e⁻⁴⁵ in 15 s.
    for _ in 0..3000 {
        body.step(5e-3);
        for v in &mut body.state.v {
            *v *= 0.97;
        }
    }
    body
}

#[test]
fn a_chain_of_beads_hangs_in_its_own_catenary() {
    let cases = [
        (4, 0.819816480465, 0.524319613242),
        (10, 2.051051014309, 0.505945931571),
        (20, 4.107878988926, 0.503446634340),
    ];
    for (n, horizontal, sag) in cases {
        let shake = Shake { tolerance: 1e-13, max_iterations: 10_000 };
        let x = hanging_chain(n, ConstraintSolver::Shake(shake)).state.x;
        assert!((-x[n / 2].y - sag).abs() < 1e-11, "N = {n}: sag {:.13}", -x[n / 2].y);
        // The vertical force H tan θ of the links changes by a bead's weight from one side of the
        // bead to the other.
        let slope = |i: usize| (x[i + 1].y - x[i].y) / (x[i + 1].x - x[i].x);
        for i in 1..n {
            let h = 1.0 / (slope(i) - slope(i - 1));
            // Steep links near the ends amplify the error 1e-13 of the lengths about 10³ times.
            assert!((h - horizontal).abs() < 1e-9, "N = {n}, bead {i}: H/(mg) {h:.12}");
        }
    }
}

#[test]
fn xpbd_knows_the_tension_of_a_hanging_weight() {
    let x = vec![DVec3::ZERO, DVec3::NEG_Y, 2.0 * DVec3::NEG_Y];
    let links = vec![link(0, 1, 1.0), link(1, 2, 1.0)];
    let solver = ConstraintSolver::Xpbd(Xpbd { iterations: 200, ..Xpbd::default() });
    let mut body = Body::new(solver, links, x, &[0]);
    // The first step of velocity Verlet falls half as far as every later step.
    body.step(0.01);
    body.step(0.01);
    assert!((body.links.tension(0, 0.01) - 2.0 * 9.81).abs() < 1e-9);
    assert!((body.links.tension(1, 0.01) - 9.81).abs() < 1e-9);
}

/// Tension in newtons of the top link of 19 links of 1 m with a compliance of 1e-8 m/N, in each of
/// 100 frames of 1/60 s. The chain is pinned at one end and released horizontally, and stepped as
/// in Macklin, Müller and Chentanez.
fn top_tension(iterations: u32) -> Vec<f64> {
    let (n, dt) = (19, 1.0 / 60.0);
    let stiff = |i| Link { rigid: false, stiffness: 1e8, ..link(i, i + 1, 1.0) };
    let mut links = Constraints::new((0..n).map(stiff).collect::<Links>(), n + 1);
    let mut x: Vec<_> = (0..=n).map(|i| dvec3(i as f64, 0.0, 0.0)).collect();
    let mut v = vec![DVec3::ZERO; n + 1];
    let mut w = vec![1.0; n + 1];
    w[0] = 0.0;
    let solver = ConstraintSolver::Xpbd(Xpbd { iterations, ..Xpbd::default() });
    let mut tensions = Vec::new();
    for _ in 0..100 {
        let start = x.clone();
        for i in 1..=n {
            v[i] += dt * G;
            x[i] += dt * v[i];
        }
        solver.project(&mut links, &mut Particles::new(&w, &start, &mut x, dt));
        for i in 1..=n {
            v[i] = (x[i] - start[i]) / dt;
        }
        tensions.push(links.tension(0, dt));
    }
    tensions
}

#[test]
fn the_force_on_a_swinging_chain_converges_with_the_sweeps() {
    // Published for a chain of 20 particles, m = 1 kg, α = 1e-8 m/N: errors of the top force of at
    // most 6 %, 2 %, 0.5 % with 50, 100, 1000 sweeps. The start and the length of that chain, and
    // the reference of the errors, are not published, so the published errors are used as upper
    // bounds. Measured relative to the greatest force: 1.0 %, 0.4 %, under 0.01 %.
    let converged = top_tension(5000);
    let greatest = converged.iter().fold(0.0_f64, |most, f| most.max(f.abs()));
    let mut last = f64::INFINITY;
    for (iterations, published) in [(50, 0.06), (100, 0.02), (1000, 0.005)] {
        let tensions = top_tension(iterations);
        let errors = tensions.iter().zip(&converged).map(|(f, exact)| (f - exact).abs() / greatest);
        let error = errors.fold(0.0, f64::max);
        assert!(error < published && error < 0.5 * last, "{iterations} sweeps: {error}");
        last = error;
    }
}
