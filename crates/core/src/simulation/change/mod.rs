//! Changes to a running simulation: by the hand, and by bodies that are added or removed.

pub(super) mod carried_collider;
pub(super) mod carry_over;
pub(super) mod hand;
pub(super) mod part_replacement;
