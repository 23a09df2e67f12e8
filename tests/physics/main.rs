//! Steps, forces, constraints, contact and their analysis against theory. One binary, because
//! each one links the whole program.

mod analysis;
mod constraints;
mod contact;
mod fast_paths;
mod forces;
mod foreign;
mod integrators;
mod lanes;
mod plain_loops;
mod solvers;
