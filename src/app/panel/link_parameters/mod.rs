//! Parameters of links: solver, stiffness in the parameters of other engines, limits of length.

pub(super) mod engines;
pub(super) mod limits;
pub(super) mod links;
