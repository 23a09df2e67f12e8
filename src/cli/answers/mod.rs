//! Commands that answer a question about a scene.

pub(super) mod advise;
pub(super) mod choose;
pub(super) mod converge;
pub(super) mod damping;
pub(super) mod explain;
pub(super) mod limit;
pub(super) mod map;
