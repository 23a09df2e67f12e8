//! Numerical foundations: states of second-order systems, operations on columns of vectors, sparse
//! matrices, SIMD, interpolation, prescribed motions, and random numbers.

pub mod block_matrix;
pub mod columns;
pub mod conjugate_gradients;
pub mod displacement;
pub(crate) mod distinct_rows;
pub mod hermite;
pub mod motion_bounds;
pub mod pattern;
pub mod random;
pub mod simd;
pub mod sine;
pub mod state;
pub mod sums;
pub mod system;
pub mod trajectory;
