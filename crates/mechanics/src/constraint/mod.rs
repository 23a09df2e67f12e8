//! Constraint solvers for [`Link`]s: `relaxation.rs`, `xpbd.rs`, `shake.rs`, `rattle.rs`, `direct`,
//! `soft_step.rs` and `vbd.rs`. `choice.rs` has their parameters, `sweep` the sweep orders and the
//! plain loop, `kernels` the SIMD code. The other files contain the solvers' data.
//!
//! Most solvers sweep over the links. They compute a vector p for each link and move its ends by
//! `x_a += w_a p` and `x_b -= w_b p` (w = 1/m), which conserves momentum. VBD sweeps over the
//! particles instead, and conserves momentum only at convergence.
//!
//! To add a solver, add a struct with its parameters and a variant of [`ConstraintSolver`] to
//! `choice.rs`, implement [`Solver`] in `NAME.rs`, and add an arm to the macro `chosen`.

mod choice;
mod conjugate_gradients;
mod constraints;
mod direct;
mod element;
mod kernels;
mod multiplier;
mod network;
mod parameter;
mod particles;
mod rattle;
mod relaxation;
mod shake;
mod soft_step;
mod solver;
mod solver_data;
mod sweep;
mod usage;
mod vbd;
mod xpbd;

pub use choice::{ConstraintSolver, Direct, Rattle, Relaxation, Root, Shake, SoftStep, Vbd, Xpbd};
pub use constraints::Constraints;
pub use parameter::{Parameter, ParameterValue};
pub use particles::{Loaded, MOST_PREFETCHED, ParticleAccess, Particles, Times};
pub use solver::{RequiredMotion, Solver};
pub use sweep::SweepOrder;
pub use usage::{
    CommonSettings, ComparisonSettings, Defect, FreeIntegrator, NoLoop, PlainLoop, RemedyTrial,
    RemedyTrials, SearchSettings, TrialSubsteps,
};

use crate::mesh::Link;
use crate::names::{UnknownName, same_name};
use glam::DVec3;
use solver::NoSolver;
use std::ops::Deref;
use strum::IntoEnumIterator;

/// Result of one projection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projection {
    /// Number of sweeps.
    pub iterations: u32,
    /// Largest residual of a link's equation, divided by the link's rest length L: |l − L|/L, or 0
    /// for a slack one-sided link. For XPBD it is |C + α̃λ + …|/L, which is |l − L|/L at compliance
    /// 0. For VBD it is an estimate of |l − l∞|/L, where l∞ is the length after infinitely many
    /// sweeps. Infinite if a position is not finite.
    pub residual: f64,
    /// True if the residual is within the tolerance, under SHAKE and RATTLE. Under solvers with a
    /// fixed number of sweeps, true if the residual is finite.
    pub converged: bool,
}

/// Refers to the parameters of the chosen solver, or is `$none` if every link is a spring.
macro_rules! chosen {
    ($choice:expr, $none:expr) => {
        match $choice {
            Self::None => $none,
            Self::Relaxation(solver) => solver,
            Self::Xpbd(solver) => solver,
            Self::Shake(solver) => solver,
            Self::Direct(solver) => solver,
            Self::SoftStep(solver) => solver,
            Self::Rattle(solver) => solver,
            Self::Vbd(solver) => solver,
        }
    };
}

impl ConstraintSolver {
    /// Yields all solvers with default parameters, in the order of the panel.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// Returns the solver of this name with default parameters. The comparison ignores case and
    /// separators.
    pub fn from_name(name: &str) -> Result<Self, UnknownName> {
        Self::all().find(|solver| same_name(solver.info().name, name)).ok_or_else(|| {
            UnknownName::new("constraint", name, Self::all().map(|solver| solver.info().name))
        })
    }

    /// True for the variant `None`: every link is a spring.
    pub fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// Removes the solver's own damping, so that each link has the damping of its material.
    pub fn drop_own_damping(&mut self) {
        if let Some(solver) = self.solver_mut() {
            solver.drop_own_damping();
        }
    }

    /// Returns the number of sweeps per substep, or the maximum number for a solver with a
    /// tolerance. `None` if there is no solver.
    pub fn iterations(mut self) -> Option<u32> {
        self.solver_mut()?.iterations_mut().copied()
    }

    /// Sets the number of sweeps per substep, or the maximum number for a solver with a tolerance.
    pub fn set_iterations(&mut self, most: u32) {
        if let Some(iterations) = self.solver_mut().and_then(|solver| solver.iterations_mut()) {
            *iterations = most;
        }
    }

    /// Returns all parameters except the number of sweeps, in the order of the panel.
    pub fn parameters(&mut self) -> Vec<Parameter<'_>> {
        self.solver_mut().map_or_else(Vec::new, |solver| solver.parameters())
    }

    fn solver_mut(&mut self) -> Option<&mut dyn Solver> {
        Some(chosen!(self, return None))
    }

    /// Returns the spring that is equivalent to a link under this solver; `None` for a rigid link.
    /// The force of the spring is k (l − L) + c dl/dt. `w` is the sum of the inverse masses of the
    /// link's ends in 1/kg, `h` the length of the substep in seconds.
    pub fn as_spring(&self, link: &Link, w: f64, h: f64) -> Option<Link> {
        if self.constrains(link) { self.equivalent_spring(link, w, h) } else { Some(*link) }
    }

    /// Runs one sweep over the links, between two sweeps over contacts. `number` counts these calls
    /// within a substep, from 0. Bends keep their multipliers from call to call. XPBD's links
    /// restart from λ = 0, which makes no difference for rigid links. Requires
    /// [`Solver::can_interleave_contacts`].
    pub fn sweep_links_once(&self, number: u32, c: &mut Constraints, particles: &mut Particles) {
        let mut once = *self;
        once.set_iterations(1);
        once.make_interleaved_sweep(number, c, particles);
    }

    /// Projects like [`Solver::project`], and measures the residual afterwards.
    pub fn project_and_measure(
        &self,
        c: &mut Constraints,
        particles: &mut Particles,
    ) -> Projection {
        let iterations = self.project(c, particles);
        let Particles { w, start, x, .. } = particles;
        self.residual_after(c, w, start, x, iterations)
    }

    /// Measures the residual after a projection with `iterations` sweeps, see [`Solver::residual`].
    pub fn residual_after(
        &self,
        c: &Constraints,
        w: &[f64],
        start: &[DVec3],
        x: &[DVec3],
        iterations: u32,
    ) -> Projection {
        let residual = self.residual(c, w, start, x);
        Projection { iterations, residual, converged: self.meets_tolerance(residual, iterations) }
    }
}

/// Gives access to the methods of [`Solver`] of the chosen solver.
impl Deref for ConstraintSolver {
    type Target = dyn Solver;

    fn deref(&self) -> &Self::Target {
        chosen!(self, &NoSolver)
    }
}
