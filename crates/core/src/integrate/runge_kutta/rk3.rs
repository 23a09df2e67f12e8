use crate::integrate::integrator::{Info, Integrator};
use crate::integrate::rules::{Displacement, Memory, StepRules};
use ropelab_mechanics::numerics::columns::{advance, combine};
use ropelab_mechanics::numerics::state::{StateMut, StateRef, Workspace};
use ropelab_mechanics::numerics::system::System;

/// Kutta's third-order method: W. Kutta (1901), Z. Math. Phys. 46, 435. The method equals Simpson's
/// rule for x″ = a(t). (All three-stage methods of order 3 share the stability limit √3.)
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rk3;

impl Integrator for Rk3 {
    fn info(&self) -> Info {
        Info {
            name: "rk3",
            title: "Kutta's RK3",
            order: 3,
            evaluations: 3,
            stability_limit: 3f64.sqrt(),
            symplectic: false,
            implicit: false,
            reference: "Kutta 1901, Z. Math. Phys. 46, 435",
            verdict: "the lowest Runge–Kutta order that damps oscillations",
        }
    }

    fn rules(&self) -> StepRules {
        StepRules::pointwise(Displacement::BY_MEAN_VELOCITY, Memory::Nothing)
    }

    /// ```text
    /// x₂ = x + v dt/2                      v₂ = v + a₁ dt/2
    /// x₃ = x + (2v₂ − v) dt                v₃ = v + (2a₂ − a₁) dt
    /// x' = x + (v + 4v₂ + v₃) dt/6         v' = v + (a₁ + 4a₂ + a₃) dt/6
    /// ```
    ///
    /// with the accelerations at t, t + dt/2 and t + dt.
    fn step(&self, system: &dyn System, at: StateRef, to: StateMut, dt: f64, work: &mut Workspace) {
        let StateRef { t, x, v } = at;
        let [x_stage, v2, v3, a1, a2, a3] = work.scratch(at.len());
        system.accelerations(t, x, v, a1);
        advance(x, dt / 2.0, v, x_stage);
        advance(v, dt / 2.0, a1, v2);
        system.accelerations(t + dt / 2.0, x_stage, v2, a2);
        combine(x, dt, [(2.0, v2), (-1.0, v)], x_stage);
        combine(v, dt, [(2.0, a2), (-1.0, a1)], v3);
        system.accelerations(t + dt, x_stage, v3, a3);
        combine(x, dt / 6.0, [(1.0, v), (4.0, v2), (1.0, v3)], to.x);
        combine(v, dt / 6.0, [(1.0, a1), (4.0, a2), (1.0, a3)], to.v);
    }
}
