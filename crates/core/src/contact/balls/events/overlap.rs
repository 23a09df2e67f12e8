//! Overlaps of balls with each other and with colliders at the end of a step.

use super::ball::Ball;
use super::rules::Rules;
use crate::contact::bodies::collider::{Collider, Placed};

/// Returns the overlap of two balls at the end of a step, in metres; 0 if both are pinned.
pub(super) fn overlap(a: &Ball, b: &Ball) -> f64 {
    let overlap = a.properties.radius + b.properties.radius - a.at(1.0).distance(b.at(1.0));
    if a.w + b.w > 0.0 { overlap } else { 0.0 }
}

/// Returns the deepest overlap at the end of a step in metres: among the pairs of balls in `pairs`,
/// and between the balls in `at_colliders` and colliders.
pub(in crate::contact) fn deepest_overlap<'a>(
    balls: &[Ball],
    pairs: &[(u32, u32)],
    at_colliders: impl Iterator<Item = &'a Ball>,
    rules: &Rules,
) -> f64 {
    let both = |&(i, j): &(u32, u32)| overlap(&balls[i as usize], &balls[j as usize]);
    let between = pairs.iter().map(both).fold(0.0, f64::max);
    let with_colliders = |ball: &Ball| {
        let depth = |(_, collider, placed): (u32, &Collider, &Placed)| {
            let (distance, _) = collider.shape.distance(ball.at(1.0) - placed.at(1.0));
            ball.properties.radius - distance
        };
        rules.obstacles.colliders_for(ball.properties.layer).map(depth).fold(0.0, f64::max)
    };
    at_colliders.filter(|ball| ball.w > 0.0).map(with_colliders).fold(between, f64::max)
}
