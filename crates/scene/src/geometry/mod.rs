//! Initial positions of ropes that hang or follow a route, and meshes of colliders from files.

pub(super) mod catenary;
pub(super) mod meshes;
pub(super) mod obj;
pub(super) mod route;
