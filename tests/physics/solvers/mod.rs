//! Tests of the constraint solvers, one file per solver, and of the limits of length.

mod dampers;
mod direct;
mod limits_of_length;
mod linked_rings;
mod one_material;
mod over_relaxation;
mod own_compliance;
mod random_trees;
mod rattle;
mod shake;
mod soft_step;
mod solver2d;
mod vbd;
