//! Two features that may touch in a substep: where they do.

use super::cut::PASSING;
use super::features::Features;
use crate::contact::Surface;
use crate::contact::resolve::position_level::{Contact, RECOVERY, Rolling};
use glam::DVec3;

/// Sine of the angle up to which two sides count as parallel.
const PARALLEL: f64 = 0.1;

/// Two features that may touch.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct FeaturePair {
    pub features: Features,
    /// Those of the first side, then those of the second; the last one again where there are fewer
    /// than four.
    pub particles: [u32; 4],
    /// Distance at which the pair counts as touching, in metres.
    pub reach: f64,
    pub surface: Surface,
    /// The first particle is a ball.
    pub rolls: Option<Rolling>,
    /// The way from the second side to the first at the start of the substep, in metres.
    pub apart: DVec3,
    /// Greatest further approach of its sides that constraints may cause, in metres.
    pub margin: f64,
    pub separation: Separation,
}

/// Rule that keeps a pair from passing through itself after the sweeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::contact) enum Separation {
    /// Nothing.
    None,
    /// A plane between its sides.
    Planes,
    /// Impulses at times of impact, and planes for what they leave.
    TimesOfImpact,
}

/// Positions that all pairs of a substep share.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct Ways<'a> {
    /// Positions at the start, in metres.
    pub start: &'a [DVec3],
    /// Positions at the end, so far.
    pub x: &'a [DVec3],
    /// Inverse masses in 1/kg.
    pub w: &'a [f64],
    /// Length of the substep in seconds.
    pub h: f64,
    /// Greatest further displacement of a particle that links may cause, in metres.
    pub margin: f64,
    /// Looks only where particles are at the end.
    pub discrete: bool,
}

impl FeaturePair {
    /// The particles that it has, each once.
    pub fn used(&self) -> &[u32] {
        &self.particles[..self.features.counts().1]
    }

    /// Its particles' places.
    pub fn of(&self, x: &[DVec3]) -> [DVec3; 4] {
        self.particles.map(|i| x[i as usize])
    }

    /// Itself with the way between its sides at the start, if they are so near that they may touch
    /// in this substep.
    pub fn near(&self, ways: &Ways) -> Option<Self> {
        let apart = self.features.nearest(&self.of(ways.start)).1;
        let is_near = apart.length() <= self.reach + 2.0 * ways.margin;
        is_near.then_some(Self { apart, ..*self })
    }

    /// Its contact, if it touches on its way or comes so near that links may yet make it touch.
    pub fn contact(&self, ways: &Ways) -> Option<Contact> {
        let Ways { start, x, w, h, discrete, .. } = *ways;
        let Self { features, particles, reach, surface, rolls, margin, .. } = *self;
        let [from, to] = [self.of(start), self.of(x)];
        let mut recovered = 0.0;
        let at_end = |most: f64| {
            let (shares, apart) = features.nearest(&to);
            (apart.length() <= most).then_some((shares, apart))
        };
        let (shares, apart) = if discrete {
            at_end(reach)?
        } else if let Some((t, shares, apart)) = features.first_touch(&from, &to, reach) {
            let overlap = reach - apart.length();
            if t == 0.0 && overlap > 0.0 {
                recovered = RECOVERY * overlap;
            }
            (shares, apart)
        } else {
            at_end(reach + margin)?
        };
        let count = features.counts().1;
        let weight = Contact::weight_of(&particles[..count], &shares[..count], w);
        if weight == 0.0 {
            return None;
        }
        let normal = apart.try_normalize().unwrap_or_else(|| self.across(&from));
        let target = if recovered > 0.0 { apart.length() + recovered } else { reach };
        let contact = Contact {
            particles,
            shares,
            count,
            key: Contact::NO_KEY,
            collider: None,
            weight,
            normal,
            touch: normal * target,
            at: to[0],
            carried: DVec3::ZERO,
            surface,
            rolls: [rolls, None],
            recovered,
            approach: 0.0,
            push: 0.0,
            rub: DVec3::ZERO,
            slides: false,
            lies: false,
            extra: DVec3::ZERO,
        };
        Some(Contact { approach: -normal.dot(contact.moved(x, start)) / h, ..contact })
    }

    /// Whether two sides of triangles cross, so that no corner of the one touches a triangle at the
    /// other where they touch. Where they are nearly parallel nearest points jump along them, and
    /// what holds the sides there would jump with them.
    pub fn crosses(&self, x: &[DVec3; 4], shares: &[f64; 4]) -> bool {
        let (u, v) = (x[1] - x[0], x[3] - x[2]);
        let sine = u.cross(v).length_squared();
        let is_inside = shares.iter().all(|share| *share != 0.0);
        is_inside && sine > PARALLEL * PARALLEL * u.length_squared() * v.length_squared()
    }

    /// Whether one plane lies between its sides at the start and at the end, also if constraints move
    /// each side by so many metres more: then no part of these ways can make them meet.
    pub fn stays_apart(&self, [from, to]: [&[DVec3; 4]; 2], margins: [f64; 2]) -> bool {
        let (first, count) = self.features.counts();
        let normal = self.apart.normalize_or_zero();
        let least =
            |x: &[DVec3; 4]| (0..first).map(|k| x[k].dot(normal)).fold(f64::INFINITY, f64::min);
        let most = |x: &[DVec3; 4]| {
            (first..count).map(|k| x[k].dot(normal)).fold(f64::NEG_INFINITY, f64::max)
        };
        let high = least(from).min(least(to) - margins[0]);
        let low = most(from).max(most(to) + margins[1]);
        high - low > 2.0 * PASSING * self.reach
    }

    /// A direction from the second side to the first where the two share a point.
    fn across(&self, x: &[DVec3; 4]) -> DVec3 {
        let [a, b, c, d] = *x;
        let normal = match self.features {
            Features::Points => DVec3::Y,
            Features::PointAndLink => (c - b).any_orthogonal_vector(),
            Features::PointAndTriangle => (c - b).cross(d - b),
            Features::Links => (b - a).cross(d - c),
        };
        normal.normalize_or(DVec3::Y)
    }
}
