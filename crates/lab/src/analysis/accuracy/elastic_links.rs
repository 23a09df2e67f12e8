//! Elastic links in a reference run (a precise run from which errors are measured): they become
//! springs, or a solver keeps them at their rest lengths.

use crate::analysis::in_words::number_in_words;
use crate::analysis::stability;
use crate::constraint::{ConstraintSolver, Shake};
use crate::integrate::Method;
use crate::mesh::{Link, LinkKind};
use crate::model::Parts;
use crate::simulation::Simulation;
use crate::simulation::settings::{LinkMode, Settings};
use std::sync::Arc;

/// Fastest spring vibration, in rad/s, that is simulated in the reference run of a lane (one
/// simulation of the scene) with a constraint solver. If a spring vibrates faster, the 1,000 inner
/// steps of Dormand–Prince (ωh = 997) last less than 1/240 s, and two seconds need half a million
/// inner steps.
const FASTEST_VIBRATION: f64 = 2.4e5;

/// Largest length error of a link in a reference run with constraints, as a fraction of the rest
/// length.
const TOLERANCE: f64 = 1e-9;
/// Maximum number of sweeps in which the solver must reach [`TOLERANCE`].
const MOST_SWEEPS: u32 = 20_000;

/// Returns the solver that keeps rest lengths in a reference run. It leaves bend links to the
/// springs.
pub(super) fn rigid_solver() -> ConstraintSolver {
    ConstraintSolver::Shake(Shake { tolerance: TOLERANCE, max_iterations: MOST_SWEEPS })
}

/// Treatment of elastic links in the reference run of a lane whose solver constrains them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::analysis) enum ElasticLinks {
    /// The links are springs, or no link is elastic.
    Springs,
    /// The reference run keeps rest lengths, because this solver replaces the stiffness.
    ConstrainedAsBySolver(ConstraintSolver),
    /// The reference run keeps rest lengths, because vibrations of this angular frequency in rad/s
    /// would need too short a step.
    TooStiff(f64),
}

impl ElasticLinks {
    /// Chooses the treatment for the reference run of a lane. The choice does not depend on steps,
    /// sweeps or duration.
    pub fn of(parts: &Arc<Parts>, lane: &Settings) -> Self {
        let solver = lane.solver();
        let elastic = || parts.mesh.links.iter().filter(|link| is_elastic(&solver, link));
        if elastic().next().is_none() {
            return Self::Springs;
        }
        if elastic().any(|link| solver.approximated_spring(&link).is_none()) {
            return Self::ConstrainedAsBySolver(solver);
        }
        let (parts, settings) = with_springs(parts, lane);
        // Velocity Verlet is stable up to ωh = 2.
        let verlet = Settings { integrator: Method::VelocityVerlet, substeps: 1, ..settings };
        let omega = 2.0 / stability::predict_limit(&Simulation::new(parts, verlet)).predicted();
        if omega > FASTEST_VIBRATION { Self::TooStiff(omega) } else { Self::Springs }
    }

    /// Returns the scene and the settings of the reference run. If they include a constraint
    /// solver, it constrains only links that stay at their rest lengths.
    pub fn apply(self, parts: &Arc<Parts>, lane: &Settings) -> (Arc<Parts>, Settings) {
        match self {
            Self::Springs => with_springs(parts, lane),
            Self::ConstrainedAsBySolver(_) | Self::TooStiff(_) => (parts.clone(), *lane),
        }
    }

    /// Returns a sentence that says why the reference run keeps elastic links at their rest
    /// lengths. `None` if it does not.
    pub fn describe_held_lengths(self) -> Option<String> {
        let why = match self {
            Self::Springs => return None,
            Self::ConstrainedAsBySolver(solver) => {
                format!("{} replaces the stiffness of the material", solver.info().title)
            }
            Self::TooStiff(omega) => {
                let omega = number_in_words(omega);
                format!("springs that vibrate with ω = {omega} rad/s would need too short a step")
            }
        };
        Some(format!("The precise run keeps elastic links at their rest lengths, because {why}."))
    }
}

/// Returns a sentence that says why the reference run, from which maps measure the errors of a
/// lane, keeps elastic links at their rest lengths. `None` if it does not.
pub fn describe_rigid_reference(parts: &Arc<Parts>, lane: &Settings) -> Option<String> {
    ElasticLinks::of(parts, lane).describe_held_lengths()
}

/// True if a solver constrains an elastic link between neighbours. Bend links do not count, because
/// no reference run constrains them.
fn is_elastic(solver: &ConstraintSolver, link: &Link) -> bool {
    !link.rigid && link.kind != LinkKind::Bend && solver.constrains(link)
}

/// Returns a scene and settings in which the elastic links that the lane's solver constrains are
/// springs. Without rigid links, all links become springs. With rigid links, the elastic ones
/// become bend links, which SHAKE leaves to the springs.
fn with_springs(parts: &Arc<Parts>, lane: &Settings) -> (Arc<Parts>, Settings) {
    let solver = lane.solver();
    let links = &parts.mesh.links;
    if !links.iter().any(|link| is_elastic(&solver, &link)) {
        return (parts.clone(), *lane);
    }
    let has_rigid = links.iter().any(|link| link.rigid && solver.constrains(&link));
    let as_spring = |link: Link| {
        if !is_elastic(&solver, &link) {
            return link;
        }
        let kind = if has_rigid { LinkKind::Bend } else { link.kind };
        Link { kind, ..solver.approximated_spring(&link).unwrap_or(link) }
    };
    let mut parts = Parts::clone(parts);
    parts.mesh.links = parts.mesh.links.iter().map(as_spring).collect();
    let (links, constraints) = match has_rigid {
        true => (LinkMode::Constraints, rigid_solver()),
        false => (LinkMode::Springs, ConstraintSolver::None),
    };
    (Arc::new(parts), Settings { links, constraints, ..*lane })
}
