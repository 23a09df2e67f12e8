use super::integrator::{Info, Integrator};
use super::rules::{Displacement, Memory, StepRules, VerletStart};
use itertools::izip;
use ropelab_mechanics::numerics::state::{StateMut, StateRef, Workspace};
use ropelab_mechanics::numerics::system::System;
use serde::{Deserialize, Serialize};

/// Position (Störmer) Verlet: C. Störmer (1907), L. Verlet (1967), Phys. Rev. 159, 98, and for
/// games T. Jakobsen (2001), *Advanced Character Physics*. The state is x and the previous position
/// x*, so everything that moves x, such as a constraint, changes the velocity.
///
/// A changed dt also scales the velocity, because x − x* does not change with it. Jakobsen's rope
/// has this defect when the frame rate varies. [`TimeCorrectedVerlet`](super::TimeCorrectedVerlet)
/// corrects it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PositionVerlet {
    /// Previous position x* in the first step.
    pub start: VerletStart,
    /// True to store x and x* as f32. A body 10 m from the origin then never starts to fall at dt =
    /// 1e-4 s.
    pub single: bool,
}

impl Integrator for PositionVerlet {
    fn info(&self) -> Info {
        Info {
            name: "position-verlet",
            title: "position Verlet",
            order: match self.start {
                VerletStart::Proper => 2,
                VerletStart::Article => 1,
            },
            evaluations: 1,
            stability_limit: 2.0,
            symplectic: true,
            implicit: false,
            reference: "Verlet 1967, Phys. Rev. 159, 98; Jakobsen 2001, Advanced Character Physics",
            verdict: "the rope of the tutorials: works well with projections, badly when dt changes",
        }
    }

    fn rules(&self) -> StepRules {
        StepRules::pointwise(Displacement::BY_MEAN_VELOCITY, Memory::Position(self.start))
    }

    /// ```text
    /// x' = 2x − x* + a(t, x, v) dt²      (pinned: x' = x + v dt)
    /// v' = (x' − x)/dt + ½ a dt
    /// ```
    ///
    /// The first term of v' is the velocity at the half step. ½ a dt advances it to the end of the
    /// step up to O(dt²), without the evaluation of a' that the central difference needs.
    fn step(&self, system: &dyn System, at: StateRef, to: StateMut, dt: f64, work: &mut Workspace) {
        let first = work.age == 0;
        let ([x_old], [a]) = work.columns(at.len());
        system.accelerations(at.t, at.x, at.v, a);
        for (m, x_new, v_new, x, v, x_old, a) in
            izip!(system.masses(), to.x, to.v, at.x, at.v, x_old, a)
        {
            if first {
                *x_old = self.start.old_position(*x, *v, *a, dt);
            }
            (*x_new, *v_new) = (*x + *v * dt, *v);
            if *m != 0.0 {
                *x_new = if self.single {
                    let (x, x_old) = (x.as_vec3(), x_old.as_vec3());
                    (2.0 * x - x_old + (*a * dt * dt).as_vec3()).as_dvec3()
                } else {
                    2.0 * *x - *x_old + *a * dt * dt
                };
                *v_new = (*x_new - *x) / dt + 0.5 * *a * dt;
            }
            *x_old = *x;
        }
        work.remember_step(dt);
    }
}
