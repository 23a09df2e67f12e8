//! Time of impact: the first contact of two bodies that move on straight lines or parabolas.
//!
//! Times are fractions of the step, 0 to 1. Two bodies collide if their gap is at most 0 and
//! decreasing (Bannerman, Strobl, Formella and Pöschel 2014, "Stable algorithm for event detection
//! in event-driven particle dynamics"). A pair that overlaps but separates does not collide.

use super::shape::Shape;
use glam::DVec3;

/// Largest number of Newton iterations for the distance to a convex body. An iteration squares the
/// error, or only halves it if the path grazes the body. 2⁻⁶⁴ of the step is below rounding.
const MOST_ITERATIONS: u32 = 64;

/// Largest gap in metres at which two bodies count as being in contact.
const CONTACT_GAP: f64 = 1e-13;

/// Position of a body relative to another one within a step: start + rate t + half_acceleration t²,
/// 0 ≤ t ≤ 1.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    /// Relative position at t = 0, in metres.
    pub start: DVec3,
    /// Relative velocity at t = 0, in metres per step.
    pub rate: DVec3,
    /// Half the relative acceleration, in metres per step squared; 0 for a straight line.
    pub half_acceleration: DVec3,
}

impl Path {
    /// Returns the relative position at a time, in metres.
    pub fn at(&self, t: f64) -> DVec3 {
        self.start + self.rate * t + self.half_acceleration * (t * t)
    }

    /// Returns the relative velocity at a time, in metres per step.
    pub(crate) fn rate_at(&self, t: f64) -> DVec3 {
        self.rate + self.half_acceleration * (2.0 * t)
    }

    /// Returns the time of the first contact of two spheres, or `None`. The sum of their radii is
    /// `reach` metres.
    pub fn meets_sphere(&self, reach: f64) -> Option<f64> {
        if self.half_acceleration == DVec3::ZERO {
            return spheres(self.start, self.rate, reach);
        }
        let distance = |p: DVec3| (p.length(), p.normalize_or(DVec3::Y));
        self.meets_convex(reach, distance).map(|(t, _)| t)
    }

    /// Returns the time of the first contact of a sphere with a convex body, and the body's outward
    /// normal there, or `None`.
    pub(crate) fn meets_shape(&self, shape: &Shape, radius: f64) -> Option<(f64, DVec3)> {
        if self.half_acceleration == DVec3::ZERO {
            return sphere_to_shape(shape, self.start, self.rate, radius);
        }
        self.meets_convex(radius, |p| shape.distance(p))
    }

    /// Returns how far the bodies approach each other along `out` at most between the time `t` and
    /// the end of the step, if no contact stops them. The result is in metres if `out` is a unit
    /// vector.
    pub(crate) fn largest_approach(&self, t: f64, out: DVec3) -> f64 {
        let (rate, half_acceleration, rest) =
            (out.dot(self.rate_at(t)), out.dot(self.half_acceleration), 1.0 - t);
        // The approach is largest where the bodies turn back, if they do so before the step ends.
        if half_acceleration > 0.0 && -rate < 2.0 * half_acceleration * rest {
            return rate * rate / (4.0 * half_acceleration);
        }
        -(rate + half_acceleration * rest) * rest
    }

    /// Returns the time at which the distance to a convex body falls to `reach` metres, and the
    /// body's normal at that time, or `None`. For two spheres this time is the root of a quartic
    /// equation.
    ///
    /// Conservative advancement: a convex body lies behind the plane through its nearest point.
    /// Contact cannot come before the parabola is at the distance `reach` from this plane. That
    /// time is the root of a quadratic, and the search continues from there with the next plane. In
    /// one dimension the first plane gives the answer. Near the root each plane squares the error,
    /// or only halves it if the path grazes the body.
    fn meets_convex(
        &self,
        reach: f64,
        distance: impl Fn(DVec3) -> (f64, DVec3),
    ) -> Option<(f64, DVec3)> {
        let mut t = 0.0;
        let mut last = None;
        for _ in 0..MOST_ITERATIONS {
            let (distance, normal) = distance(self.at(t));
            let (gap, rate) = (distance - reach, normal.dot(self.rate_at(t)));
            t += until_plane(gap.max(0.0), rate, normal.dot(self.half_acceleration))?;
            if t > 1.0 || !gap.is_finite() {
                return None;
            }
            last = Some((t, normal));
            if gap <= CONTACT_GAP && rate <= 0.0 {
                break;
            }
        }
        last
    }
}

/// Returns the first t ≥ 0 with gap + rate t + b t² ≤ 0, with b = `half_acceleration` and gap ≥ 0.
/// This is equation 4 of article E (docs/sources.md), −ΔS = ΔV t + Δa t²/2, in a form of the root
/// without cancellation.
fn until_plane(gap: f64, rate: f64, half_acceleration: f64) -> Option<f64> {
    let discriminant = rate * rate - 4.0 * half_acceleration * gap;
    if discriminant.is_nan() || discriminant < 0.0 {
        return None;
    }
    let root = discriminant.sqrt();
    if rate < 0.0 {
        Some(2.0 * gap / (root - rate))
    } else if half_acceleration < 0.0 {
        Some((rate + root) / (-2.0 * half_acceleration))
    } else {
        None
    }
}

/// Returns the contact time of two moving spheres, or `None`. Sphere A moves by AB and sphere C by
/// CD in the step: `apart` = A − C is their offset at the start, `displacement` = AB − CD their
/// relative displacement, and `reach` the sum of their radii, all in metres.
///
/// Article E's quadratic n t² + 2 m t + p = 0 with n = displacement², m = apart · displacement, p =
/// apart² − reach²: its smaller root (−m − √D)/n is p/(−m + √D), which avoids cancellation and
/// needs no n > 0.
pub fn spheres(apart: DVec3, displacement: DVec3, reach: f64) -> Option<f64> {
    let m = apart.dot(displacement);
    if m >= 0.0 || !m.is_finite() {
        return None;
    }
    let n = displacement.length_squared();
    let p = apart.length_squared() - reach * reach;
    if p <= 0.0 {
        return Some(0.0);
    }
    let discriminant = m * m - n * p;
    if discriminant < 0.0 {
        return None;
    }
    let t = p / (-m + discriminant.sqrt());
    (t <= 1.0).then_some(t)
}

/// Returns the contact time of a sphere with a convex body, and the body's outward normal at that
/// time, or `None`. The sphere moves by `displacement` from `start`, both relative to the body.
///
/// Along a line, the distance φ to a convex body is a convex function of time, so Newton's
/// iteration t ← t − φ/φ′ that starts before the root never passes the root.
pub fn sphere_to_shape(
    shape: &Shape,
    start: DVec3,
    displacement: DVec3,
    radius: f64,
) -> Option<(f64, DVec3)> {
    let mut t = 0.0;
    let mut last = None;
    for _ in 0..MOST_ITERATIONS {
        let (distance, normal) = shape.distance(start + displacement * t);
        let gap = distance - radius;
        let rate = normal.dot(displacement);
        if rate >= 0.0 || !gap.is_finite() {
            return None;
        }
        t -= gap.max(0.0) / rate;
        if t > 1.0 {
            return None;
        }
        last = Some((t, normal));
        if gap <= CONTACT_GAP {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::shape::Capsule;
    use crate::contact::shape::Cuboid;
    use glam::dvec3;
    use proptest::prelude::*;

    /// Solves |start + rate t + b t²|² = reach², a quartic equation (b = `half_acceleration`), by
    /// scanning and bisection.
    fn scanned(path: &Path, reach: f64) -> Option<f64> {
        let gap = |t: f64| path.at(t).length() - reach;
        let parts = 4000;
        let times = (0..=parts).map(|k| f64::from(k) / f64::from(parts));
        let after = times.clone().find(|t| gap(*t) < 0.0)?;
        let (mut before, mut after) = (after - 1.0 / f64::from(parts), after);
        for _ in 0..60 {
            let middle = 0.5 * (before + after);
            if gap(middle) < 0.0 { after = middle } else { before = middle }
        }
        Some(after)
    }

    #[test]
    fn a_sphere_that_turns_back_meets_another_one_on_its_way_out_and_again_on_its_way_home() {
        // 0.5 − 2 t + 3 t² is 0.2 at the first root of 3 t² − 2 t + 0.3.
        let rises = Path {
            start: DVec3::X * 0.5,
            rate: -DVec3::X * 2.0,
            half_acceleration: DVec3::X * 3.0,
        };
        let root = (1.0 - (1.0 - 0.9_f64).sqrt()) / 3.0;
        assert!((rises.meets_sphere(0.2).expect("a hit") - root).abs() < 1e-14);
        // Starts in contact and separates; contact returns at rate t = −b t², with b =
        // `half_acceleration`.
        let home =
            Path { start: DVec3::X * 0.2, rate: DVec3::X, half_acceleration: -DVec3::X * 2.0 };
        assert!((home.meets_sphere(0.2).expect("a hit") - 0.5).abs() < 1e-14);
        let away = Path { half_acceleration: DVec3::ZERO, ..home };
        assert_eq!(away.meets_sphere(0.2), None);
    }

    #[test]
    fn how_much_nearer_a_path_leads_stops_where_it_turns_back() {
        let path = Path { start: DVec3::X, rate: -DVec3::X, half_acceleration: DVec3::X };
        assert_eq!(path.largest_approach(0.0, DVec3::X), 0.25, "deepest at t = 1/2");
        let path = Path { half_acceleration: -DVec3::X, ..path };
        assert_eq!(
            path.largest_approach(0.5, DVec3::X),
            1.25,
            "2 and 1/4 at the end of 1 and 3/4 at t = 1/2"
        );
    }

    #[test]
    fn a_ball_meets_a_capsule_at_the_published_times() {
        let capsule = Shape::Capsule(Capsule { axis: DVec3::Y, half: 1.0, radius: 0.5 });
        let meet = |y| {
            let hit = sphere_to_shape(&capsule, dvec3(-3.0, y, 0.0), dvec3(6.0, 0.0, 0.0), 0.5);
            hit.expect("a hit").0
        };
        assert!((meet(0.25) - 1.0 / 3.0).abs() < 1e-14);
        assert!((meet(1.5) - (3.0 - 0.75_f64.sqrt()) / 6.0).abs() < 1e-14);
        assert!((meet(1.9) - (3.0 - 0.19_f64.sqrt()) / 6.0).abs() < 1e-14);
        // The path grazes the capsule, so the distance has a double root, which rounding errors ε
        // move by √ε.
        assert!((meet(2.0) - 0.5).abs() < 1e-6);
        let miss = sphere_to_shape(&capsule, dvec3(-3.0, 2.001, 0.0), dvec3(6.0, 0.0, 0.0), 0.5);
        assert_eq!(miss, None);
    }

    #[test]
    fn a_ball_meets_the_corner_of_a_box_as_a_sphere_round_it() {
        let cube = Shape::Cuboid(Cuboid::new(DVec3::ONE, DVec3::ZERO));
        let start = DVec3::splat(3.0);
        let (t, normal) = sphere_to_shape(&cube, start, -start, 0.5).expect("a hit");
        let corner = spheres(start - DVec3::ONE, -start, 0.5).expect("a hit");
        assert!((t - corner).abs() < 1e-14, "time {t}, expected {corner}");
        assert!((normal - DVec3::ONE.normalize()).length() < 1e-14);
    }

    proptest! {
        #[test]
        fn spheres_on_parabolas_meet_at_the_first_root_of_the_quartic(
            start in proptest::array::uniform3(-3.0..3.0),
            rate in proptest::array::uniform3(-6.0..6.0),
            half_acceleration in proptest::array::uniform3(-6.0..6.0),
        ) {
            let [start, rate, half_acceleration] = [start, rate, half_acceleration].map(DVec3::from);
            let path = Path { start, rate, half_acceleration };
            prop_assume!(start.length() > 1.0);
            match (path.meets_sphere(1.0), scanned(&path, 1.0)) {
                (Some(found), Some(root)) => {
                    prop_assert!(found < root + 1e-9, "{found} after {root}");
                    // The bodies are in contact at the returned time, even if the scan has skipped
                    // a shorter, grazing contact before it.
                    prop_assert!((path.at(found).length() - 1.0).abs() < 1e-6, "{found}");
                }
                (Some(found), None) => {
                    prop_assert!((path.at(found).length() - 1.0).abs() < 1e-6, "{found}");
                }
                (None, Some(root)) => prop_assert!(false, "missed at {root}"),
                (None, None) => {}
            }
        }

        #[test]
        fn no_sphere_on_a_parabola_passes_a_convex_body_unseen(
            from in proptest::array::uniform3(-5.0..5.0),
            rate in proptest::array::uniform3(-12.0..12.0),
            half_acceleration in proptest::array::uniform3(-12.0..12.0),
        ) {
            let cube = Shape::Cuboid(Cuboid::new(dvec3(0.7, 1.0, 0.3), dvec3(10.0, 20.0, 30.0)));
            let [start, rate, half_acceleration] = [from, rate, half_acceleration].map(DVec3::from);
            let path = Path { start, rate, half_acceleration };
            let gap = |t: f64| cube.distance(path.at(t)).0 - 0.2;
            prop_assume!(gap(0.0) > 0.0);
            let end = path.meets_shape(&cube, 0.2).map_or(1.0, |(t, _)| t);
            for k in 0..1000 {
                let t = end * f64::from(k) / 1000.0;
                prop_assert!(gap(t) > -1e-12, "inside at {t} before {end}");
            }
            if end < 1.0 {
                prop_assert!(gap(end).abs() < 1e-6, "{}", gap(end));
            }
        }

        #[test]
        fn no_sphere_passes_a_convex_body_unseen(
            from in proptest::array::uniform3(-5.0..5.0),
            to in proptest::array::uniform3(-5.0..5.0),
        ) {
            let cube = Shape::Cuboid(Cuboid::new(dvec3(0.7, 1.0, 0.3), dvec3(10.0, 20.0, 30.0)));
            let (from, to) = (DVec3::from(from), DVec3::from(to));
            let gap = |t: f64| cube.distance(from.lerp(to, t)).0 - 0.2;
            prop_assume!(gap(0.0) > 0.0);
            let hit = sphere_to_shape(&cube, from, to - from, 0.2).map(|(t, _)| t);
            let end = hit.unwrap_or(1.0);
            for k in 0..1000 {
                let t = end * f64::from(k) / 1000.0;
                prop_assert!(gap(t) > -1e-12, "inside at {t} before {end}");
            }
            if hit.is_some() {
                prop_assert!(gap(end).abs() < 1e-9);
            }
        }
    }
}
