//! Numerical damping and period error of an integrator on an undamped vibration.
//!
//! A vibration q, sampled once per step, obeys q(k+1) = a q(k) + b q(k−1). The characteristic roots
//! of this recurrence are λ = r e^(±iφ). The integrator's damping is Hughes' algorithmic damping
//! ratio ξ̄ = −ln|λ| / arg λ = −ln r / φ, and its period error is ωh/φ − 1 (Hughes, The Finite
//! Element Method, 1987, §9.3; Bathe, Finite Element Procedures, §9.4). A damper with the damping
//! ratio ξ has −ln r / φ = ξ/√(1 − ξ²), which is ξ for weak damping.

use super::step_matrix::DampedOscillator;
use crate::integrate::Method;
use crate::numerics::state::{State, Workspace};
use glam::dvec3;
use serde::Serialize;
use std::f64::consts::TAU;

/// Number of steps before the fit, in which the transient of a multistep integrator decays.
const SKIPPED_STEPS: usize = 30;
/// Number of steps to which a vibration is fitted.
const FITTED_SAMPLES: usize = 20;
/// Largest residual of the fit at which samples count as a single vibration, as a fraction of the
/// samples.
const LARGEST_MISFIT: f64 = 1e-3;

/// Shortest step of a curve, as a fraction of the period: 200 steps per period.
pub const SHORTEST_STEP: f64 = 0.005;
/// Longest step of a curve, as a fraction of the period. Fewer than two samples per period do not
/// determine a vibration.
pub const LONGEST_STEP: f64 = 0.5;
/// Number of points of a curve from [`SHORTEST_STEP`] to [`LONGEST_STEP`].
const CURVE_POINTS: u32 = 60;

/// Definition of the damping ratio, printed with tables and charts.
pub const DAMPING_RATIO: &str = "Damping ratio: Hughes' algorithmic damping ratio −ln r / φ, where \
                                 a step multiplies the amplitude by r and advances the phase by φ.";

/// Numerical damping and period error of one undamped vibration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Dissipation {
    /// Step divided by the period.
    pub step_over_period: f64,
    /// Growth factor of the amplitude per step.
    pub amplitude: f64,
    /// Algorithmic damping ratio (Hughes) −ln r / φ: each step multiplies the amplitude by r and
    /// advances the phase by φ.
    pub damping_ratio: f64,
    /// Numerical period divided by the true one, minus 1.
    pub period_error: f64,
}

impl Dissipation {
    /// Measures an integrator at a step of this many periods. `None` if the numerical motion does
    /// not vibrate, because it creeps or explodes.
    pub fn of(method: &Method, step_over_period: f64) -> Option<Self> {
        let dt = TAU * step_over_period;
        let mut state = State::at_rest(vec![dvec3(1.0, 0.0, 0.0)]);
        let oscillator = DampedOscillator { damping: 0.0 };
        let mut work = Workspace::default();
        let mut samples = Vec::with_capacity(SKIPPED_STEPS + FITTED_SAMPLES);
        for step in 0..SKIPPED_STEPS + FITTED_SAMPLES {
            state.t = step as f64 * dt;
            let now = state.clone();
            method.as_integrator().step(&oscillator, now.view(), state.view_mut(), dt, &mut work);
            samples.push(state.x[0].x);
        }
        Self::fit(&samples[SKIPPED_STEPS..], step_over_period, 1)
    }

    /// Measures an integrator at 60 steps from the shortest to the longest. Steps without a
    /// numerical vibration are left out.
    pub fn curve(method: &Method) -> Vec<Self> {
        let part = |i: u32| f64::from(i) / f64::from(CURVE_POINTS - 1);
        let step = |i: u32| SHORTEST_STEP * (LONGEST_STEP / SHORTEST_STEP).powf(part(i));
        (0..CURVE_POINTS).filter_map(|i| Self::of(method, step(i))).collect()
    }

    /// Fits a vibration to samples by least squares. `stride` is the number of steps per sample.
    /// `None` if the samples do not belong to a single vibration.
    pub fn fit(samples: &[f64], step_over_period: f64, stride: usize) -> Option<Self> {
        // Normal equations of q(k+1) = a q(k) + b q(k−1).
        let scale = samples.iter().fold(0.0_f64, |most, q| most.max(q.abs()));
        let (mut cc, mut cb, mut bb, mut nc, mut nb, mut nn) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        for three in samples.windows(3) {
            let [before, current, next] = [three[0], three[1], three[2]].map(|q| q / scale);
            nn += next * next;
            cc += current * current;
            cb += current * before;
            bb += before * before;
            nc += next * current;
            nb += next * before;
        }
        let determinant = cc * bb - cb * cb;
        let a = (nc * bb - nb * cb) / determinant;
        let b = (nb * cc - nc * cb) / determinant;
        let left = nn - a * nc - b * nb;
        // λ² = a λ + b has the roots r e^(±iφ) with r² = −b and 2 r cos φ = a. Here φ is the angle
        // of `stride` steps.
        let amplitude = (-b).sqrt();
        let phase = (0.5 * a / amplitude).acos() / stride as f64;
        let amplitude = amplitude.powf(1.0 / stride as f64);
        let vibrates = amplitude.is_finite()
            && phase.is_finite()
            && phase > 0.0
            && left <= LARGEST_MISFIT * LARGEST_MISFIT * nn;
        vibrates.then(|| Self {
            step_over_period,
            amplitude,
            damping_ratio: -amplitude.ln() / phase,
            period_error: TAU * step_over_period / phase - 1.0,
        })
    }
}
