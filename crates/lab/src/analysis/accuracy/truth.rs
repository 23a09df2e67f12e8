//! Reference of a motion: the closed form where there is one, else a run that is fine enough.

use super::closed_form::ExactMotions;
use crate::analysis::job::Cancelled;
use crate::analysis::linear::mass_product::pseudo_random;
use crate::constraint::{ConstraintSolver, Shake};
use crate::integrate::{DormandPrince, Method};
use crate::model::Parts;
use crate::numerics::trajectory::Trajectory;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use glam::DVec3;
use serde::Serialize;
use std::sync::Arc;

/// Tolerance of a reference by Dormand and Prince that may take its time.
pub(in crate::analysis) const REFERENCE_TOLERANCE: f64 = 1e-12;
/// Steps of the reference that is the scheme itself, for each of the shortest step asked for.
const FINER: u64 = 64;
/// Error of a length over itself that a reference leaves.
const RIGID: f64 = 1e-9;
/// Longest step of a reference in seconds: pins move in straight lines within a step.
const LONGEST_REFERENCE_STEP: f64 = 1.0 / 240.0;

/// Reference that errors are measured against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Truth {
    /// The exact motion.
    ClosedForm,
    /// Dormand–Prince 5(4) at a tolerance of 1e-12, in maps 1e-9.
    DormandPrince,
    /// The same scheme at 1/64 of the shortest step: for links that a solver holds.
    SameSchemeFiner,
}

/// Instants at which the reference is wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::analysis) struct Times {
    /// Seconds of the run.
    pub duration: f64,
    /// Equally far apart, the last at the end.
    pub instants: u64,
    /// Steps of the finest run that is to be judged.
    pub finest: u64,
    /// Tolerance of Dormand and Prince.
    pub tolerance: f64,
}

/// Reference positions at some instants.
#[derive(Clone, Debug)]
pub(in crate::analysis) struct Reference {
    /// Source of the reference.
    pub truth: Truth,
    /// Positions at every instant; fewer if the reference exploded.
    positions: Vec<Vec<DVec3>>,
    instants: u64,
    /// No step missed its tolerance.
    converged: bool,
}

impl Reference {
    /// The reference that serves all integrators, if there is one.
    pub fn shared(
        parts: &Arc<Parts>,
        settings: &Settings,
        times: Times,
        check: &dyn Fn() -> Result<(), Cancelled>,
    ) -> Result<Option<Self>, Cancelled> {
        let Times { duration, instants, finest, tolerance } = times;
        if let Some(exact) = ExactMotions::of(parts, settings) {
            let at = |i: u64| exact.positions(i as f64 / instants as f64 * duration);
            let positions = (1..=instants).map(at).collect();
            let truth = Truth::ClosedForm;
            return Ok(Some(Self { truth, positions, instants, converged: true }));
        }
        if !settings.solver().is_none() {
            return Ok(None);
        }
        let moves = parts.pins.iter().any(|pin| pin.path != Trajectory::Still);
        let finer = if moves { FINER } else { 1 };
        let least = (duration / LONGEST_REFERENCE_STEP).ceil() as u64;
        let integrator = Method::DormandPrince(DormandPrince { tolerance });
        let settings = Settings { integrator, substeps: 1, ..*settings };
        let steps = (finest * finer).max(least);
        run(parts, &settings, times, steps, Truth::DormandPrince, check).map(Some)
    }

    /// The reference of a lane whatever its integrator: as [`Self::shared`], and where a solver
    /// holds links, SHAKE to 1e-9 of their length with velocity Verlet, at 1/64 of the finest step.
    pub fn of_lane(
        parts: &Arc<Parts>,
        settings: &Settings,
        times: Times,
        check: &dyn Fn() -> Result<(), Cancelled>,
    ) -> Result<Self, Cancelled> {
        if let Some(shared) = Self::shared(parts, settings, times, check)? {
            return Ok(shared);
        }
        let shake = Shake { tolerance: RIGID, max_iterations: 20_000 };
        let settings = Settings {
            integrator: Method::VelocityVerlet,
            constraints: ConstraintSolver::Shake(shake),
            substeps: 1,
            ..*settings
        };
        Self::of_scheme(parts, &settings, times, check)
    }

    /// The scheme itself with steps of 1/64.
    pub fn of_scheme(
        parts: &Arc<Parts>,
        settings: &Settings,
        times: Times,
        check: &dyn Fn() -> Result<(), Cancelled>,
    ) -> Result<Self, Cancelled> {
        run(parts, settings, times, times.finest * FINER, Truth::SameSchemeFiner, check)
    }

    /// Instants at which truth is known, unless the reference exploded.
    pub fn instants(&self) -> u64 {
        self.instants
    }

    /// Whether it neither exploded nor missed its tolerance.
    pub fn is_good(&self) -> bool {
        self.converged && self.positions.len() as u64 == self.instants
    }

    /// Positions at an instant, counted from 1; none where the reference has exploded.
    pub fn positions(&self, instant: u64) -> Option<&[DVec3]> {
        self.positions.get(instant as usize - 1).map(Vec::as_slice)
    }

    /// Greatest distance of a particle from where it should be at an instant, counted from 1, in
    /// metres; infinite where the reference has exploded.
    pub fn distance(&self, instant: u64, x: &[DVec3]) -> f64 {
        match self.positions(instant) {
            Some(there) => x.iter().zip(there).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max),
            None => f64::INFINITY,
        }
    }
}

/// The reference of a run of at least so many steps, until it explodes.
fn run(
    parts: &Arc<Parts>,
    settings: &Settings,
    times: Times,
    steps: u64,
    truth: Truth,
    check: &dyn Fn() -> Result<(), Cancelled>,
) -> Result<Reference, Cancelled> {
    let every = steps.div_ceil(times.instants);
    let dt = times.duration / (every * times.instants) as f64;
    let mut simulation = Simulation::new(parts.clone(), Settings { dt, ..*settings });
    let (mut positions, mut converged) = (Vec::new(), true);
    for _ in 0..times.instants {
        for _ in 0..every {
            check()?;
            simulation.step(dt);
            converged &= !simulation.solve().failed;
        }
        if simulation.explosion().is_some() {
            break;
        }
        positions.push(simulation.state().x.clone());
    }
    Ok(Reference { truth, positions, instants: times.instants, converged })
}

/// Size of a scene in metres: the diagonal of the box around its particles at the start, and 1 m
/// for a single place.
pub fn extent(parts: &Parts) -> f64 {
    let x = &parts.mesh.positions;
    let least = x.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let most = x.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let size = (most - least).length();
    if size > 0.0 { size } else { 1.0 }
}

/// The scene with a push in all directions, of so many metres a second at most.
pub(in crate::analysis) fn pushed(parts: &Parts, speed: f64) -> Parts {
    let mut pushed = parts.clone();
    let n = parts.mesh.positions.len();
    let push = pseudo_random(n);
    pushed.velocities =
        (0..n).map(|i| parts.velocity(i) + push[i] * (speed / 3.0_f64.sqrt())).collect();
    pushed
}
