use crate::integrate::integrator::{Info, Integrator};
use crate::integrate::rules::{Displacement, Memory, StepRules};
use ropelab_mechanics::numerics::columns::{advance, last_stage, next_stage};
use ropelab_mechanics::numerics::state::{StateMut, StateRef, Workspace};
use ropelab_mechanics::numerics::system::System;

/// The classical fourth-order Runge–Kutta method: W. Kutta (1901), Z. Math. Phys. 46, 435.
///
/// On the oscillator x″ = −ω²x the growth factor λ of a step has |λ|² = 1 − z⁶/72 + z⁸/576 with z =
/// ωh. The method therefore damps, but hardly at all in small steps.
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
            verdict: "very accurate for four evaluations, but energy drifts in a long run",
        }
    }

    fn rules(&self) -> StepRules {
        StepRules::pointwise(Displacement::BY_MEAN_VELOCITY, Memory::Nothing)
    }

    /// ```text
    /// x₂ = x + v dt/2                         v₂ = v + a₁ dt/2
    /// x₃ = x + v₂ dt/2                        v₃ = v + a₂ dt/2
    /// x₄ = x + v₃ dt                          v₄ = v + a₃ dt
    /// x' = x + (v + 2v₂ + 2v₃ + v₄) dt/6      v' = v + (a₁ + 2a₂ + 2a₃ + a₄) dt/6
    /// ```
    ///
    /// The accelerations are those at t, t + dt/2, t + dt/2 and t + dt. The sums in brackets are
    /// accumulated stage by stage in the columns of x' and v', so only seven columns instead of
    /// twelve must fit into the cache.
    fn step(&self, system: &dyn System, at: StateRef, to: StateMut, dt: f64, work: &mut Workspace) {
        let StateRef { t, x, v } = at;
        let [x_stage, v_stage, a] = work.scratch(at.len());
        let (half, [sum_v, sum_a]) = (dt / 2.0, [to.x, to.v]);
        system.accelerations(t, x, v, sum_a);
        sum_v.copy_from_slice(v);
        advance(x, half, v, x_stage);
        advance(v, half, sum_a, v_stage);
        system.accelerations(t + half, x_stage, v_stage, a);
        next_stage([x, v], a, half, [x_stage, v_stage], [sum_v, sum_a]);
        system.accelerations(t + half, x_stage, v_stage, a);
        next_stage([x, v], a, dt, [x_stage, v_stage], [sum_v, sum_a]);
        system.accelerations(t + dt, x_stage, v_stage, a);
        last_stage([x, v], [v_stage, a], dt / 6.0, [sum_v, sum_a]);
    }
}
