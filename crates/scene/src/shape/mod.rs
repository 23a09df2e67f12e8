//! Shapes of ropes at rest and along a route, and meshes from files.

pub(super) mod catenary;
pub(super) mod meshes;
pub(super) mod obj;
pub(super) mod route;
