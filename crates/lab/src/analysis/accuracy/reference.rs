//! Reference motions: a closed form if the motion has one, else a sufficiently precise run.

use super::closed_form::ExactMotions;
use super::elastic_links::ElasticLinks;
use crate::analysis::job::Cancelled;
use crate::analysis::linear::mass_product::pseudo_random;
use crate::analysis::stability;
use crate::constraint::{ConstraintSolver, Shake};
use crate::integrate::{DormandPrince, Method};
use crate::model::Parts;
use crate::numerics::trajectory::Trajectory;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use glam::DVec3;
use serde::Serialize;
use std::sync::Arc;

/// Tolerance of a Dormand–Prince reference for analyses without a waiting user.
pub(in crate::analysis) const REFERENCE_TOLERANCE: f64 = 1e-12;
/// Number of reference steps per shortest requested step, if the lane's own integrator computes the
/// reference.
const REFINEMENT: u64 = 64;
/// Upper limit of the number of steps of a reference whose step is limited by stability. A small
/// rope takes some minutes for this many steps.
const MOST_STEPS: f64 = 3e7;
/// Largest error of a link's length in a SHAKE reference, as a fraction of the rest length.
const SHAKE_TOLERANCE: f64 = 1e-9;
/// Upper limit of the sweeps in which the solver of a SHAKE reference must reach
/// [`SHAKE_TOLERANCE`].
const MOST_SHAKE_SWEEPS: u32 = 20_000;
/// Step of a reference as a fraction of the longest stable step. The fraction applies to references
/// with SHAKE, whose bends, dampers and drag have a longest stable step, and to Dormand–Prince
/// references that have exploded with longer steps.
const STABLE_STEP_FRACTION: f64 = 0.4;
/// Longest step of a reference, in seconds. A moving pin travels straight within a step, so the
/// step limits the error of the pin's path.
const LONGEST_REFERENCE_STEP: f64 = 1.0 / 240.0;

/// Displacement from which on a particle counts as moving, as a fraction of the largest one.
const MOVING_FRACTION: f64 = 0.01;

/// Displacement up to which no particle counts as moving, as a fraction of the scene's size: ten
/// times the tolerance of links in a SHAKE reference.
const REST_FRACTION: f64 = 1e-8;

/// Kind of a reference from which errors are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReferenceKind {
    /// Exact motion, in closed form.
    ClosedForm,
    /// Run with Dormand–Prince 5(4) at a tolerance of 1e-12 (1e-9 in maps).
    DormandPrince,
    /// Run with the lane's own integrator at 1/64 of the shortest step, because a constraint solver
    /// holds links.
    SameSchemeFiner,
}

/// Instants at which reference positions are needed, and the required precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::analysis) struct ReferenceTimes {
    /// Duration of the run, in seconds.
    pub duration: f64,
    /// Number of equally spaced instants; the last instant is the end of the run.
    pub instants: u64,
    /// Number of steps of the finest run that is compared with the reference.
    pub finest: u64,
    /// Tolerance of Dormand–Prince, if it computes the reference.
    pub tolerance: f64,
    /// Upper limit of the work of a run, in force evaluations × particles plus sweeps × links. A
    /// run that needs more ends early.
    pub most_work: f64,
}

/// Reference positions of all particles at equally spaced instants.
#[derive(Clone, Debug)]
pub(in crate::analysis) struct Reference {
    pub truth: ReferenceKind,
    /// Positions at every instant; the list is shorter if the reference exploded or its work was
    /// spent.
    positions: Vec<Vec<DVec3>>,
    /// Number of requested instants.
    pub instants: u64,
    /// True if the constraint solver reached its tolerance in every step.
    converged: bool,
    /// True if the run was ended early, because it had reached `most_work` of its
    /// [`ReferenceTimes`].
    spent: bool,
}

impl Reference {
    /// Returns a reference that is valid for all integrators: a closed form, or a Dormand–Prince
    /// run. `None` if the scene has no closed form and a constraint solver holds links. A
    /// Dormand–Prince run that explodes is repeated with stable steps.
    pub fn shared(
        parts: &Arc<Parts>,
        settings: &Settings,
        times: ReferenceTimes,
        check: &dyn Fn() -> Result<(), Cancelled>,
    ) -> Result<Option<Self>, Cancelled> {
        let ReferenceTimes { duration, instants, finest, tolerance, most_work: _ } = times;
        if let Some(exact) = ExactMotions::of(parts, settings) {
            let at = |i: u64| exact.positions(i as f64 / instants as f64 * duration);
            let positions = (1..=instants).map(at).collect();
            let truth = ReferenceKind::ClosedForm;
            return Ok(Some(Self { truth, positions, instants, converged: true, spent: false }));
        }
        if !settings.solver().is_none() {
            return Ok(None);
        }
        let moves = parts.pins.iter().any(|pin| pin.path != Trajectory::Still);
        let finer = if moves { REFINEMENT } else { 1 };
        let least = (duration / LONGEST_REFERENCE_STEP).ceil() as u64;
        let integrator = Method::DormandPrince(DormandPrince { tolerance });
        let settings = Settings { integrator, substeps: 1, ..*settings };
        let steps = (finest * finer).max(least);
        let first =
            run_reference(parts, &settings, times, steps, ReferenceKind::DormandPrince, check)?;
        let exploded = !first.is_complete() && !first.spent;
        let needed = if !exploded { 0 } else { stable_steps(parts, &settings, duration) };
        if needed <= steps {
            return Ok(Some(first));
        }
        run_reference(parts, &settings, times, needed, ReferenceKind::DormandPrince, check)
            .map(Some)
    }

    /// Returns the reference of a lane, whatever the lane's integrator: [`Self::shared`] if
    /// possible. Elastic links are treated as `elastic` says. If a constraint solver still holds
    /// links, the reference is a run of velocity Verlet with SHAKE, which holds links to 1e-9 of
    /// their length. The step of that run is 1/64 of the finest step, or shorter if bends or
    /// springs need a shorter step.
    pub fn of_lane(
        parts: &Arc<Parts>,
        settings: &Settings,
        elastic: ElasticLinks,
        times: ReferenceTimes,
        check: &dyn Fn() -> Result<(), Cancelled>,
    ) -> Result<Self, Cancelled> {
        let (parts, settings) = elastic.apply(parts, settings);
        let parts = &parts;
        if let Some(shared) = Self::shared(parts, &settings, times, check)? {
            return Ok(shared);
        }
        let shake = Shake { tolerance: SHAKE_TOLERANCE, max_iterations: MOST_SHAKE_SWEEPS };
        let settings = Settings {
            integrator: Method::VelocityVerlet,
            constraints: ConstraintSolver::Shake(shake),
            substeps: 1,
            ..settings
        };
        let steps = (times.finest * REFINEMENT).max(stable_steps(parts, &settings, times.duration));
        run_reference(parts, &settings, times, steps, ReferenceKind::SameSchemeFiner, check)
    }

    /// Returns a reference computed with the lane's own integrator at 1/64 of the finest step.
    pub fn by_own_integrator(
        parts: &Arc<Parts>,
        settings: &Settings,
        times: ReferenceTimes,
        check: &dyn Fn() -> Result<(), Cancelled>,
    ) -> Result<Self, Cancelled> {
        let steps = times.finest * REFINEMENT;
        run_reference(parts, settings, times, steps, ReferenceKind::SameSchemeFiner, check)
    }

    /// True if the reference did not explode and the constraint solver always reached its
    /// tolerance.
    pub fn is_valid(&self) -> bool {
        self.converged && self.is_complete()
    }

    /// True if the run was ended early, because it had reached `most_work` of its
    /// [`ReferenceTimes`].
    pub fn is_spent(&self) -> bool {
        self.spent
    }

    fn is_complete(&self) -> bool {
        self.positions.len() as u64 == self.instants
    }

    /// Returns the positions at an instant, counted from 1; `None` if the reference ended before
    /// it.
    pub fn positions(&self, instant: u64) -> Option<&[DVec3]> {
        self.positions.get(instant as usize - 1).map(Vec::as_slice)
    }

    /// Returns the size of the motion in metres, see [`motion_size`].
    pub fn motion_size(&self, parts: &Parts) -> f64 {
        motion_size(parts, &self.positions)
    }

    /// Returns the largest distance of a particle from its reference position at an instant,
    /// counted from 1, in metres; infinite if the reference ended before it.
    pub fn distance(&self, instant: u64, x: &[DVec3]) -> f64 {
        match self.positions(instant) {
            Some(there) => x.iter().zip(there).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max),
            None => f64::INFINITY,
        }
    }
}

/// Returns the number of steps for a clearly stable run of `seconds`: each step is 0.4 of the
/// longest stable step. At most 3e7.
fn stable_steps(parts: &Arc<Parts>, settings: &Settings, seconds: f64) -> u64 {
    let longest = stability::predict_limit(&Simulation::new(parts.clone(), *settings)).longest();
    (seconds / (STABLE_STEP_FRACTION * longest)).min(MOST_STEPS).ceil() as u64
}

/// Runs a reference simulation in at least `steps` steps, and stores the positions at every
/// instant. Stops at an explosion, or when the work is spent.
fn run_reference(
    parts: &Arc<Parts>,
    settings: &Settings,
    times: ReferenceTimes,
    steps: u64,
    truth: ReferenceKind,
    check: &dyn Fn() -> Result<(), Cancelled>,
) -> Result<Reference, Cancelled> {
    let every = steps.div_ceil(times.instants);
    let dt = times.duration / (every * times.instants) as f64;
    let mut simulation = Simulation::new(parts.clone(), Settings { dt, ..*settings });
    let (mut positions, mut converged, mut work) = (Vec::new(), true, 0.0);
    for _ in 0..times.instants {
        if work > times.most_work {
            break;
        }
        for _ in 0..every {
            check()?;
            simulation.step(dt);
            converged &= !simulation.solve().failed;
            work += evaluations_of_last_step(&simulation) * simulation.state().len() as f64;
        }
        if simulation.explosion().is_some() {
            break;
        }
        if !simulation.settings().solver().is_none() {
            let sweeps = every as f64 * f64::from(simulation.projection().iterations);
            work += sweeps * parts.mesh.links.len() as f64;
        }
        positions.push(simulation.state().x.clone());
    }
    let instants = times.instants;
    let is_short = simulation.explosion().is_none() && (positions.len() as u64) < instants;
    Ok(Reference { truth, positions, instants, converged, spent: is_short })
}

/// Returns the number of force evaluations in the last step of an explicit integrator, without
/// inner steps that were rejected.
fn evaluations_of_last_step(simulation: &Simulation) -> f64 {
    let evaluations = f64::from(simulation.settings().integrator.info().evaluations);
    evaluations * f64::from(simulation.solve().parts.max(1))
}

/// Returns the size of a scene in metres: the diagonal of the box around its particles at the
/// start. If all particles are in one place, the size is 1 m.
pub fn scene_size(parts: &Parts) -> f64 {
    let size = box_diagonal(parts.mesh.positions.iter().copied());
    if size > 0.0 { size } else { 1.0 }
}

/// Returns the size of the motion in metres, the length that corresponds to an error of 1 in
/// `advise`, `choose`, `explain` and maps: the largest displacement of a particle from its start in
/// a precise run, but at most the diagonal of the box around all particles that move. Particles
/// that hardly move, such as a ball far away, do not enlarge that box. If nothing moves beyond
/// [`REST_FRACTION`], the size is that of the scene.
pub(in crate::analysis) fn motion_size(parts: &Parts, precise_run: &[Vec<DVec3>]) -> f64 {
    let start = &parts.mesh.positions;
    let mut displacements = vec![0.0_f64; start.len()];
    for positions in precise_run {
        for (most, (x, from)) in displacements.iter_mut().zip(positions.iter().zip(start)) {
            *most = most.max(x.distance(*from));
        }
    }
    let largest = displacements.iter().copied().fold(0.0, f64::max);
    let scene = scene_size(parts);
    if !(largest > REST_FRACTION * scene && largest.is_finite()) {
        return scene;
    }
    let moving = start.iter().zip(&displacements);
    let moving = moving.filter(|(_, moved)| **moved > MOVING_FRACTION * largest);
    let size = box_diagonal(moving.map(|(x, _)| *x));
    if size > 0.0 { largest.min(size) } else { largest }
}

/// Returns the diagonal of the box around points; 0 for fewer than two points.
fn box_diagonal(points: impl Iterator<Item = DVec3>) -> f64 {
    let ends = points.fold(None, |ends: Option<[DVec3; 2]>, x| {
        Some(ends.map_or([x, x], |[least, most]| [least.min(x), most.max(x)]))
    });
    ends.map_or(0.0, |[least, most]| (most - least).length())
}

/// Returns the scene with a pseudo-random perturbation of every velocity, of at most `speed` metres
/// per second.
pub(in crate::analysis) fn perturbed(parts: &Parts, speed: f64) -> Parts {
    let mut perturbed = parts.clone();
    let n = parts.mesh.positions.len();
    let noise = pseudo_random(n);
    perturbed.velocities =
        (0..n).map(|i| parts.velocity(i) + noise[i] * (speed / 3.0_f64.sqrt())).collect();
    perturbed
}
