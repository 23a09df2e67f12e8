//! Cost of a step, measured after a warm-up that fills caches and allocates memory.

use crate::analysis::explain::explain_job::ExplainJob;
use crate::analysis::explain::step_lengths::StepLengths;
use crate::analysis::job::Cancelled;
use crate::analysis::runs::median_cost::MedianCost;
use crate::analysis::runs::work::{WORK_OF_A_SECOND, work_of_last_step};
use crate::session::InputReplay;
use crate::simulation::Simulation;
use crate::simulation::settings::Settings;
use crate::simulation::timing::stepper::SHORTEST_DT;

/// Work of the first steps, about 1 ms. These steps are not timed.
const COLD_WORK: u64 = WORK_OF_A_SECOND / 1000;
/// Minimum work of the timed steps, about 2 ms.
const MEASURED_WORK: u64 = WORK_OF_A_SECOND / 500;
/// Minimum number of timed steps, even if each of them takes long.
const FEWEST_STEPS: u64 = 3;
/// Factor by which dt is multiplied to measure the cost of a lane that explodes immediately.
const SHORT_STEP_FACTOR: f64 = 1e-3;

/// Computing times of a run's steps.
#[derive(Clone, Debug, Default)]
pub(in crate::analysis::explain) struct RunCost {
    work: u64,
    steps: u64,
    median: MedianCost,
}

/// Steps of a run from its start, which are repeated if the run was too short for a measurement.
#[derive(Clone, Debug)]
pub(in crate::analysis::explain) struct RunStart {
    pub simulation: Simulation,
    pub inputs: InputReplay,
    pub step_lengths: StepLengths,
}

impl RunCost {
    /// Adds the computing time of a step in seconds, and its work.
    pub fn add(&mut self, seconds: f64, work: u64) {
        if self.work >= COLD_WORK {
            self.median.add(seconds);
            self.steps += 1;
        }
        self.work += work;
    }

    fn is_measured(&self) -> bool {
        self.steps >= FEWEST_STEPS && self.work >= COLD_WORK + MEASURED_WORK
    }

    /// Returns the median of the seconds per step. If the run was too short, its first `good` steps
    /// are repeated from `start`. If it had no good step, steps that are short enough to be stable
    /// are measured.
    pub fn seconds_per_step(
        mut self,
        job: &ExplainJob,
        good: u64,
        start: impl FnOnce() -> RunStart,
    ) -> Result<f64, Cancelled> {
        if self.is_measured() {
            return Ok(self.median.seconds());
        }
        let RunStart { mut simulation, inputs, step_lengths } = start();
        let own = *simulation.settings();
        let short = (SHORT_STEP_FACTOR * own.dt).max(SHORTEST_DT);
        if good == 0 {
            simulation.configure(Settings { dt: short, ..own });
        }
        let snapshot = simulation.snapshot();
        while !self.is_measured() {
            simulation.restore(&snapshot);
            let (mut inputs, mut step_lengths) = (inputs.clone(), step_lengths.clone());
            for _ in 0..good.max(1) {
                job.check()?;
                let dt = if good == 0 { short } else { step_lengths.next_length() };
                let started = job.now();
                inputs.step(&mut simulation, dt);
                self.add(job.now() - started, work_of_last_step(&simulation));
            }
        }
        Ok(self.median.seconds())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_steps_of_a_run_do_not_count() {
        for work in [100, 10_000, 10_000_000] {
            let mut cost = RunCost::default();
            while !cost.is_measured() {
                let is_cold = cost.work < COLD_WORK;
                cost.add(if is_cold { 1.0 } else { 1e-3 }, work);
            }
            assert!((cost.median.seconds() - 1e-3).abs() < 1e-15, "steps of {work}");
        }
    }
}
