//! Prescribed motions of pins and colliders.

use crate::quantity::magnitude::{GREATEST, format_six_digits, is_moderate};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Prescribed motion: the offset from the start position over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Trajectory {
    /// No motion.
    #[default]
    Still,
    /// Offset = amplitude · sin(2π frequency t).
    Swing {
        /// Amplitude in metres along each axis.
        amplitude: DVec3,
        /// Frequency in hertz.
        frequency: f64,
    },
    /// Straight motion from one offset to the next, with rest before the first and after the last
    /// time.
    Waypoints {
        /// Times in seconds in increasing order, each with an offset in metres.
        points: Vec<(f64, DVec3)>,
        /// True to repeat the motion instead of resting.
        repeat: bool,
    },
}

impl Trajectory {
    /// Returns the offset in metres at time `t` in seconds.
    pub fn offset(&self, t: f64) -> DVec3 {
        match self {
            Self::Still => DVec3::ZERO,
            Self::Swing { amplitude, frequency } => {
                *amplitude * crate::numerics::sine::sin_turns(frequency * t)
            }
            Self::Waypoints { points, repeat } => interpolate(points, *repeat, t),
        }
    }

    /// Returns the velocity in m/s at time `t` in seconds. At a corner of the path it is the
    /// velocity before the corner.
    pub fn velocity(&self, t: f64) -> DVec3 {
        match self {
            Self::Still => DVec3::ZERO,
            Self::Swing { amplitude, frequency } => {
                let cosine = crate::numerics::sine::sin_turns(frequency * t + 0.25);
                *amplitude * (std::f64::consts::TAU * frequency * cosine)
            }
            Self::Waypoints { points, repeat } => {
                let t = time_in_round(points, *repeat, t);
                let segment = points.windows(2).find(|pair| pair[0].0 < t && t <= pair[1].0);
                segment
                    .map_or(DVec3::ZERO, |pair| (pair[1].1 - pair[0].1) / (pair[1].0 - pair[0].0))
            }
        }
    }

    /// Checks the ranges of all fields. The error states the invalid value and the permitted range.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::Still => Ok(()),
            Self::Swing { amplitude, frequency } => {
                if amplitude.to_array().into_iter().all(is_moderate)
                    && is_moderate(*frequency)
                    && *frequency >= 0.0
                {
                    Ok(())
                } else {
                    let [x, y, z] = amplitude.to_array().map(format_six_digits);
                    Err(format!(
                        "swing of amplitude ({x}, {y}, {z}) at {} Hz; expected finite numbers of \
                         at most {GREATEST:e} and a frequency of at least 0",
                        format_six_digits(*frequency)
                    ))
                }
            }
            Self::Waypoints { points, .. } => {
                if points.is_empty() {
                    return Err("no points; expected at least one (time, offset)".into());
                }
                if !points.iter().all(|(t, offset)| {
                    is_moderate(*t) && offset.to_array().into_iter().all(is_moderate)
                }) {
                    return Err(format!(
                        "a point is not finite or beyond {GREATEST:e}; expected (time, (x, y, z))"
                    ));
                }
                match points.windows(2).find(|pair| pair[1].0 <= pair[0].0) {
                    Some(pair) => Err(format!(
                        "time {} follows time {}; expected increasing times",
                        pair[1].0, pair[0].0
                    )),
                    None => Ok(()),
                }
            }
        }
    }
}

fn interpolate(points: &[(f64, DVec3)], repeat: bool, t: f64) -> DVec3 {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return DVec3::ZERO };
    let t = time_in_round(points, repeat, t);
    if t <= first.0 {
        return first.1;
    }
    for pair in points.windows(2) {
        let ((t0, from), (t1, to)) = (pair[0], pair[1]);
        if t <= t1 {
            return from.lerp(to, (t - t0) / (t1 - t0));
        }
    }
    last.1
}

/// Returns the time in seconds since the present round of a repeated motion began.
fn time_in_round(points: &[(f64, DVec3)], repeat: bool, t: f64) -> f64 {
    let end = points.last().map_or(0.0, |last| last.0);
    if repeat && t > end && end > 0.0 { t % end } else { t }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;

    #[test]
    fn waypoints_are_joined_by_straight_lines_and_repeat() {
        let points = vec![(0.0, DVec3::ZERO), (1.0, dvec3(2.0, 0.0, 0.0)), (2.0, DVec3::ZERO)];
        let path = Trajectory::Waypoints { points, repeat: true };
        assert_eq!(path.offset(0.5).x, 1.0);
        assert_eq!(path.offset(1.5).x, 1.0);
        assert_eq!(path.offset(2.25).x, 0.5);
    }

    #[test]
    fn velocities_are_derivatives_of_offsets() {
        let points = vec![(0.1, DVec3::ZERO), (1.0, DVec3::X), (1.7, dvec3(0.0, 3.0, 0.5))];
        for path in [
            Trajectory::Still,
            Trajectory::Swing { amplitude: dvec3(0.3, -2.0, 1.0), frequency: 1.3 },
            Trajectory::Waypoints { points: points.clone(), repeat: false },
            Trajectory::Waypoints { points, repeat: true },
        ] {
            for t in [0.05, 0.4, 1.2, 1.75, 2.3, 3.33] {
                let difference = (path.offset(t + 1e-5) - path.offset(t - 1e-5)) / 2e-5;
                let velocity = path.velocity(t);
                assert!((velocity - difference).length() < 1e-6, "{path:?} at {t}: {velocity}");
            }
        }
    }

    #[test]
    fn times_that_do_not_rise_are_refused() {
        let points = vec![(1.0, DVec3::ZERO), (1.0, DVec3::X)];
        assert!(Trajectory::Waypoints { points, repeat: false }.check().is_err());
    }
}
