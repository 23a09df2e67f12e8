//! Pinned particles of a model.

use super::Model;
use crate::model::pins::PinnedParticle;

impl Model {
    /// Returns the pinned particles, in the order of pinning.
    pub fn pins(&self) -> &[PinnedParticle] {
        &self.pins
    }

    /// True if a particle is pinned.
    pub fn is_pinned(&self, particle: u32) -> bool {
        self.masses[particle as usize] == 0.0
    }

    /// Pins a particle and clamps its bends.
    pub fn pin(&mut self, pin: PinnedParticle) {
        self.add_pin(pin);
        self.rebuild_bending();
    }

    pub(super) fn add_pin(&mut self, pin: PinnedParticle) {
        self.masses[pin.particle as usize] = 0.0;
        self.inverse_masses[pin.particle as usize] = 0.0;
        self.pins.push(pin);
    }

    /// Pins exactly these particles, in this order; all other pinned particles become free.
    pub(crate) fn set_pins(&mut self, pins: &[PinnedParticle]) {
        if self.pins != pins {
            let old = std::mem::take(&mut self.pins);
            old.iter().for_each(|pin| self.restore_mass(pin.particle));
            pins.iter().for_each(|pin| self.add_pin(pin.clone()));
            self.rebuild_bending();
        }
    }

    /// Frees a pinned particle and restores its mass.
    pub(crate) fn unpin(&mut self, particle: u32) {
        self.pins.retain(|pin| pin.particle != particle);
        self.restore_mass(particle);
        self.rebuild_bending();
    }

    pub(super) fn restore_mass(&mut self, particle: u32) {
        let mass = self.own_mass(particle);
        self.masses[particle as usize] = mass;
        self.inverse_masses[particle as usize] = 1.0 / mass;
    }
}
