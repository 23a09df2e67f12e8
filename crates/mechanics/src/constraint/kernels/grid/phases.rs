//! Phases of a pair of rows: the sweeps and boundaries that it passes in turn.

/// Sweeps of some substeps. Between two substeps a pair of rows crosses a *boundary*: it is stored
/// by the first substep and loaded for the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Phases {
    /// The first substep.
    pub first: usize,
    /// Number of substeps, at least one.
    pub substeps: usize,
    /// Sweeps in a substep.
    pub sweeps: usize,
}

impl Phases {
    /// Number of phases.
    pub fn len(self) -> usize {
        let Self { substeps, sweeps, .. } = self;
        sweeps.saturating_add(1).saturating_mul(substeps) - 1
    }

    /// Returns the last substep.
    pub fn last(self) -> usize {
        self.first + self.substeps - 1
    }

    /// Returns the substep that ends in a phase. `None` if the phase is a sweep.
    #[inline(always)]
    pub fn boundary(self, phase: usize) -> Option<usize> {
        let a_substep = self.sweeps + 1;
        (phase % a_substep == self.sweeps).then(|| self.first + phase / a_substep)
    }
}
