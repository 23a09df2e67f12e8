//! Features (points, links and triangles) that may be in contact, and the nearest points of two
//! features.
//!
//! A pair has up to four particles with *weights*: the signed barycentric coordinates of the
//! nearest points. The weights of the first feature add up to 1, those of the second to −1. Σ
//! weight · x is the vector from the nearest point of the second feature to that of the first. A
//! push p along this vector moves particle i by w_i · weight_i · p, with the inverse mass w_i.
//! Momentum is conserved because all weights add up to 0.

use glam::DVec3;
use std::ops::Range;

/// Kinds of the two features in a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Features {
    /// Two points.
    Points,
    /// A point and a link between two particles.
    PointAndLink,
    /// A point and a triangle of three particles.
    PointAndTriangle,
    /// Two links.
    Links,
}

impl Features {
    /// Returns two numbers of particles: of the first feature, and of both features together.
    pub fn counts(self) -> (usize, usize) {
        match self {
            Self::Points => (1, 2),
            Self::PointAndLink => (1, 3),
            Self::PointAndTriangle => (1, 4),
            Self::Links => (2, 4),
        }
    }

    /// Returns the weights of the particles for the nearest points of both features.
    pub fn weights(self, x: &[DVec3; 4]) -> [f64; 4] {
        let [a, b, c, d] = *x;
        match self {
            Self::Points => [1.0, -1.0, 0.0, 0.0],
            Self::PointAndLink => {
                let s = along_segment(a, b, c);
                [1.0, -(1.0 - s), -s, 0.0]
            }
            Self::PointAndTriangle => {
                let [u, v, w] = on_triangle(a, [b, c, d]);
                [1.0, -u, -v, -w]
            }
            Self::Links => {
                let [s, t] = along_segments([a, b], [c, d]);
                [1.0 - s, s, -(1.0 - t), -t]
            }
        }
    }

    /// Returns the weights, and the vector in metres from the nearest point of the second feature
    /// to that of the first.
    pub fn nearest(self, x: &[DVec3; 4]) -> ([f64; 4], DVec3) {
        let weights = self.weights(x);
        let apart = (0..self.counts().1).map(|k| x[k] * weights[k]).sum();
        (weights, apart)
    }

    /// Returns the distance of the features along a direction in metres: the lowest coordinate of
    /// the first feature minus the highest of the second. It is negative if the features overlap
    /// along the direction.
    pub(crate) fn separation(self, x: &[DVec3; 4], normal: DVec3) -> f64 {
        let (first, count) = self.counts();
        let along = |k: usize| x[k].dot(normal);
        let least = (0..first).map(along).fold(f64::INFINITY, f64::min);
        least - (first..count).map(along).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Returns a direction along which the features are more than `least` metres apart, or `None`
    /// if none is found. `apart` is the vector between their nearest points.
    ///
    /// The direction of `apart` is tried first. If links are long and nearly parallel, rounding
    /// moves the nearest points along the links and skews `apart`. Then the direction perpendicular
    /// to both links, or to the triangle, is tried.
    pub(crate) fn separating_direction(
        self,
        x: &[DVec3; 4],
        apart: DVec3,
        least: f64,
    ) -> Option<DVec3> {
        let along_apart = apart.normalize_or_zero();
        if self.separation(x, along_apart) > least {
            return Some(along_apart);
        }
        let [a, b, c, d] = *x;
        let across = match self {
            Self::Points | Self::PointAndLink => return None,
            Self::PointAndTriangle => (c - b).cross(d - b),
            Self::Links => (b - a).cross(d - c),
        };
        let across = across.normalize_or_zero();
        [across, -across].into_iter().find(|normal| self.separation(x, *normal) > least)
    }

    /// Returns the first time at which the features are within `reach` metres of each other, as a
    /// fraction from 0 to 1 of straight displacements from `start` to `end`. Also returns the
    /// weights and the vector between the nearest points at this time. `None` if the features stay
    /// further apart. The distance at the returned time exceeds `reach` by at most the fraction
    /// `EARLY`.
    ///
    /// Conservative advancement (Mirtich 1996): features are convex, so along any direction they
    /// are at least as far apart as their nearest corners, which approach each other at most at a
    /// constant speed. The direction is that of the shortest vector or, if rounding spoils this
    /// vector, another one along which the features are separated. Without such a direction the
    /// features count as being in contact, so that no contact is missed.
    pub fn first_contact(
        self,
        start: &[DVec3; 4],
        end: &[DVec3; 4],
        reach: f64,
    ) -> Option<(f64, [f64; 4], DVec3)> {
        let (first, count) = self.counts();
        let mut displacements = [DVec3::ZERO; 4];
        (0..count).for_each(|k| displacements[k] = end[k] - start[k]);
        let most = |along: &dyn Fn(usize) -> f64, side: Range<usize>| {
            side.map(along).fold(f64::NEG_INFINITY, f64::max)
        };
        let mut t = 0.0;
        let mut x = *start;
        for _ in 0..MOST_ADVANCES {
            let (weights, apart) = self.nearest(&x);
            let distance = apart.length();
            if distance - reach <= EARLY * reach {
                return Some((t, weights, apart));
            }
            let mut normal = apart / distance;
            let mut distance = self.separation(&x, normal);
            if distance <= reach {
                let Some(other) = self.separating_direction(&x, apart, reach) else {
                    return Some((t, weights, apart));
                };
                (normal, distance) = (other, self.separation(&x, other));
            }
            let closing = most(&|k| -displacements[k].dot(normal), 0..first)
                + most(&|k| displacements[k].dot(normal), first..count);
            if closing <= 0.0 || closing.is_nan() {
                return None;
            }
            t += (distance - reach) / closing;
            if t > 1.0 {
                return None;
            }
            (0..count).for_each(|k| x[k] = start[k] + displacements[k] * t);
        }
        let (weights, apart) = self.nearest(&x);
        Some((t, weights, apart))
    }
}

/// Largest error of the distance at a contact time, as a fraction of the reach. The error means
/// that a contact may be found slightly too early.
pub(crate) const EARLY: f64 = 1e-6;

/// Largest number of advances. A pair that needs more only grazes and counts as being in contact.
/// Resting pairs reach this limit, so a higher limit changes the motion of heaps.
const MOST_ADVANCES: u32 = 200;

/// Returns the gap in metres between the bounding boxes of two sets of points, on the axis with the
/// largest gap.
pub(in crate::contact) fn box_gap(one: &[DVec3], other: &[DVec3]) -> f64 {
    let least = |x: &[DVec3]| x[1..].iter().fold(x[0], |least, x| least.min(*x));
    let most = |x: &[DVec3]| x[1..].iter().fold(x[0], |most, x| most.max(*x));
    (least(one) - most(other)).max(least(other) - most(one)).max_element()
}

/// Returns the position of the point on segment a–b nearest to `p`: 0 at `a`, 1 at `b`.
fn along_segment(p: DVec3, a: DVec3, b: DVec3) -> f64 {
    let edge = b - a;
    let square = edge.length_squared();
    if square > 0.0 { ((p - a).dot(edge) / square).clamp(0.0, 1.0) } else { 0.0 }
}

/// Returns the barycentric coordinates of the point on a triangle nearest to `p`.
fn on_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> [f64; 3] {
    let normal = (b - a).cross(c - a);
    let square = normal.length_squared();
    if square > 0.0 {
        let u = normal.dot((b - p).cross(c - p)) / square;
        let v = normal.dot((c - p).cross(a - p)) / square;
        let w = 1.0 - u - v;
        if u >= 0.0 && v >= 0.0 && w >= 0.0 {
            return [u, v, w];
        }
    }
    let [ab, bc, ca] = [along_segment(p, a, b), along_segment(p, b, c), along_segment(p, c, a)];
    let candidates = [[1.0 - ab, ab, 0.0], [0.0, 1.0 - bc, bc], [ca, 0.0, 1.0 - ca]];
    let far = |[u, v, w]: [f64; 3]| (a * u + b * v + c * w).distance_squared(p);
    let mut best = candidates[0];
    for candidate in &candidates[1..] {
        if far(*candidate) < far(best) {
            best = *candidate;
        }
    }
    best
}

/// Returns the positions (0 to 1 each) of the nearest points on two segments (Ericson 2005,
/// Real-Time Collision Detection, 5.1.9). For parallel segments, returns one of the nearest pairs.
fn along_segments([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> [f64; 2] {
    let (u, v, r) = (b - a, d - c, a - c);
    let (uu, vv) = (u.length_squared(), v.length_squared());
    if uu == 0.0 {
        return [0.0, along_segment(a, c, d)];
    }
    if vv == 0.0 {
        return [along_segment(c, a, b), 0.0];
    }
    let (uv, ur, vr) = (u.dot(v), u.dot(r), v.dot(r));
    let square = uu * vv - uv * uv;
    let s = if square > 0.0 { ((uv * vr - ur * vv) / square).clamp(0.0, 1.0) } else { 0.0 };
    let t = (uv * s + vr) / vv;
    if t < 0.0 {
        [(-ur / uu).clamp(0.0, 1.0), 0.0]
    } else if t > 1.0 {
        [((uv - ur) / uu).clamp(0.0, 1.0), 1.0]
    } else {
        [s, t]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;
    use proptest::prelude::*;

    fn vectors() -> impl Strategy<Value = [DVec3; 4]> {
        proptest::array::uniform4(proptest::array::uniform3(-1.0..1.0))
            .prop_map(|all| all.map(DVec3::from))
    }

    const ALL: [Features; 4] =
        [Features::Points, Features::PointAndLink, Features::PointAndTriangle, Features::Links];

    #[test]
    fn two_edges_that_cross_touch_at_the_published_times() {
        // A segment along x at z = 1 moves down by 2, over a segment along y.
        let start = [dvec3(-1.0, 0.0, 1.0), dvec3(1.0, 0.0, 1.0), -DVec3::Y, DVec3::Y];
        let down = DVec3::Z * -2.0;
        let end = [start[0] + down, start[1] + down, start[2], start[3]];
        let contact_time =
            |reach| Features::Links.first_contact(&start, &end, reach).expect("a touch").0;
        assert!((contact_time(1e-9) - 0.5).abs() < 1e-6);
        assert!((contact_time(0.2) - 0.4).abs() < 1e-6);
    }

    #[test]
    fn parallel_edges_that_fall_on_each_other_touch() {
        let start = [dvec3(-1.0, 1.0, 0.0), dvec3(1.0, 1.0, 0.0), -DVec3::X, DVec3::X];
        let down = DVec3::Y * -2.0;
        let end = [start[0] + down, start[1] + down, start[2], start[3]];
        let (t, _, apart) = Features::Links.first_contact(&start, &end, 0.2).expect("a touch");
        assert!((t - 0.4).abs() < 1e-6 && (apart - DVec3::Y * 0.2).length() < 1e-6);
    }

    #[test]
    fn a_triangle_without_area_is_met_as_its_edges() {
        let x = [DVec3::Y, -DVec3::X, DVec3::X, DVec3::X * 0.5];
        assert_eq!(Features::PointAndTriangle.nearest(&x).1, DVec3::Y);
    }

    proptest! {
        #[test]
        fn no_other_points_are_nearer(x in vectors(), random_weights in proptest::array::uniform4(0.0..1.0)) {
            for features in ALL {
                let (weights, apart) = features.nearest(&x);
                let (first, count) = features.counts();
                prop_assert!((weights[..first].iter().sum::<f64>() - 1.0).abs() < 1e-12);
                prop_assert!((weights[first..].iter().sum::<f64>() + 1.0).abs() < 1e-12);
                let side = |from: usize, to: usize| {
                    let total = random_weights[from..to].iter().sum::<f64>().max(1e-9);
                    (from..to).map(|k| x[k] * (random_weights[k] / total)).sum::<DVec3>()
                };
                let other = (side(0, first) - side(first, count)).length();
                prop_assert!(apart.length() <= other + 1e-9, "{features:?}");
            }
        }

        /// All coordinates are multiples of 1/64 below 2²⁰, so every sum and product is exact. The
        /// displacements are chosen such that the features share a point exactly at the time
        /// `eighths`/8.
        #[test]
        fn no_touch_is_missed_that_rational_arithmetic_knows(
            corners in proptest::array::uniform4(proptest::array::uniform3(-100..100i32)),
            displacements in proptest::array::uniform4(proptest::array::uniform3(-100..100i32)),
            eighths in 0..=8i32,
            (u, v, s, t) in (0..=4i32, 0..=4i32, 0..=8i32, 0..=8i32),
            degenerate in 0..6u8,
        ) {
            let vector = |a: [i32; 3]| DVec3::from(a.map(|a| f64::from(8 * a)));
            let part = |k: i32| f64::from(k) / 8.0;
            let [mut displacements, at] = [displacements, corners].map(|all| all.map(vector));
            for features in [Features::PointAndTriangle, Features::Links] {
                let mut at = at;
                match degenerate {
                    0 => at[3] = at[2],
                    1 => at[3] = at[2] + (at[2] - at[1]),
                    2 => at[3] = at[2] + (at[1] - at[0]),
                    3 => displacements = [displacements[0]; 4],
                    _ => {}
                }
                // The first corner is moved so that the features share a point.
                let gap = match features {
                    Features::Links => {
                        let first = at[0] * part(8 - s) + at[1] * part(s);
                        let second = at[2] * part(8 - t) + at[3] * part(t);
                        at[1] += second - first;
                        second - first
                    }
                    _ => at[1] * part(u) + at[2] * part(v) + at[3] * part(8 - u - v) - at[0],
                };
                at[0] += gap;
                let time = part(eighths);
                let start = [0, 1, 2, 3].map(|k| at[k] - displacements[k] * time);
                let end = [0, 1, 2, 3].map(|k| at[k] + displacements[k] * (1.0 - time));
                let found = features.first_contact(&start, &end, 1e-3);
                let (found, ..) = found.expect("they share a point");
                prop_assert!(found <= time, "{features:?}: {found} instead of {time}");
            }
        }

        #[test]
        fn nothing_touches_before_the_first_touch(start in vectors(), end in vectors()) {
            for features in ALL {
                let contact = features.first_contact(&start, &end, 0.1);
                let until = contact.map_or(1.0, |(t, ..)| t);
                let gap = |t: f64| {
                    let x = [0, 1, 2, 3].map(|k| start[k].lerp(end[k], t));
                    features.nearest(&x).1.length() - 0.1
                };
                prop_assume!(gap(0.0) > 0.0);
                let gaps = (0..=200).map(|k| gap(until * f64::from(k) / 200.0));
                let least = gaps.fold(f64::INFINITY, f64::min);
                prop_assert!(least > -1e-9, "{features:?}");
                // A pair that only grazes counts as being in contact after it has passed without a
                // contact, see `MOST_ADVANCES`.
                let only_grazes = least > 0.1 * EARLY && least < 1e-3;
                if contact.is_some() {
                    prop_assert!(gap(until) < 1e-3 || only_grazes, "{features:?}: {least}");
                }
            }
        }
    }
}
