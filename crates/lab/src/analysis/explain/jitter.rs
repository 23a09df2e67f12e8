//! Jitter of resting bodies: root mean square of velocity minus mean velocity.

use crate::simulation::Simulation;
use glam::DVec3;

/// Fraction of the measurements in which a particle must be in contact to count as resting.
const LIES: f64 = 0.8;

/// Velocity sums of particles in contact, for the third and the fourth quarter of a run.
#[derive(Default)]
pub(super) struct Jitter {
    particles: Vec<Tally>,
    looks: [u32; 2],
}

/// Sums of one particle, for the third and the fourth quarter of the run.
#[derive(Clone, Copy, Default)]
struct Tally {
    touches: [u32; 2],
    /// Sum of the velocities in m/s.
    sum: [DVec3; 2],
    /// Sum of the squares of the speeds in m²/s².
    squares: [f64; 2],
}

impl Jitter {
    /// Adds the velocities of all particles in contact. `part` is the fraction of the run that has
    /// passed, 0 to 1; the first half of the run is ignored.
    pub fn look(&mut self, simulation: &Simulation, part: f64) {
        let quarter = match part {
            0.5..0.75 => 0,
            0.75..=1.01 => 1,
            _ => return,
        };
        let v = &simulation.state().v;
        self.particles.resize(v.len(), Tally::default());
        self.looks[quarter] += 1;
        let mut touching: Vec<u32> = Vec::new();
        for touch in simulation.touched() {
            touching.extend(&touch.particles[..touch.count]);
        }
        touching.sort_unstable();
        touching.dedup();
        for i in touching {
            let tally = &mut self.particles[i as usize];
            tally.touches[quarter] += 1;
            tally.sum[quarter] += v[i as usize];
            tally.squares[quarter] += v[i as usize].length_squared();
        }
    }

    /// Returns the root mean square of v − v̄ over all resting particles, in m/s, for the third and
    /// the fourth quarter. v̄ is the mean velocity of the particle in the quarter, so steady
    /// rolling and sliding do not count as jitter.
    pub fn speeds(&self) -> [f64; 2] {
        let lies = |tally: &&Tally| {
            let enough = |quarter: usize| {
                f64::from(tally.touches[quarter]) >= LIES * f64::from(self.looks[quarter].max(1))
            };
            enough(0) && enough(1)
        };
        let lying: Vec<&Tally> = self.particles.iter().filter(lies).collect();
        [0, 1].map(|quarter| {
            let square = |tally: &&Tally| {
                let count = f64::from(tally.touches[quarter]);
                let mean = tally.sum[quarter] / count;
                (tally.squares[quarter] / count - mean.length_squared()).max(0.0)
            };
            (lying.iter().map(square).sum::<f64>() / lying.len().max(1) as f64).sqrt()
        })
    }
}
