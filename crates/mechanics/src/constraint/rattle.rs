//! RATTLE: SHAKE with an additional projection of velocities.
//!
//! Andersen (1983), "Rattle: a 'velocity' version of the Shake algorithm for molecular dynamics
//! calculations". With the unit vectors n of all links at the end of the step as rows of J, and the
//! inverse masses W,
//!
//! ```text
//! J W Jᵀ μ = −J v,   v ← v + W Jᵀ μ
//! ```
//!
//! Pins have the velocities of their paths at the end of the step.
//!
//! The equations are solved by the elimination of [`super::Direct`], repeated to remove rounding
//! errors. In nets and cloths elimination would cause too much fill-in, so they use conjugate
//! gradients. If conjugate gradients fail, e.g. if pins pull at rigid diagonals, solves of a
//! spanning tree alternate with sweeps over the other links, for up to a thousand rounds.
//!
//! A one-sided link is included only while it is taut and getting longer.

use super::choice::{ConstraintSolver, Rattle, Shake};
use super::conjugate_gradients::NetSystem;
use super::constraints::Constraints;
use super::direct::DirectSystem;
use super::parameter::{self, Parameter, check_iterations, check_tolerance};
use super::particles::Particles;
use super::shake::rigid_trials;
use super::solver::{RequiredMotion, Solver};
use super::usage::{ComparisonSettings, FreeIntegrator, RemedyTrials};
use crate::mesh::Link;
use crate::names::CatalogueEntry;
use glam::DVec3;

impl Rattle {
    fn shake(&self) -> Shake {
        let Self { tolerance, max_iterations } = *self;
        Shake { tolerance, max_iterations }
    }
}

impl Solver for Rattle {
    fn info(&self) -> CatalogueEntry {
        CatalogueEntry {
            name: "rattle",
            title: "RATTLE",
            reference: "Andersen 1983, Rattle: a velocity version of the Shake algorithm for \
                        molecular dynamics calculations, J. Comput. Phys. 52, 24",
            verdict: "SHAKE that also projects velocities: second order, conserves energy; \
                      slow on cloths with rigid diagonals",
        }
    }

    fn short_name(&self) -> &'static str {
        "RATTLE"
    }

    fn check(&self) -> Result<(), String> {
        let Self { tolerance, max_iterations } = *self;
        check_tolerance("RATTLE", tolerance)?;
        check_iterations("max_iterations of RATTLE", max_iterations)
    }

    fn iterations_mut(&mut self) -> Option<&mut u32> {
        Some(&mut self.max_iterations)
    }

    fn parameters(&mut self) -> Vec<Parameter<'_>> {
        vec![parameter::tolerance(&mut self.tolerance)]
    }

    fn has_tolerance(&self) -> bool {
        true
    }

    fn constrains(&self, link: &Link) -> bool {
        self.shake().constrains(link)
    }

    fn required_motion(&self) -> Option<RequiredMotion> {
        Some(RequiredMotion::PositionsAndVelocities)
    }

    fn remedy(&self) -> &'static str {
        self.shake().remedy()
    }

    fn comparison_settings(&self) -> Vec<ComparisonSettings> {
        let solver = ConstraintSolver::Rattle(Self::default());
        let integrator = FreeIntegrator::VelocityVerlet;
        vec![ComparisonSettings { name: "RATTLE", solver, integrator }]
    }

    fn remedy_trials(&self) -> Option<RemedyTrials> {
        Some(rigid_trials("RATTLE", ConstraintSolver::Rattle(Self::default())))
    }

    fn prepare(&self, c: &mut Constraints) {
        if c.is_net() {
            c.data::<NetSystem>();
        } else {
            c.data::<DirectSystem>();
        }
    }

    fn project(&self, c: &mut Constraints, particles: &mut Particles) -> u32 {
        self.prepare(c);
        self.shake().project_positions(c, particles)
    }

    fn has_velocity_stage(&self) -> bool {
        true
    }

    fn project_velocities(
        &self,
        c: &mut Constraints,
        w: &[f64],
        x: &[DVec3],
        v: &mut [DVec3],
        _h: f64,
    ) {
        let is_done = c.is_net() && c.data::<NetSystem>().project_velocities(w, x, v);
        if !is_done {
            c.data::<DirectSystem>().project_velocities(w, x, v);
        }
    }

    fn meets_tolerance(&self, residual: f64, iterations: u32) -> bool {
        self.shake().meets_tolerance(residual, iterations)
    }
}
