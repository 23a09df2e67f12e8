//! The shape in which a rope rests.

use glam::DVec3;

/// A rope of more links than this is laid along the shape of one with so many; a link over a
/// corner is then short by 2e-5 of its length at worst.
const MOST_CORNERS: u32 = 256;

/// Places of the particles of a rope of `segments` equal links, `length` metres together, between
/// two points. One that is longer than the distance hangs towards `sag`, as equal masses on rigid
/// links do at rest; otherwise, or if that has no solution, it is straight.
pub(super) fn catenary(
    from: DVec3,
    to: DVec3,
    length: f64,
    sag: DVec3,
    segments: u32,
) -> Vec<DVec3> {
    let straight = || {
        let point = |i| from.lerp(to, f64::from(i) / f64::from(segments));
        (0..=segments).map(point).collect()
    };
    let chord = to - from;
    let Some(down) = sag.try_normalize() else { return straight() };
    if length <= chord.length() * (1.0 + 1e-9) {
        return straight();
    }
    let drop = chord.dot(down);
    let level = chord - drop * down;
    let across = level.try_normalize().unwrap_or_else(|| down.any_orthonormal_vector());
    let corners = segments.min(MOST_CORNERS);
    let link = length / f64::from(corners);
    let Some(slopes) = slopes(level.length() / link, drop / link, corners) else {
        return straight();
    };
    let mut shape = vec![from];
    for slope in slopes {
        let cosine = 1.0 / (1.0 + slope * slope).sqrt();
        shape.push(shape[shape.len() - 1] + link * cosine * (across + slope * down));
    }
    let mut points: Vec<DVec3> = (0..=segments)
        .map(|i| {
            let place = f64::from(i) * f64::from(corners) / f64::from(segments);
            let corner = (place as usize).min(corners as usize - 1);
            shape[corner].lerp(shape[corner + 1], place - corner as f64)
        })
        .collect();
    points[segments as usize] = to;
    points
}

/// Slopes of n links of length 1 that reach `level` across and `drop` down. At rest the level part
/// of the tension H is the same everywhere and each particle of mass m adds mg to its other part,
/// so slopes fall evenly: slope k = s + c ((n − 1)/2 − k), c = mg/H. Only + − × ÷ √, so that every
/// machine finds the same bits.
fn slopes(level: f64, drop: f64, n: u32) -> Option<Vec<f64>> {
    let slopes = |c: f64, s: f64| {
        let middle = 0.5 * (f64::from(n) - 1.0);
        (0..n).map(move |k| s + c * (middle - f64::from(k)))
    };
    // For each c, the s that ends at the right depth; the deeper c bends, the shorter it reaches.
    let depth_found = |c: f64| {
        let depth =
            |s: f64| slopes(c, s).map(|slope| slope / (1.0 + slope * slope).sqrt()).sum::<f64>();
        let far = (c + 1.0) * f64::from(n) * 1e3;
        bisect(-far, far, |s| depth(s) < drop)
    };
    let reach = |c: f64| {
        let s = depth_found(c);
        slopes(c, s).map(|slope| 1.0 / (1.0 + slope * slope).sqrt()).sum::<f64>()
    };
    // c from 0 (straight) to ∞ (folded), as u/(1 − u).
    let u = bisect(0.0, 1.0 - 1e-9, |u| reach(u / (1.0 - u)) > level);
    let c = u / (1.0 - u);
    ((reach(c) - level).abs() < 1e-6 * f64::from(n)).then(|| slopes(c, depth_found(c)).collect())
}

/// The place where `before` turns false.
fn bisect(mut low: f64, mut high: f64, before: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..64 {
        let middle = 0.5 * (low + high);
        if before(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;

    #[test]
    fn a_slack_rope_starts_in_the_shape_of_the_hanging_beads() {
        for (n, sag) in [(4, 0.524319613242), (10, 0.505945931571), (20, 0.503446634340)] {
            let points = catenary(DVec3::ZERO, DVec3::X, 1.5, DVec3::NEG_Y, n);
            let lowest = points.iter().map(|p| -p.y).fold(0.0, f64::max);
            assert!((lowest - sag).abs() < 1e-9, "{n} links sag {lowest}");
            for pair in points.windows(2) {
                let link = 1.5 / f64::from(n);
                assert!((pair[0].distance(pair[1]) - link).abs() < 1e-9 * link);
            }
        }
    }

    #[test]
    fn ends_at_different_heights_are_met_and_a_long_rope_keeps_its_length() {
        let to = dvec3(1.0, -0.4, 0.3);
        let points = catenary(DVec3::ZERO, to, 1.6, DVec3::NEG_Y, 1000);
        assert_eq!((points[0], points[1000]), (DVec3::ZERO, to));
        let length: f64 = points.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
        assert!((length - 1.6).abs() < 1e-4, "{length}");
    }

    #[test]
    fn a_rope_that_is_not_slack_is_straight() {
        let points = catenary(DVec3::ZERO, 2.0 * DVec3::X, 1.5, DVec3::NEG_Y, 2);
        assert_eq!(points, [DVec3::ZERO, DVec3::X, 2.0 * DVec3::X]);
    }
}
