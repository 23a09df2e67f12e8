use super::inner_steps::step_in_parts;
use super::newton::{self, Equation};
use crate::integrate::integrator::{Info, Integrator};
use crate::integrate::rules::{Displacement, Memory, StepRules};
use itertools::izip;
use ropelab_mechanics::numerics::state::{StateMut, StateRef, Workspace};
use ropelab_mechanics::numerics::system::System;

/// The (implicit) trapezoidal rule: G. Dahlquist (1963), BIT 3, 27, as the most accurate A-stable
/// two-point formula; Newmark's method with β = ¼, γ = ½ (1959).
///
/// The rule is not symplectic, but it is conjugate to implicit midpoint by half an Euler step, so
/// its energy does not drift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trapezoid;

impl Integrator for Trapezoid {
    fn info(&self) -> Info {
        Info {
            name: "trapezoid",
            title: "trapezoidal rule",
            order: 2,
            evaluations: 2,
            stability_limit: f64::INFINITY,
            symplectic: false,
            implicit: true,
            reference: "Dahlquist 1963, BIT 3, 27; Newmark 1959, J. Eng. Mech. Div. ASCE 85, 67",
            verdict: "close relative of implicit midpoint; swinging ropes gain energy above ωh = 2",
        }
    }

    fn rules(&self) -> StepRules {
        StepRules::coupled(Displacement::BY_MEAN_VELOCITY, Memory::Nothing)
    }

    /// ```text
    /// v' = v + (a + a') dt/2,   a = a(t, x, v),   a' = a(t + dt, x', v')
    /// x' = x + (v + v') dt/2
    /// ```
    fn step(&self, system: &dyn System, at: StateRef, to: StateMut, dt: f64, work: &mut Workspace) {
        step_in_parts(at, to, dt, work, &|at, to, dt, work, _| {
            let half = dt / 2.0;
            let ([], [a, a_new, x0, v0, newton @ ..], matrix) =
                work.columns_and_blocks::<0, { newton::COLUMNS + 4 }>(at.len());
            system.accelerations(at.t, at.x, at.v, a);
            for (x0, v0, x, v, a) in izip!(&mut *x0, &mut *v0, at.x, at.v, &*a) {
                *v0 = *v + *a * half;
                *x0 = *x + (*v + *v0) * half;
            }
            let (t, from) = (at.t + dt, at.x);
            let equation = Equation { system, t, from, x0, v0, cx: half * half, cv: half };
            let report = equation.solve(a_new, newton, matrix);
            for (x_new, v_new, x, v, a, a_new) in izip!(to.x, to.v, at.x, at.v, a, a_new) {
                *v_new = *v + (*a + *a_new) * half;
                *x_new = *x + (*v + *v_new) * half;
            }
            report
        });
    }
}
