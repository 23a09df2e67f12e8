//! Guarantee that no feature passes through another one: planar divide and truncate.
//!
//! At the start of a substep, a plane separates the nearest points of each feature pair. The
//! features have not passed through each other if each stays on its side of the plane, or if they
//! do not touch on their straight displacements. In any other pair, particles that would cross the
//! plane stop before it (the VBD solver of the engine Newton calls this planar DAT). Each particle
//! stops at the first of its planes, so neither an order of pairs nor times of impact are needed.

use super::feature_pair::{FeaturePair, LEAST_DISTANCE, Separation};
use glam::DVec3;

/// Number of rounds that truncate only pairs that may have passed through each other. One round
/// does not suffice, because a truncated particle may block others. A final round truncates every
/// pair.
const ROUNDS: u32 = 4;

/// Fraction of the distance to the plane that a particle may travel. A value below 1 keeps it from
/// ever reaching the plane.
const STOP_FRACTION: f64 = 0.9;

/// Distance below which a ball and a feature may not come, as a fraction of the reach. It is larger
/// than [`LEAST_DISTANCE`], because an overlap with a ball is visible.
const LEAST_BALL_DISTANCE: f64 = 0.9;

/// Fraction of their distance that two features keep in a substep if they are already nearer than
/// their thickness. The features approach by at most 1 %, and sweeps push them apart faster.
const KEPT_FRACTION: f64 = 0.99;

/// Distance below which two features may not approach further, as a fraction of the reach. Without
/// this limit, 1 % per substep would reduce the distance to nothing within seconds under pressure.
/// In addition, the nearest points of nearly parallel edges are inexact.
const NO_APPROACH_BELOW: f64 = 1e-3;

/// Distance below which two features count as crossing, as a fraction of the largest coordinate.
/// Rounding hides such distances.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct Truncation {
    /// Permitted fraction of each particle's displacement.
    fractions: Vec<f64>,
    planes: Vec<SeparatingPlane>,
}

/// Plane between the two features of a pair at the start of the substep.
#[derive(Clone, Copy, Debug)]
struct SeparatingPlane {
    /// Unit normal from the second feature to the first.
    normal: DVec3,
    /// Distance below which the two features may not come, in metres.
    least_distance: f64,
    /// Lowest coordinate in metres of the first feature along the normal, minus `least_distance`.
    high: f64,
    /// Highest coordinate of the second feature along the normal, in metres.
    low: f64,
    /// True if rounding hides the distance of the features, so that no separating plane was found.
    is_lost: bool,
}

impl Truncation {
    /// Truncates the displacements from `start` to `x`, so that the features of no pair pass
    /// through each other. Particles in pairs with balls move at most `most` metres, because
    /// `pairs` contains only features within this distance. Returns the number of truncated
    /// particles.
    pub fn truncate(
        &mut self,
        pairs: &[FeaturePair],
        start: &[DVec3],
        x: &mut [DVec3],
        v: &mut [DVec3],
        h: f64,
        most: f64,
    ) -> u64 {
        let guarded = || pairs.iter().filter(|pair| pair.separation != Separation::None);
        if guarded().next().is_none() {
            return 0;
        }
        self.fractions.clear();
        self.fractions.resize(x.len(), 1.0);
        self.planes.clear();
        self.planes.extend(
            guarded().map(|pair| SeparatingPlane::between(pair, &pair.positions_in(start))),
        );
        for &i in guarded()
            .filter(|pair| pair.rolling_ball.is_some())
            .flat_map(FeaturePair::distinct_particles)
        {
            let far = x[i as usize].distance(start[i as usize]);
            if far > most {
                self.fractions[i as usize] = most / far;
            }
        }
        let planes = std::mem::take(&mut self.planes);
        for round in 0..=ROUNDS {
            let mut has_passed = false;
            for (pair, plane) in guarded().zip(&planes) {
                let to = self.ends(pair, start, x);
                if round < ROUNDS && !plane.may_have_passed(pair, &pair.positions_in(start), &to) {
                    continue;
                }
                has_passed = true;
                self.truncate_pair(pair, plane, &pair.positions_in(start), &pair.positions_in(x));
            }
            if !has_passed {
                break;
            }
        }
        self.planes = planes;
        // Particles in pairs with balls keep their velocity. If a sheet between a ball and a body
        // that pushes the ball were slowed down, the body would overtake the sheet.
        let mut count = 0;
        for with_balls in [false, true] {
            let pairs = guarded().filter(|pair| pair.rolling_ball.is_some() == with_balls);
            for &i in pairs.flat_map(FeaturePair::distinct_particles) {
                let fraction = &mut self.fractions[i as usize];
                if *fraction < 1.0 {
                    count += 1;
                    let (start, x) = (start[i as usize], &mut x[i as usize]);
                    let stopped = start + (*x - start) * *fraction;
                    if !with_balls {
                        v[i as usize] += (stopped - *x) / h;
                    }
                    *x = stopped;
                    *fraction = 1.0;
                }
            }
        }
        count
    }

    /// Returns the end positions of a pair's particles, as truncated so far.
    fn ends(&self, pair: &FeaturePair, start: &[DVec3], x: &[DVec3]) -> [DVec3; 4] {
        pair.particles.map(|i| {
            let i = i as usize;
            start[i] + (x[i] - start[i]) * self.fractions[i]
        })
    }

    /// Truncates the particles of a pair at a plane between its features. The plane divides the gap
    /// in proportion to the approach of each feature.
    fn truncate_pair(
        &mut self,
        pair: &FeaturePair,
        plane: &SeparatingPlane,
        from: &[DVec3; 4],
        to: &[DVec3; 4],
    ) {
        let (first, count) = pair.features.counts();
        let SeparatingPlane { normal, high, low, is_lost, .. } = *plane;
        if is_lost {
            pair.distinct_particles().iter().for_each(|&i| self.fractions[i as usize] = 0.0);
            return;
        }
        let along = |k: usize| (to[k] - from[k]).dot(normal);
        let down = (0..first).map(|k| -along(k)).fold(0.0, f64::max);
        let up = (first..count).map(along).fold(0.0, f64::max);
        let part = if up + down > 0.0 { (up / (up + down)).clamp(0.05, 0.95) } else { 0.5 };
        let middle = low + part * (high - low);
        for (k, &particle) in pair.distinct_particles().iter().enumerate() {
            let sign = if k < first { -1.0 } else { 1.0 };
            let begin = from[k].dot(normal) - if k < first { plane.least_distance } else { 0.0 };
            let (gap, displacement) = (sign * (middle - begin), sign * along(k));
            if displacement > gap {
                let fraction = &mut self.fractions[particle as usize];
                *fraction = fraction.min((STOP_FRACTION * gap / displacement).max(0.0));
            }
        }
    }
}

impl SeparatingPlane {
    fn between(pair: &FeaturePair, x: &[DVec3; 4]) -> Self {
        let (first, count) = pair.features.counts();
        let apart = pair.apart.length();
        let mut normal = pair.apart.normalize_or_zero();
        let mut is_lost = false;
        if pair.features.separation(x, normal) < 0.5 * apart {
            let coordinate = x[..count].iter().map(|x| x.abs().max_element()).fold(0.0, f64::max);
            match pair.features.separating_direction(x, pair.apart, 0.0) {
                Some(other) => normal = other,
                None => is_lost = apart > ROUNDING * coordinate,
            }
        }
        let along = |k: usize| x[k].dot(normal);
        let fraction =
            if pair.rolling_ball.is_some() { LEAST_BALL_DISTANCE } else { LEAST_DISTANCE };
        let nearer = (KEPT_FRACTION * apart).max(apart.min(NO_APPROACH_BELOW * pair.reach));
        let least_distance = nearer.min(fraction * pair.reach);
        Self {
            normal,
            least_distance,
            high: (0..first).map(along).fold(f64::INFINITY, f64::min) - least_distance,
            low: (first..count).map(along).fold(f64::NEG_INFINITY, f64::max),
            is_lost,
        }
    }

    /// True if the features of a pair may have passed through each other on straight displacements.
    fn may_have_passed(&self, pair: &FeaturePair, from: &[DVec3; 4], to: &[DVec3; 4]) -> bool {
        let (first, count) = pair.features.counts();
        let along = |k: usize| to[k].dot(self.normal);
        let high = (0..first).map(along).fold(f64::INFINITY, f64::min) - self.least_distance;
        let low = (first..count).map(along).fold(f64::NEG_INFINITY, f64::max);
        // A plane that separates the features at the start and at the end separates them
        // throughout, because the displacements are straight.
        if self.high > self.low && high > low {
            return false;
        }
        if self.is_lost {
            return true;
        }
        pair.features.first_contact(from, to, self.least_distance).is_some()
    }
}
