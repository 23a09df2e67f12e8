//! Parameters of links: solver, stiffness in the numbers of engines, limits of length.

pub(super) mod engines;
pub(super) mod limits;
pub(super) mod links;
