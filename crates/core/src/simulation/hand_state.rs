//! State of the *hand* (the user's mouse in the scene), and positions of pinned particles, which
//! the hand may move.

use super::settings::GrabMode;
use crate::model::{Model, PinnedParticle};
use glam::DVec3;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hand {
    pub(super) held_body: Held,
    /// Position of the hand at the end of the last step, in metres.
    pub(super) at: DVec3,
    /// Velocity of the hand in the steps of this frame, in m/s; 0 before and after these steps.
    pub(super) velocity: DVec3,
    /// Simulated time at the end of the last step, in seconds.
    pub(super) t: f64,
    /// Position of the hand at the end of this frame, in metres.
    pub(super) goal: DVec3,
}

/// Body that the hand holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Held {
    Particle {
        particle: u32,
        mode: GrabMode,
        /// True if the particle was pinned before the hard grab. The particle is then
        /// pinned again where it is released.
        was_pinned: bool,
    },
    /// A collider. `grip` is the vector from the hand to the collider's origin, in metres.
    Collider { collider: u32, grip: DVec3 },
}

impl Hand {
    pub(super) fn grabs(&self, wanted: u32, wanted_mode: GrabMode) -> bool {
        matches!(self.held_body, Held::Particle { particle, mode, .. }
            if particle == wanted && mode == wanted_mode)
    }
}

/// Yields pinned particles and their prescribed positions in metres at time `t`.
pub(super) fn pin_targets(
    model: &Model,
    hand: &Option<Hand>,
    t: f64,
) -> impl Iterator<Item = (u32, DVec3)> {
    model.pins().iter().map(move |pin| (pin.particle, pin_target(pin, hand, t)))
}

/// Yields pinned particles and their prescribed velocities in m/s at time `t`.
pub(super) fn pin_velocities(
    model: &Model,
    hand: &Option<Hand>,
    t: f64,
) -> impl Iterator<Item = (u32, DVec3)> {
    model.pins().iter().map(move |pin| {
        let held_by = hand.as_ref().filter(|hand| hand.grabs(pin.particle, GrabMode::Hard));
        (pin.particle, held_by.map_or_else(|| pin.path.velocity(t), |hand| hand.velocity))
    })
}

/// Returns the prescribed position in metres of a pinned particle at time `t`: the hand's position
/// for a hard grab, otherwise the path of the pin.
fn pin_target(pin: &PinnedParticle, hand: &Option<Hand>, t: f64) -> DVec3 {
    match hand {
        Some(hand) if hand.grabs(pin.particle, GrabMode::Hard) => {
            hand.at + hand.velocity * (t - hand.t)
        }
        _ => pin.origin + pin.path.offset(t),
    }
}
