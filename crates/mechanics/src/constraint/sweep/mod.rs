//! Sweep orders, and the plain loop over the links. The solvers provide the correction of a single
//! link.

mod order;
mod plain_loop;

pub use order::SweepOrder;
pub(super) use plain_loop::{Ends, gauss_seidel};
