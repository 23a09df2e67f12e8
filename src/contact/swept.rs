//! Time of impact: when do two bodies that move on straight lines touch for the first time?
//!
//! Times are in units of the step, 0 to 1. A collision is an overlap function that is ≤ 0 and falls
//! (Bannerman, Strobl, Formella and Pöschel 2014, "Stable algorithm for event detection in
//! event-driven particle dynamics"): a pair that overlaps and separates is none.

use super::shape::Shape;
use glam::DVec3;

/// Newton's iteration on the distance to a convex body squares its error each time, but halves it
/// where the way only grazes: 2⁻⁶⁴ of the step is below rounding.
const MOST_ITERATIONS: u32 = 64;

/// Distance in metres at which a body touches.
const TOUCHING: f64 = 1e-13;

/// When two spheres touch that are `apart` = A − C at the start, while A moves by AB and C by CD,
/// `way` = AB − CD, with radii that add up to `reach`.
///
/// Article E's quadratic n t² + 2 m t + p = 0 with n = way², m = apart · way, p = apart² − reach²:
/// its smaller root (−m − √D)/n is p/(−m + √D), which does not cancel and needs no n > 0.
pub fn spheres(apart: DVec3, way: DVec3, reach: f64) -> Option<f64> {
    let m = apart.dot(way);
    if m >= 0.0 || !m.is_finite() {
        return None;
    }
    let n = way.length_squared();
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

/// When a sphere touches a convex body, and the body's outward normal there. The sphere moves by
/// `way` from `start`, both relative to the body.
///
/// Along a line, the distance φ to a convex body is a convex function of time, so Newton's
/// iteration t ← t − φ/φ′ from the left of the root never passes it.
pub fn sphere_to_shape(
    shape: &Shape,
    start: DVec3,
    way: DVec3,
    radius: f64,
) -> Option<(f64, DVec3)> {
    let mut t = 0.0;
    let mut last = None;
    for _ in 0..MOST_ITERATIONS {
        let (distance, normal) = shape.distance(start + way * t);
        let gap = distance - radius;
        let rate = normal.dot(way);
        if rate >= 0.0 || !gap.is_finite() {
            return None;
        }
        t -= gap.max(0.0) / rate;
        if t > 1.0 {
            return None;
        }
        last = Some((t, normal));
        if gap <= TOUCHING {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::shape::{Capsule, Cuboid};
    use glam::dvec3;
    use proptest::prelude::*;

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
        // A graze: the distance has a double root, known to √ε.
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
        assert!((t - corner).abs() < 1e-14, "{t} {corner}");
        assert!((normal - DVec3::ONE.normalize()).length() < 1e-14);
    }

    proptest! {
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
