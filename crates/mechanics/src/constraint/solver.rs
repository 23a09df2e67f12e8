//! The trait of a constraint solver.

use super::{Constraints, FreeMotion, Parameter, ParticleStream, Searched, Usage};
use crate::mesh::Link;
use glam::DVec3;
use serde::Serialize;

/// Facts about a solver that are known before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SolverInfo {
    /// Name on the command line: `xpbd`.
    pub name: &'static str,
    /// Name in the literature.
    pub title: &'static str,
    /// Authors and publication.
    pub reference: &'static str,
    /// One sentence for a tooltip: the behaviour to expect.
    pub verdict: &'static str,
}

/// Effect of a force within its own substep, on which a solver counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedMotion {
    /// The whole displacement, in this substep or the next.
    Positions,
    /// The whole displacement in this substep, since velocities are projected after it.
    PositionsAndVelocities,
}

/// A constraint solver: everything that the rest of the program knows of it.
///
/// Every solver must implement the methods without a body. The defaults of the others fit most
/// solvers.
pub trait Solver {
    /// Names, reference and verdict.
    fn info(&self) -> SolverInfo;

    /// Checks the ranges of all parameters. The error names the wrong one in one sentence.
    fn check(&self) -> Result<(), String>;

    /// Most sweeps in a step; there are none without a solver.
    fn iterations(&self) -> Option<u32>;

    /// Sets the most sweeps in a step.
    fn set_iterations(&mut self, most: u32);

    /// Leaves to links the damping of their material, if the solver has one of its own.
    fn drop_own_damping(&mut self) {}

    /// True if lengths are found without a root.
    fn is_root_free(&self) -> bool {
        false
    }

    /// Parameters besides the sweeps, in the order of the panel.
    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        Vec::new()
    }

    /// True if a projection has a tolerance to meet. The others make a fixed number of sweeps.
    fn has_tolerance(&self) -> bool {
        false
    }

    /// True if too few sweeps leave links softer than their material: then a residual above that of
    /// the settings counts as unconverged.
    fn softens_by_residual(&self) -> bool {
        false
    }

    /// Whether a link becomes a constraint; the others stay springs. Relaxation, SHAKE and a Soft
    /// Step of one frequency leave bend links to the springs: as rigid constraints they would make
    /// the rope a stick.
    fn takes(&self, link: &Link) -> bool;

    /// True if bends become constraints; otherwise they stay a force. Relaxation and SHAKE have no
    /// compliance and would make every rope a stick.
    fn takes_bends(&self) -> bool {
        false
    }

    /// Spring to which a link is equivalent that the solver takes: it pulls with k (l − L) + c
    /// dl/dt. `None` for a rigid link. `w` is the sum of the inverse masses of its ends in 1/kg,
    /// `h` the substep in seconds.
    fn spring(&self, link: &Link, w: f64, h: f64) -> Option<Link>;

    /// True if the damper of a link is part of the solver. It acts within implicit substeps and the
    /// relax pass, so its power is not force times speed.
    fn damps_by_itself(&self, _link: &Link) -> bool {
        false
    }

    /// True if the constraints keep the multipliers of the last projection.
    fn keeps_multipliers(&self) -> bool {
        false
    }

    /// True if the stiffness of links differs from that of their material, depending on masses and
    /// step.
    fn has_own_stiffness(&self) -> bool {
        false
    }

    /// Motion within a substep that the solver counts on so as to keep the energy; `None` if it
    /// takes energy out and counts on nothing.
    fn counts_on(&self) -> Option<CountedMotion> {
        None
    }

    /// Clause that names the limit of the solver that changes its parameters in substeps of `h`
    /// seconds, and the values in force; `None` if no limit has an effect. `w` are the inverse
    /// masses of all particles.
    fn limit(&self, _h: f64, _links: &mut dyn Iterator<Item = Link>, _w: &[f64]) -> Option<String> {
        None
    }

    /// Remedy where a link is overstretched.
    fn remedy(&self) -> &'static str;

    /// Settings that a search for the best ones tries, if it is worth trying.
    fn searched(&self) -> Option<Searched> {
        None
    }

    /// Settings with which people use it, against which advice measures its own.
    fn in_practice(&self) -> Vec<Usage> {
        Vec::new()
    }

    /// Settings in comparisons at equal computing time, each of one substep, with the scheme of the
    /// free motion.
    fn compared(&self) -> Vec<(Usage, FreeMotion)> {
        Vec::new()
    }

    /// Builds the lists that this solver needs, if they are missing, as [`Self::project`] does.
    fn prepare(&self, _c: &mut Constraints) {}

    /// Moves `x` towards the constraints. Returns the number of sweeps.
    ///
    /// `w` are inverse masses in 1/kg, 0 for a pinned particle, which is not moved; `start` are
    /// the positions at the start of the (sub)step, `h` is its length in seconds, positive. All
    /// slices have one entry a particle. Allocates nothing after the first time.
    fn project(
        &self,
        c: &mut Constraints,
        w: &[f64],
        start: &[DVec3],
        x: &mut [DVec3],
        h: f64,
    ) -> u32;

    /// Whether a projection can be cut into turns that alternate with those of contacts, see
    /// [`super::ConstraintSolver::take_turn`]. XPBD on compliant links, SHAKE and VBD need an
    /// uninterrupted projection.
    fn takes_turns(&self, _c: &Constraints) -> bool {
        false
    }

    /// Makes all sweeps as one turn of a projection that alternates with sweeps over contacts;
    /// `turn` counts them from 0. Like [`Self::project`] where a solver has no turns of its own.
    fn sweep_in_turn(
        &self,
        _turn: u32,
        c: &mut Constraints,
        w: &[f64],
        start: &[DVec3],
        x: &mut [DVec3],
        h: f64,
    ) {
        self.project(c, w, start, x, h);
    }

    /// True if a velocity stage follows once positions have moved, see
    /// [`Self::project_velocities`].
    fn has_velocity_stage(&self) -> bool {
        false
    }

    /// Makes the velocity stage, after [`Self::project`] in the same substep of `h` seconds:
    /// removes the velocities that only corrected positions. `x` are the positions at the end, `v`
    /// the velocities of the motion in m/s.
    fn project_velocities(
        &self,
        _c: &mut Constraints,
        _w: &[f64],
        _x: &[DVec3],
        _v: &mut [DVec3],
        _h: f64,
    ) {
    }

    /// True if kernels that take particles row by row sweep all links, so that
    /// [`Self::project_stream`] gives the bits of [`Self::project`].
    fn streams(&self, _c: &mut Constraints) -> bool {
        false
    }

    /// Projects like [`Self::project`] particles that are loaded and stored row by row, in each of
    /// the stream's substeps of `h` seconds. Requires [`Self::streams`].
    fn project_stream(
        &self,
        _c: &mut Constraints,
        _w: &[f64],
        _stream: &mut dyn ParticleStream,
        _h: f64,
    ) -> u32 {
        0
    }

    /// Residual of the constraints at `x`, see [`super::Projection::residual`]. Measuring costs as
    /// much as a sweep, so a simulation measures it only on demand.
    fn residual(&self, c: &Constraints, w: &[f64], start: &[DVec3], x: &[DVec3]) -> f64;

    /// True if a projection of this many sweeps that left this residual has met its tolerance; for
    /// solvers without one, if the residual is finite.
    fn is_met(&self, residual: f64, _iterations: u32) -> bool {
        residual.is_finite()
    }
}

/// No solver: every link is a spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NoSolver;

impl Solver for NoSolver {
    fn info(&self) -> SolverInfo {
        SolverInfo {
            name: "none",
            title: "no constraints",
            reference: "Provot 1995, Deformation constraints in a mass-spring model",
            verdict: "every link is a spring: the integrator alone decides",
        }
    }

    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    fn iterations(&self) -> Option<u32> {
        None
    }

    fn set_iterations(&mut self, _most: u32) {}

    fn takes(&self, _link: &Link) -> bool {
        false
    }

    fn spring(&self, link: &Link, _w: f64, _h: f64) -> Option<Link> {
        Some(*link)
    }

    fn remedy(&self) -> &'static str {
        "a stiffer material or a lighter load helps"
    }

    fn project(
        &self,
        _c: &mut Constraints,
        _w: &[f64],
        _start: &[DVec3],
        _x: &mut [DVec3],
        _h: f64,
    ) -> u32 {
        0
    }

    fn residual(&self, _c: &Constraints, _w: &[f64], _start: &[DVec3], _x: &[DVec3]) -> f64 {
        0.0
    }
}
