use super::inner_steps::step_in_parts;
use super::newton::{self, Equation};
use crate::integrate::integrator::{Info, Integrator};
use crate::integrate::rules::{Displacement, Memory, StepRules};
use itertools::izip;
use ropelab_mechanics::numerics::columns::advance;
use ropelab_mechanics::numerics::state::{StateMut, StateRef, Workspace};
use ropelab_mechanics::numerics::system::System;

/// Largest ratio of a step to the previous step. With unequal steps the formula is stable up to the
/// ratio 1 + √2 (Hairer, Nørsett and Wanner, *Solving ODEs I*, §III.5).
const LARGEST_RATIO: f64 = 2.4;

/// BDF2, the two-step backward differentiation formula: C. F. Curtiss and J. O. Hirschfelder
/// (1952), PNAS 38, 235; for cloth K.-J. Choi and H.-S. Ko (2002), *Stable but Responsive Cloth*.
/// Weights for unequal steps from Hairer, Nørsett and Wanner, *Solving ODEs I*, §III.5.
///
/// The first step is implicit Euler, and so is a step more than 2.4 times as long as the previous
/// one. One such step has an error of O(dt²) and leaves the order at 2. Repeated such steps reduce
/// the order to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bdf2;

impl Integrator for Bdf2 {
    fn info(&self) -> Info {
        Info {
            name: "bdf2",
            title: "BDF2",
            order: 2,
            evaluations: 1,
            stability_limit: f64::INFINITY,
            symplectic: false,
            implicit: true,
            reference: "Curtiss & Hirschfelder 1952, PNAS 38, 235; Choi & Ko 2002, Stable but Responsive Cloth",
            verdict: "damps stiff springs, hardly damps slow motion; swinging ropes never gained \
                      energy",
        }
    }

    /// Returns the rules for equal steps, where c = 2/3. A particle at rest has v' = v + c a dt and
    /// x' = x + c v' dt before the projection and v = (1 − c) a dt after it. The first step is
    /// implicit Euler.
    fn rules(&self) -> StepRules {
        StepRules {
            first: Displacement::BY_NEW_VELOCITY,
            later: Displacement { omitted_fraction: 1.0 / 3.0, projected_fraction: 2.0 / 3.0 },
            is_pointwise: false,
            memory: Memory::PositionAndVelocity,
        }
    }

    /// Formula for the ratio r = dt/dt* of the steps, with c = (1 + r)/(1 + 2r), which is 2/3 for
    /// equal steps:
    /// ```text
    /// x' = x + (x − x*) r²/(1 + 2r) + c v' dt                     (pinned: x' = x + v dt)
    /// v' = v + (v − v*) r²/(1 + 2r) + c a(t + dt, x', v') dt
    /// ```
    ///
    /// dt* is the length of the previous step; x* and v* are position and velocity at its start.
    fn step(&self, system: &dyn System, at: StateRef, to: StateMut, dt: f64, work: &mut Workspace) {
        step_in_parts(at, to, dt, work, &|at, to, dt, work, accepts_failure| {
            // r = 0 stands for an infinitely long previous step and gives implicit Euler.
            let first = work.age == 0;
            let ratio = if first { 0.0 } else { dt / work.last_dt };
            let r = if ratio <= LARGEST_RATIO { ratio } else { 0.0 };
            let inertia = r * r / (1.0 + 2.0 * r);
            let c = (1.0 + r) / (1.0 + 2.0 * r);
            let cv = c * dt;
            let StateRef { t, x, v } = at;
            let ([x_old, v_old], [a, x0, v0, newton @ ..], matrix) =
                work.columns_and_blocks::<2, { newton::COLUMNS + 3 }>(at.len());
            if first {
                x_old.copy_from_slice(x);
                v_old.copy_from_slice(v);
            }
            for (m, x0, v0, x, v, x_old, v_old) in
                izip!(system.masses(), &mut *x0, &mut *v0, x, v, &*x_old, &*v_old)
            {
                if *m == 0.0 {
                    *x0 = *x + *v * dt;
                    *v0 = *v;
                } else {
                    *v0 = *v + (*v - *v_old) * inertia;
                    *x0 = *x + (*x - *x_old) * inertia + *v0 * cv;
                }
            }
            let equation = Equation { system, t: t + dt, from: x, x0, v0, cx: cv * cv, cv };
            let report = equation.solve(a, newton, matrix);
            advance(x0, cv * cv, a, to.x);
            advance(v0, cv, a, to.v);
            if !report.failed || accepts_failure {
                x_old.copy_from_slice(x);
                v_old.copy_from_slice(v);
                work.remember_step(dt);
            }
            report
        });
    }
}
