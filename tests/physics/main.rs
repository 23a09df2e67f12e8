//! Steps, forces, constraints, contact and their analysis against theory. One binary, because
//! each one links the whole program.

mod analysis;
mod bending;
mod carried_colliders;
mod constraints;
mod contact;
mod damping;
mod direct;
mod draping;
mod energy_books;
mod fast_paths;
mod flight;
mod forces;
mod foreign;
mod friction;
mod integrators;
mod layers;
mod limits_of_length;
mod meshes;
mod over_relaxation;
mod parabolas;
mod penalty;
mod plain_loops;
mod rattle;
mod reference;
mod scene_change;
mod self_contact;
mod session;
mod soft_step;
mod stepping;
mod tearing;
mod throwing;
mod verdicts;
mod wind;
