//! The shape in which a rope rests.

use glam::{DVec2, DVec3};

/// The shape of a rope of more links than this is found by Newton's method from that of one with so
/// many, which bisection finds from anywhere. A narrow bight of many links may have no shape with
/// 256; with 4096 bisection takes 0.1 s.
const BISECTED: [u32; 2] = [256, 4096];
/// Ends that are nearer to each other across than this many links hang as a fold at once: to find
/// that there is no rest takes 10 to 90 ms, and a file may have a thousand such ropes. A fold of
/// more than 256 links cannot be told from the bight.
const NARROW: f64 = 1e-6;
const NARROW_OF_MANY: f64 = 2.0;
/// Ropes of a file are bisected exactly while this many slopes are enough for it, 0.7 s. Later ones
/// begin with a coarse bisection of a rope of few links, 50 µs, and hang as a fold where that leads
/// nowhere: 28,000 ropes fit into a file of 1 MB.
const MOST_SLOPES: u64 = 100_000_000;
const COARSE: u32 = 8;
/// Halvings of an exact bisection and of a coarse one.
const EXACT_HALVINGS: u32 = 64;
const COARSE_HALVINGS: u32 = 30;
/// Newton's method takes some five iterations from there.
const MOST_ITERATIONS: u32 = 50;
/// How far the end may be from its place, in links.
const TOLERANCE: f64 = 1e-10;

/// The ropes of a file that are longer than the distance of their ends.
#[derive(Default)]
pub(super) struct SlackRopes {
    /// Slopes that were reckoned with so far, at most.
    slopes: u64,
}

impl SlackRopes {
    /// Places of the particles of a rope of `segments` equal links, `length` metres together, between
    /// two points. One that is longer than the distance hangs towards `sag`, as equal masses on rigid
    /// links do at rest, or folded where they have no such rest; otherwise it is straight.
    pub(super) fn points(
        &mut self,
        ends: [DVec3; 2],
        length: f64,
        sag: DVec3,
        segments: u32,
    ) -> Vec<DVec3> {
        let is_coarse = self.slopes > MOST_SLOPES;
        if length > ends[0].distance(ends[1]) {
            let halvings = u64::from(EXACT_HALVINGS);
            self.slopes += halvings * halvings * u64::from(segments.min(BISECTED[0]));
            // A bight of many links that has no shape with few is bisected with many.
            let is_narrow = ends[0].distance(ends[1]) < 0.1 * length;
            if is_narrow && segments > BISECTED[0] {
                self.slopes += halvings * halvings * u64::from(BISECTED[1]);
            }
        }
        catenary(ends, length, sag, segments, is_coarse)
    }
}

fn catenary(
    [from, to]: [DVec3; 2],
    length: f64,
    sag: DVec3,
    segments: u32,
    is_coarse: bool,
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
    let resting = || {
        let bend = match is_coarse {
            false => FallingSlopes::of(reach, depth, segments)?,
            true => FallingSlopes::coarsely(reach, depth, segments)?,
        };
        let way = |slope: f64| {
            let cosine = 1.0 / (1.0 + slope * slope).sqrt();
            link * cosine * (across + slope * down)
        };
        Some(bend.slopes(segments).map(way).collect::<Vec<_>>())
    };
    let hanging = || {
        let directions = folded(reach, depth, segments)?;
        let way = |direction: DVec2| link * (direction.x * across + direction.y * down);
        Some(directions.into_iter().map(way).collect())
    };
    let narrow = if segments > BISECTED[0] { NARROW_OF_MANY } else { NARROW };
    let ways = if reach < narrow { hanging().or_else(resting) } else { resting().or_else(hanging) };
    let Some(ways) = ways else { return straight() };
    let mut points = vec![from];
    points.extend(ways.into_iter().scan(from, |point, way| {
        *point += way;
        Some(*point)
    }));
    points[segments as usize] = to;
    points
}

/// Directions, across and down, of n links of length 1 that hang as a narrow bight: straight down,
/// along the bottom, straight up again. Two links at the bottom make up for what whole links leave
/// (links that lie one after the other have no rest there: the last would lie across).
fn folded(reach: f64, depth: f64, n: u32) -> Option<Vec<DVec2>> {
    let along = reach.floor();
    let upright = f64::from(n) - along - 2.0;
    // As many more down than up as makes an even number of the two.
    let more = 2.0 * ((depth - upright) / 2.0).round() + upright;
    let (down, up) = (0.5 * (upright + more), 0.5 * (upright - more));
    if down < 0.0 || up < 0.0 {
        return None;
    }
    let left = DVec2::new(reach - along, depth - more);
    // Two sides of length 1 over a base of at most √2.
    let height = (1.0 - 0.25 * left.length_squared()).sqrt();
    let outwards = height * left.perp().try_normalize().unwrap_or(DVec2::X);
    let runs = [(DVec2::Y, down), (DVec2::X, along), (0.5 * left + outwards, 1.0)];
    let back = [(0.5 * left - outwards, 1.0), (DVec2::NEG_Y, up)];
    let links = runs.into_iter().chain(back);
    Some(links.flat_map(|(way, times)| std::iter::repeat_n(way, times as usize)).collect())
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
        let nearby = |fewer: u32| {
            let share = f64::from(fewer) / f64::from(n);
            let Self { c, s } = Self::bisected(level * share, drop * share, fewer)?;
            Self { c: c * share, s }.refined(level, drop, n)
        };
        let fewer = BISECTED.into_iter().filter(|fewer| *fewer < n);
        let itself = || (n <= BISECTED[1]).then(|| Self::bisected(level, drop, n)).flatten();
        match n <= BISECTED[0] {
            true => itself(),
            false => fewer.into_iter().find_map(nearby).or_else(itself),
        }
    }

    /// As [`Self::of`], from the shape of a rope of few links.
    fn coarsely(level: f64, drop: f64, n: u32) -> Option<Self> {
        let few = n.min(COARSE);
        let share = f64::from(few) / f64::from(n);
        let Self { c, s } = Self::halved(level * share, drop * share, few, COARSE_HALVINGS);
        Self { c: c * share, s }.refined(level, drop, n)
    }

    fn slopes(self, n: u32) -> impl Iterator<Item = f64> {
        let middle = 0.5 * (f64::from(n) - 1.0);
        (0..n).map(move |k| self.s + self.c * (middle - f64::from(k)))
    }

    fn bisected(level: f64, drop: f64, n: u32) -> Option<Self> {
        let found = Self::halved(level, drop, n, EXACT_HALVINGS);
        let end = |sum: DVec2, t: f64| sum + DVec2::new(1.0, t) / (1.0 + t * t).sqrt();
        let missed = found.slopes(n).fold(DVec2::ZERO, end) - DVec2::new(level, drop);
        // Steep slopes are more than bisection resolves.
        if missed.abs().cmplt(DVec2::splat(1e-9)).all() {
            Some(found)
        } else {
            found.refined(level, drop, n)
        }
    }

    /// Bisection of both numbers, with so many halvings each.
    fn halved(level: f64, drop: f64, n: u32, halvings: u32) -> Self {
        // For each c, the s that ends at the right depth; the deeper c bends, the shorter it reaches.
        let depth_found = |c: f64| {
            let sine = |slope: f64| slope / (1.0 + slope * slope).sqrt();
            let depth = |s: f64| Self { c, s }.slopes(n).map(sine).sum::<f64>();
            let far = (c + 1.0) * f64::from(n) * 1e3;
            bisect([-far, far], halvings, |s| depth(s) < drop)
        };
        let reach = |c: f64| {
            let bend = Self { c, s: depth_found(c) };
            bend.slopes(n).map(|slope| 1.0 / (1.0 + slope * slope).sqrt()).sum::<f64>()
        };
        // c from 0 (straight) to ∞ (folded), as u/(1 − u).
        let u = bisect([0.0, 1.0 - 1e-9], halvings, |u| reach(u / (1.0 - u)) > level);
        let c = u / (1.0 - u);
        Self { c, s: depth_found(c) }
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
            if across.abs() <= TOLERANCE && down.abs() <= TOLERANCE {
                // The other root is an arch.
                return (self.c > 0.0).then_some(self);
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
fn bisect([mut low, mut high]: [f64; 2], halvings: u32, before: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..halvings {
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
            let points = catenary([DVec3::ZERO, DVec3::X], 1.5, DVec3::NEG_Y, n, false);
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
            let points = catenary([DVec3::ZERO, to], length, DVec3::NEG_Y, n, false);
            assert_eq!((points[0], points[n as usize]), (DVec3::ZERO, to));
            let link = length / f64::from(n);
            let error = |pair: &[DVec3]| (pair[0].distance(pair[1]) / link - 1.0).abs();
            let worst = points.windows(2).map(error).fold(0.0, f64::max);
            assert!(worst < 1e-9, "{n} links of {length} m: {worst:e}");
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
                let points = catenary([DVec3::ZERO, to], length, DVec3::NEG_Y, n, false);
                assert_eq!(points.len(), n as usize + 1);
                assert_eq!(points[n as usize], to);
                let link = length / f64::from(n);
                let error = |pair: &[DVec3]| (pair[0].distance(pair[1]) / link - 1.0).abs();
                let worst = points.windows(2).map(error).fold(0.0, f64::max);
                assert!(worst < 1e-9, "{n} links of {length} m to {to}: {worst:e}");
                let lowest = points.iter().map(|p| -p.y).fold(0.0, f64::max);
                let least = 0.5 * (length - to.length()) - 3.0 * link;
                assert!(lowest > least, "{n} links of {length} m to {to} hang {lowest} m");
            }
        }
    }

    #[test]
    fn ropes_beyond_the_budget_hang_as_deep_with_links_as_long() {
        for n in [2, 3, 7, 20, 256, 300] {
            for to in [dvec3(1.0, 0.0, 0.0), dvec3(1.0, -0.4, 0.3), dvec3(0.02, 0.5, 0.0)] {
                let [exact, coarse] = [false, true]
                    .map(|is_coarse| catenary([DVec3::ZERO, to], 1.6, DVec3::NEG_Y, n, is_coarse));
                let link = 1.6 / f64::from(n);
                let error = |pair: &[DVec3]| (pair[0].distance(pair[1]) / link - 1.0).abs();
                let worst = coarse.windows(2).map(error).fold(0.0, f64::max);
                assert!(worst < 1e-9, "{n} links to {to}: {worst:e}");
                let lowest = |points: &[DVec3]| points.iter().map(|p| -p.y).fold(0.0, f64::max);
                let apart = (lowest(&exact) - lowest(&coarse)).abs();
                assert!(apart < 2.0 * link, "{n} links to {to}: {apart}");
            }
        }
    }

    #[test]
    fn a_rope_that_is_not_slack_is_straight() {
        let points = catenary([DVec3::ZERO, 2.0 * DVec3::X], 1.5, DVec3::NEG_Y, 2, false);
        assert_eq!(points, [DVec3::ZERO, DVec3::X, 2.0 * DVec3::X]);
    }
}
