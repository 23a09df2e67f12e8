//! Trait `Solver`: the interface of a constraint solver.

use super::choice::ConstraintSolver;
use super::constraints::Constraints;
use super::parameter::Parameter;
use super::particles::{ParticleAccess, Particles};
use super::sweep::SweepOrder;
use super::usage::{
    CommonSettings, ComparisonSettings, NoLoop, PlainLoop, RemedyTrials, SearchSettings,
};
use crate::mesh::Link;
use crate::names::CatalogueEntry;
use glam::DVec3;

/// Requirement of an energy-conserving solver on the integrator. A force f must cause its whole
/// displacement h² f/m by the end of a certain substep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequiredMotion {
    /// The same substep or the next one.
    Positions,
    /// The same substep, because velocities are projected at its end.
    PositionsAndVelocities,
}

/// Interface of a constraint solver to the simulation and the analyses.
///
/// Every solver implements the methods without a body. The default bodies fit most solvers.
pub trait Solver {
    /// Returns name, title, reference and verdict.
    fn info(&self) -> CatalogueEntry;

    /// Returns the shortest common name, for labels and narrow lists, e.g. `XPBD`.
    fn short_name(&self) -> &'static str;

    /// Checks the ranges of all parameters. The error is a sentence that names the invalid
    /// parameter.
    fn check(&self) -> Result<(), String>;

    /// Returns the number of sweeps per substep, or the maximum number for a solver with a
    /// tolerance. `None` if there is no solver.
    fn iterations_mut(&mut self) -> Option<&mut u32> {
        None
    }

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

    /// True if sweeps are repeated until a tolerance is met, false if their number is fixed.
    fn has_tolerance(&self) -> bool {
        false
    }

    /// True if too few sweeps leave links softer than their material. Then a step counts as
    /// unconverged if its residual exceeds the limit of the settings.
    fn softens_by_residual(&self) -> bool {
        false
    }

    /// True if the solver treats this link as a constraint. Other links remain springs. Relaxation,
    /// SHAKE, and Soft Step with one frequency for all links leave bend links as springs, because
    /// rigid bend links would turn a rope into a stick.
    fn constrains(&self, _link: &Link) -> bool {
        true
    }

    /// True if bends become constraints, false if they remain a force. Relaxation and SHAKE have no
    /// compliance, so bends as constraints would turn a rope into a stick.
    fn constrains_bends(&self) -> bool {
        false
    }

    /// Returns the spring that is equivalent to a link under this solver; `None` for a rigid link.
    /// The force of the spring is k (l − L) + c dl/dt. `w` is the sum of the inverse masses of the
    /// link's ends in 1/kg, `h` the length of the substep in seconds.
    fn equivalent_spring(&self, _link: &Link, _w: f64, _h: f64) -> Option<Link> {
        None
    }

    /// Returns the spring that the solver approximates on an elastic link. Shorter substeps and
    /// more sweeps improve the approximation. `None` if the solver keeps elastic links at their
    /// rest lengths, or if their stiffness depends on masses and step size.
    fn approximated_spring(&self, _link: &Link) -> Option<Link> {
        None
    }

    /// True if the solver itself damps a link, in implicit substeps and in the relax pass. The
    /// power of the damper is then not force times velocity.
    fn damps_by_itself(&self, _link: &Link) -> bool {
        false
    }

    /// True if the multipliers of the last projection remain readable.
    fn keeps_multipliers(&self) -> bool {
        false
    }

    /// True if the stiffness of links differs from the stiffness of their material and depends on
    /// masses and step size.
    fn has_own_stiffness(&self) -> bool {
        false
    }

    /// Returns what the solver requires of the integrator for energy conservation; `None` if the
    /// solver always dissipates energy.
    fn required_motion(&self) -> Option<RequiredMotion> {
        None
    }

    /// Returns a clause with the parameters that a limit lowers in substeps of `h` seconds. `None`
    /// if no limit takes effect. `w` are the inverse masses of all particles.
    fn limit(&self, _h: f64, _links: &mut dyn Iterator<Item = Link>, _w: &[f64]) -> Option<String> {
        None
    }

    /// Returns the solver without over-relaxation, i.e. with plain Gauss–Seidel or Jacobi sweeps,
    /// and the order of these sweeps. `None` if the solver has no factor ω.
    fn plain_sweeps(&self) -> Option<(ConstraintSolver, SweepOrder)> {
        None
    }

    /// Returns the fraction of a link's error that one correction of a sweep removes.
    fn removed_fraction(&self) -> f64 {
        1.0
    }

    /// Returns the cost of one sweep per link, in evaluations of a spring force.
    fn work_of_a_sweep(&self) -> u64 {
        1
    }

    /// Returns a clause that advises how to avoid overstretched links.
    fn remedy(&self) -> &'static str {
        "more sweeps, more substeps or a direct solver help"
    }

    /// Returns the settings of this solver that the search for the best settings tries; `None` to
    /// skip this solver.
    fn search_settings(&self) -> Option<SearchSettings> {
        None
    }

    /// Returns settings that are common in practice, for comparison with those that the search
    /// recommends.
    fn common_settings(&self) -> Vec<CommonSettings> {
        Vec::new()
    }

    /// Returns settings for comparisons at equal computing time.
    fn comparison_settings(&self) -> Vec<ComparisonSettings> {
        Vec::new()
    }

    /// Returns trials of the solver as a remedy for defects of a simulation. `None` if it is not a
    /// remedy.
    fn remedy_trials(&self) -> Option<RemedyTrials> {
        None
    }

    /// Returns the parts that complete the template of the solver's source code.
    fn plain_loop(&self) -> Result<PlainLoop, NoLoop> {
        Err(NoLoop::Solver)
    }

    /// Builds the solver's data if they are missing. [`Self::project`] calls this first.
    fn prepare(&self, _c: &mut Constraints) {}

    /// Projects the positions onto the constraints. Returns the number of sweeps. Does not allocate
    /// after the first call.
    fn project(&self, c: &mut Constraints, particles: &mut Particles) -> u32;

    /// True if the sweeps of a projection can alternate with sweeps over contacts, see
    /// [`super::ConstraintSolver::sweep_links_once`]. XPBD on compliant links, SHAKE, RATTLE and
    /// VBD need an uninterrupted projection.
    fn can_interleave_contacts(&self, _c: &Constraints) -> bool {
        false
    }

    /// Runs the sweeps over links between two sweeps over contacts. `number` counts these calls
    /// within a substep, from 0. Requires [`Self::can_interleave_contacts`].
    fn make_interleaved_sweep(&self, _number: u32, c: &mut Constraints, particles: &mut Particles) {
        self.project(c, particles);
    }

    /// True if a velocity stage follows the projection of positions, see
    /// [`Self::project_velocities`].
    fn has_velocity_stage(&self) -> bool {
        false
    }

    /// Runs the velocity stage, after [`Self::project`] in the same substep of `h` seconds: removes
    /// the part of the velocities that only corrected positions. `x` are the final positions, `v`
    /// the velocities in m/s to be changed.
    fn project_velocities(
        &self,
        _c: &mut Constraints,
        _w: &[f64],
        _x: &[DVec3],
        _v: &mut [DVec3],
        _h: f64,
    ) {
    }

    /// True if kernels that load and store particles row by row sweep all links.
    /// [`Self::project_by_rows`] then gives the same bits as [`Self::project`].
    fn can_project_by_rows(&self, _c: &mut Constraints) -> bool {
        false
    }

    /// Projects like [`Self::project`], in each of `access.substeps()` substeps of `h` seconds.
    /// Loads and stores the particles row by row. Requires [`Self::can_project_by_rows`].
    fn project_by_rows(
        &self,
        _c: &mut Constraints,
        _w: &[f64],
        _stream: &mut dyn ParticleAccess,
        _h: f64,
    ) -> u32 {
        0
    }

    /// Returns the residual of the constraints at `x`, see [`super::Projection::residual`]. This
    /// costs as much as a sweep, so simulations measure the residual only on demand.
    fn residual(&self, c: &Constraints, w: &[f64], _start: &[DVec3], x: &[DVec3]) -> f64 {
        c.residual(w, x)
    }

    /// True if a projection with this residual after `iterations` sweeps meets the solver's
    /// tolerance. Without a tolerance: true if the residual is finite.
    fn meets_tolerance(&self, residual: f64, _iterations: u32) -> bool {
        residual.is_finite()
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NoSolver;

impl Solver for NoSolver {
    fn info(&self) -> CatalogueEntry {
        CatalogueEntry {
            name: "none",
            title: "no constraints",
            reference: "Provot 1995, Deformation constraints in a mass-spring model",
            verdict: "every link is a spring; the integrator determines stability",
        }
    }

    fn short_name(&self) -> &'static str {
        "springs"
    }

    fn check(&self) -> Result<(), String> {
        Ok(())
    }

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
