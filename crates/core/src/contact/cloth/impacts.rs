//! Collisions of moving features, resolved by impulses at their times of impact.
//!
//! Robust treatment of collisions (Bridson, Fedkiw and Anderson 2002, ACM TOG 21, 594): each pair
//! of features that would collide in a substep gets an inelastic impulse, which changes
//! displacements and velocities. Rounds over all pairs are repeated, because an impulse may cause
//! other collisions. Times come from conservative advancement. Features that still collide after
//! the last round are stopped by the planes of `truncation` and counted.

use super::feature_pair::FeaturePair;
use crate::contact::resolve::position_level::Contact;
use glam::DVec3;

const ROUNDS: u32 = 8;

/// Distance at which two features collide, as a fraction of the reach. The planes of `truncation`
/// stop features at a smaller distance.
const COLLISION_DISTANCE: f64 = 0.01;

/// Removes the approach of all pairs that would collide in a substep of `h` seconds. Changes the
/// positions `x` at its end and the velocities `v`. `w` are inverse masses in 1/kg.
pub(in crate::contact) fn remove_approach<'a>(
    pairs: impl Iterator<Item = &'a FeaturePair> + Clone,
    start: &[DVec3],
    x: &mut [DVec3],
    v: &mut [DVec3],
    w: &[f64],
    h: f64,
) {
    for _ in 0..ROUNDS {
        let mut is_free = true;
        for pair in pairs.clone() {
            let [from, to] = [pair.positions_in(start), pair.positions_in(x)];
            let meeting = COLLISION_DISTANCE * pair.reach;
            let Some((_, weights, apart)) = pair.features.first_contact(&from, &to, meeting) else {
                continue;
            };
            let particles = pair.distinct_particles();
            let inverse_mass = Contact::inverse_mass_of(particles, &weights[..particles.len()], w);
            let Some(normal) = apart.try_normalize() else { continue };
            let displacement: DVec3 =
                (0..particles.len()).map(|k| (to[k] - from[k]) * weights[k]).sum();
            let approach = -normal.dot(displacement);
            if inverse_mass == 0.0 || approach <= 0.0 {
                continue;
            }
            is_free = false;
            for (&i, weight) in particles.iter().zip(weights) {
                let i = i as usize;
                let push = normal * (w[i] * weight * approach / inverse_mass);
                x[i] += push;
                v[i] += push / h;
            }
        }
        if is_free {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::bodies::surface::Surface;
    use crate::contact::features::Features;
    use glam::dvec3;

    #[test]
    fn a_particle_that_would_pass_a_triangle_goes_on_with_it() {
        let start = [dvec3(0.0, 1.0, 0.0), dvec3(-1.0, 0.0, -1.0), dvec3(1.0, 0.0, -1.0), DVec3::Z];
        let mut x = start;
        x[0].y = -3.0;
        let mut v = [DVec3::Y * -40.0, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO];
        let pair = FeaturePair {
            features: Features::PointAndTriangle,
            particles: [0, 1, 2, 3],
            reach: 0.01,
            surface: Surface::default(),
            rolling_ball: None,
            apart: DVec3::Y,
            margin: 0.0,
            separation: super::super::feature_pair::Separation::TimesOfImpact,
        };
        let w = [1.0; 4];
        remove_approach(std::iter::once(&pair), &start, &mut x, &mut v, &w, 0.1);
        let weights = pair.features.nearest(&start).0;
        let along = |of: &[DVec3; 4]| (0..4).map(|k| of[k].y * weights[k]).sum::<f64>();
        // The displacement was 4 m and the gap 1 m. A pair that continues to move together keeps
        // its initial gap.
        assert!((along(&x) - along(&start)).abs() < 1e-9, "{}", along(&x));
        let momentum: DVec3 = v.iter().sum();
        assert!((momentum - DVec3::Y * -40.0).length() < 1e-12, "{momentum}");
        assert!(along(&v).abs() < 1e-9);
    }
}
