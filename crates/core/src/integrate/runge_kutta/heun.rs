use crate::integrate::integrator::{Info, Integrator};
use crate::integrate::rules::{Displacement, Memory, StepRules};
use ropelab_mechanics::numerics::columns::{advance, combine};
use ropelab_mechanics::numerics::state::{StateMut, StateRef, Workspace};
use ropelab_mechanics::numerics::system::System;

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

    fn rules(&self) -> StepRules {
        StepRules::pointwise(Displacement::BY_MEAN_VELOCITY, Memory::Nothing)
    }

    /// ```text
    /// x₂ = x + v dt
    /// v₂ = v + a₁ dt,                a₁ = a(t, x, v)
    /// x' = x + (v + v₂) dt/2
    /// v' = v + (a₁ + a₂) dt/2,       a₂ = a(t + dt, x₂, v₂)
    /// ```
    fn step(&self, system: &dyn System, at: StateRef, to: StateMut, dt: f64, work: &mut Workspace) {
        let [x2, v2, a1, a2] = work.scratch(at.len());
        system.accelerations(at.t, at.x, at.v, a1);
        advance(at.x, dt, at.v, x2);
        advance(at.v, dt, a1, v2);
        system.accelerations(at.t + dt, x2, v2, a2);
        combine(at.x, dt / 2.0, [(1.0, at.v), (1.0, v2)], to.x);
        combine(at.v, dt / 2.0, [(1.0, a1), (1.0, a2)], to.v);
    }
}
