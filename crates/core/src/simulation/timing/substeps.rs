//! Substeps of a step.

/// A step cut into equal substeps, in seconds.
#[derive(Clone, Copy, Debug)]
pub(in crate::simulation) struct Substeps {
    pub start: f64,
    pub end: f64,
    /// Length of the step.
    pub dt: f64,
    pub count: u32,
}

impl Substeps {
    /// Returns the length of a substep in seconds.
    pub fn h(&self) -> f64 {
        self.dt / f64::from(self.count)
    }

    /// Returns the time at which substep `k` begins; the last one ends when substep `count` would
    /// begin.
    pub fn at(&self, k: u32) -> f64 {
        match k {
            0 => self.start,
            _ if k == self.count => self.end,
            _ => self.end - self.dt + f64::from(k) * self.h(),
        }
    }
}
