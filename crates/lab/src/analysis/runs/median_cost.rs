//! Median cost of a step. Unlike the mean, the median barely changes if other programs interrupt
//! the run.

use crate::numerics::sums::median;

/// Shortest duration of a batch of steps in seconds. It is long compared with the 30 ns that a
/// reading of the clock takes.
const SHORTEST_BATCH: f64 = 20e-6;
/// Largest number of batches. When it is reached, every second batch is dropped, and further
/// batches are twice as long.
const MOST_BATCHES: usize = 4096;

/// Collector of computing times of steps, in batches.
#[derive(Clone, Debug)]
pub(in crate::analysis) struct MedianCost {
    /// Seconds per step, one value per complete batch.
    batches: Vec<f64>,
    shortest: f64,
    /// Number of steps in the unfinished batch.
    steps: u32,
    passed: f64,
}

impl Default for MedianCost {
    fn default() -> Self {
        Self { batches: Vec::new(), shortest: SHORTEST_BATCH, steps: 0, passed: 0.0 }
    }
}

impl MedianCost {
    /// Adds the computing time of one step, in seconds.
    pub fn add(&mut self, seconds: f64) {
        self.steps += 1;
        self.passed += seconds;
        if self.passed < self.shortest {
            return;
        }
        if self.batches.len() == MOST_BATCHES {
            let mut is_kept = false;
            self.batches.retain(|_| {
                is_kept = !is_kept;
                is_kept
            });
            self.shortest *= 2.0;
        }
        self.batches.push(self.passed / f64::from(self.steps));
        (self.steps, self.passed) = (0, 0.0);
    }

    /// Returns the median of the seconds per step over complete batches. Without a complete batch,
    /// returns the mean of the incomplete one; NaN without a step.
    pub fn seconds(mut self) -> f64 {
        if self.batches.is_empty() {
            return self.passed / f64::from(self.steps);
        }
        median(&mut self.batches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_else_the_machine_did_does_not_count() {
        let mut cost = MedianCost::default();
        (0..100_000).for_each(|k| cost.add(if k % 100 == 7 { 0.1 } else { 1e-5 }));
        assert!(cost.batches.len() <= MOST_BATCHES);
        assert!((cost.seconds() - 1e-5).abs() < 1e-12);
    }

    #[test]
    fn a_run_of_one_short_step_has_its_cost() {
        let mut cost = MedianCost::default();
        cost.add(1e-6);
        assert_eq!(cost.seconds(), 1e-6);
        assert!(MedianCost::default().seconds().is_nan());
    }
}
