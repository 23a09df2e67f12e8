//! Heun's method.

use crate::integrate::{Info, Integrator};
use crate::numerics::columns::{advance, combine};
use crate::numerics::state::{Next, Now, Workspace};
use crate::numerics::system::System;

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
            verdict: "twice the work of explicit Euler, and every undamped oscillation still grows \
                      slowly",
        }
    }

    fn pointwise_history(&self) -> Option<usize> {
        Some(0)
    }

    /// ```text
    /// x₂ = x + v dt
    /// v₂ = v + a₁ dt,                a₁ = a(t, x, v)
    /// x' = x + (v + v₂) dt/2
    /// v' = v + (a₁ + a₂) dt/2,       a₂ = a(t + dt, x₂, v₂)
    /// ```
    fn step(&self, system: &dyn System, now: Now, next: Next, dt: f64, work: &mut Workspace) {
        let [x2, v2, a1, a2] = work.scratch(now.len());
        system.accelerations(now.t, now.x, now.v, a1);
        advance(now.x, dt, now.v, x2);
        advance(now.v, dt, a1, v2);
        system.accelerations(now.t + dt, x2, v2, a2);
        combine(now.x, dt / 2.0, [(1.0, now.v), (1.0, v2)], next.x);
        combine(now.v, dt / 2.0, [(1.0, a1), (1.0, a2)], next.v);
    }
}
