//! The implicit midpoint rule.

use super::newton::{self, Equation};
use super::{Info, Integrator};
use crate::columns::axpy;
use crate::state::{State, Workspace};
use crate::system::System;

/// Implicit midpoint, the one-stage Gauss method: Hairer, Lubich and Wanner, *Geometric Numerical
/// Integration*, §II.1. Symplectic and reversible, and keeps every quadratic invariant, such as
/// the angular momentum and the energy of linear springs.
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
            verdict: "keeps energy at any stiffness; unresolved stiff springs ring on and on",
        }
    }

    /// ```text
    /// x½ = x + v½ dt/2
    /// v½ = v + a(t + dt/2, x½, v½) dt/2
    /// x' = x + v½ dt
    /// v' = v + a(t + dt/2, x½, v½) dt
    /// ```
    fn step(&self, system: &dyn System, state: &mut State, dt: f64, work: &mut Workspace) {
        let half = dt / 2.0;
        let [a, x0, newton @ ..] = work.scratch::<{ newton::COLUMNS + 2 }>(state.len());
        x0.copy_from_slice(&state.x);
        axpy(half, &state.v, x0);
        let equation =
            Equation { system, t: state.t + half, x0, v0: &state.v, cx: half * half, cv: half };
        let report = equation.solve(a, newton);
        axpy(half, a, &mut state.v);
        axpy(dt, &state.v, &mut state.x);
        axpy(half, a, &mut state.v);
        work.solve = report;
    }
}
