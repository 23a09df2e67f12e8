//! Kinetic, potential and elastic energy.

use glam::DVec3;
use serde::Serialize;

/// Energies in joules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Energy {
    /// Kinetic energy, ½ Σ m v².
    pub kinetic: f64,
    /// Potential energy of the force laws that have a potential.
    pub potential: f64,
    /// Elastic energy of links, of bends, and of penalty contacts.
    pub elastic: f64,
}

impl Energy {
    /// Returns the sum of kinetic, potential and elastic energy in joules.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential + self.elastic
    }
}

/// Returns ½ Σ m v² in joules.
pub fn kinetic_energy(masses: &[f64], v: &[DVec3]) -> f64 {
    0.5 * masses.iter().zip(v).map(|(m, v)| m * v.length_squared()).sum::<f64>()
}
