//! Links as damped springs: one by one, and a row of a grid at a time.

pub(super) mod spring;
pub(super) mod spring_grid;
pub(super) mod spring_law;
pub(super) mod spring_row;
pub(super) mod spring_rows;
