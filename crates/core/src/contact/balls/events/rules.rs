//! Parameters of a step for the event loop.

use super::Ball;
use crate::contact::colliders::collider::Obstacles;
use crate::contact::search::broad_phase::BoundingCube;
use crate::contact::{ContactProperties, PairSearch};

/// Upper bound of the ratio of a cube's half diagonal to its half edge, √3.
const DIAGONAL_RATIO: f64 = 1.75;

/// Parameters of a step for the event loop.
#[derive(Clone, Copy, Debug)]
pub struct Rules<'a> {
    /// Length of the step in seconds.
    pub h: f64,
    /// Upper limit of events in a step.
    pub most_events: u32,
    /// Search for pairs.
    pub search: PairSearch,
    /// Approach speed in m/s up to which bodies do not bounce.
    pub resting_speed: f64,
    /// Colliders of the step, and the layers that pass through each other.
    pub obstacles: Obstacles<'a>,
}

impl Rules<'_> {
    /// True if the layers of two balls touch.
    pub fn may_touch(&self, a: &Ball, b: &Ball) -> bool {
        self.obstacles.layers.may_touch(a.properties.layer, b.properties.layer)
    }

    /// True if a ball may touch a collider while it stays within `reach`.
    pub fn is_near(&self, ball: &Ball, reach: &BoundingCube) -> bool {
        let ContactProperties { radius, layer, .. } = ball.properties;
        let far = radius + DIAGONAL_RATIO * (reach.half - radius);
        let mut colliders = self.obstacles.of(layer);
        colliders.any(|(_, collider, placed)| {
            let (distance, _) = collider.shape.distance(reach.centre - placed.start);
            distance <= far + placed.displacement.length()
        })
    }
}
