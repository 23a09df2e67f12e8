//! Changes to a running simulation: by the mouse, and by added or removed bodies.

pub(super) mod carried_collider;
pub(super) mod carry_over;
pub(super) mod hand;
pub(super) mod part_replacement;
