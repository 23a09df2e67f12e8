use super::inner_steps::step_in_parts;
use super::newton::{self, Equation};
use crate::integrate::integrator::{Info, Integrator};
use crate::integrate::rules::{Displacement, Memory, StepRules};
use ropelab_mechanics::numerics::columns::{advance, kick_and_drift};
use ropelab_mechanics::numerics::state::{StateMut, StateRef, Workspace};
use ropelab_mechanics::numerics::system::System;

/// Implicit midpoint, the one-stage Gauss method: Hairer, Lubich and Wanner, *Geometric Numerical
/// Integration*, §II.1. It is symplectic and reversible, and keeps every quadratic invariant, such
/// as the angular momentum and the energy of linear springs.
///
/// A link that turns is not linear. Halfway through a turn the chord of a link is shorter than the
/// link, so each step pushes the ends of the link apart: a swinging rope gains energy if ωh exceeds
/// about 2 (ω: fastest vibration of its links), however exactly the equation is solved (J. C. Simo,
/// N. Tarnow and K. K. Wong 1992, Comput. Methods Appl. Mech. Eng. 100, 63, describe this for stiff
/// elastodynamics).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImplicitMidpoint;

impl Integrator for ImplicitMidpoint {
    fn info(&self) -> Info {
        Info {
            name: "implicit-midpoint",
            title: "implicit midpoint",
            order: 2,
            evaluations: 1,
            stability_limit: f64::INFINITY,
            symplectic: true,
            implicit: true,
            reference: "Hairer, Lubich & Wanner, Geometric Numerical Integration, II.1",
            verdict: "keeps the energy of linear springs at any stiffness; swinging ropes gain \
                      energy above ωh = 2",
        }
    }

    fn rules(&self) -> StepRules {
        StepRules::coupled(Displacement::BY_MEAN_VELOCITY, Memory::Nothing)
    }

    /// ```text
    /// x½ = x + v½ dt/2
    /// v½ = v + a(t + dt/2, x½, v½) dt/2
    /// x' = x + v½ dt
    /// v' = v + a(t + dt/2, x½, v½) dt
    /// ```
    fn step(&self, system: &dyn System, at: StateRef, to: StateMut, dt: f64, work: &mut Workspace) {
        step_in_parts(at, to, dt, work, &|at, to, dt, work, _| {
            let half = dt / 2.0;
            let ([], [a, x0, v_half, newton @ ..], matrix) =
                work.columns_and_blocks::<0, { newton::COLUMNS + 3 }>(at.len());
            advance(at.x, half, at.v, x0);
            let (t, from, v0) = (at.t + half, at.x, at.v);
            let equation = Equation { system, t, from, x0, v0, cx: half * half, cv: half };
            let report = equation.solve(a, newton, matrix);
            kick_and_drift([at.x, at.v], half, a, dt, [to.x, v_half]);
            advance(v_half, half, a, to.v);
            report
        });
    }
}
