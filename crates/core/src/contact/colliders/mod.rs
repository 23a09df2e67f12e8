//! Ropes and cloths at colliders: particles, links and triangles.

pub mod at_colliders;
pub mod collider;
pub mod face;
pub mod link_contacts;
pub mod penalty;
