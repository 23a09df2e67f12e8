//! Elements of more than two particles: one file each.

mod bending;

pub(crate) use bending::BendConstraints;
