//! Energy accounts, recorded steps and trails of all lanes (simulations of the scene), for charts
//! and drawing. None of them affects the simulations.

use super::lane::Lane;
use super::side_by_side::Session;
use crate::measure::Thinning;

impl Session {
    /// Starts (if `wanted`) or ends the energy account of every lane, including lanes that are
    /// added later. An energy account lists the energy that is added from outside, removed, and
    /// created by the integrator.
    pub fn keep_energy_accounts(&mut self, wanted: bool) {
        self.keeps_energy_accounts = wanted;
        for Lane { simulation, .. } in &mut self.lanes {
            match simulation.energy_account() {
                None if wanted => simulation.start_energy_account(),
                Some(_) if !wanted => simulation.end_energy_account(),
                _ => {}
            }
        }
    }

    /// Records every step of a particle in all lanes. `None` ends the recording.
    pub fn watch(&mut self, particle: Option<u32>) {
        self.for_each_simulation(|simulation| simulation.watch(particle));
    }

    /// Records trails of these particles in all lanes.
    pub fn set_trails(&mut self, wanted: &[(u32, Thinning)]) {
        self.for_each_simulation(|simulation| simulation.set_trails(wanted));
    }
}
