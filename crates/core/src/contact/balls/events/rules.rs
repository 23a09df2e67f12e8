//! Parameters of the event loop, which resolves the collisions of balls in a step.

use super::ball::Ball;
use crate::contact::bodies::collider::Obstacles;
use crate::contact::bodies::properties::ContactProperties;
use crate::contact::method::PairSearch;
use crate::contact::search::broad_phase::BoundingCube;

/// Upper bound of √3, the ratio of a cube's half diagonal to its half edge.
const DIAGONAL_RATIO: f64 = 1.75;

#[derive(Clone, Copy, Debug)]
pub struct Rules<'a> {
    /// Length of the step in seconds.
    pub h: f64,
    /// Largest number of events (collisions) in a step.
    pub most_events: u32,
    pub search: PairSearch,
    /// Largest approach speed without a bounce, in m/s.
    pub resting_speed: f64,
    /// Colliders at their positions in the step, and the pairs of layers that pass through each
    /// other.
    pub obstacles: Obstacles<'a>,
}

impl Rules<'_> {
    pub fn may_collide(&self, a: &Ball, b: &Ball) -> bool {
        self.obstacles.layers.may_collide(a.properties.layer, b.properties.layer)
    }

    /// True if a ball may touch a collider while its motion stays within `cube`.
    pub fn is_near(&self, ball: &Ball, cube: &BoundingCube) -> bool {
        let ContactProperties { radius, layer, .. } = ball.properties;
        let far = radius + DIAGONAL_RATIO * (cube.half - radius);
        let mut colliders = self.obstacles.colliders_for(layer);
        colliders.any(|(_, collider, placed)| {
            let (distance, _) = collider.shape.distance(cube.centre - placed.start);
            distance <= far + placed.displacement.length()
        })
    }
}
