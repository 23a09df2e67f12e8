//! Solves of implicit integrators: they converge where possible, and report a failure otherwise.

use super::systems::{Chain, Pendulum, Run, one};
use glam::{DVec3, dvec3};
use itertools::izip;
use ropelab::integrate::{DormandPrince, Method};
use ropelab::numerics::state::{StateRef, Workspace};
use ropelab::numerics::system::System;
use std::cell::Cell;

fn implicit_methods() -> impl Iterator<Item = Method> {
    Method::all().filter(|method| method.info().implicit)
}

#[test]
fn a_smooth_problem_takes_a_few_newton_iterations() {
    let system = Pendulum { strength: 9.81, damping: 0.3, drive: 0.5 };
    for method in implicit_methods() {
        let mut run = Run::new(method, &system, one(2.0, 0.0), 0.02);
        for _ in 0..200 {
            run.step();
            let solve = run.work.solve;
            assert!(!solve.failed && solve.residual <= 1e-10, "{method:?}: {solve:?}");
            assert!(solve.newton <= 4, "{method:?}: {solve:?}");
        }
    }
}

/// Number of failed solves in 300 steps of a whipping chain, and the largest residual of these
/// solves.
fn failures(method: Method, stiffness: f64, definite: bool) -> (u32, f64) {
    let mut chain = Chain::new(20, stiffness);
    chain.definite = definite;
    let mut run = Run::new(method, &chain, chain.start(), 1.0 / 60.0);
    let (mut failed, mut worst) = (0, 0.0_f64);
    for _ in 0..300 {
        run.step();
        if run.work.solve.failed {
            failed += 1;
            worst = worst.max(run.work.solve.residual);
        }
    }
    (failed, worst)
}

#[test]
fn a_whipping_chain_converges_with_the_exact_jacobian() {
    for method in implicit_methods() {
        assert_eq!(failures(method, 1e3, false).0, 0, "{method:?}");
        let (failed, worst) = failures(method, 1e4, false);
        // One solve of BDF2 fails, with a residual of 1e-7 of the initial residual.
        assert!(failed <= 1 && worst < 1e-6, "{method:?}: {failed} failed, {worst:e}");
    }
}

/// The definite Jacobian is stiffer than the exact one where springs are compressed, so Newton's
/// method converges slowly.
#[test]
fn a_whipping_chain_nearly_converges_with_the_definite_jacobian() {
    for method in implicit_methods() {
        for stiffness in [1e3, 1e4] {
            let (failed, worst) = failures(method, stiffness, true);
            assert!(failed <= 20 && worst < 1e-2, "{method:?}: {failed} failed, {worst:e}");
        }
    }
}

#[test]
fn a_chain_at_rest_is_converged_although_its_residual_is_rounding() {
    let mut chain = Chain::new(20, 1e5);
    chain.drag = 2.0;
    let mut run = Run::new(Method::ImplicitEuler, &chain, chain.start(), 1.0 / 60.0);
    run.steps(5000);
    let speed = run.state.v.iter().map(|v| v.length()).fold(0.0, f64::max);
    assert!(speed < 1e-9, "{speed}");
    for _ in 0..100 {
        run.step();
        assert!(!run.work.solve.failed, "{:?}", run.work.solve);
    }
}

#[test]
fn the_equation_of_implicit_euler_is_solved() {
    let chain = Chain::new(8, 1e4);
    let mut run = Run::new(Method::ImplicitEuler, &chain, chain.start(), 0.01);
    run.steps(50);
    let before = run.state.clone();
    run.step();
    let mut a = vec![DVec3::ZERO; before.len()];
    chain.accelerations(0.0, &run.state.x, &run.state.v, &mut a);
    let (new, dt) = (&run.state, run.dt);
    for (x, v, x_new, v_new, a) in izip!(before.x, before.v, &new.x, &new.v, a) {
        assert!((*v_new - v - a * dt).length() < 1e-9);
        assert!((*x_new - x - *v_new * dt).length() < 1e-15);
    }
}

/// A force for which the solve has no solution (it jumps), or which is NaN.
struct Hopeless {
    nan: bool,
    evaluations: Cell<u32>,
}

impl Hopeless {
    fn new(nan: bool) -> Self {
        Self { nan, evaluations: Cell::new(0) }
    }
}

impl System for Hopeless {
    fn masses(&self) -> &[f64] {
        &[1.0]
    }

    fn accelerations(&self, _t: f64, x: &[DVec3], _v: &[DVec3], a: &mut [DVec3]) {
        self.evaluations.set(self.evaluations.get() + 1);
        let push = if self.nan {
            f64::NAN
        } else if x[0].x > 0.0 {
            -1.0
        } else {
            1.0
        };
        a[0] = dvec3(push, 0.0, 0.0);
    }

    fn acceleration_jvp(&self, _: StateRef, [dx, _]: [&[DVec3]; 2], out: &mut [DVec3]) {
        out[0] = 0.3 * dx[0];
    }
}

#[test]
fn a_solve_that_cannot_converge_says_so_and_ends() {
    for method in implicit_methods() {
        for nan in [false, true] {
            let system = Hopeless::new(nan);
            let mut run = Run::new(method, &system, one(1e-6, 0.0), 0.1);
            run.step();
            // If the step is divided into parts, a part may end beyond the jump of the force and
            // converge.
            let solve = run.work.solve;
            assert!(solve.failed || !nan && solve.parts > 1, "{method:?} nan={nan}: {solve:?}");
            assert!(nan || run.state.x[0].is_finite(), "{method:?}");
            // At most 64 parts converge. Attempts with the whole step, its half and so on down to a
            // 64th fail, and so does the final attempt with the remaining time. Each attempt has 30
            // Newton iterations of 8 trials.
            assert!(system.evaluations.get() < (64 + 8) * 250, "{}", system.evaluations.get());
        }
    }
}

/// A particle pushed against a wall at x = 1, beyond which the force overflows.
struct Barrier;

impl System for Barrier {
    fn masses(&self) -> &[f64] {
        &[1.0]
    }

    fn accelerations(&self, _t: f64, x: &[DVec3], _v: &[DVec3], a: &mut [DVec3]) {
        let gap = 1.0 - x[0].x;
        let push = if gap > 0.0 { 10.0 - 1.0 / (gap * gap) } else { f64::INFINITY };
        a[0] = dvec3(push, 0.0, 0.0);
    }

    fn acceleration_jvp(
        &self,
        StateRef { x, .. }: StateRef,
        [dx, _]: [&[DVec3]; 2],
        out: &mut [DVec3],
    ) {
        out[0] = -2.0 / (1.0 - x[0].x).powi(3) * dx[0];
    }
}

#[test]
fn a_correction_that_overflows_is_shortened() {
    let mut run = Run::new(Method::ImplicitEuler, &Barrier, one(0.0, 0.0), 1.0);
    run.step();
    assert!(!run.work.solve.failed, "{:?}", run.work.solve);
    // The equation of the step: x = 10 − 1/(1 − x)².
    let x = run.x();
    assert!(x < 1.0 && (10.0 - 1.0 / ((1.0 - x) * (1.0 - x)) - x).abs() < 1e-8, "{x}");
}

#[test]
fn an_unphysical_state_stays_visible_and_does_not_hang() {
    let system = Pendulum::free(1.0);
    for method in Method::all() {
        let mut run = Run::new(method, &system, one(f64::NAN, 0.0), 0.1);
        run.steps(3);
        assert!(!run.state.x[0].is_finite(), "{method:?}");
    }
}

#[test]
fn dormand_prince_spends_a_bounded_effort_on_an_explosion() {
    let system = Hopeless::new(false);
    let hard = Method::DormandPrince(DormandPrince { tolerance: 1e-14 });
    Run::new(hard, &system, one(1e-6, 0.3), 10.0).step();
    // At most 1000 inner steps of 6 evaluations each, and a few rejected inner steps between them.
    let spent = system.evaluations.get();
    assert!(spent > 100 && spent < 15_000, "{spent}");

    let system = Hopeless::new(true);
    Run::new(hard, &system, one(1.0, 0.0), 0.1).step();
    assert!(system.evaluations.get() < 100, "{}", system.evaluations.get());
}

#[test]
fn dormand_prince_meets_its_tolerance_at_any_step() {
    let system = Pendulum { strength: 9.81, damping: 0.1, drive: 0.5 };
    let exact = Run::new(Method::Rk4, &system, one(2.0, 0.0), 1e-4).steps(20_000).x();
    for (n, tolerance) in [(2, 1e-6), (20, 1e-6), (2, 1e-9), (200, 1e-9)] {
        let method = Method::DormandPrince(DormandPrince { tolerance });
        let mut run = Run::new(method, &system, one(2.0, 0.0), 2.0 / f64::from(n));
        let error = (run.steps(n).x() - exact).abs();
        // About twenty inner steps, each within the tolerance. The swing doubles the error of each.
        assert!(error < 100.0 * tolerance, "{n} steps at {tolerance}: {error:e}");
        assert!(run.work.proposed_dt > 0.0);
    }
}

#[test]
fn a_particle_in_the_hand_is_carried_along_a_line() {
    let chain = Chain::new(5, 100.0);
    for method in Method::all() {
        let (mut state, mut work) = (chain.start(), Workspace::default());
        for step in 0..40 {
            let v = dvec3(0.3, -0.1, 0.2) * f64::from(step % 7);
            state.v[0] = v;
            let before = state.clone();
            method.as_integrator().step(&chain, before.view(), state.view_mut(), 0.01, &mut work);
            assert_eq!(state.v[0], v, "{method:?}");
            let x = before.x[0] + v * 0.01;
            assert!(state.x[0].distance(x) < 1e-15, "{method:?}");
            // Moves the particle like the hand: to a position that does not follow from its
            // velocity.
            state.x[0] += dvec3(0.0, 0.001, 0.0);
        }
        assert!(state.x.iter().all(|x| x.is_finite()), "{method:?}");
    }
}
