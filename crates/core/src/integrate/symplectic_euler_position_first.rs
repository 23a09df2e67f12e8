use super::integrator::{Info, Integrator};
use super::rules::{Displacement, Memory, StepRules};
use ropelab_mechanics::numerics::columns::advance;
use ropelab_mechanics::numerics::state::{StateMut, StateRef, Workspace};
use ropelab_mechanics::numerics::system::System;

/// Symplectic Euler, position first, the adjoint of [`SymplecticEuler`](super::SymplecticEuler):
/// the velocity uses the force at the new position. Hairer, Lubich and Wanner, *Geometric Numerical
/// Integration*, §VI.3.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SymplecticEulerPositionFirst;

impl Integrator for SymplecticEulerPositionFirst {
    fn info(&self) -> Info {
        Info {
            name: "symplectic-euler-position-first",
            title: "symplectic Euler, position first",
            order: 1,
            evaluations: 1,
            stability_limit: 2.0,
            symplectic: true,
            implicit: false,
            reference: "de Vogelaere 1956; Hairer, Lubich & Wanner, Geometric Numerical Integration, VI.3",
            verdict: "the mirror image of symplectic Euler: a kick shows in the position one step late",
        }
    }

    fn rules(&self) -> StepRules {
        StepRules::pointwise(Displacement::BY_OLD_VELOCITY, Memory::Nothing)
    }

    /// ```text
    /// x' = x + v dt
    /// v' = v + a(t + dt, x', v) dt
    /// ```
    fn step(&self, system: &dyn System, at: StateRef, to: StateMut, dt: f64, work: &mut Workspace) {
        let [a] = work.scratch(at.len());
        advance(at.x, dt, at.v, to.x);
        system.accelerations(at.t + dt, to.x, at.v, a);
        advance(at.v, dt, a, to.v);
    }
}
