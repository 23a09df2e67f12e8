use super::integrator::{Info, Integrator};
use super::rules::old_position;
use super::rules::{Displacement, Memory, StepRules};
use itertools::izip;
use ropelab_mechanics::numerics::state::{StateMut, StateRef, Workspace};
use ropelab_mechanics::numerics::system::System;
use serde::{Deserialize, Serialize};

/// Position Verlet that loses a fixed fraction k of its velocity in each step: T. Jakobsen (2001),
/// *Advanced Character Physics*, with 1.99 and 0.99 in place of 2 and 1.
///
/// k is per step, not per second: ln 2/−ln(1 − k) steps halve a velocity, 69 steps for k = 0.01,
/// which is 1.15 s at 60 Hz and 0.07 s at 1 kHz. The terminal velocity of a fall is g dt/k. With a
/// fixed k the result converges to no motion as dt → 0 (order 0). With k = c dt it approximates x″
/// = a − c x′ to first order.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VerletDrag {
    /// Fraction of the velocity lost in each step, in [0, 1).
    pub drag: f64,
}

impl Default for VerletDrag {
    fn default() -> Self {
        Self { drag: 0.01 }
    }
}

impl Integrator for VerletDrag {
    fn info(&self) -> Info {
        Info {
            name: "verlet-drag",
            title: "Verlet with drag",
            order: if self.drag == 0.0 { 2 } else { 0 },
            evaluations: 1,
            stability_limit: (4.0 - 2.0 * self.drag).sqrt(),
            symplectic: self.drag == 0.0,
            implicit: false,
            reference: "Jakobsen 2001, Advanced Character Physics",
            verdict: "removes a fraction of the velocity in each step, so the drag depends on dt",
        }
    }

    fn rules(&self) -> StepRules {
        StepRules::pointwise(Displacement::BY_MEAN_VELOCITY, Memory::PositionUnderDrag(self.drag))
    }

    /// ```text
    /// x' = (2 − k) x − (1 − k) x* + a(t, x, v) dt²      (pinned: x' = x + v dt)
    /// v' = (x' − x)/dt + ½ (a − k (x − x*)/dt²) dt
    /// ```
    ///
    /// The first step uses x* = x₀ − v₀ dt + ½ a₀ dt². The second term of v' advances the velocity
    /// from the middle of the step to its end, with the acceleration that includes the drag.
    fn step(&self, system: &dyn System, at: StateRef, to: StateMut, dt: f64, work: &mut Workspace) {
        let k = self.drag;
        let first = work.age == 0;
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
                *x_new = (2.0 - k) * *x - (1.0 - k) * *x_old + *a * dt * dt;
                *v_new = (*x_new - *x) / dt + 0.5 * (*a * dt - k * (*x - *x_old) / dt);
            }
            *x_old = *x;
        }
        work.remember_step(dt);
    }
}
