//! The constraint solvers over one kind of data, [`Link`]s: `relaxation.rs`, `xpbd.rs`, `shake.rs`.
//! The other files are what links look like, in which order they are visited, and `fast`.
//!
//! A solver is a rule for one link, visited again and again in a [`SweepOrder`]. Every rule answers
//! with one vector p per link, which moves the ends by `x_a += w_a p` and `x_b -= w_b p`
//! (w = 1/m): momentum is conserved because there is no other way to answer.
//!
//! Adding one: write `NAME.rs`, then add its variant to [`ConstraintSolver`], its arms to the methods
//! there that name the others, and what can be set of it to `app/panel/links.rs`; the compiler asks
//! for each.

pub(crate) mod body;
mod coloring;
mod constraints;
mod fast;
mod levels;
mod links;
mod loose;
mod passage;
mod relaxation;
mod ride;
mod shake;
mod sweep;
mod xpbd;

pub use coloring::colour_classes;
pub use constraints::Constraints;
pub use links::Links;
pub use passage::{Arrived, InPlace, MOST_AHEAD, Passage};
pub use relaxation::{Relaxation, Root};
pub use ride::{Lay, MOST_RIDING, Order, Packed, Ride, Riding};
pub use shake::Shake;
pub use sweep::SweepOrder;
pub use xpbd::Xpbd;

use crate::name::{UnknownName, same_name};
use glam::DVec3;
use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator};

/// What a link is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter)]
pub enum LinkKind {
    /// Holds neighbours together.
    Structural,
    /// Diagonal of a cloth cell.
    Shear,
    /// Next neighbours: resists folding.
    Bend,
}

/// Two particles that want to stay `rest` metres apart: a spring or a constraint, as the
/// settings say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// One end.
    pub a: u32,
    /// The other end.
    pub b: u32,
    /// Rest length in metres, positive. NaN once the link is cut: no solver can say then that it is
    /// too long or too short, and leaves it alone.
    pub rest: f64,
    /// Stiffness in N/m, positive. Its inverse is the compliance of XPBD, unless `rigid`.
    pub stiffness: f64,
    /// Damping along the link in N·s/m.
    pub damping: f64,
    /// What it is for.
    pub kind: LinkKind,
    /// Resists stretch only, like a rope.
    pub one_sided: bool,
    /// As a constraint, compliance 0. As a spring it still has `stiffness`.
    pub rigid: bool,
}

impl Link {
    /// Whether it was cut, and holds nothing any more.
    pub fn is_cut(&self) -> bool {
        self.rest.is_nan()
    }
}

/// The list of constraint solvers, with their parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, EnumIter)]
#[serde(deny_unknown_fields)]
pub enum ConstraintSolver {
    /// No constraints: every link is a spring.
    #[default]
    None,
    /// Each link in turn is put back to its length.
    Relaxation(Relaxation),
    /// Relaxation that knows compliance: as stiff as the link says, however many sweeps.
    Xpbd(Xpbd),
    /// Corrections along the links' directions at the start of the step.
    Shake(Shake),
}

/// What is known about a solver before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SolverInfo {
    /// Name on the command line: `xpbd`.
    pub name: &'static str,
    /// Name in the literature.
    pub title: &'static str,
    /// Who wrote it down, and where.
    pub reference: &'static str,
    /// One sentence for a tooltip: what to expect of it.
    pub verdict: &'static str,
}

/// What one call of [`ConstraintSolver::project`] did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projection {
    /// Sweeps over all links.
    pub iterations: u32,
    /// What is left of the worst link's equation, relative to its rest length: |l − L|/L, for
    /// one-sided links only the stretch; for XPBD |C + α̃λ + …|/L, which is the same at
    /// compliance 0. Infinite when a position is not finite.
    pub residual: f64,
    /// SHAKE: the tolerance was met. The others make a fixed number of sweeps and say here only
    /// that the residual is finite.
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

    /// Whether every link stays a spring.
    pub fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// Whether a projection has a tolerance to meet. The others make a fixed number of sweeps.
    pub fn has_tolerance(&self) -> bool {
        matches!(self, Self::Shake(_))
    }

    /// Most sweeps in a step; there are none without a solver.
    pub fn iterations(&self) -> Option<u32> {
        match self {
            Self::None => None,
            Self::Relaxation(Relaxation { iterations, .. })
            | Self::Xpbd(Xpbd { iterations, .. })
            | Self::Shake(Shake { max_iterations: iterations, .. }) => Some(*iterations),
        }
    }

    /// Sets the most sweeps in a step.
    pub fn set_iterations(&mut self, most: u32) {
        match self {
            Self::None => {}
            Self::Relaxation(Relaxation { iterations, .. })
            | Self::Xpbd(Xpbd { iterations, .. })
            | Self::Shake(Shake { max_iterations: iterations, .. }) => *iterations = most,
        }
    }

    /// Names, reference and verdict.
    pub fn info(&self) -> SolverInfo {
        match self {
            Self::None => SolverInfo {
                name: "none",
                title: "no constraints",
                reference: "Provot 1995, Deformation constraints in a mass-spring model",
                verdict: "every link is a spring: the integrator alone decides",
            },
            Self::Relaxation(_) => relaxation::INFO,
            Self::Xpbd(_) => xpbd::INFO,
            Self::Shake(_) => shake::INFO,
        }
    }

    /// Whether a link becomes a constraint; the others stay springs. Relaxation and SHAKE leave
    /// bend links to the springs: as rigid rods they would freeze a rope into a stick.
    pub fn takes(&self, link: &Link) -> bool {
        match self {
            Self::None => false,
            Self::Relaxation(_) | Self::Shake(_) => link.kind != LinkKind::Bend,
            Self::Xpbd(_) => true,
        }
    }

    /// Says in one sentence which parameter makes no sense.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::None => Ok(()),
            Self::Relaxation(solver) => solver.check(),
            Self::Xpbd(solver) => solver.check(),
            Self::Shake(solver) => solver.check(),
        }
    }

    /// Makes the lists that this solver needs, unless they are there. Without it the first
    /// projection does so.
    pub fn prepare(&self, c: &mut Constraints) {
        match self {
            Self::None | Self::Shake(_) => {}
            Self::Relaxation(solver) => c.prepare(solver.order),
            Self::Xpbd(solver) => solver.prepare(c),
        }
    }

    /// Moves `x` towards the constraints and looks at what is left of them.
    ///
    /// `w` are inverse masses in 1/kg, 0 for a pinned particle, which is not moved; `start` are
    /// the positions at the start of the step, `dt` is its length in seconds, positive. All
    /// slices have one entry a particle. Allocates nothing after the first time.
    pub fn project(
        &self,
        c: &mut Constraints,
        w: &[f64],
        start: &[DVec3],
        x: &mut [DVec3],
        dt: f64,
    ) -> Projection {
        let iterations = self.sweep(c, w, &mut InPlace::new(x, start), dt);
        self.look(c, w, start, x, iterations)
    }

    /// The first half of [`Self::project`]: moves particles on their way, and answers with the
    /// number of sweeps.
    pub fn sweep(&self, c: &mut Constraints, w: &[f64], passage: &mut dyn Passage, dt: f64) -> u32 {
        self.prepare(c);
        match self {
            Self::None => 0,
            Self::Relaxation(solver) => solver.sweep(c, w, passage),
            Self::Xpbd(solver) => solver.sweep(c, w, passage, dt),
            Self::Shake(solver) => solver.sweep(c, w, passage),
        }
    }

    /// The second half of [`Self::project`]: what so many sweeps have left. It costs as much as
    /// a sweep, so a simulation asks only when somebody wants to know.
    pub fn look(
        &self,
        c: &Constraints,
        w: &[f64],
        start: &[DVec3],
        x: &[DVec3],
        iterations: u32,
    ) -> Projection {
        let residual = match self {
            Self::None => 0.0,
            Self::Relaxation(_) | Self::Shake(_) => c.residual(w, x),
            Self::Xpbd(_) => xpbd::residual(c, w, start, x),
        };
        let converged = match self {
            Self::Shake(solver) => solver.is_met(residual),
            _ => residual.is_finite(),
        };
        Projection { iterations, residual, converged }
    }
}

/// Sweeps or iterations that a setting may ask for.
fn check_iterations(what: &str, iterations: u32) -> Result<(), String> {
    if (1..=100_000).contains(&iterations) {
        Ok(())
    } else {
        Err(format!("{what} is {iterations}, must be from 1 to 100000"))
    }
}
