//! Linear algebra on displacements, for vibrations and step matrices.

pub(super) mod lanczos;
pub(super) mod mass_product;
pub(super) mod matrix;
pub(super) mod symmetric;
