//! Linking number: how often two closed ropes are linked.

use glam::DVec3;
use std::f64::consts::PI;

/// Returns the Gauss linking number of two closed polygons: the sum of the signed solid angles of
/// all pairs of sides, divided by 4π. The result is an integer up to rounding. The polygons must
/// not touch. (Gauss 1833; the solid angle of two sides after van Oosterom and Strackee 1983.)
pub fn linking_number(one: &[DVec3], other: &[DVec3]) -> f64 {
    let angle = |a: DVec3, b: DVec3, c: DVec3| {
        let [x, y, z] = [a, b, c].map(|v| v.length());
        2.0 * a.dot(b.cross(c)).atan2(x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y)
    };
    let mut sum = 0.0;
    for i in 0..one.len() {
        for j in 0..other.len() {
            let [a, b] = [one[i], one[(i + 1) % one.len()]];
            let [c, d] = [other[j], other[(j + 1) % other.len()]];
            sum += angle(c - a, c - b, d - b) + angle(c - a, d - b, d - a);
        }
    }
    sum / (4.0 * PI)
}
