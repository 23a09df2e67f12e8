//! The trait of a constraint solver.

use super::{Constraints, FreeMotion, Parameter, ParticleStream, SearchSettings, Usage};
use crate::mesh::Link;
use crate::names::CatalogueEntry;
use glam::DVec3;

/// Requirement of an energy-keeping solver on the integrator: the displacement that a force must
/// cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequiredMotion {
    /// The whole displacement by a force, in the force's substep or in the next one.
    Positions,
    /// The whole displacement by a force in the force's own substep, because velocities are
    /// projected at its end.
    PositionsAndVelocities,
}

/// Columns of the particles of a projection, one entry per particle.
#[derive(Debug)]
pub struct Particles<'a> {
    /// Inverse masses in 1/kg, 0 for a pinned particle, which is not moved.
    pub w: &'a [f64],
    /// Positions at the start of the (sub)step, in metres.
    pub start: &'a [DVec3],
    /// Positions, in metres.
    pub x: &'a mut [DVec3],
    /// Length of the (sub)step in seconds, positive.
    pub h: f64,
}

impl<'a> Particles<'a> {
    /// Creates particles with these columns, in a (sub)step of `h` seconds.
    pub fn new(w: &'a [f64], start: &'a [DVec3], x: &'a mut [DVec3], h: f64) -> Self {
        Self { w, start, x, h }
    }
}

/// Interface of a constraint solver to the rest of the program.
///
/// Every solver must implement the methods without a body. The defaults of the others fit most
/// solvers.
pub trait Solver {
    /// Returns names, reference and verdict.
    fn info(&self) -> CatalogueEntry;

    /// Checks the ranges of all parameters. The error names the wrong one in one sentence.
    fn check(&self) -> Result<(), String>;

    /// Returns the number of sweeps per substep, or their upper limit for a solver with a
    /// tolerance. `None` without a solver.
    fn iterations(&self) -> Option<u32>;

    /// Sets the number of sweeps per substep, or their upper limit for a solver with a tolerance.
    fn set_iterations(&mut self, most: u32);

    /// Removes the solver's own damping, so that each link has the damping of its material.
    fn drop_own_damping(&mut self) {}

    /// True if the solver computes lengths without a square root.
    fn is_root_free(&self) -> bool {
        false
    }

    /// Returns all parameters except the number of sweeps, in the order of the panel.
    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        Vec::new()
    }

    /// True if a projection makes sweeps until a tolerance is met. Other solvers make a fixed
    /// number of sweeps.
    fn has_tolerance(&self) -> bool {
        false
    }

    /// True if too few sweeps leave links softer than their material. A residual above the limit of
    /// the settings then counts as unconverged.
    fn softens_by_residual(&self) -> bool {
        false
    }

    /// True if a link becomes a constraint. Other links stay springs. Relaxation, SHAKE and a Soft
    /// Step with one frequency for all links leave bend links to the springs: as rigid constraints,
    /// bend links would make the rope a stick.
    fn constrains(&self, link: &Link) -> bool;

    /// True if bends become constraints. Otherwise bends stay a force. Relaxation and SHAKE have no
    /// compliance, so bends as constraints would make every rope a stick.
    fn constrains_bends(&self) -> bool {
        false
    }

    /// Returns the spring to which a link under the solver is equivalent. Its pull is k (l − L) + c
    /// dl/dt. `None` for a rigid link. `w` is the sum of the inverse masses of the link's ends in
    /// 1/kg, `h` the substep in seconds.
    fn equivalent_spring(&self, link: &Link, w: f64, h: f64) -> Option<Link>;

    /// True if the damper of a link is part of the solver. The damper then acts within implicit
    /// substeps and the relax pass, so its power is not force times speed.
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

    /// Returns the motion that a force must cause for the solver to keep the energy. `None` if the
    /// solver removes energy and requires nothing.
    fn required_motion(&self) -> Option<RequiredMotion> {
        None
    }

    /// Returns a clause about a limit of the solver that changes its parameters in substeps of `h`
    /// seconds, with the changed values. `None` if no limit has an effect. `w` are the inverse
    /// masses of all particles.
    fn limit(&self, _h: f64, _links: &mut dyn Iterator<Item = Link>, _w: &[f64]) -> Option<String> {
        None
    }

    /// Returns the advice for an overstretched link, as a clause.
    fn remedy(&self) -> &'static str;

    /// Returns the settings that a search for the best settings tries. `None`: the search skips
    /// this solver.
    fn search_settings(&self) -> Option<SearchSettings> {
        None
    }

    /// Returns the settings that are common in practice. Advice compares its own settings with
    /// them.
    fn common_settings(&self) -> Vec<Usage> {
        Vec::new()
    }

    /// Returns the settings for comparisons at equal computing time, each of one substep, with the
    /// integrator of the free motion.
    fn comparison_settings(&self) -> Vec<(Usage, FreeMotion)> {
        Vec::new()
    }

    /// Builds the lists that this solver needs, if they are missing. [`Self::project`] does the
    /// same first.
    fn prepare(&self, _c: &mut Constraints) {}

    /// Moves positions towards the constraints. Returns the number of sweeps. Allocates nothing
    /// after the first call.
    fn project(&self, c: &mut Constraints, particles: &mut Particles) -> u32;

    /// True if the sweeps of a projection can alternate with sweeps over contacts, see
    /// [`super::ConstraintSolver::take_turn`]. XPBD on compliant links, SHAKE, RATTLE and VBD need
    /// an uninterrupted projection.
    fn takes_turns(&self, _c: &Constraints) -> bool {
        false
    }

    /// Makes all sweeps of one turn, the part of a projection between two sweeps over contacts.
    /// `turn` is its number, from 0. A solver without turns of its own makes a whole projection.
    fn sweep_in_turn(&self, _turn: u32, c: &mut Constraints, particles: &mut Particles) {
        self.project(c, particles);
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

    /// True if kernels that load particles row by row sweep all links. [`Self::project_stream`]
    /// then gives the same bits as [`Self::project`].
    fn streams(&self, _c: &mut Constraints) -> bool {
        false
    }

    /// Projects like [`Self::project`] in each substep of `h` seconds of a stream, which loads and
    /// stores the particles row by row. Requires [`Self::streams`].
    fn project_stream(
        &self,
        _c: &mut Constraints,
        _w: &[f64],
        _stream: &mut dyn ParticleStream,
        _h: f64,
    ) -> u32 {
        0
    }

    /// Returns the residual of the constraints at `x`, see [`super::Projection::residual`].
    /// Measuring costs as much as a sweep, so a simulation measures the residual only on demand.
    fn residual(&self, c: &Constraints, w: &[f64], start: &[DVec3], x: &[DVec3]) -> f64;

    /// True if a projection with this residual after `iterations` sweeps has met its tolerance.
    /// Solvers without a tolerance: true if the residual is finite.
    fn meets_tolerance(&self, residual: f64, _iterations: u32) -> bool {
        residual.is_finite()
    }
}

/// No solver: every link is a spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NoSolver;

impl Solver for NoSolver {
    fn info(&self) -> CatalogueEntry {
        CatalogueEntry {
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

    fn constrains(&self, _link: &Link) -> bool {
        false
    }

    fn equivalent_spring(&self, link: &Link, _w: f64, _h: f64) -> Option<Link> {
        Some(*link)
    }

    fn remedy(&self) -> &'static str {
        "a stiffer material or a lighter load helps"
    }

    fn project(&self, _c: &mut Constraints, _particles: &mut Particles) -> u32 {
        0
    }

    fn residual(&self, _c: &Constraints, _w: &[f64], _start: &[DVec3], _x: &[DVec3]) -> f64 {
        0.0
    }
}
