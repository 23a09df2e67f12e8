//! Published properties of every integrator, measured: order, stability limit, energy,
//! reversibility.

mod elimination;
mod energy;
mod implicit;
mod order;
mod pairs;
mod projection;
mod roots;
mod rules;
mod stability;
mod systems;
mod tables;
mod values;
mod verlet;
