//! Parameters of links: their solver, their stiffness in the numbers of engines, their limits.

pub(super) mod engines;
pub(super) mod limits;
pub(super) mod links;
