//! Jitter of resting bodies: root mean square of the difference between velocity and mean velocity.

use crate::simulation::Simulation;
use glam::DVec3;

/// Fraction of the measurements in which a particle must be in contact to count as resting.
const CONTACT_FRACTION: f64 = 0.8;

/// Velocity sums of particles in contact, for the third and the fourth quarter of a run.
#[derive(Default)]
pub(super) struct Jitter {
    particles: Vec<ParticleSums>,
    measurements: [u32; 2],
}

/// Velocity sums of one particle in contact, for the third and the fourth quarter of the run.
#[derive(Clone, Copy, Default)]
struct ParticleSums {
    contacts: [u32; 2],
    /// Sums of the velocities in m/s, for the third and the fourth quarter of the run.
    sum: [DVec3; 2],
    /// Sums of the squares of the speeds in m²/s², for the third and the fourth quarter of the run.
    squares: [f64; 2],
}

impl Jitter {
    /// Adds the velocities of all particles in contact. `part` is the fraction of the run that has
    /// passed, 0 to 1; the first half of the run is ignored.
    pub fn record(&mut self, simulation: &Simulation, part: f64) {
        let quarter = match part {
            0.5..0.75 => 0,
            0.75..=1.01 => 1,
            _ => return,
        };
        let v = &simulation.state().v;
        self.particles.resize(v.len(), ParticleSums::default());
        self.measurements[quarter] += 1;
        let mut touching: Vec<u32> = Vec::new();
        for touch in simulation.last_contacts() {
            touching.extend(&touch.particles[..touch.count]);
        }
        touching.sort_unstable();
        touching.dedup();
        for i in touching {
            let sums = &mut self.particles[i as usize];
            sums.contacts[quarter] += 1;
            sums.sum[quarter] += v[i as usize];
            sums.squares[quarter] += v[i as usize].length_squared();
        }
    }

    /// Returns the root mean square of v − v̄ in m/s over all resting particles, for the third and
    /// the fourth quarter. Here v̄ is the mean velocity of the particle in the quarter, so steady
    /// rolling and sliding do not count as jitter.
    pub fn speeds(&self) -> [f64; 2] {
        let is_resting = |sums: &&ParticleSums| {
            let enough = |quarter: usize| {
                f64::from(sums.contacts[quarter])
                    >= CONTACT_FRACTION * f64::from(self.measurements[quarter].max(1))
            };
            enough(0) && enough(1)
        };
        let resting: Vec<&ParticleSums> = self.particles.iter().filter(is_resting).collect();
        [0, 1].map(|quarter| {
            let square = |sums: &&ParticleSums| {
                let count = f64::from(sums.contacts[quarter]);
                let mean = sums.sum[quarter] / count;
                (sums.squares[quarter] / count - mean.length_squared()).max(0.0)
            };
            (resting.iter().map(square).sum::<f64>() / resting.len().max(1) as f64).sqrt()
        })
    }
}
