use super::integrator::{Info, Integrator};
use super::rules::{Displacement, Memory, StepRules};
use ropelab_mechanics::numerics::columns::{advance, kick_and_drift};
use ropelab_mechanics::numerics::state::{StateMut, StateRef, Workspace};
use ropelab_mechanics::numerics::system::System;

/// Velocity Verlet: Swope, Andersen, Berens and Wilson (1982), J. Chem. Phys. 76, 637; the
/// Störmer–Verlet method with the velocity at the same instant as the position.
///
/// The step drifts with the half-kicked velocity, then adds a second half kick at the new position.
/// The force of the second kick depends on the half-step velocity. The method is therefore of
/// second order for forces that depend only on x, and of first order under drag.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VelocityVerlet;

impl Integrator for VelocityVerlet {
    fn info(&self) -> Info {
        Info {
            name: "velocity-verlet",
            title: "velocity Verlet",
            order: 2,
            evaluations: 2,
            stability_limit: 2.0,
            symplectic: true,
            implicit: false,
            reference: "Swope et al. 1982, J. Chem. Phys. 76, 637",
            verdict: "no energy drift: the sensible default for springs",
        }
    }

    fn rules(&self) -> StepRules {
        StepRules::pointwise(Displacement::BY_MEAN_VELOCITY, Memory::Nothing)
    }

    fn order_under_drag(&self) -> u32 {
        1
    }

    /// ```text
    /// v½ = v + a(t, x, v) dt/2
    /// x' = x + v½ dt
    /// v' = v½ + a(t + dt, x', v½) dt/2
    /// ```
    fn step(&self, system: &dyn System, at: StateRef, to: StateMut, dt: f64, work: &mut Workspace) {
        let [v_half, a] = work.scratch(at.len());
        system.accelerations(at.t, at.x, at.v, a);
        kick_and_drift([at.x, at.v], dt / 2.0, a, dt, [to.x, v_half]);
        system.accelerations(at.t + dt, to.x, v_half, a);
        advance(v_half, dt / 2.0, a, to.v);
    }
}
