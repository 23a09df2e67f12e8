//! Tests of steps, forces, constraints, contact and analyses, compared with theory. All are in one
//! test binary, because each binary links the whole program.

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
mod support;
