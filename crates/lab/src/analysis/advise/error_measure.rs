//! Error of a trial: its distance from a reference run, and the time up to which this distance is
//! meaningful.

use super::{AdviceQuestion, EndOfErrors, FRAMES_A_SECOND, Goal};
use crate::analysis::accuracy::elastic_links::ElasticLinks;
use crate::analysis::accuracy::reference::{Reference, ReferenceTimes, perturbed, scene_size};
use crate::analysis::job::Cancelled;
use crate::model::Parts;
use crate::numerics::trajectory::Trajectory;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use glam::DVec3;
use std::sync::Arc;

/// Tolerance of the reference, as a fraction of the permitted error.
const TOLERANCE_FRACTION: f64 = 1e-4;
/// Smallest and largest tolerance of the reference.
const TOLERANCES: [f64; 2] = [1e-12, 1e-7];
/// Speed of the perturbation of the second precise run, as a fraction of the permitted error per
/// second. When the two precise runs differ by the permitted error, the motion is chaotic, and
/// errors no longer tell good integrators from bad ones.
const PERTURBATION_FRACTION: f64 = 1e-3;
/// Kinetic energy below which the scene counts as at rest, as a fraction of m g × the scene's size.
const REST_ENERGY_FRACTION: f64 = 1e-3;

/// Reference run, and the time up to which distances from it are meaningful.
pub(super) struct ErrorMeasure {
    reference: Option<Reference>,
    /// Treatment of elastic links in the reference.
    elastic: ElasticLinks,
    /// Length in metres that corresponds to an error of 1.
    size: f64,
    /// Last frame in which errors are meaningful (0 = none) and the reason; `None` if errors are
    /// meaningful to the end.
    horizon: Option<(u64, EndOfErrors)>,
    /// Kinetic energy in joules below which the scene counts as at rest.
    pub rest_energy: f64,
}

impl ErrorMeasure {
    /// Computes two references if the goal is an error; the second one starts with a small
    /// perturbation. For other goals no reference is computed. The work of each reference is at
    /// most `most_work`, in force evaluations × particles plus sweeps × links.
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
            return Ok(Self { reference: None, elastic, size, horizon: None, rest_energy });
        };
        let instants = (question.duration * FRAMES_A_SECOND).round().max(1.0) as u64;
        let duration = instants as f64 / FRAMES_A_SECOND;
        let tolerance = (TOLERANCE_FRACTION * most).clamp(TOLERANCES[0], TOLERANCES[1]);
        let times = ReferenceTimes { duration, instants, finest: instants, tolerance, most_work };
        let elastic = ElasticLinks::of(parts, lane);
        let reference = Reference::of_lane(parts, lane, elastic, times, &|| check())?;
        let size = reference.motion_size(parts);
        let perturbed = Arc::new(perturbed(parts, PERTURBATION_FRACTION * most * size));
        let other = Reference::of_lane(&perturbed, lane, elastic, times, &|| check())?;
        let end = |frame: u64| match reference.positions(frame).zip(other.positions(frame)) {
            None if reference.is_spent() || other.is_spent() => Some(EndOfErrors::WorkSpent),
            None => Some(EndOfErrors::ReferenceExplodes),
            Some((_, there)) if reference.distance(frame, there) > most * size => {
                Some(EndOfErrors::Chaos)
            }
            Some(_) => None,
        };
        let horizon = (1..=instants).find_map(|frame| end(frame).map(|end| (frame - 1, end)));
        Ok(Self { reference: Some(reference), elastic, size, horizon, rest_energy })
    }

    /// True if the goal is an error, so that a reference exists.
    pub fn measures(&self) -> bool {
        self.reference.is_some()
    }

    /// Returns the time in seconds up to which errors are meaningful; `None` if errors are
    /// meaningful to the end.
    pub fn predictable_for(&self) -> Option<f64> {
        self.horizon.map(|(frames, _)| frames as f64 / FRAMES_A_SECOND)
    }

    /// Returns the reason why errors lose their meaning; `None` if errors are meaningful to the
    /// end.
    pub fn end(&self) -> Option<EndOfErrors> {
        self.horizon.map(|(_, end)| end)
    }

    /// Returns the length in metres that corresponds to an error of 1; `None` if the goal is no
    /// error.
    pub fn size(&self) -> Option<f64> {
        self.reference.as_ref().map(|_| self.size)
    }

    /// Returns a sentence that says why the reference holds elastic links at their rest lengths.
    /// `None` if it does not, or if the goal is no error.
    pub fn rigid_reference(&self) -> Option<String> {
        self.reference.as_ref().and_then(|_| self.elastic.describe_held_lengths())
    }

    /// Returns the distance from the reference at the end of a frame (counted from 1), divided
    /// by [`Self::size`]. Returns 0 after the last frame with meaningful errors, and infinity if no
    /// frame has meaningful errors.
    pub fn error(&self, frame: u64, simulation: &Simulation) -> f64 {
        match (&self.reference, self.horizon) {
            (Some(_), Some((0, _))) => f64::INFINITY,
            (Some(reference), horizon) if horizon.is_none_or(|(last, _)| frame <= last) => {
                reference.distance(frame, &positions_at(simulation, frame)) / self.size
            }
            _ => 0.0,
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
