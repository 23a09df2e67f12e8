//! Changes to a running lane: the hand, and added and removed bodies.

pub(super) mod carried_collider;
pub(super) mod carry_over;
pub(super) mod hand;
pub(super) mod part_replacement;
pub mod scene_edit;
