//! The guarantee that no feature passes through another one: planar divide and truncate.
//!
//! Between the nearest points of each pair at the start of a substep lies a plane. A pair in which
//! both sides stay on theirs cannot have passed, and neither can one whose sides move on together.
//! In any other pair, what crosses the plane stops before it (Newton's VBD solver calls it planar
//! DAT). Each particle stops at the first of all its planes: no order and no times of impact.

use super::pair::{FeaturePair, Separation};
use glam::DVec3;

/// Rounds in which only pairs are cut that may have passed; what was cut may be in the way of
/// others. After them every pair is.
const ROUNDS: u32 = 4;

/// Share of the way to its plane that a particle may go: never quite there.
const SHORT: f64 = 0.9;

/// Nearest points may not come closer than this share of the reach. Where they might, a tenth of what
/// was left stayed in each substep, until rounding made it nothing and a wrung sheet passed itself.
pub(in crate::contact) const PASSING: f64 = 1e-3;

/// Share for balls, like [`PASSING`]; a ball's surface is visible, so the sweeps hold the rest.
const BALL_PASSING: f64 = 0.9;

/// Share of its distance by which a pair may approach in a substep if it is nearer than its
/// thickness already; sweeps push it back faster.
const ALREADY: f64 = 0.99;

/// And below this share of the reach no nearer at all: pressed for seconds, a hundredth a substep led
/// to nothing as well, and nearest points of edges that are nearly parallel are not exact.
const LEAST: f64 = 1e-3;

/// Sides that are nearer to each other than this share of their coordinates cross, up to rounding.
const CROSSING: f64 = 64.0 * f64::EPSILON;

/// Cuts displacements.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct Cut {
    /// Share of its displacement that a particle may make, one each.
    shares: Vec<f64>,
    planes: Vec<CutPlane>,
}

/// Between the two sides of a pair at the start.
#[derive(Clone, Copy, Debug)]
struct CutPlane {
    /// Normal from the second side to the first.
    normal: DVec3,
    /// Least distance of the two sides, in metres.
    keep: f64,
    /// Start of the first side along the normal, less the distance that is kept, in metres.
    high: f64,
    /// End of the second side along the normal, in metres.
    low: f64,
    /// It does not lie between the sides: rounding hides where they are.
    is_lost: bool,
}

impl Cut {
    /// Cuts the displacements from `start` to `x` so that no pair passes through itself, if no
    /// particle that is not in a pair with another one can reach it: those that went further than
    /// `most` metres are cut to that. Answers with the number of particles that were cut.
    pub fn apply(
        &mut self,
        pairs: &[FeaturePair],
        start: &[DVec3],
        (x, v): (&mut [DVec3], &mut [DVec3]),
        h: f64,
        most: f64,
    ) -> u64 {
        let guarded = || pairs.iter().filter(|pair| pair.separation != Separation::None);
        if guarded().next().is_none() {
            return 0;
        }
        self.shares.clear();
        self.shares.resize(x.len(), 1.0);
        self.planes.clear();
        self.planes.extend(guarded().map(|pair| CutPlane::between(pair, &pair.of(start))));
        for &i in guarded().filter(|pair| pair.rolls.is_some()).flat_map(FeaturePair::used) {
            let far = x[i as usize].distance(start[i as usize]);
            if far > most {
                self.shares[i as usize] = most / far;
            }
        }
        let planes = std::mem::take(&mut self.planes);
        for round in 0..=ROUNDS {
            let mut has_passed = false;
            for (pair, plane) in guarded().zip(&planes) {
                let to = self.ends(pair, start, x);
                if round < ROUNDS && !plane.may_have_passed(pair, &pair.of(start), &to) {
                    continue;
                }
                has_passed = true;
                self.cut(pair, plane, &pair.of(start), &pair.of(x));
            }
            if !has_passed {
                break;
            }
        }
        self.planes = planes;
        // A sheet between a ball and what pushes it keeps its speed: slowed down, it is overtaken.
        let mut count = 0;
        for with_balls in [false, true] {
            let pairs = guarded().filter(|pair| pair.rolls.is_some() == with_balls);
            for &i in pairs.flat_map(FeaturePair::used) {
                let share = &mut self.shares[i as usize];
                if *share < 1.0 {
                    count += 1;
                    let (start, x) = (start[i as usize], &mut x[i as usize]);
                    let stopped = start + (*x - start) * *share;
                    if !with_balls {
                        v[i as usize] += (stopped - *x) / h;
                    }
                    *x = stopped;
                    *share = 1.0;
                }
            }
        }
        count
    }

    /// Positions of a pair's particles at the end of the substep, as cut so far.
    fn ends(&self, pair: &FeaturePair, start: &[DVec3], x: &[DVec3]) -> [DVec3; 4] {
        pair.particles.map(|i| {
            let i = i as usize;
            start[i] + (x[i] - start[i]) * self.shares[i]
        })
    }

    /// Cuts the particles of a pair at a plane between its sides that leaves each its share.
    fn cut(&mut self, pair: &FeaturePair, plane: &CutPlane, from: &[DVec3; 4], to: &[DVec3; 4]) {
        let (first, count) = pair.features.counts();
        let CutPlane { normal, high, low, is_lost, .. } = *plane;
        if is_lost {
            pair.used().iter().for_each(|&i| self.shares[i as usize] = 0.0);
            return;
        }
        let along = |k: usize| (to[k] - from[k]).dot(normal);
        let down = (0..first).map(|k| -along(k)).fold(0.0, f64::max);
        let up = (first..count).map(along).fold(0.0, f64::max);
        let part = if up + down > 0.0 { (up / (up + down)).clamp(0.05, 0.95) } else { 0.5 };
        let middle = low + part * (high - low);
        for (k, &particle) in pair.used().iter().enumerate() {
            let sign = if k < first { -1.0 } else { 1.0 };
            let begin = from[k].dot(normal) - if k < first { plane.keep } else { 0.0 };
            let (gap, way) = (sign * (middle - begin), sign * along(k));
            if way > gap {
                let share = &mut self.shares[particle as usize];
                *share = share.min((SHORT * gap / way).max(0.0));
            }
        }
    }
}

impl CutPlane {
    fn between(pair: &FeaturePair, x: &[DVec3; 4]) -> Self {
        let (first, count) = pair.features.counts();
        let apart = pair.apart.length();
        let mut normal = pair.apart.normalize_or_zero();
        let mut is_lost = false;
        if pair.features.separation(x, normal) < 0.5 * apart {
            let coordinate = x[..count].iter().map(|x| x.abs().max_element()).fold(0.0, f64::max);
            match pair.features.separating(x, pair.apart, 0.0) {
                Some(other) => normal = other,
                None => is_lost = apart > CROSSING * coordinate,
            }
        }
        let along = |k: usize| x[k].dot(normal);
        let share = if pair.rolls.is_some() { BALL_PASSING } else { PASSING };
        let nearer = (ALREADY * apart).max(apart.min(LEAST * pair.reach));
        let keep = nearer.min(share * pair.reach);
        Self {
            normal,
            keep,
            high: (0..first).map(along).fold(f64::INFINITY, f64::min) - keep,
            low: (first..count).map(along).fold(f64::NEG_INFINITY, f64::max),
            is_lost,
        }
    }

    /// Whether the sides of a pair that moves straight on may have passed through each other.
    fn may_have_passed(&self, pair: &FeaturePair, from: &[DVec3; 4], to: &[DVec3; 4]) -> bool {
        let (first, count) = pair.features.counts();
        let along = |k: usize| to[k].dot(self.normal);
        let high = (0..first).map(along).fold(f64::INFINITY, f64::min) - self.keep;
        let low = (first..count).map(along).fold(f64::NEG_INFINITY, f64::max);
        // One plane lies between them all the time if it does so at both ends.
        if self.high > self.low && high > low {
            return false;
        }
        if self.is_lost {
            return true;
        }
        pair.features.first_touch(from, to, self.keep).is_some()
    }
}
