//! Time, counted in steps.

/// Time as an integer number of steps since dt last changed, so that no rounding piles up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Clock {
    base: f64,
    dt: f64,
    since_base: u64,
    pub(super) steps: u64,
}

impl Clock {
    pub(super) fn now(&self) -> f64 {
        self.base + self.since_base as f64 * self.dt
    }

    pub(super) fn tick(&mut self, dt: f64) {
        if dt != self.dt {
            *self = Self { base: self.now(), dt, since_base: 0, steps: self.steps };
        }
        self.since_base += 1;
        self.steps += 1;
    }
}
