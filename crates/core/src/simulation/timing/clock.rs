//! Simulated time, counted in steps.

/// Simulated time, as the number of equal steps since the last change of the step length. Counting
/// steps keeps rounding errors from adding up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::simulation) struct Clock {
    base: f64,
    dt: f64,
    since_base: u64,
    pub(in crate::simulation) steps: u64,
}

impl Clock {
    pub(in crate::simulation) fn now(&self) -> f64 {
        self.base + self.since_base as f64 * self.dt
    }

    pub(in crate::simulation) fn tick(&mut self, dt: f64) {
        if dt != self.dt {
            *self = Self { base: self.now(), dt, since_base: 0, steps: self.steps };
        }
        self.since_base += 1;
        self.steps += 1;
    }
}
