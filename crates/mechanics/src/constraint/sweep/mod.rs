//! Sweep orders, and the plain loop over the links. The solvers provide the correction of a single
//! link.

mod jacobi;
mod network;
mod order;
mod plain_loop;
mod scalar_fallback;

pub(super) use network::Network;
pub use order::SweepOrder;
pub(super) use plain_loop::Ends;
