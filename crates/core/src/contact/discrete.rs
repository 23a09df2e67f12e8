//! The discrete contact method for balls: overlaps are detected at the end of a step only.
//!
//! Balls that overlap are moved apart in proportion to their inverse masses. They receive the
//! impulse of a collision at their velocities. Each pair is handled once, in ascending order of
//! ball indices. Bodies that pass each other within one step are missed: a ball of radius r passes
//! through a thin body at speeds above 2 r/h.

use super::balls::events::ball::Ball;
use super::balls::events::collider_impulse;
use super::balls::events::overlap::deepest_overlap;
use super::balls::events::rules::Rules;
use super::contact_force::ContactForce;
use super::method::PairSearch;
use super::report::ContactReport;
use super::resolve::position_level::CONTACT_GAP;
use super::resolve::response::impulse;
use super::search::broad_phase::{BoundingCube, CellGrid};
use super::search::crowd::{TooManyPairs, all_pairs};
use glam::DVec3;

#[derive(Clone, Debug, Default)]
pub(super) struct Overlaps {
    cubes: Vec<BoundingCube>,
    grid: CellGrid,
    pairs: Vec<(u32, u32)>,
}

impl Overlaps {
    /// Moves the balls from the start of a step to its end. Separates balls that overlap there,
    /// from each other and from colliders.
    pub fn resolve(
        &mut self,
        balls: &mut [Ball],
        rules: &Rules,
        contact_forces: &mut Vec<ContactForce>,
        report: &mut ContactReport,
    ) -> Result<(), TooManyPairs> {
        for ball in balls.iter_mut() {
            (ball.x, ball.since) = (ball.x + ball.displacement, 1.0);
        }
        self.find_pairs(balls, rules.search)?;
        let with_colliders = balls.len() * rules.obstacles.colliders.len();
        report.pairs_tested += (self.pairs.len() + with_colliders) as u64;
        self.pairs.retain(|&(i, j)| rules.may_collide(&balls[i as usize], &balls[j as usize]));
        for &(i, j) in &self.pairs {
            let contact_force = separate_balls(balls, i as usize, j as usize, rules);
            report.events += u64::from(contact_force.is_some());
            contact_forces.extend(contact_force);
        }
        for ball in balls.iter_mut().filter(|ball| ball.w > 0.0) {
            for (number, collider, placed) in rules.obstacles.colliders_for(ball.properties.layer) {
                let (distance, normal) = collider.shape.distance(ball.x - placed.at(1.0));
                let depth = ball.properties.radius - distance;
                // Contact begins at the gap `CONTACT_GAP`, because an integrator that moves a ball by
                // its new velocity may place the ball exactly on the surface.
                if depth > -CONTACT_GAP {
                    ball.x += normal * depth.max(0.0);
                    let at_end = Ball { displacement: ball.v * rules.h, ..*ball };
                    let (normal, push) = collider_impulse(&at_end, collider, placed, 1.0, rules);
                    if depth <= 0.0 && push == DVec3::ZERO {
                        continue;
                    }
                    report.events += 1;
                    ball.apply_impulse(-normal, push, ball.v, rules.h);
                    contact_forces.push(ball.as_collider_force(number, normal, push / rules.h));
                }
            }
        }
        report.record_overlap(deepest_overlap(balls, &self.pairs, balls.iter(), rules));
        Ok(())
    }

    fn find_pairs(&mut self, balls: &[Ball], search: PairSearch) -> Result<(), TooManyPairs> {
        let Self { cubes, grid, pairs } = self;
        pairs.clear();
        match search {
            PairSearch::Grid => {
                cubes.clear();
                let reach =
                    |ball: &Ball| BoundingCube { centre: ball.x, half: ball.properties.radius };
                cubes.extend(balls.iter().map(reach));
                grid.build(cubes);
                grid.collect_pairs(pairs)?;
                pairs.sort_unstable();
            }
            PairSearch::AllPairs => all_pairs(balls.len(), pairs)?,
        }
        Ok(())
    }
}

/// Moves two overlapping balls apart and applies the impulse of their collision. Returns `None` if
/// they do not overlap, or if both are pinned.
fn separate_balls(balls: &mut [Ball], i: usize, j: usize, rules: &Rules) -> Option<ContactForce> {
    let (a, b) = (balls[i], balls[j]);
    let apart = b.x - a.x;
    let depth = a.properties.radius + b.properties.radius - apart.length();
    let inverse_mass = a.w + b.w;
    if depth <= 0.0 || inverse_mass == 0.0 {
        return None;
    }
    let normal = apart.normalize_or(DVec3::Y);
    let surface = a.properties.surface.with(&b.properties.surface);
    let [at_a, at_b] =
        [a, b].map(|ball| Ball { displacement: ball.v * rules.h, ..ball }.body(rules.h));
    let push = impulse(&at_a, &at_b, normal, &surface, rules.resting_speed);
    for (ball, side) in [(i, -1.0), (j, 1.0)] {
        let ball = &mut balls[ball];
        ball.x += normal * (side * depth * ball.w / inverse_mass);
        ball.apply_impulse(normal * -side, push * side, ball.v, rules.h);
    }
    Some(balls[j].as_contact_force(a.particle, normal, push / rules.h))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::bodies::collider::Obstacles;
    use crate::contact::bodies::layer::Layer;
    use crate::contact::bodies::properties::ContactProperties;
    use crate::contact::bodies::surface::Surface;
    use glam::dvec3;

    #[test]
    fn a_fast_ball_goes_through_a_resting_one_and_a_slow_one_does_not() {
        let surface = Surface { restitution: 1.0, static_friction: 0.0, friction: 0.0 };
        let properties = ContactProperties { radius: 0.1, surface, layer: Layer::default() };
        let ball = |x: f64, speed: f64| {
            let (x, v) = (dvec3(x, 0.0, 0.0), dvec3(speed, 0.0, 0.0));
            Ball::new(0, [x, v * 0.01, v, DVec3::ZERO], 1.0, properties)
        };
        let rules = Rules {
            h: 0.01,
            most_events: 0,
            search: PairSearch::Grid,
            resting_speed: 0.0,
            obstacles: Obstacles::among(&[], &[]),
        };
        let after = |speed: f64| {
            let mut balls = [ball(-0.205, speed), ball(0.0, 0.0)];
            let (contact_forces, report) = (&mut Vec::new(), &mut ContactReport::default());
            let resolved = Overlaps::default().resolve(&mut balls, &rules, contact_forces, report);
            assert_eq!(resolved, Ok(()));
            balls.map(|ball| ball.v.x)
        };
        assert_eq!(after(100.0), [100.0, 0.0]);
        assert_eq!(after(1.0), [0.0, 1.0]);
    }
}
