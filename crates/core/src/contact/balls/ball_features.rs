//! Balls against ropes and cloths: the pairs that may touch.

use crate::contact::Geometry;
use crate::contact::cloth::feature_pair::{FeaturePair, Separation, Ways};
use crate::contact::cloth::features::Features;
use crate::contact::cloth::touchable::Touchable;
use crate::contact::resolve::position_level::Rolling;
use crate::contact::search::broad_phase::{CellGrid, Reach};
use crate::contact::search::crowd::{Crowded, most_pairs};
use glam::DVec3;

/// Search for pairs of balls with links and triangles.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct BallFeatures {
    grid: CellGrid,
    reaches: Vec<Reach>,
    near: Vec<u32>,
}

impl BallFeatures {
    /// Finds all pairs of a ball with a link or triangle that may touch in a substep. Assumes that
    /// nothing ends further than `ways.margin` from its present end position.
    pub fn find(
        &mut self,
        geometry: &Geometry,
        touchable: &Touchable,
        ways: &Ways,
        pairs: &mut Vec<FeaturePair>,
    ) -> Result<(), Crowded> {
        let Self { grid, reaches, near } = self;
        let Touchable { links, triangles, .. } = touchable;
        if geometry.balls.is_empty() || links.is_empty() && triangles.is_empty() {
            return Ok(());
        }
        reaches.clear();
        reaches.extend(geometry.balls.iter().map(|ball| {
            let more = ball.properties.radius + geometry.contact_table.thickest() + ways.margin;
            swept(&[ball.particle], ways, more)
        }));
        let corner = |side: f64| {
            let corner = move |reach: &Reach| reach.centre + DVec3::splat(side * reach.half);
            reaches.iter().map(corner)
        };
        let least = corner(-1.0).fold(DVec3::INFINITY, DVec3::min);
        let most = corner(1.0).fold(DVec3::NEG_INFINITY, DVec3::max);
        if !(least.is_finite() && most.is_finite()) {
            return Ok(());
        }
        let limit = most_pairs(geometry.balls.len() + links.len() + triangles.len());
        grid.build(reaches);
        let mut look = |features: Features, particles: &[u32]| {
            let reach = swept(particles, ways, ways.margin);
            let half = DVec3::splat(reach.half);
            let is_near =
                (reach.centre + half).cmpge(least).all() && (reach.centre - half).cmple(most).all();
            if !is_near || !geometry.contact_table.join(particles) {
                return Ok(());
            }
            near.clear();
            grid.query(&reach, &mut |ball| near.push(ball));
            near.sort_unstable();
            let properties = geometry.contact_table.over(particles);
            for &number in near.iter() {
                let ball = &geometry.balls[number as usize];
                let centre = ball.particle;
                let passes = !geometry.layers.may_touch(ball.properties.layer, properties.layer);
                if passes || particles.contains(&centre) || touchable.spares(centre, particles) {
                    continue;
                }
                let mut all = [particles[particles.len() - 1]; 4];
                all[0] = centre;
                all[1..=particles.len()].copy_from_slice(particles);
                let (radius, w) = (ball.properties.radius, ways.w[centre as usize]);
                let pair = FeaturePair {
                    features,
                    particles: all,
                    reach: radius + properties.radius,
                    surface: ball.properties.surface.with(&properties.surface),
                    rolls: Some(Rolling { ball: number, w, radius }),
                    apart: DVec3::ZERO,
                    margin: ways.margin,
                    separation: Separation::Planes,
                };
                pairs.extend(pair.near(ways));
            }
            if pairs.len() > limit { Err(Crowded) } else { Ok(()) }
        };
        links.iter().try_for_each(|link| look(Features::PointAndLink, link))?;
        triangles.iter().try_for_each(|triangle| look(Features::PointAndTriangle, triangle))
    }
}

/// Returns a cube round the displacements of some particles, enlarged by `more` metres.
fn swept(particles: &[u32], ways: &Ways, more: f64) -> Reach {
    let (mut least, mut most) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for &i in particles {
        let [from, to] = [ways.start, ways.x].map(|x| x[i as usize]);
        least = least.min(from.min(to));
        most = most.max(from.max(to));
    }
    Reach { centre: 0.5 * (least + most), half: 0.5 * (most - least).max_element() + more }
}
