//! Work of drivers in the energy account: moving pins and moving colliders.

mod moving_colliders;
mod moving_pins;

use crate::support;
use ropelab::measure::Balance;
use ropelab::simulation::Simulation;
use ropelab::simulation::settings::Settings;

/// Returns a simulation of the first lane of a scene with changed settings, with an energy account.
fn with_energy_account(text: &str, change: impl Fn(Settings) -> Settings) -> Simulation {
    let scene = support::parse(text);
    support::with_energy_account(&scene, change(scene.lanes[0].settings))
}

/// Takes a step and returns the balance of the energy account.
fn step(simulation: &mut Simulation) -> Balance {
    simulation.step(simulation.settings().dt);
    simulation.add_to_energy_account();
    simulation.balance().expect("an account is kept")
}
