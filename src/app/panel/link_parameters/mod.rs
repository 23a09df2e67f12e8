//! Parameters of links: solver, stiffness in other engines' parameters, and limits on length.

pub(super) mod engines;
pub(super) mod limits;
pub(super) mod links;
