//! Initial positions of ropes, hanging or along a route, and meshes of colliders from files.

pub(super) mod catenary;
pub(super) mod meshes;
pub(super) mod obj;
pub(super) mod route;
