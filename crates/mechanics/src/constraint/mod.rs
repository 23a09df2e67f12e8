//! Constraint solvers for [`Link`]s: `relaxation.rs`, `xpbd.rs`, `shake.rs`, `rattle.rs`, `direct`,
//! `soft_step.rs`, `vbd.rs`. The other files contain the lists of links, the orders of sweeps, and
//! `kernels`: the same sweeps, faster.
//!
//! A solver is a rule that is applied to one link at a time, in a [`SweepOrder`]. The rule returns
//! one vector p for the link, which moves the ends by `x_a += w_a p` and `x_b -= w_b p` (w = 1/m),
//! so it cannot violate the conservation of momentum. VBD alone visits particles, and conserves
//! momentum once it has converged.
//!
//! To add a solver, write `NAME.rs`. Then add its variant to [`ConstraintSolver`], its arms to the
//! methods there, and its parameters to `app/panel/link_parameters/links.rs`; the compiler reports
//! each missing place.

mod conjugate_gradients;
mod constraints;
mod direct;
mod element;
mod kernels;
mod particle_stream;
mod rattle;
mod relaxation;
mod scalar_fallback;
mod shake;
mod soft_step;
mod sweep;
mod vbd;
mod xpbd;

pub use constraints::Constraints;
pub use direct::Direct;
pub use particle_stream::{Loaded, MOST_PREFETCHED, ParticleStream};
pub use rattle::Rattle;
pub use relaxation::{Relaxation, Root};
pub use shake::Shake;
pub use soft_step::SoftStep;
pub use sweep::SweepOrder;
pub use vbd::Vbd;
pub use xpbd::Xpbd;

use crate::mesh::{Link, LinkKind};
use crate::names::{UnknownName, same_name};
use glam::DVec3;
use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator};

/// The list of constraint solvers, with their parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, EnumIter)]
#[serde(deny_unknown_fields)]
pub enum ConstraintSolver {
    /// No constraints: every link is a spring.
    #[default]
    None,
    /// Corrects each link in turn to its length.
    Relaxation(Relaxation),
    /// Relaxation with compliance: the stiffness of the link, whatever the number of sweeps.
    Xpbd(Xpbd),
    /// Corrections along the links' directions at the start of the step.
    Shake(Shake),
    /// All links of a rope or tree at once.
    Direct(Direct),
    /// Soft links in hertz, from the impulses of the substep before.
    SoftStep(SoftStep),
    /// SHAKE, and velocities that obey the links.
    Rattle(Rattle),
    /// Implicit Euler of the links' springs, particle by particle.
    Vbd(Vbd),
}

/// Facts about a solver that hold before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SolverInfo {
    /// Name on the command line: `xpbd`.
    pub name: &'static str,
    /// Name in the literature.
    pub title: &'static str,
    /// Authors and publication.
    pub reference: &'static str,
    /// One sentence for a tooltip: what to expect of it.
    pub verdict: &'static str,
}

/// Effect of a force within its own substep, on which a solver counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedMotion {
    /// All of the displacement, in this substep or the next.
    Positions,
    /// All of the displacement in this substep, since velocities are projected after it.
    PositionsAndVelocities,
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
    /// SHAKE and RATTLE: the tolerance was met. The others make a fixed number of sweeps and say
    /// here only that the residual is finite.
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

    /// True if a projection has a tolerance to meet. The others make a fixed number of sweeps.
    pub fn has_tolerance(&self) -> bool {
        matches!(self, Self::Shake(_) | Self::Rattle(_))
    }

    /// True if too few sweeps leave links softer than their material: then a residual above that of
    /// the settings counts as unconverged.
    pub fn softens_by_residual(&self) -> bool {
        matches!(self, Self::Xpbd(_) | Self::Vbd(_))
    }

    /// Most sweeps in a step; there are none without a solver.
    pub fn iterations(&self) -> Option<u32> {
        match self {
            Self::None => None,
            Self::Relaxation(Relaxation { iterations, .. })
            | Self::Xpbd(Xpbd { iterations, .. })
            | Self::Shake(Shake { max_iterations: iterations, .. })
            | Self::Rattle(Rattle { max_iterations: iterations, .. })
            | Self::Direct(Direct { iterations })
            | Self::SoftStep(SoftStep { iterations, .. })
            | Self::Vbd(Vbd { iterations }) => Some(*iterations),
        }
    }

    /// Sets the most sweeps in a step.
    pub fn set_iterations(&mut self, most: u32) {
        match self {
            Self::None => {}
            Self::Relaxation(Relaxation { iterations, .. })
            | Self::Xpbd(Xpbd { iterations, .. })
            | Self::Shake(Shake { max_iterations: iterations, .. })
            | Self::Rattle(Rattle { max_iterations: iterations, .. })
            | Self::Direct(Direct { iterations })
            | Self::SoftStep(SoftStep { iterations, .. })
            | Self::Vbd(Vbd { iterations }) => *iterations = most,
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
            Self::Direct(_) => direct::INFO,
            Self::SoftStep(_) => soft_step::INFO,
            Self::Rattle(_) => rattle::INFO,
            Self::Vbd(_) => vbd::INFO,
        }
    }

    /// Whether a link becomes a constraint; the others stay springs. Relaxation, SHAKE and a Soft
    /// Step of one frequency leave bend links to the springs: as rigid constraints they would make
    /// the rope a stick.
    pub fn takes(&self, link: &Link) -> bool {
        match self {
            Self::None => false,
            Self::Relaxation(_) | Self::Shake(_) | Self::Rattle(_) => link.kind != LinkKind::Bend,
            Self::Xpbd(_) | Self::Direct(_) | Self::Vbd(_) => true,
            Self::SoftStep(solver) => solver.hertz.is_none() || link.kind != LinkKind::Bend,
        }
    }

    /// Whether bends become constraints; otherwise they stay a force. Relaxation and SHAKE have no
    /// compliance and would make every rope a stick.
    pub fn takes_bends(&self) -> bool {
        matches!(self, Self::Xpbd(_) | Self::Vbd(_))
    }

    /// Spring to which a link is equivalent under this solver: it pulls with k (l − L) + c dl/dt.
    /// `None` for a link that is held at its length. `w` is the sum of the inverse masses of its
    /// ends in 1/kg, `h` the substep in seconds.
    pub fn as_spring(&self, link: &Link, w: f64, h: f64) -> Option<Link> {
        match self {
            _ if !self.takes(link) => Some(*link),
            Self::Xpbd(_) | Self::Direct(_) => (!link.rigid).then_some(*link),
            Self::SoftStep(solver) => Some(solver.spring(link, w, h)),
            Self::Vbd(_) => Some(Link { rigid: false, ..*link }),
            Self::None | Self::Relaxation(_) | Self::Shake(_) | Self::Rattle(_) => None,
        }
    }

    /// True if the damper of a link is part of the solver. It acts within implicit substeps and the
    /// relax pass, so its power is not force times speed.
    pub fn damps_by_itself(&self, link: &Link) -> bool {
        match self {
            Self::SoftStep(solver) => self.takes(link) && (solver.hertz.is_some() || link.rigid),
            _ => false,
        }
    }

    /// True if the stiffness of links differs from that of their material, depending on masses and
    /// step.
    pub fn has_own_stiffness(&self) -> bool {
        matches!(self, Self::SoftStep(_))
    }

    /// Motion within a substep that the solver counts on so as to keep the energy; `None` if it
    /// takes energy out and counts on nothing.
    pub fn counts_on(&self) -> Option<CountedMotion> {
        match self {
            Self::Shake(_) => Some(CountedMotion::Positions),
            Self::SoftStep(_) | Self::Rattle(_) => Some(CountedMotion::PositionsAndVelocities),
            Self::None | Self::Relaxation(_) | Self::Xpbd(_) | Self::Direct(_) | Self::Vbd(_) => {
                None
            }
        }
    }

    /// Clause that says which limit of the solver changes its parameters in substeps of `h`
    /// seconds, and to what; `None` if no limit has an effect. `w` are the inverse masses of all
    /// particles.
    pub fn limit(&self, h: f64, links: impl Iterator<Item = Link>, w: &[f64]) -> Option<String> {
        match self {
            Self::SoftStep(solver) => solver.limit(h, links, w),
            _ => None,
        }
    }

    /// Whether a projection can be cut into turns that alternate with those of contacts, see
    /// [`Self::take_turn`]. XPBD on compliant links, SHAKE and VBD need an uninterrupted
    /// projection.
    pub fn takes_turns(&self, c: &Constraints) -> bool {
        match self {
            Self::Relaxation(_) | Self::Direct(_) | Self::SoftStep(_) => true,
            Self::Xpbd(_) => c.links().all(|link| link.rigid),
            Self::None | Self::Shake(_) | Self::Rattle(_) | Self::Vbd(_) => false,
        }
    }

    /// Remedy where a link is overstretched.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::None => "a stiffer material helps",
            Self::Relaxation(_) | Self::Xpbd(_) | Self::Vbd(_) => {
                "more sweeps, more substeps or a direct solver help"
            }
            Self::Shake(_) | Self::Rattle(_) => "shorter steps or more sweeps help",
            Self::Direct(_) => "more substeps or a stiffer material help",
            Self::SoftStep(_) => "more substeps, more hertz or a direct solver help",
        }
    }

    /// Checks the ranges of all parameters. The error names the wrong one in one sentence.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::None => Ok(()),
            Self::Relaxation(solver) => solver.check(),
            Self::Xpbd(solver) => solver.check(),
            Self::Shake(solver) => solver.check(),
            Self::Direct(solver) => solver.check(),
            Self::SoftStep(solver) => solver.check(),
            Self::Rattle(solver) => solver.check(),
            Self::Vbd(solver) => solver.check(),
        }
    }

    /// Makes the lists that this solver needs, if they are missing. Otherwise the first projection
    /// makes them.
    pub fn prepare(&self, c: &mut Constraints) {
        match self {
            Self::None | Self::Shake(_) => {}
            Self::Relaxation(solver) => c.prepare(solver.order),
            Self::Xpbd(solver) => solver.prepare(c),
            Self::Rattle(_) if c.is_net() => {
                c.net_plan();
            }
            Self::Direct(_) | Self::Rattle(_) => {
                c.direct_plan();
            }
            Self::SoftStep(_) => {
                c.soft_plan();
            }
            Self::Vbd(_) => {
                c.elements();
            }
        }
    }

    /// Moves `x` towards the constraints. Returns the number of sweeps.
    ///
    /// `w` are inverse masses in 1/kg, 0 for a pinned particle, which is not moved; `start` are
    /// the positions at the start of the (sub)step, `h` is its length in seconds, positive. All
    /// slices have one entry a particle. Allocates nothing after the first time.
    pub fn project(
        &self,
        c: &mut Constraints,
        w: &[f64],
        start: &[DVec3],
        x: &mut [DVec3],
        h: f64,
    ) -> u32 {
        self.prepare(c);
        match self {
            Self::None => 0,
            Self::Relaxation(solver) => solver.project(c, w, start, x),
            Self::Xpbd(solver) => solver.project(c, w, start, x, h),
            Self::Shake(solver) => solver.project(c, w, start, x),
            Self::Direct(solver) => solver.project(c, w, start, x, h),
            Self::SoftStep(solver) => solver.project(c, w, start, x, h),
            Self::Rattle(solver) => solver.shake().project(c, w, start, x),
            Self::Vbd(solver) => solver.project(c, w, start, x, h),
        }
    }

    /// One sweep of a projection that alternates with sweeps over contacts; `turn` counts them from
    /// 0. Otherwise like [`Self::project`]. Bends continue with the multipliers of the turn before.
    /// Links restart from 0, which makes no difference for rigid ones.
    pub fn take_turn(
        &self,
        turn: u32,
        c: &mut Constraints,
        w: &[f64],
        start: &[DVec3],
        x: &mut [DVec3],
        h: f64,
    ) {
        let mut once = *self;
        once.set_iterations(1);
        match once {
            Self::Xpbd(solver) if turn > 0 => {
                solver.go_on(c, w, start, x, h);
            }
            Self::Direct(solver) if turn > 0 => {
                solver.go_on(c, w, start, x);
            }
            Self::SoftStep(solver) if turn > 0 => {
                solver.go_on(c, w, start, x, h);
            }
            Self::Shake(solver) => {
                solver.sweep(c, w, start, x);
            }
            Self::Rattle(solver) => {
                solver.shake().sweep(c, w, start, x);
            }
            _ => {
                once.project(c, w, start, x, h);
            }
        }
    }

    /// True if a velocity stage follows once positions have moved, see [`Self::project_velocities`].
    pub fn has_velocity_stage(&self) -> bool {
        matches!(self, Self::SoftStep(SoftStep { relax: 1.., .. }) | Self::Rattle(_))
    }

    /// Makes the velocity stage, after [`Self::project`] in the same substep of `h` seconds:
    /// removes the velocities that only corrected positions. `x` are the positions at the end, `v`
    /// the velocities of the motion in m/s.
    pub fn project_velocities(
        &self,
        c: &mut Constraints,
        w: &[f64],
        x: &[DVec3],
        v: &mut [DVec3],
        h: f64,
    ) {
        match self {
            Self::SoftStep(solver) => solver.relax(c, (w, h), x, v),
            Self::Rattle(solver) => solver.project_velocities(c, w, x, v),
            _ => {}
        }
    }

    /// True if kernels that take particles row by row hold all links, so that
    /// [`Self::project_stream`] gives the bits of [`Self::project`].
    pub fn streams(&self, c: &mut Constraints) -> bool {
        self.prepare(c);
        match self {
            Self::None
            | Self::Shake(_)
            | Self::Direct(_)
            | Self::SoftStep(_)
            | Self::Rattle(_)
            | Self::Vbd(_) => false,
            Self::Relaxation(solver) => c.streams(solver.order),
            Self::Xpbd(solver) => c.streams(solver.order),
        }
    }

    /// Projects like [`Self::project`] particles that are loaded and stored row by row, in each of
    /// the stream's substeps of `h` seconds. Requires [`Self::streams`].
    pub fn project_stream(
        &self,
        c: &mut Constraints,
        w: &[f64],
        stream: &mut dyn ParticleStream,
        h: f64,
    ) -> u32 {
        let sweeps = match self {
            Self::None
            | Self::Shake(_)
            | Self::Direct(_)
            | Self::SoftStep(_)
            | Self::Rattle(_)
            | Self::Vbd(_) => return 0,
            Self::Relaxation(solver) => solver.sweeps(w),
            Self::Xpbd(solver) => solver.sweeps(c, w, h),
        };
        c.stream(sweeps, stream);
        sweeps.iterations
    }

    /// Projects like [`Self::project`], and measures the remaining residual.
    pub fn project_and_look(
        &self,
        c: &mut Constraints,
        w: &[f64],
        start: &[DVec3],
        x: &mut [DVec3],
        h: f64,
    ) -> Projection {
        let iterations = self.project(c, w, start, x, h);
        self.residual_after(c, w, start, x, iterations)
    }

    /// Residual of the constraints after `iterations` sweeps. Measuring costs as much as a sweep,
    /// so a simulation measures it only on demand.
    pub fn residual_after(
        &self,
        c: &Constraints,
        w: &[f64],
        start: &[DVec3],
        x: &[DVec3],
        iterations: u32,
    ) -> Projection {
        let residual = match self {
            Self::None => 0.0,
            Self::Relaxation(_) | Self::Shake(_) | Self::SoftStep(_) | Self::Rattle(_) => {
                c.residual(w, x)
            }
            Self::Xpbd(_) | Self::Direct(_) => xpbd::residual(c, w, start, x),
            Self::Vbd(_) => c.left_by_blocks(w, x),
        };
        let converged = match self {
            Self::Shake(solver) => solver.is_met(residual, iterations),
            Self::Rattle(solver) => solver.shake().is_met(residual, iterations),
            _ => residual.is_finite(),
        };
        Projection { iterations, residual, converged }
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

/// Checks a number of sweeps or iterations.
fn check_iterations(what: &str, iterations: u32) -> Result<(), String> {
    if (1..=100_000).contains(&iterations) {
        Ok(())
    } else {
        Err(format!("{what} is {iterations}, must be from 1 to 100000"))
    }
}
