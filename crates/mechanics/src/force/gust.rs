//! Gusts: variation of the wind velocity over time.

use super::check;
use crate::numerics::random::{GAMMA, mix, signed};
use crate::numerics::sine::sin_turns;
use serde::{Deserialize, Serialize};

/// Multiple of the wind velocity. It depends on time alone, not on position, and has the same bits
/// on every platform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Gust {
    /// The constant 1.
    #[default]
    Constant,
    /// 1 + amplitude · sin(2π frequency t).
    Sine {
        /// Largest deviation from 1, at least 0.
        amplitude: f64,
        /// Frequency in hertz, at least 0.
        frequency: f64,
    },
    /// 1 + amplitude · noise(t). The noise interpolates random values in [−1, 1], one per
    /// correlation time, with the weight 3u² − 2u³ at the elapsed fraction u.
    Noise {
        /// Seed of the random values.
        seed: u64,
        /// Largest deviation from 1, at least 0.
        amplitude: f64,
        /// Correlation time in seconds, positive.
        correlation_time: f64,
    },
}

impl Gust {
    /// Returns the multiple at time `t` in seconds, from 1 − amplitude to 1 + amplitude.
    pub fn factor(&self, t: f64) -> f64 {
        match *self {
            Self::Constant => 1.0,
            Self::Sine { amplitude, frequency } => 1.0 + amplitude * sin_turns(frequency * t),
            Self::Noise { seed, amplitude, correlation_time } => {
                1.0 + amplitude * noise_at(seed, t / correlation_time)
            }
        }
    }

    pub(super) fn varies(&self) -> bool {
        match *self {
            Self::Constant => false,
            Self::Sine { amplitude, frequency } => amplitude != 0.0 && frequency != 0.0,
            Self::Noise { amplitude, .. } => amplitude != 0.0,
        }
    }

    pub(super) fn check(&self) -> Result<(), String> {
        match *self {
            Self::Constant => Ok(()),
            Self::Sine { amplitude, frequency } => {
                check::not_negative("amplitude of a gust", amplitude)?;
                check::not_negative("frequency of a gust", frequency)
            }
            Self::Noise { seed: _, amplitude, correlation_time } => {
                check::not_negative("amplitude of a gust", amplitude)?;
                check::positive("correlation_time of a gust", correlation_time)
            }
        }
    }
}

/// Returns value noise in [−1, 1] at `s`: a smooth interpolation between random values at the
/// integers.
fn noise_at(seed: u64, s: f64) -> f64 {
    let floor = s.floor();
    let u = s - floor;
    let knot = floor as i64;
    let (from, to) = (random_value(seed, knot), random_value(seed, knot.wrapping_add(1)));
    from + (to - from) * (u * u * (3.0 - 2.0 * u))
}

/// Returns the random value in [−1, 1) at the integer `knot`.
fn random_value(seed: u64, knot: i64) -> f64 {
    let stream = mix(seed.wrapping_add(GAMMA));
    signed(mix(stream.wrapping_add((knot as u64).wrapping_mul(GAMMA))))
}
