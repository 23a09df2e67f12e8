//! Sources of frame lengths: the display, or an artificial sequence.

use ropelab_mechanics::quantity::magnitude::format_six_digits;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::Arc;

/// Permitted frame rates in Hz.
pub const RATES: std::ops::RangeInclusive<f64> = 1.0..=1000.0;
/// Longest permitted frame of a trace, spike or load, in seconds.
pub const LONGEST_FRAME: f64 = 10.0;
/// Largest permitted number of frames in a trace.
pub const LONGEST_TRACE: usize = 1_000_000;
/// Largest permitted jitter, as a fraction of a frame.
pub const MOST_JITTER: f64 = 0.95;
/// Shortest permitted frame of a trace, spike or load, in seconds.
const SHORTEST_FRAME: f64 = 1e-3;

/// Lengths of frames.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "frames", deny_unknown_fields)]
pub enum FrameSource {
    /// Frames of the real display.
    #[default]
    Measured,
    /// Frames of equal length.
    Constant {
        /// Frames per second, 1 to 1000.
        rate: f64,
    },
    /// Frames of (1 + jitter · u)/rate seconds, with u random in [−1, 1].
    Jitter {
        /// Frames per second, 1 to 1000.
        rate: f64,
        /// Largest deviation as a fraction of 1/rate, 0 to 0.95.
        jitter: f64,
        /// Seed of u.
        seed: u64,
    },
    /// Frames of 1/rate seconds, of which one in `every` has the length `spike`.
    Spike {
        /// Frames per second, 1 to 1000.
        rate: f64,
        /// Number of frames from one spike to the next.
        every: u32,
        /// Length of the spike in seconds, 0.001 to 10.
        spike: f64,
    },
    /// Frames of these lengths in seconds, 0.001 to 10. The sequence repeats.
    Trace(#[serde(serialize_with = "write_trace", deserialize_with = "read_trace")] Arc<[f64]>),
    /// Frames of R + c · n seconds after n steps in the previous frame, as on a slow computer.
    Load {
        /// Length R in seconds of a frame without steps, 0.001 to 10.
        rest: f64,
        /// Computing time c of a step in seconds, 0 to 1.
        step: f64,
    },
}

fn write_trace<S: Serializer>(trace: &Arc<[f64]>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(trace.iter())
}

fn read_trace<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<[f64]>, D::Error> {
    Vec::deserialize(deserializer).map(Arc::from)
}

/// Behaviour of frame lengths F under a load: F = R + c F s/dt, with the speed s of simulated time.
/// Frame lengths converge, or grow without limit (spiral of death).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spiral {
    /// Factor c s/dt by which the difference between the frame length and its limit grows from
    /// frame to frame.
    pub ratio: f64,
    /// Limit R/(1 − c s/dt) of the frame lengths in seconds; `None` if c s ≥ dt, because frame
    /// lengths then grow without limit.
    pub converged_length: Option<f64>,
}

impl FrameSource {
    /// True if frames come from the real display.
    pub fn is_measured(&self) -> bool {
        *self == Self::Measured
    }

    /// Checks the ranges of all values.
    pub fn check(&self) -> Result<(), String> {
        let within = |name: &str, value: f64, low: f64, high: f64, unit: &str| {
            if value.is_finite() && (low..=high).contains(&value) {
                Ok(())
            } else {
                let value = format_six_digits(value);
                Err(format!("{name} is {value}; expected {low} to {high} {unit}"))
            }
        };
        let in_rates = |rate: f64| within("rate", rate, *RATES.start(), *RATES.end(), "Hz");
        match *self {
            Self::Measured => Ok(()),
            Self::Constant { rate } => in_rates(rate),
            Self::Jitter { rate, jitter, seed: _ } => {
                in_rates(rate)?;
                within("jitter", jitter, 0.0, MOST_JITTER, "of a frame")
            }
            Self::Spike { rate, every, spike } => {
                in_rates(rate)?;
                within("spike", spike, SHORTEST_FRAME, LONGEST_FRAME, "seconds")?;
                if every == 0 {
                    return Err("every is 0; expected at least 1 frame".into());
                }
                Ok(())
            }
            Self::Trace(ref seconds) => {
                if seconds.is_empty() || seconds.len() > LONGEST_TRACE {
                    let found = seconds.len();
                    return Err(format!("found {found} frames; expected 1 to {LONGEST_TRACE}"));
                }
                seconds.iter().try_for_each(|seconds| {
                    within("a frame", *seconds, SHORTEST_FRAME, LONGEST_FRAME, "seconds")
                })
            }
            Self::Load { rest, step } => {
                within("rest", rest, SHORTEST_FRAME, LONGEST_FRAME, "seconds")?;
                within("step", step, 0.0, 1.0, "seconds")
            }
        }
    }

    /// Returns the behaviour of frame lengths if this source is a load, for fixed steps of `dt`
    /// seconds; `None` for other sources.
    pub fn spiral(&self, dt: f64, speed: f64) -> Option<Spiral> {
        let Self::Load { rest, step } = *self else { return None };
        let ratio = step * speed / dt;
        Some(Spiral { ratio, converged_length: (ratio < 1.0).then(|| rest / (1.0 - ratio)) })
    }
}
