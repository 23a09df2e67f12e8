//! The published properties of every integrator of the list, measured.

mod elimination;
mod energy;
mod implicit;
mod order;
mod pairs;
mod projection;
mod roots;
mod stability;
mod systems;
mod tables;
mod values;
mod verlet;
