use crate::integrate::integrator::{Info, Integrator};
use crate::integrate::rules::{Displacement, Memory, StepRules};
use ropelab_mechanics::numerics::columns::advance;
use ropelab_mechanics::numerics::state::{StateMut, StateRef, Workspace};
use ropelab_mechanics::numerics::system::System;

/// Explicit midpoint, a Runge–Kutta method of order 2: C. Runge (1895), Math. Ann. 46, 167.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Midpoint;

impl Integrator for Midpoint {
    fn info(&self) -> Info {
        Info {
            name: "midpoint",
            title: "midpoint (RK2)",
            order: 2,
            evaluations: 2,
            stability_limit: 0.0,
            symplectic: false,
            implicit: false,
            reference: "Runge 1895, Math. Ann. 46, 167",
            verdict: "every undamped oscillation grows slowly",
        }
    }

    fn rules(&self) -> StepRules {
        StepRules::pointwise(Displacement::BY_MEAN_VELOCITY, Memory::Nothing)
    }

    /// ```text
    /// x½ = x + v dt/2
    /// v½ = v + a(t, x, v) dt/2
    /// x' = x + v½ dt
    /// v' = v + a(t + dt/2, x½, v½) dt
    /// ```
    fn step(&self, system: &dyn System, at: StateRef, to: StateMut, dt: f64, work: &mut Workspace) {
        let [x_half, v_half, a] = work.scratch(at.len());
        system.accelerations(at.t, at.x, at.v, a);
        advance(at.x, dt / 2.0, at.v, x_half);
        advance(at.v, dt / 2.0, a, v_half);
        system.accelerations(at.t + dt / 2.0, x_half, v_half, a);
        advance(at.x, dt, v_half, to.x);
        advance(at.v, dt, a, to.v);
    }
}
