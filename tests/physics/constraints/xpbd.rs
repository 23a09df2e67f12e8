//! XPBD on a single spring, which moves as under implicit Euler.

use super::link;
use glam::{DVec3, dvec3};
use ropelab::constraint::{ConstraintSolver, Constraints, Particles, Xpbd};
use ropelab::mesh::Link;

/// Simulates a spring of rest length 1 between a pin and a unit mass along x, released at rest with
/// the stretch C = 0.5, without other forces. Returns C after each step.
fn spring_by_xpbd(xpbd: Xpbd, link: Link, dt: f64, steps: usize) -> Vec<f64> {
    let solver = ConstraintSolver::Xpbd(xpbd);
    let mut links = Constraints::new(vec![link], 2);
    let mut x = [DVec3::ZERO, dvec3(1.5, 0.0, 0.0)];
    let mut v = DVec3::ZERO;
    let mut stretches = vec![0.5];
    for _ in 0..steps {
        let start = x;
        x[1] += dt * v;
        solver.project(&mut links, &mut Particles::new(&[0.0, 1.0], &start, &mut x, dt));
        v = (x[1] - start[1]) / dt;
        stretches.push(x[1].x - 1.0);
    }
    stretches
}

#[test]
fn xpbd_on_one_spring_is_implicit_euler() {
    // Example of Macklin, Müller and Chentanez (2016): α = 0.001 m/N and m = 1 kg, so ω =
    // 31.6228/s.
    let dt = 1.0 / 60.0;
    let soft = Link { rigid: false, ..link(0, 1, 1.0) };
    let c = spring_by_xpbd(Xpbd::default(), soft, dt, 60);
    // The stretch obeys the recurrence C′ = s C − p C*, with the next value C′ and the previous
    // value C*. Its roots are √p e^(±iφ), with s = 2√p cos φ. s and p follow from four successive
    // values.
    for i in 0..20 {
        let determinant = c[i + 1] * c[i + 1] - c[i] * c[i + 2];
        let s = (c[i + 1] * c[i + 2] - c[i] * c[i + 3]) / determinant;
        let p = (c[i + 2] * c[i + 2] - c[i + 1] * c[i + 3]) / determinant;
        let (amplitude, phase) = (p.sqrt(), (s / (2.0 * p.sqrt())).acos());
        assert!((amplitude - 0.884652).abs() < 0.5e-6, "{amplitude}");
        assert!((phase - 0.485050).abs() < 0.5e-6, "{phase}");
        let z = 1000_f64.sqrt() * dt;
        assert!((z - 0.527046).abs() < 0.5e-6);
        assert!((amplitude - 1.0 / (1.0 + z * z).sqrt()).abs() < 1e-11);
        assert!((phase - z.atan()).abs() < 1e-11);
    }
}

#[test]
fn xpbd_damps_one_spring_like_implicit_euler_with_a_damper() {
    let (dt, k, c) = (0.01, 1000.0, 8.0);
    let damped = Link { rigid: false, damping: c, ..link(0, 1, 1.0) };
    let stretches = spring_by_xpbd(Xpbd::default(), damped, dt, 60);
    // Implicit Euler for x″ = −k C − c C′ with m = 1: C₊ (1 + k dt² + c dt) = (2 + c dt) C − C₋.
    let (mut before, mut now) = (0.5, 0.5);
    for stretch in stretches {
        assert!((stretch - now).abs() < 1e-13, "stretch {stretch} m, expected {now} m");
        let next = ((2.0 + c * dt) * now - before) / (1.0 + k * dt * dt + c * dt);
        (before, now) = (now, next);
    }
}

#[test]
fn xpbd_is_as_stiff_with_one_sweep_as_with_a_hundred_on_one_spring() {
    let soft = Link { rigid: false, ..link(0, 1, 1.0) };
    let after = |iterations| spring_by_xpbd(Xpbd { iterations, ..Xpbd::default() }, soft, 0.01, 50);
    for (one, hundred) in after(1).into_iter().zip(after(100)) {
        assert!((one - hundred).abs() < 1e-14);
    }
}
