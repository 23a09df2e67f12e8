//! Energy account of a simulation that jumps to a snapshot.

#![allow(clippy::unwrap_used)]

use crate::support;
use ropelab::measure::Balance;
use ropelab::scene::library;
use ropelab::simulation::Simulation;

/// Returns a rope at the start of its scene, with an energy account.
fn with_energy_account() -> Simulation {
    let scene = library::find("engines-on-one-rope").unwrap().load().unwrap();
    support::with_energy_account(&scene, scene.lanes[0].settings)
}

/// Takes 40 steps and returns the balance of the energy account.
fn run(simulation: &mut Simulation) -> Balance {
    for _ in 0..40 {
        simulation.step(simulation.settings().dt);
        simulation.add_to_energy_account();
    }
    simulation.balance().unwrap()
}

/// A jump to a stored moment continues the account of the run up to that moment.
#[test]
fn a_restored_snapshot_continues_the_energy_account() {
    let mut straight = with_energy_account();
    run(&mut straight);
    let (kept, at) = (straight.snapshot(), straight.balance().unwrap());
    let end = run(&mut straight);
    assert!(at.scheme != 0.0 && end.scheme != at.scheme, "both parts count");
    straight.restore(&kept);
    assert_eq!(straight.balance().unwrap(), at);
    assert_eq!(run(&mut straight), end);
    let mut other = with_energy_account();
    other.restore(&kept);
    assert_eq!(run(&mut other), end);
    other.end_energy_account();
    other.restore(&kept);
    assert_eq!(other.balance(), None, "none is wanted");
    let kept = other.snapshot();
    straight.restore(&kept);
    let since = straight.energy_account().unwrap().since();
    assert_eq!(since, other.state().t, "the moment from which it counts is known");
}
