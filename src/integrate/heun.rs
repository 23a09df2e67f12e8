//! Heun's method.

use super::{Info, Integrator};
use crate::columns::axpy;
use crate::state::{State, Workspace};
use crate::system::System;
use itertools::izip;

/// Heun's method, the explicit trapezoidal rule: K. Heun (1900), Z. Math. Phys. 45, 23.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heun;

impl Integrator for Heun {
    fn info(&self) -> Info {
        Info {
            name: "heun",
            title: "Heun (RK2)",
            order: 2,
            evaluations: 2,
            stability_limit: 0.0,
            symplectic: false,
            implicit: false,
            reference: "Heun 1900, Z. Math. Phys. 45, 23",
            verdict: "predict, correct: twice the work of explicit Euler, and it still grows",
        }
    }

    fn pointwise(&self) -> Option<usize> {
        Some(0)
    }

    /// ```text
    /// x₂ = x + v dt
    /// v₂ = v + a₁ dt,                a₁ = a(t, x, v)
    /// x' = x + (v + v₂) dt/2
    /// v' = v + (a₁ + a₂) dt/2,       a₂ = a(t + dt, x₂, v₂)
    /// ```
    fn step(&self, system: &dyn System, state: &mut State, dt: f64, work: &mut Workspace) {
        let [x2, v2, a1, a2] = work.scratch(state.len());
        system.accelerations(state.t, &state.x, &state.v, a1);
        x2.copy_from_slice(&state.x);
        v2.copy_from_slice(&state.v);
        axpy(dt, &state.v, x2);
        axpy(dt, a1, v2);
        system.accelerations(state.t + dt, x2, v2, a2);
        for (x, v, v2, a1, a2) in izip!(&mut state.x, &mut state.v, v2, a1, a2) {
            *x += (*v + *v2) * (dt / 2.0);
            *v += (*a1 + *a2) * (dt / 2.0);
        }
    }
}
