//! Where the particles of one run are at evenly spaced instants, for comparing runs of different dt.

use super::job::{Cancelled, Work};
use crate::measure::Explosion;
use crate::session::InputsAgain;
use crate::simulation::Simulation;
use glam::DVec3;

/// Instants at which positions are kept.
const SAMPLES: u32 = 60;

/// Steps of which the cost is taken together; the first ones, which allocate, count alone.
const BATCH: u64 = 16;

/// One run.
#[derive(Clone, Debug)]
pub struct Track {
    /// Positions in metres at 1/60, 2/60 … of the duration, between two steps on the straight line.
    pub samples: Vec<Vec<DVec3>>,
    /// When and where it exploded, if it did.
    pub explosion: Option<Explosion>,
    /// Simulated seconds.
    pub t: f64,
    /// Seconds of computing a step: the median over batches, which a busy machine upsets less.
    pub step_cost: f64,
    /// Steps taken.
    steps: u64,
}

impl Track {
    /// Runs a simulation in steps of its dt, while inputs are given again. `clock` returns seconds.
    pub fn of<P>(
        mut simulation: Simulation,
        mut inputs: InputsAgain,
        duration: f64,
        clock: &dyn Fn() -> f64,
        work: &Work<P>,
    ) -> Result<Self, Cancelled> {
        let dt = simulation.settings().dt;
        let begin = simulation.state().t;
        let steps = (duration / dt).round().max(1.0) as u64;
        work.expect(steps);
        let mut before = simulation.state().x.clone();
        let mut samples: Vec<Vec<DVec3>> = Vec::new();
        let (mut costs, mut seconds, mut taken) = (Vec::new(), 0.0, 0);
        while taken < steps && simulation.explosion().is_none() {
            let started = clock();
            inputs.step(&mut simulation, dt);
            seconds += clock() - started;
            taken += 1;
            if taken % BATCH == 0 || taken < BATCH {
                costs.push(seconds / if taken < BATCH { 1.0 } else { BATCH as f64 });
                seconds = 0.0;
            }
            work.done(1)?;
            let (x, t) = (&simulation.state().x, simulation.state().t - begin);
            while samples.len() < SAMPLES as usize {
                let due = duration * (samples.len() + 1) as f64 / f64::from(SAMPLES);
                if due > t + 1e-9 * duration {
                    break;
                }
                let part = ((due - (t - dt)) / dt).clamp(0.0, 1.0);
                samples.push(before.iter().zip(x).map(|(a, b)| a.lerp(*b, part)).collect());
            }
            before.clone_from(x);
        }
        work.done(steps - taken)?;
        let t = simulation.state().t - begin;
        costs.sort_unstable_by(f64::total_cmp);
        let step_cost = costs.get(costs.len() / 2).copied().unwrap_or(f64::NAN);
        Ok(Self { samples, explosion: simulation.explosion(), t, step_cost, steps: taken })
    }

    /// Seconds of computing a simulated second.
    pub fn cost(&self) -> f64 {
        self.step_cost * self.steps as f64 / self.t.max(f64::MIN_POSITIVE)
    }
}

/// Greatest distance of a particle between two runs at one instant, in metres.
pub fn distance(a: &[Vec<DVec3>], b: &[Vec<DVec3>]) -> f64 {
    let pairs = a.iter().zip(b).flat_map(|(a, b)| a.iter().zip(b));
    pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}
