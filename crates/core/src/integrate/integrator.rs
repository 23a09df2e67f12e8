//! Trait of all integrators, and their published properties.

use super::rules::StepRules;
use ropelab_mechanics::numerics::state::{StateMut, StateRef, Workspace};
use ropelab_mechanics::numerics::system::System;
use serde::Serialize;

/// Published properties of an integrator. The tests in `tests/physics/integrators/` measure each of
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Info {
    /// Name on the command line, for example `velocity-verlet`.
    pub name: &'static str,
    /// Name in the literature, for example "velocity Verlet".
    pub title: &'static str,
    /// Global order: the error at a fixed time shrinks as dt to this power.
    pub order: u32,
    /// Number of force evaluations per step, or per Newton iteration of an implicit integrator.
    pub evaluations: u32,
    /// Largest stable ωh on the undamped oscillator x″ = −ω²x: 0 = never stable, ∞ = always.
    pub stability_limit: f64,
    /// True if the integrator preserves the symplectic form. Energy then does not drift in a stable
    /// run.
    pub symplectic: bool,
    /// True if each step needs a nonlinear solve.
    pub implicit: bool,
    /// Source in the literature: authors, year and title.
    pub reference: &'static str,
    /// One sentence for a tooltip: the behaviour to expect.
    pub verdict: &'static str,
}

/// An integrator of x″ = a(t, x, x′). It computes one step from the last state and its own memory
/// of earlier steps.
///
/// Pinned particles (mass 0) have zero acceleration and move linearly at their velocity. Then the
/// caller sets their exact positions.
pub trait Integrator: Sync {
    /// Returns the published properties, which may depend on the integrator's parameters.
    fn info(&self) -> Info;

    /// Returns the rules that determine the other stages of a substep.
    fn rules(&self) -> StepRules;

    /// Steps the particles from the state `at` to the state `to`, `dt` seconds later. Allocates
    /// memory only in the first step.
    fn step(&self, system: &dyn System, at: StateRef, to: StateMut, dt: f64, work: &mut Workspace);

    /// Returns the global order under forces that depend on velocity, such as drag and dampers. A
    /// test measures it for every integrator.
    fn order_under_drag(&self) -> u32 {
        self.info().order
    }
}
