//! A pair of features (points, links or triangles) that may be in contact in a substep, and its
//! contact.

use crate::contact::bodies::surface::Surface;
use crate::contact::features::Features;
use crate::contact::resolve::position_level::{Contact, RECOVERY, Rolling};
use crate::contact::substep::SubstepMotion;
use glam::DVec3;

/// Largest sine of the angle between two links that count as parallel.
const PARALLEL_SINE: f64 = 0.1;

/// Distance below which the nearest points of two features may not come, as a fraction of the
/// reach. Before this limit existed, each substep reduced the distance to a tenth, until rounding
/// hid the distance and a wrung sheet passed through itself.
pub(in crate::contact) const LEAST_DISTANCE: f64 = 1e-3;

#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct FeaturePair {
    pub features: Features,
    /// Particles of the first feature, then of the second. The last particle is repeated to fill
    /// four entries.
    pub particles: [u32; 4],
    /// Contact distance of the features in metres: the sum of their radii, or less if they are
    /// nearer at the start of the scene.
    pub reach: f64,
    pub surface: Surface,
    /// Ball that friction spins; `None` if the first feature is not a ball.
    pub rolling_ball: Option<Rolling>,
    /// Vector in metres from the nearest point of the second feature to that of the first, at the
    /// start of the substep.
    pub apart: DVec3,
    /// Largest approach by constraints that is possible, in metres.
    pub margin: f64,
    pub separation: Separation,
}

/// Method that keeps paired features from passing through each other after the sweeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::contact) enum Separation {
    /// No separation: the features may pass through each other.
    None,
    /// Truncation of displacements: no particle moves beyond a plane between the features.
    Planes,
    /// Impulses at times of impact, then planes for pairs that still collide.
    TimesOfImpact,
}

impl FeaturePair {
    pub fn distinct_particles(&self) -> &[u32] {
        &self.particles[..self.features.counts().1]
    }

    pub fn positions_in(&self, x: &[DVec3]) -> [DVec3; 4] {
        self.particles.map(|i| x[i as usize])
    }

    /// Returns the pair with its vector `apart` at the start of the substep. `None` if the features
    /// are too far apart for contact in this substep.
    pub fn measured_if_near(&self, motion: &SubstepMotion) -> Option<Self> {
        let apart = self.features.nearest(&self.positions_in(motion.start)).1;
        let is_near = apart.length() <= self.reach + 2.0 * motion.margin;
        is_near.then_some(Self { apart, ..*self })
    }

    /// Returns the contact of the pair. `None` if the features neither touch in the substep nor
    /// come so near that links may bring them into contact.
    pub fn contact(&self, motion: &SubstepMotion) -> Option<Contact> {
        let SubstepMotion { start, x, w, h, discrete, .. } = *motion;
        let Self { features, particles, reach, surface, rolling_ball, margin, .. } = *self;
        let [from, to] = [self.positions_in(start), self.positions_in(x)];
        let mut recovered = 0.0;
        let at_end = |most: f64| {
            let (weights, apart) = features.nearest(&to);
            (apart.length() <= most).then_some((weights, apart))
        };
        let (weights, apart) = if discrete {
            at_end(reach)?
        } else if let Some((t, weights, apart)) = features.first_contact(&from, &to, reach) {
            let overlap = reach - apart.length();
            if t == 0.0 && overlap > 0.0 {
                recovered = RECOVERY * overlap;
            }
            (weights, apart)
        } else {
            at_end(reach + margin)?
        };
        let count = features.counts().1;
        let inverse_mass = Contact::inverse_mass_of(&particles[..count], &weights[..count], w);
        if inverse_mass == 0.0 {
            return None;
        }
        let normal = apart.try_normalize().unwrap_or_else(|| self.fallback_normal(&from));
        let target = if recovered > 0.0 { apart.length() + recovered } else { reach };
        let contact = Contact {
            particles,
            weights,
            count,
            inverse_mass,
            plane_point: normal * target,
            rolling_balls: [rolling_ball, None],
            recovered,
            ..Contact::without_force(normal, to[0], surface)
        };
        Some(Contact {
            approach: -normal.dot(contact.contact_displacement(x, start)) / h,
            ..contact
        })
    }

    /// True if the nearest points of two edges of triangles lie inside both edges, so that no
    /// contact of a corner with a triangle covers their contact. False for nearly parallel edges,
    /// because their nearest points, and with them the contact, would jump along the edges.
    pub fn crosses(&self, x: &[DVec3; 4], weights: &[f64; 4]) -> bool {
        let (u, v) = (x[1] - x[0], x[3] - x[2]);
        let sine = u.cross(v).length_squared();
        let is_inside = weights.iter().all(|weight| *weight != 0.0);
        is_inside && sine > PARALLEL_SINE * PARALLEL_SINE * u.length_squared() * v.length_squared()
    }

    /// True if one plane separates the features at the start and at the end, even if constraints
    /// move each feature by its margin in `margins` (in metres). The features then cannot come into
    /// contact in this substep.
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
        high - low > 2.0 * LEAST_DISTANCE * self.reach
    }

    /// Returns a direction from the second feature to the first if the features share a point.
    fn fallback_normal(&self, x: &[DVec3; 4]) -> DVec3 {
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
