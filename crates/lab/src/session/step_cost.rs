//! Cost of a step, and the number of steps between two clock readings.

/// Shortest batch of steps whose duration is measured, in seconds. Reading the clock takes about 30
/// ns, which would distort the measured duration of a single step of a microsecond.
const SHORTEST_BATCH: f64 = 20e-6;
/// Longest duration of a slice of several steps, in seconds. A longer slice would delay the
/// watchdog.
const LONGEST_SLICE: f64 = 0.02;
/// Number of slices per frame if the cost of a step is known.
const SLICES_PER_FRAME: u32 = 4;
/// Number of kept batches, which cover the last few frames. It is odd, so the median is one of the
/// batches.
const BATCHES_KEPT: usize = 15;

/// Computing time of a step: the median over the last batches of steps. Interruptions by other
/// programs barely change the median.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepCost {
    /// Seconds per step of the last batches, in a ring buffer.
    batches: [f64; BATCHES_KEPT],
    count: usize,
    /// Number of steps in the unfinished batch.
    steps: u32,
    passed: f64,
    median: f64,
}

impl StepCost {
    /// Returns the median computing time per step in seconds; 0 = unknown.
    pub fn seconds(&self) -> f64 {
        self.median
    }

    /// Returns the largest computing time per step among the last batches, in seconds; `None`
    /// before the first step.
    pub fn worst(&self) -> Option<f64> {
        let known = &self.batches[..self.count.min(BATCHES_KEPT)];
        let worst = known.iter().copied().reduce(f64::max);
        worst.or((self.steps > 0).then(|| self.passed / f64::from(self.steps)))
    }

    /// Returns the median computing time per step in seconds. Before the first complete batch,
    /// returns the mean of all steps so far; `None` before the first step.
    pub fn estimate(&self) -> Option<f64> {
        let so_far = self.passed / f64::from(self.steps);
        if self.count > 0 { Some(self.median) } else { (self.steps > 0).then_some(so_far) }
    }

    /// Adds the computing time of `steps` steps, in seconds.
    pub fn add(&mut self, steps: u32, seconds: f64) {
        self.steps += steps;
        self.passed += seconds;
        if self.steps > 0 && self.passed >= SHORTEST_BATCH {
            self.batches[self.count % BATCHES_KEPT] = self.passed / f64::from(self.steps);
            self.count += 1;
            (self.steps, self.passed) = (0, 0.0);
            let mut sorted = self.batches;
            let known = &mut sorted[..self.count.min(BATCHES_KEPT)];
            known.sort_unstable_by(f64::total_cmp);
            self.median = known[known.len() / 2];
        }
    }

    /// Returns how many steps are taken before the clock is read again, after `taken` of the
    /// `planned` steps of a frame. While the cost of a step is unknown, this number grows: 1, 1, 2,
    /// 4, 8 … steps.
    pub fn slice(&self, planned: u32, taken: u32) -> u32 {
        if self.median > 0.0 {
            let steps = |seconds: f64, cost: f64| (seconds / cost).min(f64::from(u32::MAX)) as u32;
            let batch = steps(SHORTEST_BATCH, self.median).saturating_add(1);
            let wanted = planned.div_ceil(SLICES_PER_FRAME).max(batch);
            wanted.min(steps(LONGEST_SLICE, self.worst().unwrap_or(self.median))).max(1)
        } else {
            taken.max(1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preempted_batch_does_not_count() {
        let mut cost = StepCost::default();
        for seconds in [1e-4, 1e-4, 0.1, 1e-4, 1e-4] {
            cost.add(10, seconds);
        }
        assert_eq!(cost.seconds(), 1e-5);
    }

    #[test]
    fn steps_of_a_microsecond_are_measured_twenty_at_a_time() {
        let mut cost = StepCost::default();
        (0..19).for_each(|_| cost.add(1, 1e-6));
        assert_eq!(cost.seconds(), 0.0);
        (0..2).for_each(|_| cost.add(1, 1e-6));
        assert!((cost.seconds() - 1e-6).abs() < 1e-12, "cost of a step: {} s", cost.seconds());
        assert!(cost.slice(16, 0) >= 20);
    }

    #[test]
    fn slices_of_steps_of_unknown_cost_grow_from_one() {
        let cost = StepCost::default();
        let mut taken = 0;
        let slices = [0; 5].map(|_: u32| {
            let slice = cost.slice(1000, taken);
            taken += slice;
            slice
        });
        assert_eq!(slices, [1, 1, 2, 4, 8]);
    }

    #[test]
    fn a_slice_is_short_where_one_of_the_last_batches_was_long() {
        let mut cost = StepCost::default();
        (0..10).for_each(|_| cost.add(1, 1e-4));
        assert_eq!(cost.slice(100_000, 0), 200);
        cost.add(1, 5e-3);
        assert_eq!((cost.slice(100_000, 0), cost.worst()), (4, Some(5e-3)));
    }

    #[test]
    fn a_slice_of_long_steps_is_one() {
        let mut cost = StepCost::default();
        cost.add(1, 0.5);
        assert_eq!(cost.slice(250_000, 0), 1);
    }
}
