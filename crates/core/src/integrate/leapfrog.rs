use super::integrator::{Info, Integrator};
use super::rules::{Displacement, Memory, StepRules};
use ropelab_mechanics::numerics::columns::{advance, kick_and_drift};
use ropelab_mechanics::numerics::state::{StateMut, StateRef, Workspace};
use ropelab_mechanics::numerics::system::System;

/// Leapfrog in kick-drift-kick form: R. W. Hockney and J. W. Eastwood (1981), *Computer
/// Simulation Using Particles*; Quinn et al. (1997), arXiv:astro-ph/9710043, for the predicted
/// velocity.
///
/// For forces that depend on x alone it equals [`VelocityVerlet`](super::VelocityVerlet) to the
/// last bit. Under drag it stays second order: the force of the second kick depends on the velocity
/// predicted for the end of the step, not on the half-step velocity as in velocity Verlet.
///
/// The textbooks reuse the acceleration of the last kick for the first kick of the next step, at
/// one evaluation per step. Here constraints and the hand (the user's mouse) move particles between
/// steps, so this acceleration would be out of date. Each kick therefore evaluates the force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leapfrog;

impl Integrator for Leapfrog {
    fn info(&self) -> Info {
        Info {
            name: "leapfrog",
            title: "leapfrog",
            order: 2,
            evaluations: 2,
            stability_limit: 2.0,
            symplectic: true,
            implicit: false,
            reference: "Hockney & Eastwood 1981, Computer Simulation Using Particles",
            verdict: "velocity Verlet that keeps its second order when there is drag",
        }
    }

    fn rules(&self) -> StepRules {
        StepRules::pointwise(Displacement::BY_MEAN_VELOCITY, Memory::Nothing)
    }

    /// ```text
    /// v½ = v + a(t, x, v) dt/2
    /// x' = x + v½ dt
    /// v' = v½ + a(t + dt, x', v + a dt) dt/2
    /// ```
    fn step(&self, system: &dyn System, at: StateRef, to: StateMut, dt: f64, work: &mut Workspace) {
        let [a, predicted, v_half] = work.scratch(at.len());
        system.accelerations(at.t, at.x, at.v, a);
        advance(at.v, dt, a, predicted);
        kick_and_drift([at.x, at.v], dt / 2.0, a, dt, [to.x, v_half]);
        system.accelerations(at.t + dt, to.x, predicted, a);
        advance(v_half, dt / 2.0, a, to.v);
    }
}
