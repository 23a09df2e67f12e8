//! Numerical damping and period error: what a scheme makes of an undamped vibration.
//!
//! A vibration sampled once a step obeys q(k+1) = a q(k) + b q(k−1), whose roots are r e^(±iφ):
//! the scheme's damping ratio is −ln r / φ and its period error ωh/φ − 1 (Hughes, The Finite
//! Element Method, §9.3; Bathe, Finite Element Procedures, §9.4).

use crate::integrate::Method;
use crate::numerics::state::{State, Workspace};
use crate::numerics::system::System;
use glam::{DVec3, dvec3};
use serde::Serialize;
use std::f64::consts::TAU;

/// Steps after which the start of a scheme that remembers more than one step has died away.
const SKIPPED: usize = 30;
/// Steps that are fitted.
const FITTED: usize = 20;

/// What a scheme makes of one undamped vibration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Dissipation {
    /// Step over the period of the vibration.
    pub step_over_period: f64,
    /// Factor a step of the amplitude.
    pub amplitude: f64,
    /// Damping ratio that the scheme adds; negative where it feeds the vibration.
    pub damping_ratio: f64,
    /// Numerical over true period, minus 1.
    pub period_error: f64,
}

/// x″ = −x along the first axis.
struct UndampedOscillator;

impl System for UndampedOscillator {
    fn masses(&self) -> &[f64] {
        &[1.0]
    }

    fn accelerations(&self, _t: f64, x: &[DVec3], _v: &[DVec3], a: &mut [DVec3]) {
        a[0] = -x[0];
    }

    fn acceleration_jvp(
        &self,
        _t: f64,
        _x: &[DVec3],
        _v: &[DVec3],
        dx: &[DVec3],
        _dv: &[DVec3],
        out: &mut [DVec3],
    ) {
        out[0] = -dx[0];
    }
}

impl Dissipation {
    /// Of a scheme, at a step of so many periods; none where the scheme does not vibrate there: it
    /// creeps or explodes.
    pub fn of(method: &Method, step_over_period: f64) -> Option<Self> {
        let dt = TAU * step_over_period;
        let mut state = State::at_rest(vec![dvec3(1.0, 0.0, 0.0)]);
        let mut work = Workspace::default();
        let mut samples = Vec::with_capacity(SKIPPED + FITTED);
        for step in 0..SKIPPED + FITTED {
            state.t = step as f64 * dt;
            let now = state.clone();
            method.scheme().step(&UndampedOscillator, now.as_now(), state.as_next(), dt, &mut work);
            samples.push(state.x[0].x);
        }
        Self::fitted(&samples[SKIPPED..], step_over_period)
    }

    /// Of samples of a vibration, one a step, by least squares.
    pub fn fitted(samples: &[f64], step_over_period: f64) -> Option<Self> {
        // Normal equations of q(k+1) = a q(k) + b q(k−1).
        let scale = samples.iter().fold(0.0_f64, |most, q| most.max(q.abs()));
        let (mut cc, mut cb, mut bb, mut nc, mut nb) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for three in samples.windows(3) {
            let [before, current, next] = [three[0], three[1], three[2]].map(|q| q / scale);
            cc += current * current;
            cb += current * before;
            bb += before * before;
            nc += next * current;
            nb += next * before;
        }
        let determinant = cc * bb - cb * cb;
        let a = (nc * bb - nb * cb) / determinant;
        let b = (nb * cc - nc * cb) / determinant;
        // λ² = a λ + b has the roots r e^(±iφ) with r² = −b and 2 r cos φ = a.
        let amplitude = (-b).sqrt();
        let phase = (0.5 * a / amplitude).acos();
        let vibrates = amplitude.is_finite() && phase.is_finite() && phase > 0.0;
        vibrates.then(|| Self {
            step_over_period,
            amplitude,
            damping_ratio: -amplitude.ln() / phase,
            period_error: TAU * step_over_period / phase - 1.0,
        })
    }
}
