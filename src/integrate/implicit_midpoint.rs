//! The implicit midpoint rule.

use super::newton::{self, Equation};
use super::{Info, Integrator};
use crate::columns::{advance, kick_and_drift};
use crate::state::{Next, Now, Workspace};
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
    fn step(&self, system: &dyn System, now: Now, next: Next, dt: f64, work: &mut Workspace) {
        let half = dt / 2.0;
        let [a, x0, v_half, newton @ ..] = work.scratch::<{ newton::COLUMNS + 3 }>(now.len());
        advance(now.x, half, now.v, x0);
        let equation =
            Equation { system, t: now.t + half, x0, v0: now.v, cx: half * half, cv: half };
        let report = equation.solve(a, newton);
        kick_and_drift([now.x, now.v], half, a, dt, [next.x, v_half]);
        advance(v_half, half, a, next.v);
        work.solve = report;
    }
}
