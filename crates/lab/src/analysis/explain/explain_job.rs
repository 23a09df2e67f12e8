//! Job that computes an explanation and counts its own work.

use super::question::ExplainQuestion;
use crate::analysis::job::Cancelled;
use crate::analysis::runs::work::work_of_last_step;
use crate::session::InputReplay;
use crate::simulation::Simulation;
use std::sync::atomic::{AtomicU64, Ordering};

/// Question and the job that answers it, with a work budget for the current part of the answer.
/// Work is counted by [`work_of_last_step`], so a budget ends at the same step on every machine.
#[derive(Clone, Copy)]
pub(super) struct ExplainJob<'a> {
    pub question: &'a ExplainQuestion,
    /// Check that is called between slices and fails if the job was cancelled.
    pub check: &'a (dyn Fn() -> Result<(), Cancelled> + Sync),
    /// Clock that measures the cost of steps.
    pub clock: &'a (dyn Fn() -> f64 + Sync),
    /// Counter of the work that one thread has done.
    pub spent: &'a AtomicU64,
    /// Count of work at which the budget ends.
    pub end: u64,
    /// True if trials keep an energy account, because the total energy does not show the gain to be
    /// explained.
    pub keeps_account: bool,
}

impl ExplainJob<'_> {
    /// Fails if the job was cancelled.
    pub fn check(&self) -> Result<(), Cancelled> {
        (self.check)()
    }

    /// Returns the clock reading in seconds.
    pub fn now(&self) -> f64 {
        (self.clock)()
    }

    /// Takes a step and counts its work. Returns its computing time in seconds and its work.
    pub fn step(
        &self,
        inputs: &mut InputReplay,
        simulation: &mut Simulation,
        dt: f64,
    ) -> (f64, u64) {
        let started = self.now();
        inputs.step(simulation, dt);
        let passed = self.now() - started;
        let work = work_of_last_step(simulation);
        self.spend(work);
        (passed, work)
    }

    /// Counts finished work.
    pub fn spend(&self, work: u64) {
        self.spent.fetch_add(work, Ordering::Relaxed);
    }

    /// True if the budget is spent.
    pub fn is_over(&self) -> bool {
        self.left() == 0
    }

    /// Returns the job with a budget of at most `work`. If its budget is smaller already, it keeps
    /// it.
    pub fn within(&self, work: u64) -> Self {
        Self { end: self.end.min(self.spent.load(Ordering::Relaxed) + work), ..*self }
    }

    /// Returns the job with its own counter and budget, for another thread.
    pub fn with_budget<'b>(&'b self, spent: &'b AtomicU64, work: u64) -> ExplainJob<'b> {
        ExplainJob { spent, end: work, ..*self }
    }

    /// Returns the remaining work.
    pub fn left(&self) -> u64 {
        self.end.saturating_sub(self.spent.load(Ordering::Relaxed))
    }
}
