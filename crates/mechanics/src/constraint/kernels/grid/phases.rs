//! What happens to a pair of rows, one thing after the other.

/// The sweeps of some substeps; between two substeps a pair *turns*: it leaves the one and arrives
/// in the other.
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

    /// The substep that a pair leaves in a phase, if that is a turn.
    #[inline(always)]
    pub fn turn(self, phase: usize) -> Option<usize> {
        let a_substep = self.sweeps + 1;
        (phase % a_substep == self.sweeps).then(|| self.first + phase / a_substep)
    }
}
