use super::inner_steps::step_in_parts;
use super::newton::{self, Equation};
use crate::integrate::integrator::{Info, Integrator};
use crate::integrate::rules::{Displacement, Memory, StepRules};
use ropelab_mechanics::numerics::columns::{advance, kick_and_drift};
use ropelab_mechanics::numerics::state::{StateMut, StateRef, Workspace};
use ropelab_mechanics::numerics::system::System;

/// Implicit (backward) Euler: D. Baraff and A. Witkin (1998), *Large Steps in Cloth Simulation*.
/// They run one Newton iteration; here Newton's method iterates until convergence.
///
/// On the oscillator x″ = −ω²x the method multiplies the amplitude by 1/√(1 + (ωh)²) in each step,
/// so it also damps soft springs. XPBD on a single linear spring equals this integrator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImplicitEuler;

impl Integrator for ImplicitEuler {
    fn info(&self) -> Info {
        Info {
            name: "implicit-euler",
            title: "implicit Euler",
            order: 1,
            evaluations: 1,
            stability_limit: f64::INFINITY,
            symplectic: false,
            implicit: true,
            reference: "Baraff & Witkin 1998, Large Steps in Cloth Simulation",
            verdict: "never explodes, but damps strongly, and more at a larger dt",
        }
    }

    fn rules(&self) -> StepRules {
        StepRules::coupled(Displacement::BY_NEW_VELOCITY, Memory::Nothing)
    }

    /// ```text
    /// v' = v + a(t + dt, x', v') dt
    /// x' = x + v' dt
    /// ```
    fn step(&self, system: &dyn System, at: StateRef, to: StateMut, dt: f64, work: &mut Workspace) {
        step_in_parts(at, to, dt, work, &|at, to, dt, work, _| {
            let ([], [a, x0, newton @ ..], matrix) =
                work.columns_and_blocks::<0, { newton::COLUMNS + 2 }>(at.len());
            advance(at.x, dt, at.v, x0);
            let (t, from) = (at.t + dt, at.x);
            let equation = Equation { system, t, from, x0, v0: at.v, cx: dt * dt, cv: dt };
            let report = equation.solve(a, newton, matrix);
            kick_and_drift([at.x, at.v], dt, a, dt, [to.x, to.v]);
            report
        });
    }
}
