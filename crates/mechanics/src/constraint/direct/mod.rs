//! Direct solver: XPBD with all links of a rope or tree solved together instead of one after the
//! other.
//!
//! XPBD's equations C + α̃λ + γ∇C·(x − start) = 0 of all links, linearised at the current
//! positions, are
//!
//! ```text
//! (J W Jᵀ + α̃/(1 + γ)) Δλ = −(C + α̃λ + γ J (x − start))/(1 + γ),   Δx = W Jᵀ Δλ
//! ```
//!
//! Each solve is one Newton step with LDLᵀ elimination. The matrix is tridiagonal for a rope. A
//! tree causes no fill-in; each loop fills one column. A Newton step that would increase the
//! residual is halved, up to five times. Links may turn so far in a substep that the solves do not
//! converge. The free motion is then divided into 4, 16 or 64 equal parts, and the links are solved
//! after each part. If a light particle swings across taut links with ωh > 1, up to twelve solves
//! include the links' geometric stiffness (Tournier et al. 2015). If elimination would fill more
//! than 16 elements per link, as in a cloth, only a spanning tree of the links is eliminated, and
//! one sweep of XPBD corrects the other links.
//!
//! Departure from the paper: bends are forces, not constraints.

mod elimination;
mod order;
mod system;

use system::CONVERGED;
pub(super) use system::DirectSystem;

use super::choice::{ConstraintSolver, Direct};
use super::constraints::Constraints;
use super::parameter::check_iterations;
use super::particles::Particles;
use super::solver::Solver;
use super::usage::{
    ComparisonSettings, Defect, NoLoop, PlainLoop, RemedyTrial, RemedyTrials, SearchSettings,
    TrialSubsteps,
};
use super::xpbd;
use crate::mesh::Link;
use crate::names::CatalogueEntry;
use glam::DVec3;

impl Solver for Direct {
    fn info(&self) -> CatalogueEntry {
        CatalogueEntry {
            name: "direct",
            title: "direct solve (direct XPBD)",
            reference: "Deul, Kugelstadt, Weiler and Bender 2018, Direct position-based solver for \
                        stiff rods, Comput. Graph. Forum 37, 313",
            verdict: "all links of a rope or tree at once, exact in two solves for any masses; \
                      cloths are swept",
        }
    }

    fn short_name(&self) -> &'static str {
        "direct"
    }

    fn check(&self) -> Result<(), String> {
        check_iterations("iterations of the direct solver", self.iterations)
    }

    fn iterations_mut(&mut self) -> Option<&mut u32> {
        Some(&mut self.iterations)
    }

    /// Cost of elimination and substitution per link.
    fn work_of_a_sweep(&self) -> u64 {
        10
    }

    fn equivalent_spring(&self, link: &Link, _w: f64, _h: f64) -> Option<Link> {
        (!link.rigid).then_some(*link)
    }

    fn approximated_spring(&self, link: &Link) -> Option<Link> {
        Some(*link)
    }

    fn keeps_multipliers(&self) -> bool {
        true
    }

    fn remedy(&self) -> &'static str {
        "more substeps or a stiffer material help"
    }

    fn search_settings(&self) -> Option<SearchSettings> {
        let search = SearchSettings::of(ConstraintSolver::Direct(Self::default()), &[]);
        Some(SearchSettings { only_trees: true, ..search })
    }

    fn comparison_settings(&self) -> Vec<ComparisonSettings> {
        vec![ComparisonSettings::of("direct", ConstraintSolver::Direct(Self::default()))]
    }

    fn remedy_trials(&self) -> Option<RemedyTrials> {
        let trial = RemedyTrial {
            words: "links solved directly".to_owned(),
            solver: ConstraintSolver::Direct(Self::default()),
            integrator: None,
            substeps: TrialSubsteps::AsInLane,
        };
        let cures =
            &[Defect::UnstableConstraints, Defect::SoftConstraints, Defect::UnconvergedSweeps];
        let trials = RemedyTrials::of(cures, [trial]);
        Some(RemedyTrials { skips_current_solver: true, only_trees: true, ..trials })
    }

    /// Returns a loop for a single rope, whose system is tridiagonal. Other meshes would need an
    /// elimination order.
    fn plain_loop(&self) -> Result<PlainLoop, NoLoop> {
        Ok(PlainLoop {
            numbers: vec![("{iterations}", self.iterations.to_string())],
            lacks_link_damping: true,
            lacks_stiffness_damping: true,
            needs_one_rope: true,
            omission: Some(
                "halving of solves that increase the residual, division of the free motion into \
                 parts, and the geometric stiffness of taut links",
            ),
            ..PlainLoop::default()
        })
    }

    fn prepare(&self, c: &mut Constraints) {
        c.data::<DirectSystem>();
    }

    /// Solves with initial multipliers of 0.
    fn project(&self, c: &mut Constraints, particles: &mut Particles) -> u32 {
        let times = Some(particles.times);
        c.data::<DirectSystem>().project(self.iterations, times, CONVERGED, particles)
    }

    fn can_interleave_contacts(&self, _c: &Constraints) -> bool {
        true
    }

    /// Solves from the current multipliers. Call 0 of a substep solves from multipliers of 0.
    fn make_interleaved_sweep(&self, number: u32, c: &mut Constraints, particles: &mut Particles) {
        if number == 0 {
            self.project(c, particles);
        } else {
            c.data::<DirectSystem>().continue_projection(self.iterations, particles);
        }
    }

    fn residual(&self, c: &Constraints, w: &[f64], start: &[DVec3], x: &[DVec3]) -> f64 {
        xpbd::residual(c, w, start, x)
    }
}
