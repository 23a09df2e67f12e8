//! Links as damped springs. Springs of grids and chains are computed in SIMD, other springs one by
//! one.

pub(super) mod spring;
pub(super) mod spring_grid;
pub(super) mod spring_law;
pub(super) mod spring_row;
pub(super) mod spring_rows;
