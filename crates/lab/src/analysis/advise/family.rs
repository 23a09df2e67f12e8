//! Families of settings. The members of a family differ only in the number of substeps per frame.

use super::question::FRAMES_A_SECOND;
use crate::analysis::in_words::damps_by_design;
use crate::constraint::{CommonSettings, ConstraintSolver, FreeIntegrator, SearchSettings};
use crate::integrate::{Method, PositionVerlet};
use crate::model::Parts;
use crate::simulation::Simulation;
use crate::simulation::settings::{LinkMode, Settings};
use crate::simulation::timing::stepper::{FrameSubsteps, Stepping};
use std::sync::Arc;

/// Maximum number of substeps per frame.
pub(super) const MOST_SUBSTEPS: u32 = 1000;
/// Family of settings, represented by the member with one substep per frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Family(Settings);

impl Family {
    /// Creates the family that contains these settings.
    pub fn of(settings: &Settings) -> Self {
        Self(Settings { substeps: 1, ..*settings })
    }

    /// Returns the settings of the family with this number of substeps per frame.
    pub fn with(&self, substeps: u32) -> Settings {
        Settings { substeps, ..self.0 }
    }

    /// Returns the number of sweeps of the family's solver; `None` if it is not fixed.
    pub fn sweeps(&self) -> Option<u32> {
        let solver = self.0.solver();
        if solver.has_tolerance() { None } else { solver.iterations() }
    }

    /// Returns the family of the same settings with another number of sweeps.
    pub fn with_sweeps(&self, sweeps: u32) -> Self {
        let mut settings = self.0;
        settings.constraints.set_iterations(sweeps);
        Self(settings)
    }

    /// Creates a family whose links are springs.
    pub fn springs(lane: &Settings, integrator: Method) -> Self {
        let (links, constraints) = (LinkMode::Springs, ConstraintSolver::None);
        Self(Settings {
            integrator,
            links,
            constraints,
            dt: 1.0 / FRAMES_A_SECOND,
            substeps: 1,
            ..*lane
        })
    }

    /// Creates a family whose links a solver constrains.
    pub fn constrained(lane: &Settings, integrator: Method, constraints: ConstraintSolver) -> Self {
        let Self(settings) = Self::springs(lane, integrator);
        Self(Settings { links: LinkMode::Constraints, constraints, ..settings })
    }
}

/// Returns every family that is worth trying on a scene.
///
/// In scenes with drag, velocity Verlet has only order 1. Position Verlet, which keeps order 2, is
/// therefore also tried there, with solvers that constrain links to second order.
pub(super) fn families(parts: &Arc<Parts>, lane: &Settings) -> Vec<Family> {
    let has_drag = Simulation::new(parts.clone(), *lane).model().has_velocity_dependent_laws();
    let mut all = Vec::new();
    for method in Method::all().filter(is_candidate) {
        all.push(Family::springs(lane, method));
    }
    for searched in ConstraintSolver::all().filter_map(|solver| solver.search_settings()) {
        let SearchSettings { solver, sweeps, integrators, only_trees } = searched;
        if !can_hold(&solver, parts) || only_trees && !is_rope_or_tree(parts) {
            continue;
        }
        let under_drag = (has_drag && integrators.contains(&FreeIntegrator::VelocityVerlet))
            .then(|| Method::PositionVerlet(PositionVerlet::default()));
        for method in integrators.iter().copied().map(integrator_of).chain(under_drag) {
            let constrained = Family::constrained(lane, method, solver);
            match sweeps {
                [] => all.push(constrained),
                sweeps => all.extend(sweeps.iter().map(|sweeps| constrained.with_sweeps(*sweeps))),
            }
        }
    }
    all
}

/// Returns the integrator for the free motion before a projection.
pub(in crate::analysis) fn integrator_of(integrator: FreeIntegrator) -> Method {
    match integrator {
        FreeIntegrator::SymplecticEuler => Method::SymplecticEuler,
        FreeIntegrator::VelocityVerlet => Method::VelocityVerlet,
    }
}

/// True if the links form ropes or trees with few loops (fewer links than particles + 4). A direct
/// solver eliminates such links without additional sweeps.
pub(in crate::analysis) fn is_rope_or_tree(parts: &Parts) -> bool {
    const LOOPS: usize = 4;
    let links = parts.mesh.links.len();
    links > 0 && links < parts.mesh.positions.len() + LOOPS
}

/// True unless the integrator is the one of the reference run, gains energy at every step, or damps
/// motion by design.
fn is_candidate(method: &Method) -> bool {
    let is_reference = matches!(method, Method::DormandPrince(_));
    !is_reference && method.info().stability_limit > 0.0 && !damps_by_design(method)
}

/// True if the solver constrains some links or bends.
pub(in crate::analysis) fn can_hold(solver: &ConstraintSolver, parts: &Parts) -> bool {
    parts.mesh.links.iter().any(|link| solver.constrains(&link))
        || solver.constrains_bends() && !parts.mesh.bends.is_empty()
}

/// Returns the lane's own settings and commonly used settings, each with a name.
pub(super) fn common_settings(lane: &Settings) -> Vec<(String, Settings)> {
    let euler = Method::SymplecticEuler;
    let mut all = vec![("the lane as it is".to_owned(), *lane)];
    let springs = [
        ("explicit Euler, 16 substeps", Method::ExplicitEuler, 16),
        ("symplectic Euler, 1 step", euler, 1),
        ("symplectic Euler, 16 substeps", euler, 16),
        ("velocity Verlet, 1 step", Method::VelocityVerlet, 1),
        ("RK4, 1 step", Method::Rk4, 1),
        ("RK4, 4 substeps", Method::Rk4, 4),
        ("implicit Euler, 1 step", Method::ImplicitEuler, 1),
    ];
    all.extend(
        springs.map(|(name, method, count)| {
            (name.to_owned(), Family::springs(lane, method).with(count))
        }),
    );
    let constrained = ConstraintSolver::all().flat_map(|solver| solver.common_settings());
    all.extend(constrained.map(|CommonSettings { name, solver, substeps }| {
        (name.to_owned(), Family::constrained(lane, Method::VelocityVerlet, solver).with(substeps))
    }));
    all
}

/// Returns a lane (one simulation of the scene with its own settings) with fixed steps if frames
/// determine its step. The step is then the longest frame, limited by the lane's frame clamp, or
/// 1/60 s if frames are unknown. Other lanes are unchanged.
pub fn in_longest_frame(lane: Settings, frames: &[f64]) -> Settings {
    let longest = frames.iter().copied().reduce(f64::max).unwrap_or(1.0 / FRAMES_A_SECOND);
    let longest = lane.guards.frame_clamp.limit().map_or(longest, |most| longest.min(most));
    match lane.stepping {
        Stepping::FrameCoupled => Settings { dt: longest, ..lane },
        Stepping::FrameSubsteps(FrameSubsteps { n }) => {
            Settings { dt: longest / f64::from(n), ..lane }
        }
        _ => lane,
    }
}
