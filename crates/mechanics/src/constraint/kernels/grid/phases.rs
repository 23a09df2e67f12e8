//! Phases of a pair of rows: the sweeps of one or more substeps, and the boundaries between the
//! substeps.

/// Sweeps of consecutive substeps as a sequence of phases. A *boundary* phase between two substeps
/// stores a pair of rows for the first substep and loads it for the second. E.g. two substeps of 3
/// sweeps have 7 phases: 3 sweeps, a boundary, 3 sweeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Phases {
    /// Index of the first substep.
    pub first: usize,
    /// Number of substeps, at least one.
    pub substeps: usize,
    pub sweeps: usize,
}

impl Phases {
    /// Returns the number of phases: all sweeps, and a boundary between any two consecutive
    /// substeps.
    pub fn len(self) -> usize {
        let Self { substeps, sweeps, .. } = self;
        sweeps.saturating_add(1).saturating_mul(substeps) - 1
    }

    pub fn last(self) -> usize {
        self.first + self.substeps - 1
    }

    /// Returns the index of the substep that ends in a boundary phase. `None` if the phase is a
    /// sweep.
    #[inline(always)]
    pub fn boundary(self, phase: usize) -> Option<usize> {
        let a_substep = self.sweeps + 1;
        (phase % a_substep == self.sweeps).then(|| self.first + phase / a_substep)
    }
}
