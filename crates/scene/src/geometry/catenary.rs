//! Initial positions of a slack rope: a hanging chain of equal masses on rigid links, at rest. With
//! more and more links, the chain approaches a catenary.

use glam::{DMat2, DVec2, DVec3};

/// Largest horizontal distance, in link lengths, between the ends of a rope that hangs folded in
/// two vertical parts.
const NARROW: f64 = 1e-6;
/// Largest number of times that a descent evaluates the derivatives of Φ. Each evaluation is a pass
/// over all links. For 8,000 random ropes, the mean was 5 and the maximum 26.
const MOST_PASSES: u32 = 200;
/// Position error of the rope's end at which Newton's method replaces the descent, in link lengths.
const NEAR: f64 = 1e-6;
const MOST_ITERATIONS: u32 = 50;
/// Position tolerance of the rope's end, in link lengths.
const TOLERANCE: f64 = 1e-10;

/// Returns the positions of the particles of a rope of `segments` equal links, `length` metres in
/// total, between two points. A rope that is longer than the distance hangs towards `sag` in the
/// equilibrium of equal masses on rigid links. If there is no such equilibrium, it hangs folded. A
/// shorter rope is straight.
pub(crate) fn catenary(
    [from, to]: [DVec3; 2],
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
    let (reach, depth) = (level.length() / link, drop / link);
    let at_rest = || {
        let bend = FallingSlopes::find(reach, depth, segments)?;
        let link_vector = |slope: f64| {
            let cosine = 1.0 / (1.0 + slope * slope).sqrt();
            link * cosine * (across + slope * down)
        };
        Some(bend.slopes(segments).map(link_vector).collect::<Vec<_>>())
    };
    let hanging_folded = || {
        let directions = folded_directions(reach, depth, segments)?;
        let link_vector = |direction: DVec2| link * (direction.x * across + direction.y * down);
        Some(directions.into_iter().map(link_vector).collect())
    };
    let Some(link_vectors) = at_rest().or_else(hanging_folded) else { return straight() };
    let mut points = vec![from];
    points.extend(link_vectors.into_iter().scan(from, |point, link_vector| {
        *point += link_vector;
        Some(*point)
    }));
    points[segments as usize] = to;
    points
}

/// Returns the directions (across, down) of n unit links that have no equilibrium. They hang as a
/// narrow loop: straight down, along the bottom, straight up. Two slanted links at the bottom
/// bridge the distance that whole links leave open. `None` if there are too few links.
fn folded_directions(reach: f64, depth: f64, n: u32) -> Option<Vec<DVec2>> {
    let along = reach.floor();
    let upright = f64::from(n) - along - 2.0;
    // Number of links down minus number of links up, chosen so that both are whole numbers.
    let more = 2.0 * ((depth - upright) / 2.0).round() + upright;
    let (down, up) = (0.5 * (upright + more), 0.5 * (upright - more));
    if down < 0.0 || up < 0.0 {
        return None;
    }
    let left = DVec2::new(reach - along, depth - more);
    // The two links are the equal sides of a triangle whose base is at most √2 long.
    let height = (1.0 - 0.25 * left.length_squared()).sqrt();
    let outwards = height * left.perp().try_normalize().unwrap_or(DVec2::X);
    let runs = [(DVec2::Y, down), (DVec2::X, along), (0.5 * left + outwards, 1.0)];
    let back = [(0.5 * left - outwards, 1.0), (DVec2::NEG_Y, up)];
    let links = runs.into_iter().chain(back);
    Some(
        links
            .flat_map(|(link_vector, times)| std::iter::repeat_n(link_vector, times as usize))
            .collect(),
    )
}

/// Compensated sum (Neumaier 1974). A plain sum over 100,000 links has an error above
/// [`TOLERANCE`].
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

/// Slopes of the links of a rope at rest. The horizontal tension H is constant, and each particle
/// of mass m adds mg to the vertical tension, so slopes decrease linearly: slope k of n is s + c
/// ((n − 1)/2 − k) with c = mg/H. The code uses only + − × ÷ √, so every machine computes the same
/// bits.
#[derive(Clone, Copy)]
struct FallingSlopes {
    c: f64,
    s: f64,
}

impl FallingSlopes {
    /// Finds the slopes of n unit links that span `level` across and `drop` down. `None` if the
    /// links have no equilibrium.
    fn find(level: f64, drop: f64, n: u32) -> Option<Self> {
        if level < NARROW || level <= least_reach(drop, n) {
            return None;
        }
        MiddleTension::descend(level, drop, n)?.slopes().refine(level, drop, n)
    }

    fn slopes(self, n: u32) -> impl Iterator<Item = f64> {
        let middle = 0.5 * (f64::from(n) - 1.0);
        (0..n).map(move |k| self.s + self.c * (middle - f64::from(k)))
    }

    /// Refines approximate slopes by Newton's method. The residual is the error in the position of
    /// the rope's end, across and down.
    fn refine(mut self, level: f64, drop: f64, n: u32) -> Option<Self> {
        for _ in 0..MOST_ITERATIONS {
            let middle = 0.5 * (f64::from(n) - 1.0);
            let (mut reach, mut depth) = (Sum::default(), Sum::default());
            // Sums of w, w m, t w and t w m over all links. t is the slope of a link, w = (1 +
            // t²)^(−3/2), and m is the distance of the link from the middle of the rope, in links.
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
            if across.abs() <= TOLERANCE && down.abs() <= TOLERANCE {
                // The solution with c < 0 is a standing arch.
                return (self.c > 0.0).then_some(self);
            }
            // Newton's equations: −t_0 ds − t_m dc = across and w_0 ds + w_m dc = down.
            let determinant = t_m * w_0 - t_0 * w_m;
            self.s += (across * w_m + down * t_m) / determinant;
            self.c -= (across * w_0 + down * t_0) / determinant;
        }
        None
    }
}

/// Returns the smallest horizontal distance that n unit links can span if the end is `drop` below
/// the start. All links are then vertical except one, which lies across.
fn least_reach(drop: f64, n: u32) -> f64 {
    // Some of the n − 1 vertical links lead down, the others up. Down minus up is n − 1 minus a
    // multiple of 2. The value closest to `drop` leaves the height `left` for the link across.
    let odd = f64::from(n) - 1.0;
    let left = drop - (2.0 * ((drop - odd) / 2.0).round() + odd);
    (1.0 - left * left).max(0.0).sqrt()
}

/// Tension in the middle of a rope at rest (horizontal, vertical), in weights of a particle. Link k
/// has the direction of its tension p + w_k down, with w_k = (n − 1)/2 − k. The rope ends at the
/// given point if the gradient of Φ(p) = Σ |p + w_k down| equals the vector between the ends. Φ is
/// convex, so a damped Newton descent finds p from any start.
#[derive(Clone, Copy)]
struct MiddleTension(DVec2);

/// Gradient of Φ minus the vector between the ends, and the Hessian of Φ.
#[derive(Clone, Copy)]
struct Derivatives {
    gradient: DVec2,
    hessian: DMat2,
}

impl MiddleTension {
    /// Finds the approximate tension of n unit links that span `level` across and `drop` down.
    /// `None` if the descent does not converge.
    fn descend(level: f64, drop: f64, n: u32) -> Option<Self> {
        let end = DVec2::new(level, drop);
        let mut tension = Self::of_continuous_catenary(level, drop, n);
        let mut here = tension.derivatives(end, n);
        let mut passes = 1;
        while here.gradient.abs().max_element() > NEAR {
            let link_vector = -(here.hessian.inverse() * here.gradient);
            let descent = here.gradient.dot(link_vector);
            // The step keeps the horizontal tension positive, because Φ is not smooth where that
            // tension is 0.
            let mut fraction = if link_vector.x < -0.9 * tension.0.x {
                -0.9 * tension.0.x / link_vector.x
            } else {
                1.0
            };
            loop {
                let there = Self(tension.0 + fraction * link_vector);
                let slope = there.derivatives(end, n);
                passes += 1;
                if slope.gradient.dot(link_vector) <= -0.9 * descent {
                    (tension, here) = (there, slope);
                    break;
                }
                fraction *= 0.5;
                if passes > MOST_PASSES {
                    return None;
                }
            }
        }
        Some(tension)
    }

    /// Returns the tension of the continuous catenary as the first guess of the descent. A rope of
    /// length n and horizontal tension H = level/(2a) satisfies √(n² − drop²)/level = sinh(a)/a.
    /// The code solves this equation for a approximately.
    fn of_continuous_catenary(level: f64, drop: f64, n: u32) -> Self {
        let length = f64::from(n);
        let longer = ((length * length - drop * drop).max(0.0).sqrt() / level - 1.0).max(1e-12);
        let a = (6.0 * longer / (1.0 + 0.3 * longer)).sqrt();
        Self(DVec2::new(0.5 * level / a, 0.5 * drop * (1.0 + 1.0 / (a * a)).sqrt()))
    }

    fn derivatives(self, end: DVec2, n: u32) -> Derivatives {
        let Self(DVec2 { x, y }) = self;
        let middle = 0.5 * (f64::from(n) - 1.0);
        let [mut reach, mut depth, mut xx, mut xy, mut yy] = [0.0; 5];
        for k in 0..n {
            let fall = y + (middle - f64::from(k));
            let inverse = 1.0 / (x * x + fall * fall).sqrt();
            let (cosine, sine) = (x * inverse, fall * inverse);
            reach += cosine;
            depth += sine;
            xx += sine * sine * inverse;
            xy -= sine * cosine * inverse;
            yy += cosine * cosine * inverse;
        }
        Derivatives {
            gradient: DVec2::new(reach, depth) - end,
            hessian: DMat2::from_cols_array(&[xx, xy, xy, yy]),
        }
    }

    fn slopes(self) -> FallingSlopes {
        FallingSlopes { c: 1.0 / self.0.x, s: self.0.y / self.0.x }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;
    use ropelab_core::numerics::random::Random;

    #[test]
    fn a_slack_rope_starts_in_the_shape_of_the_hanging_beads() {
        for (n, sag) in [(4, 0.524319613242), (10, 0.505945931571), (20, 0.503446634340)] {
            let points = catenary([DVec3::ZERO, DVec3::X], 1.5, DVec3::NEG_Y, n);
            let lowest = points.iter().map(|p| -p.y).fold(0.0, f64::max);
            assert!((lowest - sag).abs() < 1e-9, "{n} links sag {lowest}");
            for pair in points.windows(2) {
                let link = 1.5 / f64::from(n);
                assert!((pair[0].distance(pair[1]) - link).abs() < 1e-9 * link);
            }
        }
    }

    /// Asserts that all links have the same length, and returns it.
    fn assert_even(points: &[DVec3], length: f64) -> f64 {
        let link = length / (points.len() - 1) as f64;
        let error = |pair: &[DVec3]| (pair[0].distance(pair[1]) / link - 1.0).abs();
        let worst = points.windows(2).map(error).fold(0.0, f64::max);
        assert!(worst < 1e-9, "{} points of {length} m: {worst:e}", points.len());
        link
    }

    #[test]
    fn each_link_of_a_long_rope_has_its_length() {
        let to = dvec3(1.0, -0.4, 0.3);
        for (length, n) in [(1.6, 257), (3.0, 300), (1.2, 1000), (50.0, 20_000), (3.0, 100_000)] {
            let points = catenary([DVec3::ZERO, to], length, DVec3::NEG_Y, n);
            assert_eq!((points[0], points[n as usize]), (DVec3::ZERO, to));
            assert_even(&points, length);
        }
    }

    #[test]
    fn each_link_of_a_narrow_bight_has_its_length() {
        let ends = [
            (0.0, -1.0, 0.0),
            (0.0, 1.0, 0.0),
            (0.0, 0.0, 0.0),
            (0.01, -1.0, 0.0),
            (0.5, 0.7, 0.3),
            (1.0, 0.0, 0.0),
            (1e-7, 0.3, 0.0),
        ];
        for to in ends.map(DVec3::from) {
            for (length, n) in [(3.0, 7), (3.0, 300), (10.0, 10), (100.0, 257), (1000.0, 257)] {
                let points = catenary([DVec3::ZERO, to], length, DVec3::NEG_Y, n);
                assert_eq!(points.len(), n as usize + 1);
                assert_eq!(points[n as usize], to);
                let link = assert_even(&points, length);
                let lowest = points.iter().map(|p| -p.y).fold(0.0, f64::max);
                let least = 0.5 * (length - to.length()) - 3.0 * link;
                assert!(lowest > least, "{n} links of {length} m to {to} hang {lowest} m");
            }
        }
    }

    #[test]
    fn descent_finds_every_rest_and_only_those() {
        let mut random = Random::new(1);
        let mut found = 0;
        for n in [2, 3, 4, 7, 20, 256, 3000].into_iter().cycle().take(7000) {
            // Half of the ropes are almost taut, and a fifth of them hang almost vertically.
            let chord = f64::from(n)
                * if random.chance(0.5) {
                    random.fraction()
                } else {
                    1.0 - 1e-7 * random.fraction()
                };
            let cosine =
                if random.chance(0.2) { 1e-5 * random.fraction() } else { random.fraction() };
            let drop = chord
                * (1.0 - cosine * cosine).sqrt()
                * if random.chance(0.5) { -1.0 } else { 1.0 };
            let level = chord * cosine;
            match FallingSlopes::find(level, drop, n) {
                Some(bend) => {
                    let link_vector = |t: f64| DVec2::new(1.0, t) / (1.0 + t * t).sqrt();
                    let end: DVec2 = bend.slopes(n).map(link_vector).sum();
                    let missed = end.distance(DVec2::new(level, drop));
                    assert!(missed < 1e-9, "{n} links to {level}, {drop}: {missed:e} off");
                    found += 1;
                }
                None => {
                    assert!(
                        level < NARROW || level <= least_reach(drop, n),
                        "{n} links, {level} across, {drop} down"
                    );
                }
            }
        }
        assert!(found > 4000, "{found} have a rest");
    }

    #[test]
    fn a_rope_that_is_not_slack_is_straight() {
        let points = catenary([DVec3::ZERO, 2.0 * DVec3::X], 1.5, DVec3::NEG_Y, 2);
        assert_eq!(points, [DVec3::ZERO, DVec3::X, 2.0 * DVec3::X]);
    }
}
