//! Pins: particles that stay in place or follow a path.

use super::Model;
use crate::numerics::trajectory::Trajectory;
use glam::DVec3;

/// A pin in force: its origin and its path.
#[derive(Clone, Debug, PartialEq)]
pub struct PinnedParticle {
    /// Index of the particle.
    pub particle: u32,
    /// Position in metres to which the path is relative.
    pub origin: DVec3,
    /// Path, relative to the origin.
    pub path: Trajectory,
}

impl Model {
    /// Returns the pinned particles, in the order in which they were pinned.
    pub fn pins(&self) -> &[PinnedParticle] {
        &self.pins
    }

    /// True if a particle is pinned.
    pub fn is_pinned(&self, particle: u32) -> bool {
        self.masses[particle as usize] == 0.0
    }

    /// Pins a particle.
    pub fn pin(&mut self, pin: PinnedParticle) {
        self.add_pin(pin);
        self.rebuild_bending();
    }

    pub(super) fn add_pin(&mut self, pin: PinnedParticle) {
        self.masses[pin.particle as usize] = 0.0;
        self.inverse_masses[pin.particle as usize] = 0.0;
        self.pins.push(pin);
    }

    /// Pins these particles, in this order, and frees all others.
    pub fn set_pins(&mut self, pins: &[PinnedParticle]) {
        if self.pins != pins {
            let old = std::mem::take(&mut self.pins);
            old.iter().for_each(|pin| self.restore_mass(pin.particle));
            pins.iter().for_each(|pin| self.add_pin(pin.clone()));
            self.rebuild_bending();
        }
    }

    /// Frees a pinned particle and gives it back its own mass.
    pub fn unpin(&mut self, particle: u32) {
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
