//! Error of a trial: its distance from a reference run, and the time up to which this distance is
//! meaningful.

use super::question::{AdviceQuestion, EndOfErrors, FRAMES_A_SECOND, Goal};
use crate::analysis::accuracy::elastic_links::ElasticLinks;
use crate::analysis::accuracy::precise_run::{PreciseRun, RefinementLimits};
use crate::analysis::accuracy::reference::{ReferenceTimes, scene_size};
use crate::analysis::accuracy::reference_plan::ReferencePlan;
use crate::analysis::job::Cancelled;
use crate::model::Parts;
use crate::numerics::trajectory::Trajectory;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use glam::DVec3;
use std::sync::Arc;

/// Tolerance of the reference run, as a fraction of the permitted error.
const TOLERANCE_FRACTION: f64 = 1e-4;
/// Smallest and largest tolerance of the reference run.
const TOLERANCES: [f64; 2] = [1e-12, 1e-7];
/// Speed of the perturbation in the second precise run (a reference run with tiny steps), as a
/// fraction of the permitted error per second. Once the two precise runs differ by the permitted
/// error, the motion counts as chaotic. From then on, errors do not distinguish good integrators
/// from bad ones.
const PERTURBATION_FRACTION: f64 = 1e-3;
/// Largest uncertainty of the precise run at which errors are meaningful, as a fraction of the
/// permitted error.
const UNCERTAIN_FRACTION: f64 = 0.5;
/// Maximum work of a refined precise run, in force evaluations × particles plus sweeps × links: a
/// few seconds of computing time.
const MOST_REFINED_WORK: f64 = 2e7;
/// Kinetic energy below which a scene counts as at rest, as a fraction of m g × the scene's size.
const REST_ENERGY_FRACTION: f64 = 1e-3;

/// Reference run, and the time up to which distances from it are meaningful.
pub(super) struct ErrorMeasure {
    precise: Option<PreciseRun>,
    elastic: ElasticLinks,
    /// Distance in metres that counts as an error of 1.
    size: f64,
    /// End of meaningful errors; `None` if they are meaningful until the end of the run.
    horizon: Option<Horizon>,
    /// Kinetic energy in joules below which the scene counts as at rest.
    pub rest_energy: f64,
}

#[derive(Clone, Copy)]
struct Horizon {
    /// Last frame in which errors are meaningful; 0 if there is none.
    last: u64,
    why: EndOfErrors,
}

impl ErrorMeasure {
    /// Computes two reference runs if the goal is an error. The second one starts with a small
    /// perturbation. For other goals, none is computed. The work of each run is at most
    /// `most_work`, in force evaluations × particles plus sweeps × links.
    pub fn of(
        parts: &Arc<Parts>,
        lane: &Settings,
        question: &AdviceQuestion,
        most_work: f64,
        check: &(dyn Fn() -> Result<(), Cancelled> + Sync),
    ) -> Result<Self, Cancelled> {
        let rest_energy = REST_ENERGY_FRACTION * weight(parts, lane) * scene_size(parts);
        let Goal::Error(most) = question.goal else {
            let size = scene_size(parts);
            let elastic = ElasticLinks::Springs;
            return Ok(Self { precise: None, elastic, size, horizon: None, rest_energy });
        };
        let instants = (question.duration * FRAMES_A_SECOND).round().max(1.0) as u64;
        let duration = instants as f64 / FRAMES_A_SECOND;
        let tolerance = (TOLERANCE_FRACTION * most).clamp(TOLERANCES[0], TOLERANCES[1]);
        let times = ReferenceTimes { duration, instants, finest: instants, tolerance, most_work };
        let elastic = ElasticLinks::of(parts, lane);
        let mut plan = ReferencePlan::of_lane(parts, lane, elastic, times);
        let reference = plan.run(&|| check())?;
        let size = reference.motion_size(parts);
        let permitted = most * size;
        let other = plan.perturbed(PERTURBATION_FRACTION * permitted).run(&|| check())?;
        let end = |frame: u64| match reference.positions(frame).zip(other.positions(frame)) {
            None if reference.is_spent() || other.is_spent() => Some(EndOfErrors::WorkSpent),
            None => Some(EndOfErrors::ReferenceExplodes),
            Some((_, there)) if reference.distance(frame, there) > permitted => {
                Some(EndOfErrors::Chaos)
            }
            Some(_) => None,
        };
        let horizon =
            (1..=instants).find_map(|frame| end(frame).map(|why| Horizon { last: frame - 1, why }));
        let last = horizon.map_or(instants, |horizon| horizon.last);
        let limits = RefinementLimits { last, permitted, most_work: MOST_REFINED_WORK };
        let precise = PreciseRun::refine(&plan, reference, limits, &|| check())?;
        let uncertain = precise.first_above(UNCERTAIN_FRACTION * permitted, last);
        let uncertain = uncertain
            .map(|frame| Horizon { last: frame - 1, why: EndOfErrors::ReferenceUncertain });
        let horizon = uncertain.or(horizon);
        Ok(Self { precise: Some(precise), elastic, size, horizon, rest_energy })
    }

    /// True if the goal is an error. Only then does a reference run exist.
    pub fn measures(&self) -> bool {
        self.precise.is_some()
    }

    /// Returns the time in seconds up to which errors are meaningful; `None` if they are meaningful
    /// until the end.
    pub fn predictable_for(&self) -> Option<f64> {
        self.horizon.map(|horizon| horizon.last as f64 / FRAMES_A_SECOND)
    }

    /// Returns the reason why errors lose their meaning; `None` if they are meaningful until the
    /// end.
    pub fn end(&self) -> Option<EndOfErrors> {
        self.horizon.map(|horizon| horizon.why)
    }

    /// Returns the distance in metres that counts as an error of 1; `None` if the goal is not an
    /// error.
    pub fn size(&self) -> Option<f64> {
        self.precise.as_ref().map(|_| self.size)
    }

    /// Returns a sentence that says why the reference run keeps elastic links at their rest
    /// lengths. `None` if it does not, or if the goal is not an error.
    pub fn rigid_reference(&self) -> Option<String> {
        self.precise.as_ref().and_then(|_| self.elastic.describe_held_lengths())
    }

    /// Returns the largest uncertainty of the reference run while errors are meaningful, divided by
    /// [`Self::size`]. `None` if it is negligible or if the goal is not an error.
    pub fn uncertainty(&self) -> Option<f64> {
        let precise = self.precise.as_ref().filter(|precise| precise.is_uncertain())?;
        let last = self.horizon.map_or(u64::MAX, |horizon| horizon.last);
        Some(precise.uncertainty_at(last) / self.size)
    }

    /// Returns two values, both divided by [`Self::size`]: the distance from the reference run at
    /// the end of this frame (counted from 1), and the sum of this distance and the uncertainty of
    /// the reference run. Returns 0 after the last frame with meaningful errors, and infinity if no
    /// frame has any.
    pub fn error(&self, frame: u64, simulation: &Simulation) -> [f64; 2] {
        match (&self.precise, self.horizon) {
            (Some(_), Some(Horizon { last: 0, .. })) => [f64::INFINITY; 2],
            (Some(precise), horizon) if horizon.is_none_or(|horizon| frame <= horizon.last) => {
                let x = positions_at(simulation, frame);
                let distance = precise.reference.distance(frame, &x);
                let most = distance + precise.uncertainty_at(frame);
                [distance, most].map(|metres| metres / self.size)
            }
            _ => [0.0; 2],
        }
    }
}

/// Returns the positions at the end of a frame, interpolated linearly between the last two states.
fn positions_at(simulation: &Simulation, frame: u64) -> Vec<DVec3> {
    let (before, now) = (simulation.previous(), simulation.state());
    let (end, step) = (frame as f64 / FRAMES_A_SECOND, now.t - before.t);
    if step <= 0.0 {
        return now.x.clone();
    }
    let part = ((end - before.t) / step).clamp(0.0, 1.0);
    before.x.iter().zip(&now.x).map(|(a, b)| a.lerp(*b, part)).collect()
}

/// Returns the weight Σ m g in newtons; 0 without gravity or if a pin moves.
fn weight(parts: &Arc<Parts>, lane: &Settings) -> f64 {
    let simulation = Simulation::new(parts.clone(), *lane);
    let model = simulation.model();
    if parts.pins.iter().any(|pin| pin.path != Trajectory::Still) {
        return 0.0;
    }
    parts.mesh.masses.iter().sum::<f64>() * model.gravity().length()
}
