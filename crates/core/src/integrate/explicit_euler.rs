use super::integrator::{Info, Integrator};
use super::rules::{Displacement, Memory, StepRules};
use ropelab_mechanics::numerics::columns::advance;
use ropelab_mechanics::numerics::state::{StateMut, StateRef, Workspace};
use ropelab_mechanics::numerics::system::System;

/// Explicit (forward) Euler: L. Euler, *Institutionum calculi integralis* (1768), §650. Position
/// and velocity are both updated from the state at the start of the step. The amplitude of an
/// undamped oscillation of angular frequency ω therefore grows by the factor √(1 + (ωh)²) in each
/// step h.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExplicitEuler;

impl Integrator for ExplicitEuler {
    fn info(&self) -> Info {
        Info {
            name: "explicit-euler",
            title: "explicit Euler",
            order: 1,
            evaluations: 1,
            stability_limit: 0.0,
            symplectic: false,
            implicit: false,
            reference: "Euler 1768, Institutionum calculi integralis",
            verdict: "gains energy at every step size: the most common reason why a rope explodes",
        }
    }

    fn rules(&self) -> StepRules {
        StepRules::pointwise(Displacement::BY_OLD_VELOCITY, Memory::Nothing)
    }

    /// ```text
    /// x' = x + v dt
    /// v' = v + a(t, x, v) dt
    /// ```
    fn step(&self, system: &dyn System, at: StateRef, to: StateMut, dt: f64, work: &mut Workspace) {
        let [a] = work.scratch(at.len());
        system.accelerations(at.t, at.x, at.v, a);
        advance(at.x, dt, at.v, to.x);
        advance(at.v, dt, a, to.v);
    }
}
