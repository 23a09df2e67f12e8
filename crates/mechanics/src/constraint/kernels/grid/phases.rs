//! Phases of a pair of rows: the sweeps and boundaries that it passes in turn.

/// The sweeps of some substeps; between two substeps a pair crosses a *boundary*: it is
/// stored in the one and loaded in the other.
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

    /// The last substep.
    pub fn last(self) -> usize {
        self.first + self.substeps - 1
    }

    /// The substep that ends in a phase, if that is a boundary.
    #[inline(always)]
    pub fn boundary(self, phase: usize) -> Option<usize> {
        let a_substep = self.sweeps + 1;
        (phase % a_substep == self.sweeps).then(|| self.first + phase / a_substep)
    }
}
