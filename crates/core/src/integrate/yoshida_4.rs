use super::integrator::{Info, Integrator};
use super::rules::{Displacement, Memory, StepRules};
use ropelab_mechanics::numerics::columns::axpy;
use ropelab_mechanics::numerics::state::{StateMut, StateRef, Workspace};
use ropelab_mechanics::numerics::system::System;

/// Length of the first and third of three Verlet steps, 1/(2 − ∛2), as a fraction of the step.
const OUTER: f64 = 1.351_207_191_959_657_6;
/// Length of the middle step, −∛2/(2 − ∛2) of the step: it is negative, that is, backwards in time.
const MIDDLE: f64 = 1.0 - 2.0 * OUTER;

/// Yoshida's fourth-order symplectic method, three drift-kick-drift Verlet steps: E. Forest and R.
/// D. Ruth (1990), Physica D 43, 105; H. Yoshida (1990), Phys. Lett. A 150, 262.
///
/// Forces that depend on velocity are evaluated at the velocity before the kick, so the order under
/// drag is 1. The middle step is backwards in time, so drag *adds* energy there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Yoshida4;

impl Integrator for Yoshida4 {
    fn info(&self) -> Info {
        Info {
            name: "yoshida-4",
            title: "Yoshida 4",
            order: 4,
            evaluations: 3,
            stability_limit: 1.573_401_947_435,
            symplectic: true,
            implicit: false,
            reference: "Forest & Ruth 1990, Physica D 43, 105; Yoshida 1990, Phys. Lett. A 150, 262",
            verdict: "no energy drift; unsuited to drag, because its middle step runs backwards",
        }
    }

    fn rules(&self) -> StepRules {
        StepRules::pointwise(Displacement::BY_MEAN_VELOCITY, Memory::Nothing)
    }

    fn order_under_drag(&self) -> u32 {
        1
    }

    /// Repeats three lines with w = w₁, w₀, w₁, where w₁ = 1/(2 − ∛2) and w₀ = 1 − 2w₁:
    /// ```text
    /// x ← x + v w dt/2;   t ← t + w dt/2
    /// v ← v + a(t, x, v) w dt
    /// x ← x + v w dt/2;   t ← t + w dt/2
    /// ```
    fn step(&self, system: &dyn System, at: StateRef, to: StateMut, dt: f64, work: &mut Workspace) {
        let [a] = work.scratch(at.len());
        let StateMut { x, v } = to;
        x.copy_from_slice(at.x);
        v.copy_from_slice(at.v);
        let mut t = at.t;
        for w in [OUTER, MIDDLE, OUTER] {
            let half = w * dt / 2.0;
            axpy(half, v, x);
            system.accelerations(t + half, x, v, a);
            axpy(w * dt, a, v);
            axpy(half, v, x);
            t += w * dt;
        }
    }
}
