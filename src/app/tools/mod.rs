//! Mouse tools for the scene: the *hand* (dragging bodies), scissors, building, measuring, throwing
//! and blowing.

pub mod blower;
pub mod builder;
pub mod hand;
pub mod hand_context;
mod held_pointer;
pub mod ruler;
pub mod scissors;
pub mod thrower;

use crate::model::PinnedParticle;
use blower::Blower;
use builder::Builder;
use hand::MouseHand;
use ruler::Stopwatch;
use thrower::Thrower;

/// State of all tools.
#[derive(Default)]
pub struct Tools {
    pub hand: MouseHand,
    /// True if an unpinned particle was dragged in this scene.
    pub has_dragged: bool,
    pub thrower: Thrower,
    pub blower: Blower,
    pub builder: Builder,
    /// Text of the ruler in the first viewport.
    pub ruler_text: Option<String>,
    pub stopwatch: Stopwatch,
}

impl Tools {
    /// Removes the state that belongs to the previous scene, because another scene was opened.
    pub fn forget(&mut self) {
        self.hand.forget();
        self.has_dragged = false;
        self.builder.forget();
    }

    /// Sets `has_dragged` if the mouse is dragging an unpinned particle.
    pub fn note_drag(&mut self, pins: &[PinnedParticle]) {
        let dragged = self.hand.dragged();
        self.has_dragged |=
            dragged.is_some_and(|dragged| pins.iter().all(|pin| pin.particle != dragged));
    }
}
