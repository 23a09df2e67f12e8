//! Linear algebra on displacements: what vibrations and step matrices need.

pub(super) mod lanczos;
pub(super) mod mass_product;
pub(super) mod matrix;
pub(super) mod symmetric;
