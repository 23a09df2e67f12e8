//! Constraints of more than two particles, one per file.

mod bending;

pub(crate) use bending::BendConstraints;
