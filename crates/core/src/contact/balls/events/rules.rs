//! Input of the event loop: colliders, layers and limits of a step.

use super::Ball;
use crate::contact::colliders::collider::Obstacles;
use crate::contact::search::broad_phase::Reach;
use crate::contact::{PairSearch, Skin};

/// More than from the middle of a cube to its corner, over half its edge.
const CORNER: f64 = 1.75;

/// Input of the event loop.
#[derive(Clone, Copy, Debug)]
pub struct Rules<'a> {
    /// Length of the step in seconds.
    pub h: f64,
    /// Most events.
    pub most_events: u32,
    /// Search for pairs.
    pub search: PairSearch,
    /// Approach speed in m/s up to which nothing bounces.
    pub resting: f64,
    /// Obstacles, and what passes through what.
    pub obstacles: Obstacles<'a>,
}

impl Rules<'_> {
    /// Whether two balls touch at all.
    pub fn touch(&self, a: &Ball, b: &Ball) -> bool {
        self.obstacles.layers.touch(a.skin.layer, b.skin.layer)
    }

    /// Whether a ball may touch a collider while it stays in its reach.
    pub fn is_near(&self, ball: &Ball, reach: &Reach) -> bool {
        let Skin { radius, layer, .. } = ball.skin;
        let far = radius + CORNER * (reach.half - radius);
        let mut colliders = self.obstacles.of(layer);
        colliders.any(|(_, collider, placed)| {
            let (distance, _) = collider.shape.distance(reach.centre - placed.start);
            distance <= far + placed.way.length()
        })
    }
}
