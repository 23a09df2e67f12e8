//! Vibration mode that grew: its displacements, its frequency, and the growth that the integrator
//! causes.

use super::explain_job::ExplainJob;
use super::lane_run::LaneRun;
use super::step_lengths::StepLengths;
use crate::analysis::job::Cancelled;
use crate::analysis::linear::mass_product::longest_displacement;
use crate::analysis::stability::growth::{Growth, StepMap, growth_of_mode};
use crate::analysis::vibration::fastest_mode::FastestMode;
use crate::analysis::vibration::step_matrix::{growth_per_step, stability_limit};
use crate::numerics::sums::mass_dot;
use crate::numerics::system::System;
use crate::simulation::Simulation;
use glam::DVec3;
use serde::Serialize;

/// Fraction of the stability limit above which a lane (one simulation of the scene) counts as
/// beyond the limit. The remaining 3 % allow for stretched links, whose frequencies are higher.
const NEAR_LIMIT: f64 = 0.97;
/// Relative tolerance when the measured growth factor of a mode is compared with the theoretical
/// one.
const TOLERANCE_OF_THEORY: f64 = 0.05;
/// Growth counts as physical, not numerical, if its rate per second with half the step is more than
/// this fraction of its rate with the full step.
const PHYSICAL_GROWTH: f64 = 0.75;

/// Vibration that grew, or the one that grows fastest.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GrowingMode {
    /// Angular frequency in rad/s; 0 if no spring acts.
    pub omega: f64,
    /// Angular frequency × substep, ωh.
    pub omega_h: f64,
    /// Damping ratio ξ of links and drag.
    pub damping_ratio: f64,
    /// Largest stable ωh; null if every ωh is stable.
    pub limit: f64,
    /// Largest stable ωh without damping; null if every ωh is stable.
    pub limit_undamped: f64,
    /// Growth factor per step, measured while the vibration was small.
    pub growth_measured: f64,
    /// Theoretical growth factor per step.
    pub growth_theory: f64,
    /// Particle that moved most.
    pub particle: u32,
    /// Time of the measurement in seconds.
    pub t: f64,
    /// Displacement of each particle, scaled so that the longest has length 1.
    #[serde(skip)]
    pub displacements: Vec<DVec3>,
}

impl GrowingMode {
    /// True if ωh (angular frequency × substep) is beyond the integrator's limit at this damping
    /// ratio.
    pub fn is_over(&self) -> bool {
        self.omega > 0.0 && self.omega_h > NEAR_LIMIT * self.limit
    }

    /// True if ωh (angular frequency × substep) is beyond the limit at this damping ratio, but
    /// would be stable without damping.
    pub fn is_over_by_damping(&self) -> bool {
        self.is_over() && self.omega_h <= NEAR_LIMIT * self.limit_undamped
    }

    /// Finds the growing vibration of a lane. Repeats the run up to the last step with small
    /// vibrations, and measures the growth there. `None` if nothing grew.
    pub(super) fn of(job: &ExplainJob, lane_run: &LaneRun) -> Result<Option<Self>, Cancelled> {
        let question = job.question;
        let projects = !question.start.settings().solver().is_none();
        let ended = lane_run.ending.is_some();
        if !ended && projects {
            // If a lane with a constraint solver survived, its growth is physical: fluttering cloth
            // also grows with shorter steps.
            return Ok(None);
        }
        let mut simulation = question.start.clone();
        let steps = if ended { lane_run.last_small } else { 0 };
        let mut step_lengths = StepLengths::of(question, question.start.settings());
        let mut inputs = question.inputs.replay();
        for _ in 0..steps {
            job.check()?;
            inputs.step(&mut simulation, step_lengths.next_length());
        }
        let dt = lane_run.longest_step;
        let growth = if steps > 0 {
            Growth::of_next_step(&simulation, dt)
        } else {
            Growth::with_step(&simulation, dt)
        };
        job.check()?;
        if !ended {
            // An impact or a fall at the start amplifies vibrations only for a moment, so growth
            // must also be measured at the end of the run.
            let grows = |simulation: &Simulation, growth: &Growth| {
                growth.grows() && is_numerical(simulation, dt, growth)
            };
            let at_end = || Growth::of_next_step(&lane_run.end, dt);
            if !grows(&simulation, &growth) || !grows(&lane_run.end, &at_end()) {
                return Ok(None);
            }
        }
        Ok(Some(find_explaining_mode(&simulation, dt, growth)))
    }
}

/// True if the step causes the growth. Physical growth (tipping, fluttering) has the same rate per
/// second with half the step.
fn is_numerical(simulation: &Simulation, dt: f64, growth: &Growth) -> bool {
    let rate = growth.per_step.ln() / dt;
    let with_half = Growth::with_step(simulation, dt / 2.0).per_step.ln() / (dt / 2.0);
    with_half < PHYSICAL_GROWTH * rate
}

/// Returns the mode that explains the growth of a simulation. Usually this is the fastest-growing
/// mode. However, a slack rope folds (physical growth) faster than an integrator amplifies a
/// vibration. In that case the theoretical growth factor differs from the measured one, and the
/// fastest vibration is returned if its ωh is beyond the integrator's limit.
fn find_explaining_mode(simulation: &Simulation, dt: f64, growth: Growth) -> GrowingMode {
    let fits = |mode: &GrowingMode| {
        (mode.growth_measured / mode.growth_theory - 1.0).abs() < TOLERANCE_OF_THEORY
    };
    let moved = growth.displacements.iter().any(|p| *p != DVec3::ZERO);
    let found = measure_mode(simulation, dt, growth.displacements, growth.per_step);
    if moved && fits(&found) {
        return found;
    }
    let fastest = FastestMode::of(simulation.model(), simulation.state(), None);
    let Some(FastestMode { omega, displacements, .. }) = fastest else { return found };
    let map = StepMap::of_next(simulation.clone(), dt, 1);
    let measured =
        map.map_or(f64::INFINITY, |mut map| growth_of_mode(&mut map, &displacements, omega));
    let fastest = measure_mode(simulation, dt, displacements, measured);
    if !moved || fastest.is_over() { fastest } else { found }
}

/// Measures a mode: its frequency by Rayleigh's quotient, its stability limits, and its growth
/// under the integrator.
fn measure_mode(
    simulation: &Simulation,
    dt: f64,
    displacements: Vec<DVec3>,
    measured: f64,
) -> GrowingMode {
    let (model, state) = (simulation.model(), simulation.state());
    let settings = simulation.settings();
    let h = dt / f64::from(settings.substeps);
    let zero = vec![DVec3::ZERO; displacements.len()];
    let inertia = mass_dot(model.masses(), &displacements, &displacements);
    let quotient = |dx: &[DVec3], dv: &[DVec3]| {
        let mut image = zero.clone();
        model.acceleration_jvp(state.view(), [dx, dv], &mut image);
        if inertia > 0.0 {
            -mass_dot(model.masses(), &displacements, &image) / inertia
        } else {
            0.0
        }
    };
    let omega = quotient(&displacements, &zero).max(0.0).sqrt();
    let damping = quotient(&zero, &displacements);
    let xi = if omega > 0.0 { (damping / (2.0 * omega)).max(0.0) } else { 0.0 };
    let of_substep = growth_per_step(&settings.integrator, omega * h, xi);
    let longest = displacements.iter().map(|p| p.length()).fold(0.0, f64::max);
    let scale = if longest > 0.0 { 1.0 / longest } else { 0.0 };
    GrowingMode {
        omega,
        omega_h: omega * h,
        damping_ratio: xi,
        limit: stability_limit(&settings.integrator, xi),
        limit_undamped: stability_limit(&settings.integrator, 0.0),
        growth_measured: measured,
        growth_theory: of_substep.powf(f64::from(settings.substeps)),
        particle: longest_displacement(&displacements),
        t: state.t,
        displacements: displacements.iter().map(|p| scale * *p).collect(),
    }
}
