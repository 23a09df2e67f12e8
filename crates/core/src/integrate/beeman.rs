use super::integrator::{Info, Integrator};
use super::rules::{DampingStart, Displacement, Memory, StepRules};
use itertools::izip;
use ropelab_mechanics::numerics::state::{StateMut, StateRef, Workspace};
use ropelab_mechanics::numerics::system::System;

/// Beeman's method: D. Beeman (1976), J. Comput. Phys. 20, 130; attributed there to Schofield.
/// Its positions are those of Störmer–Verlet; its velocities are one order better.
///
/// The memory starts with a(−dt) = a(0), which continues Verlet's positions exactly. The formula
/// assumes equal steps, so the step after a change of dt is only first order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beeman;

impl Integrator for Beeman {
    fn info(&self) -> Info {
        Info {
            name: "beeman",
            title: "Beeman",
            order: 2,
            evaluations: 2,
            stability_limit: 2.0,
            symplectic: true,
            implicit: false,
            reference: "Beeman 1976, J. Comput. Phys. 20, 130",
            verdict: "Verlet's path with more accurate velocities; first order if steps vary",
        }
    }

    fn rules(&self) -> StepRules {
        StepRules::pointwise(
            Displacement::BY_MEAN_VELOCITY,
            Memory::Acceleration(DampingStart::Proper),
        )
    }

    /// ```text
    /// x' = x + v dt + (4a − a*) dt²/6
    /// v' = v + (2a' + 5a − a*) dt/6,   a' = a(t + dt, x', v + (3a − a*) dt/2)
    /// ```
    ///
    /// a* is the acceleration at the start of the previous step.
    fn step(&self, system: &dyn System, at: StateRef, to: StateMut, dt: f64, work: &mut Workspace) {
        let first = work.age == 0;
        let ([a_old], [a, a_new, predicted]) = work.columns(at.len());
        system.accelerations(at.t, at.x, at.v, a);
        if first {
            a_old.copy_from_slice(a);
        }
        for (x_new, predicted, x, v, a, a_old) in
            izip!(&mut *to.x, &mut *predicted, at.x, at.v, &*a, &*a_old)
        {
            *x_new = *x + (*v * dt + (4.0 * *a - *a_old) * (dt * dt / 6.0));
            *predicted = *v + (3.0 * *a - *a_old) * (dt / 2.0);
        }
        system.accelerations(at.t + dt, to.x, predicted, a_new);
        for (v_new, v, a_new, a, a_old) in izip!(to.v, at.v, a_new, a, a_old) {
            *v_new = *v + (2.0 * *a_new + 5.0 * *a - *a_old) * (dt / 6.0);
            *a_old = *a;
        }
        work.remember_step(dt);
    }
}
