//! Times of the substeps of a step.

/// Division of a step into equal substeps; times in seconds.
#[derive(Clone, Copy, Debug)]
pub(in crate::simulation) struct Substeps {
    pub start: f64,
    pub end: f64,
    /// Length of the whole step in seconds.
    pub dt: f64,
    pub count: u32,
}

impl Substeps {
    /// Returns the length h of a substep in seconds.
    pub fn h(&self) -> f64 {
        self.dt / f64::from(self.count)
    }

    /// Returns the start time of substep `k` in seconds. For `k` = `count`, returns the end of the
    /// step.
    pub fn at(&self, k: u32) -> f64 {
        match k {
            0 => self.start,
            _ if k == self.count => self.end,
            _ => self.end - self.dt + f64::from(k) * self.h(),
        }
    }
}
