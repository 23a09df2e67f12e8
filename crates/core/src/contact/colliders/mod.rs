//! Contact with colliders: of particles, links and triangles, and by penalty forces.

pub mod at_colliders;
pub mod face;
pub mod link_contacts;
pub mod penalty;
