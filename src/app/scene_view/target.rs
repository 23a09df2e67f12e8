//! Bodies that the mouse can grab, and the drawn state of a drag.

use glam::{DVec3, Vec2};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Particle(u32),
    /// Collider with this index in the scene.
    Collider(u32),
}

impl Target {
    pub fn particle(self) -> Option<u32> {
        match self {
            Self::Particle(particle) => Some(particle),
            Self::Collider(_) => None,
        }
    }
}

/// State of the mouse for drawing over the scene.
#[derive(Clone, Copy, Debug, Default)]
pub struct DrawnHand {
    /// Viewport, lane and body that a click would grab.
    pub hovered: Option<(usize, usize, Target)>,
    /// Dragged body, and the position of the mouse in metres.
    pub held: Option<(Target, DVec3)>,
    /// Position of the mouse in pixels, while it is over the scene.
    pub cursor: Option<Vec2>,
    /// Viewport in which the user is cutting, with both ends of the stroke in pixels.
    pub stroke: Option<(usize, [Vec2; 2])>,
}
