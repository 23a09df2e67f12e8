//! Yardstick of errors, and the time for which it means something.

use super::{AdviceQuestion, FRAMES_A_SECOND, Goal};
use crate::analysis::accuracy::truth::{Reference, Times, extent, pushed};
use crate::analysis::job::Cancelled;
use crate::model::Parts;
use crate::numerics::trajectory::Trajectory;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use glam::DVec3;
use std::sync::Arc;

/// Tolerance of the reference over the error that is asked for.
const FINER_THAN_GOAL: f64 = 1e-4;
/// Tolerances that a reference may have.
const TOLERANCES: [f64; 2] = [1e-12, 1e-7];
/// Two precise runs start this part of the permitted error apart (in a second). Where they come
/// apart by the permitted error, it says nothing of a scheme any more.
const APART_AT_START: f64 = 1e-3;
/// A motion whose kinetic energy stays below this part of m g times the scene's size is at rest.
const REST: f64 = 1e-3;

/// The reference and the time for which distances from it mean something.
pub(super) struct Yardstick {
    reference: Option<Reference>,
    size: f64,
    /// Frames after which errors mean nothing; none where they do to the end.
    horizon: Option<u64>,
    /// Kinetic energy in joules below which nothing swings.
    pub least_swing: f64,
}

impl Yardstick {
    /// Runs the reference twice, the second time pushed a little, where errors are asked for.
    pub fn of(
        parts: &Arc<Parts>,
        lane: &Settings,
        question: &AdviceQuestion,
        check: &(dyn Fn() -> Result<(), Cancelled> + Sync),
    ) -> Result<Self, Cancelled> {
        let size = extent(parts);
        let least_swing = REST * weight(parts, lane) * size;
        let Goal::Error(most) = question.goal else {
            return Ok(Self { reference: None, size, horizon: None, least_swing });
        };
        let instants = (question.duration * FRAMES_A_SECOND).round().max(1.0) as u64;
        let duration = instants as f64 / FRAMES_A_SECOND;
        let tolerance = (FINER_THAN_GOAL * most).clamp(TOLERANCES[0], TOLERANCES[1]);
        let times = Times { duration, instants, finest: instants, tolerance };
        let pushed = Arc::new(pushed(parts, APART_AT_START * most * size));
        let (reference, other) = rayon::join(
            || Reference::of_lane(parts, lane, times, &|| check()),
            || Reference::of_lane(&pushed, lane, times, &|| check()),
        );
        let (reference, other) = (reference?, other?);
        let apart = |frame: &u64| {
            let there = other.positions(*frame);
            there.is_none_or(|x| reference.distance(*frame, x) > most * size)
        };
        let horizon = (1..=instants).find(apart).map(|frame| frame - 1);
        Ok(Self { reference: Some(reference), size, horizon, least_swing })
    }

    /// Whether errors are asked for.
    pub fn measures(&self) -> bool {
        self.reference.is_some()
    }

    /// Seconds for which errors mean something; none where they do to the end.
    pub fn predictable_for(&self) -> Option<f64> {
        self.horizon.map(|frames| frames as f64 / FRAMES_A_SECOND)
    }

    /// Distance from the reference over the scene's size at the end of a frame, counted from 1; 0
    /// where it means nothing any more, infinite where it never did.
    pub fn error(&self, frame: u64, simulation: &Simulation) -> f64 {
        match &self.reference {
            Some(_) if self.horizon == Some(0) => f64::INFINITY,
            Some(reference) if self.horizon.is_none_or(|last| frame <= last) => {
                reference.distance(frame, &positions_at(simulation, frame)) / self.size
            }
            _ => 0.0,
        }
    }
}

/// Positions at the end of a frame, on the straight line between the last two states.
fn positions_at(simulation: &Simulation, frame: u64) -> Vec<DVec3> {
    let (before, now) = (simulation.previous(), simulation.state());
    let (end, step) = (frame as f64 / FRAMES_A_SECOND, now.t - before.t);
    if step <= 0.0 {
        return now.x.clone();
    }
    let part = ((end - before.t) / step).clamp(0.0, 1.0);
    before.x.iter().zip(&now.x).map(|(a, b)| a.lerp(*b, part)).collect()
}

/// Σ m g of what is free, in newtons; of a scene without gravity or with something that drives it, 0.
fn weight(parts: &Arc<Parts>, lane: &Settings) -> f64 {
    let simulation = Simulation::new(parts.clone(), *lane);
    let model = simulation.model();
    if parts.pins.iter().any(|pin| pin.path != Trajectory::Still) {
        return 0.0;
    }
    parts.mesh.masses.iter().sum::<f64>() * model.gravity().length()
}
