//! The shape in which a rope rests.

use glam::DVec3;

/// The shape of a rope of more links than this is found by Newton's method from that of one with so
/// many, which bisection finds from anywhere.
const MOST_BISECTED: u32 = 256;
/// Newton's method takes some five iterations from there.
const MOST_ITERATIONS: u32 = 50;
/// How far the end may be from its place, in links.
const TOLERANCE: f64 = 1e-10;

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
    let link = length / f64::from(segments);
    let Some(bend) = FallingSlopes::of(level.length() / link, drop / link, segments) else {
        return straight();
    };
    let mut points = vec![from];
    for slope in bend.slopes(segments) {
        let cosine = 1.0 / (1.0 + slope * slope).sqrt();
        points.push(points[points.len() - 1] + link * cosine * (across + slope * down));
    }
    points[segments as usize] = to;
    points
}

/// A sum that keeps what each addition rounds off (Neumaier 1974): with 100,000 links that is more
/// than a link may miss.
#[derive(Clone, Copy, Default)]
struct Sum {
    sum: f64,
    rounded_off: f64,
}

impl Sum {
    fn add(&mut self, number: f64) {
        let sum = self.sum + number;
        self.rounded_off += if self.sum.abs() >= number.abs() {
            (self.sum - sum) + number
        } else {
            (number - sum) + self.sum
        };
        self.sum = sum;
    }

    fn total(self) -> f64 {
        self.sum + self.rounded_off
    }
}

/// How slopes fall along a rope at rest. The level part of the tension H is the same everywhere and
/// each particle of mass m adds mg to its other part, so they fall evenly: slope k of n is
/// s + c ((n − 1)/2 − k), c = mg/H. Only + − × ÷ √, so that every machine finds the same bits.
#[derive(Clone, Copy)]
struct FallingSlopes {
    c: f64,
    s: f64,
}

impl FallingSlopes {
    /// That of n links of length 1 that reach `level` across and `drop` down.
    fn of(level: f64, drop: f64, n: u32) -> Option<Self> {
        if n <= MOST_BISECTED {
            return Self::bisected(level, drop, n);
        }
        let shorter = f64::from(MOST_BISECTED) / f64::from(n);
        let Self { c, s } = Self::bisected(level * shorter, drop * shorter, MOST_BISECTED)?;
        Self { c: c * shorter, s }.refined(level, drop, n)
    }

    fn slopes(self, n: u32) -> impl Iterator<Item = f64> {
        let middle = 0.5 * (f64::from(n) - 1.0);
        (0..n).map(move |k| self.s + self.c * (middle - f64::from(k)))
    }

    fn bisected(level: f64, drop: f64, n: u32) -> Option<Self> {
        // For each c, the s that ends at the right depth; the deeper c bends, the shorter it reaches.
        let depth_found = |c: f64| {
            let sine = |slope: f64| slope / (1.0 + slope * slope).sqrt();
            let depth = |s: f64| Self { c, s }.slopes(n).map(sine).sum::<f64>();
            let far = (c + 1.0) * f64::from(n) * 1e3;
            bisect(-far, far, |s| depth(s) < drop)
        };
        let reach = |c: f64| {
            let bend = Self { c, s: depth_found(c) };
            bend.slopes(n).map(|slope| 1.0 / (1.0 + slope * slope).sqrt()).sum::<f64>()
        };
        // c from 0 (straight) to ∞ (folded), as u/(1 − u).
        let u = bisect(0.0, 1.0 - 1e-9, |u| reach(u / (1.0 - u)) > level);
        let c = u / (1.0 - u);
        ((reach(c) - level).abs() < 1e-6 * f64::from(n)).then(|| Self { c, s: depth_found(c) })
    }

    /// Newton's method on what is missing across and down, from a bend that is nearly right.
    fn refined(mut self, level: f64, drop: f64, n: u32) -> Option<Self> {
        for _ in 0..MOST_ITERATIONS {
            let middle = 0.5 * (f64::from(n) - 1.0);
            let (mut reach, mut depth) = (Sum::default(), Sum::default());
            // Sums of w, w m, t w and t w m, w = (1 + t²)^(−3/2), m = place from the middle.
            let [mut w_0, mut w_m, mut t_0, mut t_m] = [0.0; 4];
            for (k, t) in self.slopes(n).enumerate() {
                let cosine = 1.0 / (1.0 + t * t).sqrt();
                reach.add(cosine);
                depth.add(t * cosine);
                let (w, m) = (cosine * cosine * cosine, middle - k as f64);
                w_0 += w;
                w_m += w * m;
                t_0 += t * w;
                t_m += t * w * m;
            }
            let (across, down) = (level - reach.total(), drop - depth.total());
            if across.abs().max(down.abs()) <= TOLERANCE {
                return Some(self);
            }
            // −t_0 ds − t_m dc = across, w_0 ds + w_m dc = down.
            let determinant = t_m * w_0 - t_0 * w_m;
            self.s += (across * w_m + down * t_m) / determinant;
            self.c -= (across * w_0 + down * t_0) / determinant;
        }
        None
    }
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
    fn each_link_of_a_long_rope_has_its_length() {
        let to = dvec3(1.0, -0.4, 0.3);
        for (length, n) in [(1.6, 257), (3.0, 300), (1.2, 1000), (50.0, 20_000), (3.0, 100_000)] {
            let points = catenary(DVec3::ZERO, to, length, DVec3::NEG_Y, n);
            assert_eq!((points[0], points[n as usize]), (DVec3::ZERO, to));
            let link = length / f64::from(n);
            let error = |pair: &[DVec3]| (pair[0].distance(pair[1]) / link - 1.0).abs();
            let worst = points.windows(2).map(error).fold(0.0, f64::max);
            assert!(worst < 1e-9, "{n} links of {length} m: {worst:e}");
        }
    }

    #[test]
    fn a_rope_that_is_not_slack_is_straight() {
        let points = catenary(DVec3::ZERO, 2.0 * DVec3::X, 1.5, DVec3::NEG_Y, 2);
        assert_eq!(points, [DVec3::ZERO, DVec3::X, 2.0 * DVec3::X]);
    }
}
