//! Ball–link and ball–triangle pairs that may be in contact.

use crate::contact::bodies::contact_features::ContactFeatures;
use crate::contact::bodies::geometry::Geometry;
use crate::contact::cloth::feature_pair::{FeaturePair, Separation};
use crate::contact::features::Features;
use crate::contact::resolve::position_level::Rolling;
use crate::contact::search::broad_phase::{BoundingCube, CellGrid};
use crate::contact::search::crowd::{TooManyPairs, most_pairs};
use crate::contact::substep::SubstepMotion;
use glam::DVec3;

#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct BallFeatures {
    grid: CellGrid,
    cubes: Vec<BoundingCube>,
    near: Vec<u32>,
}

impl BallFeatures {
    /// Finds all ball–link and ball–triangle pairs that may be in contact in a substep, and appends
    /// them to `pairs`. Assumes that constraints move no particle more than `motion.margin` metres
    /// from its position `motion.x`.
    pub fn find_pairs(
        &mut self,
        geometry: &Geometry,
        contact_features: &ContactFeatures,
        motion: &SubstepMotion,
        pairs: &mut Vec<FeaturePair>,
    ) -> Result<(), TooManyPairs> {
        let Self { grid, cubes, near } = self;
        let ContactFeatures { links, triangles, .. } = contact_features;
        if geometry.balls.is_empty() || links.is_empty() && triangles.is_empty() {
            return Ok(());
        }
        cubes.clear();
        cubes.extend(geometry.balls.iter().map(|ball| {
            let more =
                ball.properties.radius + geometry.contact_table.largest_radius() + motion.margin;
            swept_cube(&[ball.particle], motion, more)
        }));
        let corner = |side: f64| {
            let corner = move |reach: &BoundingCube| reach.centre + DVec3::splat(side * reach.half);
            cubes.iter().map(corner)
        };
        let least = corner(-1.0).fold(DVec3::INFINITY, DVec3::min);
        let most = corner(1.0).fold(DVec3::NEG_INFINITY, DVec3::max);
        if !(least.is_finite() && most.is_finite()) {
            return Ok(());
        }
        let limit = most_pairs(geometry.balls.len() + links.len() + triangles.len());
        grid.build(cubes);
        let mut collect_near_balls = |features: Features, particles: &[u32]| {
            let reach = swept_cube(particles, motion, motion.margin);
            let half = DVec3::splat(reach.half);
            let is_near =
                (reach.centre + half).cmpge(least).all() && (reach.centre - half).cmple(most).all();
            if !is_near || !geometry.contact_table.collides_with_bodies(particles) {
                return Ok(());
            }
            near.clear();
            grid.query(&reach, &mut |ball| near.push(ball));
            near.sort_unstable();
            let properties = geometry.contact_table.of_feature(particles);
            for &number in near.iter() {
                let ball = &geometry.balls[number as usize];
                let centre = ball.particle;
                let passes = !geometry.layers.may_collide(ball.properties.layer, properties.layer);
                if passes
                    || particles.contains(&centre)
                    || contact_features.is_exempt(centre, particles)
                {
                    continue;
                }
                let mut all = [particles[particles.len() - 1]; 4];
                all[0] = centre;
                all[1..=particles.len()].copy_from_slice(particles);
                let (radius, w) = (ball.properties.radius, motion.w[centre as usize]);
                let pair = FeaturePair {
                    features,
                    particles: all,
                    reach: radius + properties.radius,
                    surface: ball.properties.surface.with(&properties.surface),
                    rolling_ball: Some(Rolling { ball: number, w, radius }),
                    apart: DVec3::ZERO,
                    margin: motion.margin,
                    separation: Separation::Planes,
                };
                pairs.extend(pair.measured_if_near(motion));
            }
            if pairs.len() > limit { Err(TooManyPairs) } else { Ok(()) }
        };
        links.iter().try_for_each(|link| collect_near_balls(Features::PointAndLink, link))?;
        triangles
            .iter()
            .try_for_each(|triangle| collect_near_balls(Features::PointAndTriangle, triangle))
    }
}

/// Returns a cube around the displacements of some particles, enlarged by `more` metres on each
/// side.
fn swept_cube(particles: &[u32], motion: &SubstepMotion, more: f64) -> BoundingCube {
    let (mut least, mut most) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for &i in particles {
        let [from, to] = [motion.start, motion.x].map(|x| x[i as usize]);
        least = least.min(from.min(to));
        most = most.max(from.max(to));
    }
    BoundingCube { centre: 0.5 * (least + most), half: 0.5 * (most - least).max_element() + more }
}
