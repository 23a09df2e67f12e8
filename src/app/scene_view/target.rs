//! Bodies that the hand can grab, and the state of the hand as pictures show it.

use glam::{DVec3, Vec2};

/// Body that the hand can grab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A particle.
    Particle(u32),
    /// A collider, by its number in the scene.
    Collider(u32),
}

impl Target {
    /// The particle, if it is one.
    pub fn particle(self) -> Option<u32> {
        match self {
            Self::Particle(particle) => Some(particle),
            Self::Collider(_) => None,
        }
    }
}

/// State of the hand that is drawn.
#[derive(Clone, Copy, Debug, Default)]
pub struct DrawnHand {
    /// Viewport and lane of the body that a click would grab, and that body.
    pub hovered: Option<(usize, usize, Target)>,
    /// Held body, and the position of the hand in metres.
    pub held: Option<(Target, DVec3)>,
    /// Mouse in pixels, while it is over the scene.
    pub cursor: Option<Vec2>,
    /// Viewport of a cut being drawn, and its ends in physical pixels.
    pub stroke: Option<(usize, [Vec2; 2])>,
}
