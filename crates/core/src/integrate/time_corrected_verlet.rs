use super::integrator::{Info, Integrator};
use super::rules::old_position;
use super::rules::{Displacement, Memory, StepRules, VerletStart};
use itertools::izip;
use ropelab_mechanics::numerics::state::{StateMut, StateRef, Workspace};
use ropelab_mechanics::numerics::system::System;

/// Time-corrected Verlet, for a changing step: J. Dummer (lonesock), *A simple time-corrected
/// Verlet integration method*. This is the form with the mean of both steps, which is consistent
/// when dt changes. With a constant dt it is [`PositionVerlet`](super::PositionVerlet).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeCorrectedVerlet;

impl Integrator for TimeCorrectedVerlet {
    fn info(&self) -> Info {
        Info {
            name: "time-corrected-verlet",
            title: "time-corrected Verlet",
            order: 2,
            evaluations: 1,
            stability_limit: 2.0,
            symplectic: true,
            implicit: false,
            reference: "Dummer, A simple time-corrected Verlet integration method",
            verdict: "position Verlet for jittering frames; symplectic only at constant dt",
        }
    }

    fn rules(&self) -> StepRules {
        StepRules::pointwise(Displacement::BY_MEAN_VELOCITY, Memory::Position(VerletStart::Proper))
    }

    /// ```text
    /// x' = x + (x − x*) dt/dt* + a(t, x, v) dt (dt + dt*)/2      (pinned: x' = x + v dt)
    /// v' = (x' − x)/dt + ½ a dt
    /// ```
    ///
    /// dt* is the length of the previous step. The first step uses dt* = dt and
    /// x* = x₀ − v₀ dt + ½ a₀ dt².
    fn step(&self, system: &dyn System, at: StateRef, to: StateMut, dt: f64, work: &mut Workspace) {
        let first = work.age == 0;
        let last_dt = if first { dt } else { work.last_dt };
        let ([x_old], [a]) = work.columns(at.len());
        system.accelerations(at.t, at.x, at.v, a);
        for (m, x_new, v_new, x, v, x_old, a) in
            izip!(system.masses(), to.x, to.v, at.x, at.v, x_old, a)
        {
            if first {
                *x_old = old_position(*x, *v, *a, dt);
            }
            (*x_new, *v_new) = (*x + *v * dt, *v);
            if *m != 0.0 {
                *x_new = *x + (*x - *x_old) * (dt / last_dt) + *a * (dt * (dt + last_dt) / 2.0);
                *v_new = (*x_new - *x) / dt + 0.5 * *a * dt;
            }
            *x_old = *x;
        }
        work.remember_step(dt);
    }
}
