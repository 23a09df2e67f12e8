//! State of the hand in one lane, and the positions of pinned particles, which the hand may move.

use super::settings::GrabMode;
use crate::model::{Model, PinnedParticle};
use glam::DVec3;

/// State of the hand in one lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hand {
    pub(super) held_body: Held,
    /// Position at the end of the last step, in metres.
    pub(super) at: DVec3,
    /// Velocity in m/s during the steps of this frame; the hand rests before and after them.
    pub(super) velocity: DVec3,
    /// End of the last step, in seconds.
    pub(super) t: f64,
    /// Position at the end of this frame, in metres.
    pub(super) goal: DVec3,
}

/// Body that the hand holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Held {
    /// A particle.
    Particle {
        particle: u32,
        mode: GrabMode,
        /// True if the particle was pinned before a hard grab made it follow the hand.
        was_pinned: bool,
    },
    /// A collider. `grip` is the vector from the hand to the collider's origin, in metres.
    Collider { collider: u32, grip: DVec3 },
}

impl Hand {
    /// True if the hand holds this particle hard.
    pub(super) fn holds_hard(&self, particle: u32) -> bool {
        self.holds(particle, GrabMode::Hard)
    }

    /// True if the hand holds this particle in the mode `how`.
    pub(super) fn holds(&self, wanted: u32, how: GrabMode) -> bool {
        matches!(self.held_body, Held::Particle { particle, mode, .. }
            if particle == wanted && mode == how)
    }
}

/// Yields pinned particles and their positions at time `t`, in metres.
pub(super) fn pin_targets(
    model: &Model,
    hand: &Option<Hand>,
    t: f64,
) -> impl Iterator<Item = (u32, DVec3)> {
    model.pins().iter().map(move |pin| (pin.particle, pin_target(pin, hand, t)))
}

/// Returns the position of a pinned particle at time `t`, in metres: in the hand if the hand holds
/// it hard, otherwise on its path.
fn pin_target(pin: &PinnedParticle, hand: &Option<Hand>, t: f64) -> DVec3 {
    match hand {
        Some(hand) if hand.holds(pin.particle, GrabMode::Hard) => {
            hand.at + hand.velocity * (t - hand.t)
        }
        _ => pin.origin + pin.path.offset(t),
    }
}
