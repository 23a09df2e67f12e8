//! The classical Runge–Kutta method.

use super::{Info, Integrator};
use crate::columns::{advance, combine};
use crate::state::{Next, Now, Workspace};
use crate::system::System;

/// The classical fourth-order Runge–Kutta method: W. Kutta (1901), Z. Math. Phys. 46, 435.
///
/// On the oscillator |λ|² = 1 − z⁶/72 + z⁸/576 with z = ωh: it damps, hardly at small steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rk4;

impl Integrator for Rk4 {
    fn info(&self) -> Info {
        Info {
            name: "rk4",
            title: "classical RK4",
            order: 4,
            evaluations: 4,
            stability_limit: 8f64.sqrt(),
            symplectic: false,
            implicit: false,
            reference: "Kutta 1901, Z. Math. Phys. 46, 435",
            verdict: "very accurate for four evaluations, though energy drifts away in a long run",
        }
    }

    fn pointwise(&self) -> Option<usize> {
        Some(0)
    }

    /// ```text
    /// x₂ = x + v dt/2                         v₂ = v + a₁ dt/2
    /// x₃ = x + v₂ dt/2                        v₃ = v + a₂ dt/2
    /// x₄ = x + v₃ dt                          v₄ = v + a₃ dt
    /// x' = x + (v + 2v₂ + 2v₃ + v₄) dt/6      v' = v + (a₁ + 2a₂ + 2a₃ + a₄) dt/6
    /// ```
    ///
    /// with the accelerations taken at t, t + dt/2, t + dt/2 and t + dt.
    fn step(&self, system: &dyn System, now: Now, next: Next, dt: f64, work: &mut Workspace) {
        let Now { t, x, v } = now;
        let [x_stage, v2, v3, v4, a1, a2, a3, a4] = work.scratch(now.len());
        system.accelerations(t, x, v, a1);
        advance(x, dt / 2.0, v, x_stage);
        advance(v, dt / 2.0, a1, v2);
        system.accelerations(t + dt / 2.0, x_stage, v2, a2);
        advance(x, dt / 2.0, v2, x_stage);
        advance(v, dt / 2.0, a2, v3);
        system.accelerations(t + dt / 2.0, x_stage, v3, a3);
        advance(x, dt, v3, x_stage);
        advance(v, dt, a3, v4);
        system.accelerations(t + dt, x_stage, v4, a4);
        combine(x, dt / 6.0, [(1.0, v), (2.0, v2), (2.0, v3), (1.0, v4)], next.x);
        combine(v, dt / 6.0, [(1.0, a1), (2.0, a2), (2.0, a3), (1.0, a4)], next.v);
    }
}
