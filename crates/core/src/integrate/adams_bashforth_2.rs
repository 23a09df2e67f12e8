use super::integrator::{Info, Integrator};
use super::rules::{Displacement, Memory, StepRules};
use itertools::izip;
use ropelab_mechanics::numerics::state::{StateMut, StateRef, Workspace};
use ropelab_mechanics::numerics::system::System;

/// Two-step Adams–Bashforth, of order 2 in both variables: F. Bashforth and J. C. Adams (1883);
/// Hairer, Nørsett and Wanner, *Solving ODEs I*, §III.1, with the weights for unequal steps of
/// §III.5.
///
/// The memory starts with v(−dt) = v₀ − a₀ dt and a(−dt) = a₀, which is exact for a constant force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdamsBashforth2;

impl Integrator for AdamsBashforth2 {
    fn info(&self) -> Info {
        Info {
            name: "adams-bashforth-2",
            title: "Adams–Bashforth 2",
            order: 2,
            evaluations: 1,
            stability_limit: 0.0,
            symplectic: false,
            implicit: false,
            reference: "Bashforth & Adams 1883; Hairer, Nørsett & Wanner, Solving ODEs I, III.1",
            verdict: "every undamped oscillation grows slowly",
        }
    }

    fn rules(&self) -> StepRules {
        StepRules::pointwise(Displacement::BY_MEAN_VELOCITY, Memory::VelocityAndAcceleration)
    }

    /// Formula for the ratio r = dt/dt* of the steps, which is 1 for equal steps:
    /// ```text
    /// x' = x + ((1 + r/2) v − (r/2) v*) dt      (pinned: x' = x + v dt)
    /// v' = v + ((1 + r/2) a − (r/2) a*) dt
    /// ```
    ///
    /// dt* is the length of the previous step; v* and a* are velocity and acceleration at its
    /// start.
    fn step(&self, system: &dyn System, at: StateRef, to: StateMut, dt: f64, work: &mut Workspace) {
        let first = work.age == 0;
        let half_r = if first { 0.5 } else { dt / work.last_dt / 2.0 };
        let ([v_old, a_old], [a]) = work.columns(at.len());
        system.accelerations(at.t, at.x, at.v, a);
        for (m, x_new, v_new, x, v, a, v_old, a_old) in
            izip!(system.masses(), to.x, to.v, at.x, at.v, a, v_old, a_old)
        {
            if first {
                *v_old = *v - *a * dt;
                *a_old = *a;
            }
            if *m == 0.0 {
                *v_old = *v;
            }
            *x_new = *x + ((1.0 + half_r) * *v - half_r * *v_old) * dt;
            *v_new = *v + ((1.0 + half_r) * *a - half_r * *a_old) * dt;
            (*v_old, *a_old) = (*v, *a);
        }
        work.remember_step(dt);
    }
}
