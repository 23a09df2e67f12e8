//! Cubic Hermite interpolation: the motion between two moments at which positions and velocities
//! are known. If the moments are h seconds apart, the error of a position is at most h⁴/384 times
//! the fourth derivative.

use glam::DVec3;

/// Weights of the positions and velocities at both ends, for one moment between them.
#[derive(Clone, Copy, Debug)]
pub struct HermiteWeights {
    positions: [f64; 2],
    velocities: [f64; 2],
}

impl HermiteWeights {
    /// Returns the weights at the fraction `s` of an interval of `h` seconds. At s = 0 and s = 1
    /// the interpolation gives exactly the positions of the ends.
    pub fn at(s: f64, h: f64) -> Self {
        let r = 1.0 - s;
        Self {
            positions: [r * r * (1.0 + 2.0 * s), s * s * (1.0 + 2.0 * r)],
            velocities: [s * r * r * h, s * s * r * h],
        }
    }

    /// Interpolates between the positions `x` at both ends in metres, with the velocities `v` at
    /// both ends in m/s.
    pub fn position(&self, x: [DVec3; 2], v: [DVec3; 2]) -> DVec3 {
        let ([a, b], [c, d]) = (self.positions, self.velocities);
        a * x[0] + c * v[0] + b * x[1] - d * v[1]
    }
}

/// Returns position and velocity in the middle of an interval of `h` seconds.
#[inline]
pub fn middle(x: [DVec3; 2], v: [DVec3; 2], h: f64) -> (DVec3, DVec3) {
    let position = (x[0] + x[1]) / 2.0 + (v[0] - v[1]) * (h / 8.0);
    let velocity = (x[1] - x[0]) * (1.5 / h) - (v[0] + v[1]) / 4.0;
    (position, velocity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cubic_motion_is_interpolated_exactly() {
        let x = |t: f64| DVec3::X * (1.0 + 2.0 * t - 3.0 * t * t + 0.5 * t * t * t);
        let v = |t: f64| DVec3::X * (2.0 - 6.0 * t + 1.5 * t * t);
        let (from, h) = (0.5, 0.8);
        let ends = ([from, from + h].map(x), [from, from + h].map(v));
        for s in [0.0, 0.1, 0.5, 0.9, 1.0] {
            let between = HermiteWeights::at(s, h).position(ends.0, ends.1);
            let error = (between - x(from + s * h)).length();
            assert!(error < 1e-15, "interpolated at {s}: {between}");
        }
        let (position, velocity) = middle(ends.0, ends.1, h);
        let t = from + h / 2.0;
        assert!((position - x(t)).length() < 1e-15 && (velocity - v(t)).length() < 1e-14);
    }

    #[test]
    fn both_ends_are_exact() {
        let (x, v) = ([DVec3::new(0.1, 1e9, -3.3), DVec3::new(7.7, -0.3, 1e-9)], [DVec3::ONE; 2]);
        for (s, end) in [(0.0, x[0]), (1.0, x[1])] {
            assert_eq!(HermiteWeights::at(s, 1.0 / 3.0).position(x, v), end);
        }
    }
}
