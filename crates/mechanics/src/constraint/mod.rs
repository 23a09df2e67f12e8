//! Constraint solvers for [`Link`]s: `relaxation.rs`, `xpbd.rs`, `shake.rs`, `rattle.rs`, `direct`,
//! `soft_step.rs`, `vbd.rs`. The other files contain the lists of links, the orders of sweeps, and
//! `kernels`: the same sweeps, faster.
//!
//! A solver is a rule that is applied to one link at a time, in a [`SweepOrder`]. The rule returns
//! one vector p for the link, which moves the ends by `x_a += w_a p` and `x_b -= w_b p` (w = 1/m),
//! so it cannot violate the conservation of momentum. VBD alone visits particles, and conserves
//! momentum once it has converged.
//!
//! To add a solver, write `NAME.rs` with a struct that implements [`Solver`]. Then add its variant
//! to [`ConstraintSolver`] and its arms to the two methods there.

mod conjugate_gradients;
mod constraints;
mod direct;
mod element;
mod kernels;
mod parameter;
mod particle_stream;
mod plans;
mod rattle;
mod relaxation;
mod scalar_fallback;
mod shake;
mod soft_step;
mod solver;
mod sweep;
mod usage;
mod vbd;
mod xpbd;

pub use constraints::Constraints;
pub use direct::Direct;
pub use parameter::{Parameter, ParameterValue};
pub use particle_stream::{Loaded, MOST_PREFETCHED, ParticleStream};
pub use rattle::Rattle;
pub use relaxation::{Relaxation, Root};
pub use shake::Shake;
pub use soft_step::SoftStep;
pub use solver::{CountedMotion, Particles, Solver};
pub use sweep::SweepOrder;
pub use usage::{FreeMotion, Searched, Usage};
pub use vbd::Vbd;
pub use xpbd::Xpbd;

use crate::mesh::Link;
use crate::names::{CatalogueEntry, UnknownName, same_name};
use glam::DVec3;
use serde::{Deserialize, Serialize};
use solver::NoSolver;
use std::ops::Deref;
use strum::{EnumIter, IntoEnumIterator};

/// Constraint solvers with their parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, EnumIter)]
#[serde(deny_unknown_fields)]
pub enum ConstraintSolver {
    /// No constraints: every link is a spring.
    #[default]
    None,
    /// Correction of each link in turn to its rest length, in sweeps (Jakobsen).
    Relaxation(Relaxation),
    /// Relaxation with compliance: converges to implicit Euler with the links' stiffness.
    Xpbd(Xpbd),
    /// Corrections along the links' directions at the start of the step: the step stays symplectic.
    /// Under a load for ωh < 2, ω² = Σ F/(m l) at a knot.
    Shake(Shake),
    /// XPBD with all links of a rope or tree solved at once; on cloths a spanning tree and sweeps.
    Direct(Direct),
    /// Soft links whose stiffness is a frequency (Box2D v3), warm started. Ropes explode under
    /// explicit Euler and `SymplecticEulerPositionFirst`.
    SoftStep(SoftStep),
    /// SHAKE, then a stage that removes velocities which would change a length.
    Rattle(Rattle),
    /// Implicit Euler of the links' springs, solved particle by particle.
    Vbd(Vbd),
}

/// Result of one projection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projection {
    /// Sweeps over all links.
    pub iterations: u32,
    /// Residual of the worst link's equation, relative to its rest length: |l − L|/L, for one-sided
    /// links only the stretch; for XPBD |C + α̃λ + …|/L, which is the same at compliance 0; for VBD
    /// an estimate of what further sweeps would still change of its length. Infinite when a
    /// position is not finite.
    pub residual: f64,
    /// SHAKE and RATTLE: the tolerance was met. The others make a fixed number of sweeps; for them
    /// it only means that the residual is finite.
    pub converged: bool,
}

impl ConstraintSolver {
    /// Every solver with its default parameters, in the order of the panel.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// The solver of that name with its default parameters. Case and separators do not matter.
    pub fn from_name(name: &str) -> Result<Self, UnknownName> {
        Self::all().find(|solver| same_name(solver.info().name, name)).ok_or_else(|| {
            UnknownName::new("constraint", name, Self::all().map(|solver| solver.info().name))
        })
    }

    /// True if every link stays a spring.
    pub fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// Solver that holds all lengths to a tolerance over the rest length in at most this many
    /// sweeps: the limit of rigid links, with which others are compared.
    pub fn rigid_limit(tolerance: f64, max_iterations: u32) -> Self {
        Self::Shake(Shake { tolerance, max_iterations })
    }

    /// Leaves to links the damping of their material, in place of a damping of the solver's own.
    pub fn drop_own_damping(&mut self) {
        if let Some(solver) = self.solver_mut() {
            solver.drop_own_damping();
        }
    }

    /// Sets the most sweeps in a step.
    pub fn set_iterations(&mut self, most: u32) {
        if let Some(solver) = self.solver_mut() {
            solver.set_iterations(most);
        }
    }

    /// Parameters besides the sweeps, in the order of the panel.
    pub fn parameters(&mut self) -> Vec<Parameter<'_>> {
        self.solver_mut().map_or_else(Vec::new, |solver| solver.parameters())
    }

    fn solver_mut(&mut self) -> Option<&mut dyn Solver> {
        Some(match self {
            Self::None => return None,
            Self::Relaxation(solver) => solver,
            Self::Xpbd(solver) => solver,
            Self::Shake(solver) => solver,
            Self::Direct(solver) => solver,
            Self::SoftStep(solver) => solver,
            Self::Rattle(solver) => solver,
            Self::Vbd(solver) => solver,
        })
    }

    /// Spring to which a link is equivalent under this solver: it pulls with k (l − L) + c dl/dt.
    /// `None` for a rigid link. `w` is the sum of the inverse masses of its ends in 1/kg, `h` the
    /// substep in seconds.
    pub fn as_spring(&self, link: &Link, w: f64, h: f64) -> Option<Link> {
        if self.takes(link) { self.spring(link, w, h) } else { Some(*link) }
    }

    /// One sweep of a projection that alternates with sweeps over contacts; `turn` counts them from
    /// 0. Otherwise like [`Solver::project`]. Bends continue with the multipliers of the turn
    /// before. Links restart from 0, which makes no difference for rigid ones.
    pub fn take_turn(&self, turn: u32, c: &mut Constraints, particles: &mut Particles) {
        let mut once = *self;
        once.set_iterations(1);
        once.sweep_in_turn(turn, c, particles);
    }

    /// Projects like [`Solver::project`], and measures the remaining residual.
    pub fn project_and_look(&self, c: &mut Constraints, particles: &mut Particles) -> Projection {
        let iterations = self.project(c, particles);
        let Particles { w, start, x, .. } = particles;
        self.residual_after(c, w, start, x, iterations)
    }

    /// Residual of the constraints after `iterations` sweeps, see [`Solver::residual`].
    pub fn residual_after(
        &self,
        c: &Constraints,
        w: &[f64],
        start: &[DVec3],
        x: &[DVec3],
        iterations: u32,
    ) -> Projection {
        let residual = self.residual(c, w, start, x);
        Projection { iterations, residual, converged: self.is_met(residual, iterations) }
    }
}

/// A choice of solver delegates to it.
impl Deref for ConstraintSolver {
    type Target = dyn Solver;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::None => &NoSolver,
            Self::Relaxation(solver) => solver,
            Self::Xpbd(solver) => solver,
            Self::Shake(solver) => solver,
            Self::Direct(solver) => solver,
            Self::SoftStep(solver) => solver,
            Self::Rattle(solver) => solver,
            Self::Vbd(solver) => solver,
        }
    }
}

/// Checks an over-relaxation factor.
fn check_omega(what: &str, omega: f64) -> Result<(), String> {
    if omega > 0.0 && omega < 2.0 {
        Ok(())
    } else {
        Err(format!("omega of {what} is {omega}, must be above 0 and below 2"))
    }
}

/// Checks the tolerance of a solver, over the length of a link.
fn check_tolerance(solver: &str, tolerance: f64) -> Result<(), String> {
    if (1e-15..=0.1).contains(&tolerance) {
        Ok(())
    } else {
        Err(format!("tolerance of {solver} is {tolerance}, must be from 1e-15 to 0.1"))
    }
}

/// Checks a number of sweeps or iterations.
fn check_iterations(what: &str, iterations: u32) -> Result<(), String> {
    if (1..=100_000).contains(&iterations) {
        Ok(())
    } else {
        Err(format!("{what} is {iterations}, must be from 1 to 100000"))
    }
}
