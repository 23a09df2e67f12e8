use super::integrator::{Info, Integrator};
use super::rules::{Displacement, Memory, StepRules};
use ropelab_mechanics::numerics::columns::kick_and_drift;
use ropelab_mechanics::numerics::state::{StateMut, StateRef, Workspace};
use ropelab_mechanics::numerics::system::System;

/// Symplectic (semi-implicit) Euler: R. de Vogelaere (1956), Notre Dame report 4; studied in
/// Hairer, Lubich and Wanner, *Geometric Numerical Integration*, §VI.3. The position uses the new
/// velocity. On the oscillator x″ = −ω²x the method keeps v² + ω²x² − hω²xv exactly.
///
/// Viscous damping with the ratio ζ shrinks the stability limit to ωh < 2(√(1 + ζ²) − ζ).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SymplecticEuler;

impl Integrator for SymplecticEuler {
    fn info(&self) -> Info {
        Info {
            name: "symplectic-euler",
            title: "symplectic Euler",
            order: 1,
            evaluations: 1,
            stability_limit: 2.0,
            symplectic: true,
            implicit: false,
            reference: "de Vogelaere 1956; Hairer, Lubich & Wanner, Geometric Numerical Integration, VI.3",
            verdict: "one line away from explicit Euler and stable: what most games use",
        }
    }

    fn rules(&self) -> StepRules {
        StepRules::pointwise(Displacement::BY_NEW_VELOCITY, Memory::Nothing)
    }

    /// ```text
    /// v' = v + a(t, x, v) dt
    /// x' = x + v' dt
    /// ```
    fn step(&self, system: &dyn System, at: StateRef, to: StateMut, dt: f64, work: &mut Workspace) {
        let [a] = work.scratch(at.len());
        system.accelerations(at.t, at.x, at.v, a);
        kick_and_drift([at.x, at.v], dt, a, dt, [to.x, to.v]);
    }
}
